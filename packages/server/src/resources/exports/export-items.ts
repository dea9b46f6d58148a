/** The items of an export in row order, page by page, each with its dataset row where that is asked for. */
import type { Selectable } from "kysely";
import type { ExportType } from "@rowmill/contract/exports";
import type { Statements } from "../../platform/database/database.ts";
import type { RunsTable } from "../../platform/database/run-tables.ts";
import { readChunksFrom } from "../datasets/chunk-store.ts";
import { readItemTexts } from "../runs/result-items.ts";
import type { ExportItem } from "./formats/format.ts";

/** The first page tells how large items are; the following ones are made as long as that allows. */
const FIRST_PAGE_ITEMS = 100;
/** More per page gains nothing measurable. It also bounds a page of large items that follow small ones. */
const MAX_PAGE_ITEMS = 2_000;
/** A page is held as text, as lines and as bytes, and the next one is on its way: some tens of megabytes an export. */
const TARGET_PAGE_CHARACTERS = 2_000_000;

/** Reads one page ahead, so that the database works while lines are written. Holds no transaction. */
export async function* readItemPages(
  client: Statements,
  run: Selectable<RunsTable>,
  type: ExportType,
  includeInput: boolean,
): AsyncGenerator<ExportItem[]> {
  const addInputs = createInputReader(client, run.datasetId);
  const readPage = async (after: number, limit: number): Promise<ExportItem[]> => {
    const items = await readItemTexts(client, run, type, after, limit);
    return includeInput ? addInputs(items) : items;
  };
  let limit = FIRST_PAGE_ITEMS;
  let next: Promise<ExportItem[]> | undefined = readPage(-1, limit);
  while (next !== undefined) {
    const page: ExportItem[] = await next;
    const last = page.at(-1);
    if (last === undefined) return;
    next = undefined;
    if (page.length === limit) {
      limit = nextLimit(page);
      next = readPage(last.index, limit);
      // It is awaited in the next round, and if there is none, nobody needs to know.
      next.catch(() => undefined);
    }
    yield page;
  }
}

function nextLimit(page: readonly ExportItem[]): number {
  let characters = 0;
  for (const { text, input } of page) characters += text.length + (input?.length ?? 0);
  const fitting = Math.floor((TARGET_PAGE_CHARACTERS / characters) * page.length);
  return Math.min(Math.max(fitting, 1), MAX_PAGE_ITEMS);
}

/** Keeps the chunk it has unpacked last, so that each chunk is read once, and those without an item never. */
function createInputReader(client: Statements, datasetId: string) {
  let chunk: { firstRow: number; lines: string[] } = { firstRow: 0, lines: [] };
  const readChunkWith = async (index: number): Promise<typeof chunk> => {
    for await (const found of readChunksFrom(client, datasetId, index)) return found;
    throw new Error(`the dataset ${datasetId} has no chunk with row ${index}`);
  };
  return async (items: readonly { index: number; text: string }[]): Promise<ExportItem[]> => {
    const withInput: ExportItem[] = [];
    for (const { index, text } of items) {
      if (index >= chunk.firstRow + chunk.lines.length || index < chunk.firstRow) chunk = await readChunkWith(index);
      const input = chunk.lines[index - chunk.firstRow];
      if (input === undefined) throw new Error(`the dataset ${datasetId} has no row ${index}`);
      withInput.push({ index, text, input });
    }
    return withInput;
  };
}
