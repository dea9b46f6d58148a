/**
 * The `transform` processor: `export default (row) => …`, written by the customer, in a QuickJS engine in WebAssembly on
 * worker threads. This thread passes text and waits; parsing, computing and checking happen on the worker threads.
 *
 *     main thread: rows of a call → work items of up to 500 rows → fair share → thread → the rest of a slow work item queues again
 *     worker thread: work item → calls of up to 250 rows → a failed call again row by row
 *     sandbox: parse, call the function on each row, stringify; with several rows of flat outputs, the thread does the latter
 *
 * A sandbox is used by one organization and one code only, and lives on for the next call. Variables of the code's own
 * outside the function therefore live for an unspecified number of rows, not in the order of the dataset, and a row may
 * be computed twice: a transform that counts in a global gets what it asks for. There is no clock (the time is
 * 1970-01-01, UTC), no chance (`Math.random()` is 0.5), and `console` writes nowhere but in a test.
 */
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type {
  AttemptClock,
  Problem,
  Processor,
  RowFailure,
  InputRow,
  RowOutcome,
  RunContext,
  Step,
} from "../processor.ts";
import type { ProcessorDefinition } from "../processor-definition.ts";
import {
  CALL_GROWTH,
  CALL_MS,
  FIRST_CALL_ROWS,
  MAX_CODE_BYTES,
  MAX_IDLE_DEATHS,
  MAX_REQUEST_CHARACTERS,
  ROWS_PER_REQUEST,
} from "./transform-limits.ts";
import type { SandboxResponse } from "./sandbox-protocol.ts";
import { ThreadPool, type ThreadPoolOptions, type Urgency, type WaitClock, type Worked } from "./thread-pool.ts";
import { memoryFailure, timeoutFailure } from "./thrown.ts";

export interface TransformConfig {
  type: "transform";
  language?: "javascript";
  /** A module of JavaScript (ES2023) whose default export is a function of one row, not async. */
  code: string;
}

export interface TransformProcessor extends Processor<TransformConfig> {
  /** Runs rows like a run would, each in a call of its own, and catches the first 4 096 characters that they write to `console`. */
  testRows(
    config: TransformConfig,
    rows: InputRow[],
    context: RunContext,
    signal?: AbortSignal,
  ): Promise<(RowOutcome & { logs: string })[]>;
  close(): Promise<void>;
}

export const transformDefinition: ProcessorDefinition<TransformConfig, { transformThreads: number }> = {
  kind: "computing",
  connectionsOf: () => [],
  create: ({ transformThreads: threads }) => createTransformProcessor(threads === 0 ? {} : { threads }),
};

export function createTransformProcessor(options: ThreadPoolOptions = {}): TransformProcessor {
  const pool = new ThreadPool(options);
  return {
    findProblems: (config, organizationId) => findProblems(pool, config, organizationId),
    async prepare(config, context): Promise<Step> {
      const sandboxKey = sandboxKeyFor("run", config, context);
      const call = { pool, config, context, sandboxKey, urgency: "run" as const };
      let maxRowsPerCall = FIRST_CALL_ROWS;
      return {
        get maxRowsPerCall() {
          return maxRowsPerCall;
        },
        callsAtOnce: pool.threadsOfRuns,
        callsAreFree: true,
        outputsAreParsed: true,
        async processRows(rows, signal, clock) {
          const { outcomes, workedMs } = await runRows({ ...call, rows, signal, clock });
          maxRowsPerCall = nextRowsPerCall(maxRowsPerCall, rows.length, workedMs);
          return outcomes;
        },
      };
    },
    async testRows(config, rows, context, signal) {
      const sandboxKey = sandboxKeyFor("test", config, context);
      const urgency = "interactive" as const;
      const call = { pool, config, context, sandboxKey, urgency, rows, signal: signal ?? null };
      const { outcomes, logs } = await runRows(call);
      return outcomes.map((outcome, index) => ({ ...outcome, logs: logs[index] ?? "" }));
    },
    close: () => pool.close(),
  };
}

/**
 * As many rows as take about `CALL_MS` of a thread, as the last group took. A wait for a thread does not count: a run beside others that
 * take long would send a row at a time, and wait for a thread for each of them.
 */
export function nextRowsPerCall(allowed: number, rows: number, workedMs: number): number {
  const fitting = Math.floor((rows * CALL_MS) / Math.max(workedMs, 1));
  const next = Math.max(1, Math.min(fitting, allowed * CALL_GROWTH, ROWS_PER_REQUEST));
  // A few rows that are over at once, such as the last ones of a chunk, do not show that more would take long.
  return rows < allowed && workedMs < CALL_MS ? Math.max(allowed, next) : next;
}

async function findProblems(pool: ThreadPool, config: TransformConfig, organizationId: string): Promise<Problem[]> {
  const message =
    Buffer.byteLength(config.code) > MAX_CODE_BYTES
      ? `The code is larger than ${MAX_CODE_BYTES} bytes.`
      : await findProblemOfCode(pool, config.code, organizationId);
  return message === null ? [] : [{ path: "/code", message }];
}

