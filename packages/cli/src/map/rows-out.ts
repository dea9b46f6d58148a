/**
 * Rows as they finish, in order, as flat JSON lines on stdout. A page of results is read again until all of its rows have ended; the
 * input comes from a stream beside it. Memory is a page, however many rows there are.
 */
import type { DatasetRow, ResolvedResult, Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
import { harmlessJson } from "../frame/harmless-text.ts";

const PAGE_ROWS = 1000;
const LOOK_INTERVAL_MS = 300;

/** Ends when every row of the run has been written. Returns how many. */
export async function writeRowsAsTheyFinish(
  cli: Cli,
  rowmill: Rowmill,
  run: Run,
  signal: AbortSignal,
): Promise<number> {
  const readInput = inputReader(rowmill, run, signal);
  let written = 0;
  let lastIndex = -1;
  let cursor: string | undefined;
  for (;;) {
    // Asked first: what the page shows after the end is final.
    const hasEnded = isTerminal(await rowmill.runs.get(run.id, { signal }));
    const page = await rowmill.runs.resolvedResults(
      run.id,
      { limit: PAGE_ROWS, ...(cursor === undefined ? {} : { cursor }) },
      { signal },
    );
    let isWaiting = false;
    for (const result of page.data) {
      if (result.index <= lastIndex) continue;
      if (result.resultState === "pending" && !hasEnded) {
        isWaiting = true;
        break;
      }
      const line = harmlessJson(flatRow(await readInput(result), result));
      if (!cli.terminal.stdout.write(`${line}\n`)) await once(cli.terminal.stdout, "drain", { signal });
      lastIndex = result.index;
      written++;
    }
    if (isWaiting) await pause(LOOK_INTERVAL_MS, undefined, { signal });
    else if (page.nextCursor === null) return written;
    else cursor = page.nextCursor;
  }
}

type ReadInput = (result: Pick<ResolvedResult, "index" | "datasetRowId">) => Promise<Record<string, unknown>>;

/** Rows of the dataset by index, which only grows. Where a run has all of the first rows they come in pages, else one by one. */
export function inputReader(rowmill: Rowmill, { datasetId, scope }: Run, signal: AbortSignal): ReadInput {
  if (scope.type !== "all" && scope.type !== "limit")
    return async ({ datasetRowId }) => (await rowmill.datasets.row(datasetId, datasetRowId, { signal })).data;
  const pages = rowmill.datasets.rows(datasetId, { limit: PAGE_ROWS }, { signal }).pages();
  let rows: readonly DatasetRow[] = [];
  return async ({ index }) => {
    for (;;) {
      const [first] = rows;
      const row = first === undefined ? undefined : rows[index - first.index];
      if (row !== undefined) return row.data;
      const next = await pages.next();
      if (next.done === true) throw new Error(`the dataset has no row ${index}`);
      rows = next.value.data;
    }
  };
}

/** The columns of the flat export: input, output, `row_state`, `failure_code`; what clashes gets a prefix. */
export function flatRow(
  input: Record<string, unknown>,
  { resultState, output, failure }: Pick<ResolvedResult, "resultState" | "output" | "failure">,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const taken = new Set(["row_state", "failure_code"]);
  for (const [name, value] of Object.entries(input)) {
    const column = name === "row_state" || name === "failure_code" ? `input_${name}` : name;
    taken.add(column.toLowerCase());
    row[column] = value;
  }
  for (const [name, value] of Object.entries(fieldsOf(output?.data)))
    row[taken.has(name.toLowerCase()) ? `output_${name}` : name] = value;
  return { ...row, row_state: resultState, failure_code: failure?.code ?? null };
}

function fieldsOf(data: unknown): Record<string, unknown> {
  if (data === undefined) return {};
  if (typeof data === "object" && data !== null && !Array.isArray(data)) return data as Record<string, unknown>; // JSON
  return { output: data };
}
