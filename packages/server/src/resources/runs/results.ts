/** The row-level lists of runs. */
import type { Operations } from "@rowmill/contract";
import { JsonText } from "@rowmill/contract/json-text";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Failure, Output, ResolvedResult, RunRow } from "@rowmill/contract/run-results";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { MAX_PAGE_CHARACTERS, cutPage } from "../../platform/http/pages.ts";
import { parseRowId } from "../../platform/ids.ts";
import type { EndedRuns } from "./ended-runs.ts";
import type { Item } from "./items.ts";
import { readItems } from "./result-items.ts";
import type { ItemFilter, ItemType } from "./result-items.ts";

/** Of requests for pages. */
interface PageParts {
  endedRuns: EndedRuns;
}

export async function listRunRows(
  db: Queryable,
  caller: OrganizationCaller,
  { params, filters, page }: Input<Operations["listRunRows"]>,
  parts: PageParts,
): Promise<PageOf<JsonText<RunRow>>> {
  return list(
    db,
    caller,
    parts,
    params.runId,
    "rows",
    { ...page, fromIndex: filters.fromIndex },
    { rowStates: filters.state, codes: filters.code, showsMessages: caller.scopes.has("results:read") },
  );
}

export async function listOutputs(
  db: Queryable,
  caller: OrganizationCaller,
  { params, filters, page }: Input<Operations["listOutputs"]>,
  parts: PageParts,
): Promise<PageOf<JsonText<Output>>> {
  const { fromIndex = 0 } = filters;
  if (filters.datasetRowId === undefined)
    return list(db, caller, parts, params.runId, "outputs", { ...page, fromIndex }, {});
  const row = parseRowId(filters.datasetRowId);
  const items = await parts.endedRuns.read(db, caller, params.runId, async (client, run) => {
    if (row?.datasetId !== run.datasetId || row.index < fromIndex || page.after !== undefined) return [];
    const read = await readBounded(readItems(client, run, "outputs", row.index - 1, 1), 1);
    return read.items.filter((item) => item.index === row.index);
  });
  return { data: items.map((item) => new JsonText<Output>(item.text)), next: null };
}

export async function listFailures(
  db: Queryable,
  caller: OrganizationCaller,
  { params, filters, page }: Input<Operations["listFailures"]>,
  parts: PageParts,
): Promise<PageOf<JsonText<Failure>>> {
  return list(
    db,
    caller,
    parts,
    params.runId,
    "failures",
    { ...page, fromIndex: filters.fromIndex },
    { retryable: filters.retryable, codes: filters.code },
  );
}

export async function listResolvedResults(
  db: Queryable,
  caller: OrganizationCaller,
  { params, filters, page }: Input<Operations["listResolvedResults"]>,
  parts: PageParts,
): Promise<PageOf<JsonText<ResolvedResult>>> {
  const filter = { resultStates: filters.resultState };
  return list(db, caller, parts, params.runId, "resolved_results", { ...page, fromIndex: filters.fromIndex }, filter);
}

/** The texts are items as the contract describes them: they are written by `result-items.ts`. */
async function list<T>(
  db: Queryable,
  caller: OrganizationCaller,
  { endedRuns }: PageParts,
  runId: string,
  type: ItemType,
  page: Page & { fromIndex: number | undefined },
  filter: ItemFilter,
): Promise<PageOf<JsonText<T>>> {
  const after = page.after === undefined ? (page.fromIndex ?? 0) - 1 : Number(page.after[0]);
  const wanted = page.limit + 1;
  const { items, isCut } = await endedRuns.read(db, caller, runId, (client, run) =>
    readBounded(readItems(client, run, type, after, wanted, filter), wanted),
  );
  const { rows, next } = cutPage(items, page, (item) => [item.index]);
  const last = items.at(-1);
  return {
    data: rows.map((item) => new JsonText<T>(item.text)),
    next: next ?? (isCut && last !== undefined ? [last.index] : null),
  };
}

type ItemText = Pick<Item, "index" | "text">;

/** Up to `limit` items; `isCut` when there may be more, but they are large. */
async function readBounded(
  parts: AsyncIterable<Item[]>,
  limit: number,
): Promise<{ items: ItemText[]; isCut: boolean }> {
  const items: ItemText[] = [];
  let size = 0;
  for await (const part of parts)
    for (const { index, text } of part) {
      items.push({ index, text });
      size += text.length;
      if (items.length >= limit) return { items, isCut: false };
      if (size >= MAX_PAGE_CHARACTERS) return { items, isCut: true };
    }
  return { items, isCut: false };
}
