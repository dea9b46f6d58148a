/**
 * Rows as they finish, in order, as flat JSON lines on stdout. The results come as one stream, the input as another beside it. At the
 * first row that has not ended the stream is closed, and opened again at that row a moment later. Memory is a block of lines,
 * however many rows there are.
 */
import type { ResolvedResult, Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { setTimeout as pause } from "node:timers/promises";
import type { Cli } from "../frame/command.ts";
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
      const open = (fromIndex: number) => rowmill.runs.resolvedResults(run.id, { fromIndex }, { signal });
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