async function findProblemOfCode(pool: ThreadPool, code: string, organizationId: string): Promise<string | null> {
  const { end } = await pool.perform({ organizationId, ownerId: CHECKS }, "interactive", { type: "check", code }, null);
  switch (end.outcome) {
    case "responded":
      return end.response.type === "check" ? end.response.problem : null;
    case "died":
      return end.reason === "hung"
        ? "The code runs too long while it is loaded."
        : "The code runs out of memory while it is loaded.";
    case "broke":
      throw new Error("a transform thread broke", { cause: end.error });
  }
}

/** All checks of an organization together are one owner of thread time. */
const CHECKS = "checks";

interface RowsToRun {
  pool: ThreadPool;
  config: TransformConfig;
  context: RunContext;
  sandboxKey: string;
  urgency: Urgency;
  rows: InputRow[];
  signal: AbortSignal | null;
  /** Of rows of a run. Who waits at a screen waits for a thread, too. */
  clock?: AttemptClock | undefined;
}

interface RowsResult {
  outcomes: RowOutcome[];
  logs: string[];
  /** Of all threads that had a part of the rows, together. */
  workedMs: number;
}

async function runRows(call: RowsToRun): Promise<RowsResult> {
  // Places are filled in any order; every one is filled when all work items have ended.
  const result: RowsResult = { outcomes: Array.from({ length: call.rows.length }), logs: [], workedMs: 0 };
  for (const positions of splitIntoRequests(call.rows)) await runRequests(call, positions, result);
  return result;
}

/** Runs the rows at these positions, in as many work items as it takes. */
async function runRequests(call: RowsToRun, positions: number[], result: RowsResult): Promise<void> {
  let rest = positions;
  let oneByOne = 0;
  let idleDeaths = 0;
  while (rest.length > 0) {
    // The next work item has the rows that this one hands back.
    const { end, workedMs } = await perform(call, rest, oneByOne, waitClock(call, result));
    result.workedMs += workedMs;
    if (end.outcome === "broke") throw new Error("a transform thread broke", { cause: end.error });
    if (end.outcome === "responded") {
      if (end.response.type !== "rows") throw new Error("a transform thread returned the result of another request");
      takeResult(end.response, rest, result);
      rest = rest.slice(end.response.finished);
      ({ oneByOne } = end.response);
    } else if (end.rowsInCall === 1) {
      const position = rest[end.firstRow];
      if (position === undefined) throw new Error("a transform thread ended in a row that it was not given");
      result.outcomes[position] = { ok: false, failure: failureOfDeath(end.reason) };
      rest = rest.filter((other) => other !== position);
      oneByOne = Math.max(0, oneByOne - 1);
    } else if (end.rowsInCall > 1) {
      oneByOne = end.firstRow + end.rowsInCall;
    } else if (++idleDeaths >= MAX_IDLE_DEATHS) {
      throw new Error(`transform threads end before they touch a row (${end.reason})`);
    }
  }
}

/** What was computed in part is computed to its end: it would be computed again. */
function waitClock({ clock }: RowsToRun, { workedMs }: RowsResult): WaitClock | undefined {
  return clock === undefined || workedMs === 0 ? clock : { offTheClock: (wait) => clock.offTheClock(wait) };
}

function perform(
  call: RowsToRun,
  positions: number[],
  oneByOne: number,
  clock: WaitClock | undefined,
): Promise<Worked> {
  const { pool, config, context, sandboxKey, urgency, rows, signal } = call;
  const text = positions.map((position) => rows[position]?.text ?? "").join("\n");
  const work = {
    type: "rows",
    sandboxKey,
    code: config.code,
    text,
    rowCount: positions.length,
    oneByOne,
    // A person who tests a job spec reads them.
    capturesLogs: urgency === "interactive",
  } as const;
  return pool.perform({ organizationId: context.organizationId, ownerId: context.runId }, urgency, work, signal, clock);
}

function takeResult(
  response: Extract<SandboxResponse<string>, { type: "rows" }>,
  positions: number[],
  result: RowsResult,
): void {
  const outputs = response.text.split("\n");
  if (outputs.length !== response.finished) throw new Error("a transform thread returned another number of rows");
  for (const [at, output] of outputs.entries()) result.outcomes[positions[at] ?? 0] = { ok: true, output };
  for (const { at, failure } of response.failures) result.outcomes[positions[at] ?? 0] = { ok: false, failure };
  for (const [at, log] of response.logs.entries()) result.logs[positions[at] ?? 0] = log;
}

function failureOfDeath(reason: "hung" | "memory"): RowFailure {
  return reason === "hung" ? timeoutFailure() : memoryFailure();
}

function splitIntoRequests(rows: InputRow[]): number[][] {
  const parts: number[][] = [];
  let characters = Infinity;
  for (const [position, row] of rows.entries()) {
    const part = parts.at(-1);
    characters += row.text.length;
    if (part === undefined || part.length >= ROWS_PER_REQUEST || characters > MAX_REQUEST_CHARACTERS) {
      parts.push([position]);
      characters = row.text.length;
    } else part.push(position);
  }
  return parts;
}

/** Organizations never share a sandbox, nor do tests and runs. */
function sandboxKeyFor(purpose: "run" | "test", config: TransformConfig, context: RunContext): string {
  return `${purpose} ${context.organizationId} ${createHash("sha256").update(config.code).digest("hex")}`;
}
