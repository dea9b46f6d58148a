/**
 * A worker thread: holds sandboxes and runs one work item at a time. A call into the engine that fails is repeated row by
 * row, so that one bad row is one failure; before each call the thread writes down which rows it works on, so that
 * the main thread knows them should the call never end.
 */
import { Buffer } from "node:buffer";
import { parentPort, workerData } from "node:worker_threads";
import type { RowFailure } from "../processor.ts";
import {
  MAX_CALL_BYTES,
  MEMORY_KEPT_BYTES,
  RETIRE_AFTER_DISCARDED_BYTES,
  RETIRE_AFTER_ENGINE_FAILURES,
  ROWS_PER_CALL,
  ROWS_PER_CALL_STEP,
  WORK_MS,
} from "./transform-limits.ts";
import { OutputReader, type OutputLines } from "./output-reading.ts";
import { resultOfLine, type RowResult } from "./outputs.ts";
import { OutputsToPass, takeBytes } from "./passed-text.ts";
import {
  progressSlots,
  type ThreadReady,
  type ThreadStart,
  type SandboxResponse,
  type SandboxRequest,
} from "./sandbox-protocol.ts";
import { RowEncoder } from "./row-encoding.ts";
import { RowLines } from "./row-lines.ts";
import {
  type CallResult,
  type EngineForm,
  loadSandbox,
  type LoadResult,
  type Sandbox,
  startEngine,
  type StartedEngine,
} from "./sandbox.ts";
import { failureOf, memoryFailure, timeoutFailure } from "./thrown.ts";

interface Loaded {
  code: string;
  /** Null before the first call and after a failure of the engine. */
  sandbox: Sandbox | null;
  /** False from the first call on whose outputs were not flat objects. */
  copies: boolean;
  /** Fewer while rows are slow or large, so that a call of several rows stays within the limits of one. */
  rowsPerCall: number;
}

const loaded = new Map<string, Loaded>();
const form: EngineForm = { rows: new RowEncoder(), outputs: new OutputReader() };
let engineFailures = 0;
let discardedBytes = 0;

useUniversalTime();
/** Started before the thread is ready, so that the time that it takes counts for no call and no check. */
let firstEngine: StartedEngine | undefined = await startEngine();
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread");
// The type is what `sandbox-thread.ts` passes.
const shared = workerData as ThreadStart;
const progress = new Int32Array(shared.progress);
const [rowsPlace, outputsPlace] = [Buffer.from(shared.rows), Buffer.from(shared.outputs)];
port.on("message", (request: SandboxRequest) => {
  // A rejection is unhandled on purpose: it ends the thread, and the main thread gets the error.
  void perform(request).then((response) => port.postMessage(response));
});
const ready: ThreadReady = { type: "ready" };
port.postMessage(ready);

async function perform(request: SandboxRequest): Promise<SandboxResponse> {
  if (request.type === "check") {
    noteCall(0, 1);
    const result = await load(request.code);
    discardedBytes += "sandbox" in result ? result.sandbox.memoryBytes() : result.memoryBytes;
    return { type: "check", problem: "sandbox" in result ? null : result.problem, retires: isWornOut() };
  }
  if (request.forget !== null) loaded.delete(request.forget);
  if (request.code !== null)
    loaded.set(request.sandboxKey, { code: request.code, sandbox: null, copies: true, rowsPerCall: ROWS_PER_CALL });
  const entry = loaded.get(request.sandboxKey);
  if (entry === undefined) throw new Error("the thread was sent no code for this sandbox");
  const rows = RowLines.split(takeBytes(rowsPlace, request.text));
  if (rows.count !== request.rowCount) throw new Error("a row is not on one line");
  return runRows(entry, rows, request.capturesLogs ? rows.count : request.oneByOne, request.capturesLogs);
}

function load(code: string): Promise<LoadResult> {
  const engine = firstEngine;
  firstEngine = undefined;
  return loadSandbox(code, form, engine);
}

async function runRows(
  entry: Loaded,
  rows: RowLines,
  oneByOne: number,
  capturesLogs: boolean,
): Promise<SandboxResponse> {
  const endsAt = performance.now() + WORK_MS;
  const outputs = new OutputsToPass(outputsPlace);
  const failures: { at: number; failure: RowFailure }[] = [];
  const logs: string[] = [];
  let at = 0;
  let oneByOneUntil = oneByOne;
  while (at < rows.count && (at === 0 || performance.now() < endsAt)) {
    const count = at < oneByOneUntil ? 1 : countForCall(rows, at, entry.rowsPerCall);
    noteCall(at, count);
    // A thread does one thing at a time, and loading is rare.
    const results = await callRows(entry, rows.slice(at, count), capturesLogs ? logs : null);
    if (results === null) {
      oneByOneUntil = at + count;
      // Remembered over the work items: a call that always fails must not be tried at the start of each.
      entry.rowsPerCall = Math.max(1, Math.floor(count / 8));
      continue;
    }
    if (Array.isArray(results))
      for (const [i, result] of results.entries()) {
        outputs.add(result.ok ? result.output : "");
        if (!result.ok) failures.push({ at: at + i, failure: result.failure });
      }
    else {
      outputs.addLines(results);
      for (const { at: i, failure } of results.failures) failures.push({ at: at + i, failure });
      form.outputs.forget();
    }
    at += count;
  }
  Atomics.store(progress, progressSlots.rowsInCall, 0);
  const oneByOneLeft = Math.max(0, oneByOneUntil - at);
  return {
    type: "rows",
    finished: at,
    oneByOne: oneByOneLeft,
    text: outputs.passed(),
    failures,
    logs,
    retires: isWornOut(),
  };
}

