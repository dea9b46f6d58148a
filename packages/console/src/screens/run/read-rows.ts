/** Rows of a run with what went in and what came out, as far as the session may read them. */
import type { DatasetRow, Failure, Output, Run, RunRow } from "@rowmill/client";
import { rowmill } from "../../lib/client.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import type { Scope } from "../../lib/session.ts";

export interface RunRowView {
  row: RunRow;
  input?: Record<string, unknown>;
  output?: Output;
  failure?: Failure;
}

/** Rows that lie one after the other: their contents are asked for at once, without waiting for the rows. */
export async function readPage(
  run: Run,
  fromIndex: number,
  limit: number,
  scopes: readonly Scope[],
  signal: AbortSignal,
): Promise<RunRowView[]> {
  const query = { fromIndex, limit };
  const exact = { signal, parseJson: parseExactly };
  const mayRead = scopes.includes("results:read");
  const [rows, outputs, failures, inputs] = await Promise.all([
    rowmill.runs.rows(run.id, query, { signal }).then(({ data }) => data),
    mayRead && run.rows.succeeded > 0 ? rowmill.runs.outputs(run.id, query, exact).then(({ data }) => data) : [],
    mayRead && run.rows.failed > 0 ? rowmill.runs.failures(run.id, query, { signal }).then(({ data }) => data) : [],
    scopes.includes("datasets:read") ? rowmill.datasets.rows(run.datasetId, query, exact).then(({ data }) => data) : [],
  ]);
  return joined(rows, outputs, failures, inputs);
}

/** Rows that lie farther apart get their inputs one by one, as far as they are in sight. */
const MAX_SPAN = 1000;

export async function withContents(
  run: Run,
  rows: readonly RunRow[],
  scopes: readonly Scope[],
  signal: AbortSignal,
): Promise<RunRowView[]> {
  const first = rows[0]?.index;
  const last = rows.at(-1)?.index;
  if (first === undefined || last === undefined) return [];
  const span = last - first + 1;
  const query = { fromIndex: first, limit: Math.min(MAX_SPAN, span) };
  const exact = { signal, parseJson: parseExactly };
  const mayRead = scopes.includes("results:read");
  const has = (state: RunRow["state"]): boolean => rows.some((row) => row.state === state);
  const [outputs, failures, inputs] = await Promise.all([
    mayRead && has("succeeded") ? rowmill.runs.outputs(run.id, query, exact).then(({ data }) => data) : [],
    mayRead && has("failed") ? rowmill.runs.failures(run.id, query, { signal }).then(({ data }) => data) : [],
    scopes.includes("datasets:read") && span <= MAX_SPAN
      ? rowmill.datasets.rows(run.datasetId, query, exact).then(({ data }) => data)
      : [],
  ]);
  return joined(rows, outputs, failures, inputs);
}

function joined(
  rows: readonly RunRow[],
  outputs: readonly Output[],
  failures: readonly Failure[],
  inputs: readonly DatasetRow[],
): RunRowView[] {
  const outputAt = new Map(outputs.map((output) => [output.index, output]));
  const failureAt = new Map(failures.map((failure) => [failure.index, failure]));
  const inputAt = new Map(inputs.map(({ index, data }) => [index, data]));
  return rows.map((row) => {
    const output = outputAt.get(row.index);
    const failure = failureAt.get(row.index);
    const input = inputAt.get(row.index);
    return { row, ...(output && { output }), ...(failure && { failure }), ...(input && { input }) };
  });
}
