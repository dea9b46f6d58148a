/**
 * Rows as they finish, in order, as flat JSON lines on stdout. The results come as one stream, the input as another beside it. At the
 * first row that has not ended the stream is closed, and opened again at that row a moment later. Memory is a block of lines,
 * however many rows there are.
 */
import type { ResolvedResult, Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
import { isExactNumber, parseExactly } from "../frame/exact-json.ts";
import { createLineWriter } from "../frame/rows.ts";
import { createInputReader } from "../runs/input-reader.ts";
import { streamRows } from "../runs/stream-rows.ts";

const LOOK_INTERVAL_MS = 300;

/** Ends when every row of the run has been written. Returns how many. */
export async function writeRowsAsTheyFinish(
  cli: Cli,
  rowmill: Rowmill,
  run: Run,
  signal: AbortSignal,
): Promise<number> {
  const input = createInputReader(rowmill, run, signal);
  const lines = createLineWriter(cli, signal);
  let written = 0;
  let next = 0;
  try {
    for (;;) {
      // Asked first: what the stream shows after the end is final.
      const hasEnded = isTerminal(await rowmill.runs.get(run.id, { signal }));
      const open = (fromIndex: number) =>
        rowmill.runs.resolvedResults(run.id, { fromIndex }, { signal, parseJson: parseExactly });
      let isWaiting = false;
      for await (const result of streamRows(open, next)) {
        if (result.resultState === "pending" && !hasEnded) {
          isWaiting = true;
          break;
        }
        if (lines.add(flatRow(await input.read(result), result))) await lines.flush();
        next = result.index + 1;
        written++;
      }
      await lines.flush();
      if (!isWaiting) return written;
      await pause(LOOK_INTERVAL_MS, undefined, { signal });
    }
  } finally {
    await input.close();
  }
}

const STATE_COLUMNS = ["row_state", "failure_code"];

/** What a flat row has of a result. */
interface FlatResult extends Pick<ResolvedResult, "resultState"> {
  output?: Pick<NonNullable<ResolvedResult["output"]>, "data">;
  failure?: Pick<NonNullable<ResolvedResult["failure"]>, "code">;
}

/**
 * A row under the names that the flat export gives its columns: input, output, `row_state`, `failure_code`. What clashes gets a prefix,
 * so that no value takes the place of another.
 */
export function flatRow(
  input: Record<string, unknown>,
  { resultState, output, failure }: FlatResult,
): Record<string, unknown> {
  const taken = new Set(STATE_COLUMNS);
  const columns = named(input, "input_", taken);
  for (const [name] of columns) taken.add(name.toLowerCase());
  const fields = named(fieldsOf(output?.data), "output_", taken);
  // Unlike an assignment, this keeps a column called `__proto__`.
  return Object.fromEntries([
    ...columns,
    ...fields,
    ["row_state", resultState],
    ["failure_code", failure?.code ?? null],
  ]);
}

/** Names are compared in any case of letters. */
function named(values: Record<string, unknown>, prefix: string, taken: ReadonlySet<string>): [string, unknown][] {
  // Only where names clash: this is done for every row.
  let own: ReadonlySet<string> | undefined;
  return Object.entries(values).map(([field, value]) => {
    if (!taken.has(field.toLowerCase())) return [field, value];
    own ??= new Set(Object.keys(values).map((name) => name.toLowerCase()));
    let name = `${prefix}${field}`;
    while (taken.has(name.toLowerCase()) || own.has(name.toLowerCase())) name = `${prefix}${name}`;
    return [name, value];
  });
}

function fieldsOf(data: unknown): Record<string, unknown> {
  if (data === undefined) return {};
  if (typeof data === "object" && data !== null && !Array.isArray(data) && !isExactNumber(data))
    return data as Record<string, unknown>; // JSON
  return { output: data };
}
