/** The items of an export in row order, page by page, each with its dataset row where that is asked for. */
import type { Selectable } from "kysely";
import type { ExportType } from "@rowmill/contract/exports";
import type { Statements } from "../../platform/database/database.ts";
import type { JsonLines } from "../../platform/json-bytes.ts";
import type { RunsTable } from "../../platform/database/run-tables.ts";
import { readChunkLinesAt } from "../datasets/chunk-store.ts";
import { readItems } from "../runs/result-items.ts";
import type { ExportItem } from "./formats/format.ts";

/** Reads one page ahead, so that the database works while lines are written. Holds no transaction. */
export async function* readItemPages(
  client: Statements,
  run: Selectable<RunsTable>,
  type: ExportType,
  includeInput: boolean,
): AsyncGenerator<readonly ExportItem[]> {
  const addInputs = createInputReader(client, run.datasetId);
  const pages = readItems(client, run, type, -1, Number.POSITIVE_INFINITY);
  const readPage = async (): Promise<readonly ExportItem[] | undefined> => {
    const page = await pages.next();
    if (page.done === true) return undefined;
    return includeInput ? addInputs(page.value) : page.value;
  };
  try {
    for (let next = readPage(); ;) {
      const page = await next;
      if (page === undefined) return;
      next = readPage();
      // It is awaited in the next round, and if there is none, nobody needs to know.
      next.catch(() => undefined);
      if (page.length > 0) yield page;
    }
  } finally {
    await pages.return(undefined);
  }
}

/** Keeps the chunk it has unpacked last, so that each chunk is read once, and those without an item never. */
function createInputReader(client: Statements, datasetId: string) {
  let chunk: { firstRow: number; lines: JsonLines } | undefined;
  return async (items: readonly ExportItem[]): Promise<readonly ExportItem[]> => {
    for (const item of items) {
      const { index } = item;
      if (chunk === undefined || index >= chunk.firstRow + chunk.lines.count || index < chunk.firstRow)
        chunk = await readChunkLinesAt(client, datasetId, index);
      const input = chunk?.lines.at(index - chunk.firstRow);
      if (input === undefined) throw new Error(`the dataset ${datasetId} has no row ${index}`);
      item.input = input;
    }
    return items;
  };
}