/** Reports to the main thread what it works on, should it never come back. */
function noteCall(firstRow: number, rowsInCall: number): void {
  Atomics.store(progress, progressSlots.firstRow, firstRow);
  Atomics.store(progress, progressSlots.rowsInCall, rowsInCall);
  Atomics.add(progress, progressSlots.callNumber, 1);
}

function countForCall(rows: RowLines, from: number, most: number): number {
  let bytes = 0;
  let count = 0;
  while (count < most && from + count < rows.count) {
    bytes += rows.bytesOf(from + count);
    if (count > 0 && bytes > MAX_CALL_BYTES) break;
    count++;
  }
  return count;
}

/** One call into the engine; null when it failed and had more than one row, which are then tried one by one. */
async function callRows(
  entry: Loaded,
  rows: RowLines,
  logs: string[] | null,
): Promise<RowResult[] | OutputLines | null> {
  if (entry.sandbox === null) {
    const result = await load(entry.code);
    if ("problem" in result) {
      discardedBytes += result.memoryBytes;
      logs?.push(...Array.from({ length: rows.count }, () => ""));
      const failure: RowFailure = { code: "transform_error", message: result.problem };
      return Array.from({ length: rows.count }, () => ({ ok: false, failure }));
    }
    entry.sandbox = result.sandbox;
  }
  const { sandbox } = entry;
  if (logs !== null) sandbox.startLog();
  const copies = entry.copies && rows.count > 1;
  const result = copies ? sandbox.copyRows(rows, rows.count) : sandbox.callRows(rows, rows.count);
  if (result.outcome === "not_plain" || (copies && result.outcome === "damaged")) {
    entry.copies = false;
    discard(entry);
    // The rows get their whole time again.
    Atomics.add(progress, progressSlots.callNumber, 1);
    return callRows(entry, rows, logs);
  }
  if (logs !== null) logs.push(sandbox.takeLog());
  const results = readResult(entry, sandbox, result, rows.count);
  if (entry.sandbox !== null && sandbox.memoryBytes() > MEMORY_KEPT_BYTES) discard(entry);
  return results;
}

function readResult(
  entry: Loaded,
  sandbox: Sandbox,
  result: Exclude<CallResult, { outcome: "not_plain" }>,
  rowCount: number,
): RowResult[] | OutputLines | null {
  switch (result.outcome) {
    case "results":
      adaptCalls(entry, result.spent);
      entry.copies = form.outputs.copied > 0;
      return result.lines;
    case "lines": {
      adaptCalls(entry, result.spent);
      const lines = result.text.split("\n");
      if (lines.length !== rowCount) return rowCount > 1 ? null : [{ ok: false, failure: memoryFailure() }];
      return lines.map(resultOfLine);
    }
    case "timeout":
      engineFailures++;
      discard(entry);
      return rowCount > 1 ? null : [{ ok: false, failure: timeoutFailure() }];
    case "damaged": {
      // `throw null` looks like a lack of memory; it is another error when the memory could still grow.
      if (result.thrown.kind !== "memory" && sandbox.memoryBytes() >= MEMORY_KEPT_BYTES) result.thrown.kind = "memory";
      if (result.thrown.kind === "memory" || result.thrown.name === "InternalError") {
        engineFailures++;
        discard(entry);
      }
      return rowCount > 1 ? null : [{ ok: false, failure: failureOf(result.thrown) }];
    }
  }
}

function adaptCalls(entry: Loaded, spent: number): void {
  if (spent < 0.25) entry.rowsPerCall = Math.min(ROWS_PER_CALL, entry.rowsPerCall + ROWS_PER_CALL_STEP);
  else if (spent > 0.5) entry.rowsPerCall = Math.max(1, Math.floor(entry.rowsPerCall / 2));
}

/** Leaves the sandbox to the garbage collector; disposing a damaged engine would abort. */
function discard(entry: Loaded): void {
  discardedBytes += entry.sandbox?.memoryBytes() ?? 0;
  entry.sandbox = null;
}

function isWornOut(): boolean {
  return engineFailures >= RETIRE_AFTER_ENGINE_FAILURES || discardedBytes >= RETIRE_AFTER_DISCARDED_BYTES;
}

/** The engine asks the host's Date for local time; the host's time zone must not change what a transform computes. */
function useUniversalTime(): void {
  const dates: Date = Date.prototype;
  dates.getTimezoneOffset = () => 0;
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds"] as const) {
    dates[`get${part}`] = function getUniversal(this: Date) {
      return this[`getUTC${part}`]();
    };
  }
}
