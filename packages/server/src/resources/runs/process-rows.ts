/**
 * Takes rows through a processor until each has ended: input check, attempts with pauses between them, output check.
 * Knows nothing of chunks and claims; what is finished is handed on as it comes.
 */
import { failureCodes } from "@rowmill/contract/failures";
import type { RetryPolicy } from "@rowmill/contract/job-specs";
import { pause } from "../../platform/pause.ts";
import type { RowFailure, RowInHand, RowOutcome, RowUsage, Step } from "../../processors/processor.ts";
import type { RowChecks } from "../job-specs/row-checks.ts";

export interface FinishedRowOutcome {
  index: number;
  attempts: number;
  durationMs: number;
  outcome: RowOutcome;
  /** Of all attempts. */
  usage: RowUsage | undefined;
}

export interface RowPlan {
  step: Step;
  checks: RowChecks;
  retry: RetryPolicy;
  /** For one row, all attempts included; undefined: only the processor's own limits hold. */
  timeoutMs: number | undefined;
  /** Most rows in one call. */
  batchRows: number;
  random: () => number;
  /** Called with what a processor threw: an error of the service, of which the row only learns that there was one. */
  reportError: (error: unknown) => void;
}

const DEFAULT_RETRY = { maxAttempts: 4, initialDelayMs: 1000, multiplier: 2, maxDelayMs: 60_000 };
/** Whoever asks to wait longer is not waited for: a lane would stand still meanwhile. The row ends as a retryable failure. */
const LONGEST_RETRY_AFTER_MS = 15 * 60_000;
/** While rows wait for their next attempt, the caller hears so often that nothing new has ended, and may commit what has. */
const LONGEST_SILENCE_MS = 500;

interface Waiting {
  row: RowInHand;
  attempts: number;
  startedAt: number;
  notBefore: number;
  usage: RowUsage | undefined;
  /** It was in a batch that ran out of time or broke: it is tried alone, to find out whose fault it was. */
  isAlone: boolean;
}

/**
 * Yields finished rows, batch by batch; an empty batch while it only waits. Ends early when `signal` aborts (rows in hand are
 * given up, those already yielded are finished), and when `mayBegin` denies it new rows and all that it had begun have ended.
 */
export async function* processRows(
  plan: RowPlan,
  rows: RowInHand[],
  signal: AbortSignal,
  mayBegin: () => boolean = () => true,
): AsyncGenerator<FinishedRowOutcome[]> {
  const refused: FinishedRowOutcome[] = [];
  let waiting: Waiting[] = [];
  for (const row of rows) {
    const outcome = plan.checks.checkInput(row);
    if (outcome) refused.push({ index: row.index, attempts: 1, durationMs: 0, outcome, usage: undefined });
    else waiting.push({ row, attempts: 0, startedAt: 0, notBefore: 0, usage: undefined, isAlone: false });
  }
  if (refused.length > 0) yield refused;

  while (waiting.length > 0 && !signal.aborted) {
    const isEligible = mayBegin() ? () => true : hasBegun;
    const { batch, rest } = takeBatch(waiting, plan.batchRows, Date.now(), isEligible);
    if (batch.length === 0) {
      const next = waiting.reduce((soonest, w) => (isEligible(w) ? Math.min(soonest, w.notBefore) : soonest), Infinity);
      if (next === Infinity) return;
      await pause(Math.min(next - Date.now(), LONGEST_SILENCE_MS), signal);
      yield [];
      continue;
    }
    const tried = await tryBatch(plan, batch, signal);
    if (tried === "aborted") return;
    waiting = rest;
    const finished: FinishedRowOutcome[] = [];
    for (const end of tried) {
      if ("row" in end) waiting.push(end);
      else finished.push(end);
    }
    if (finished.length > 0) yield finished;
  }
}

/** Something was tried or paid for it already, which beginning anew would repeat. */
const hasBegun = (entry: Waiting): boolean => entry.attempts > 0 || entry.isAlone;

function takeBatch(
  waiting: Waiting[],
  size: number,
  now: number,
  isEligible: (entry: Waiting) => boolean,
): { batch: Waiting[]; rest: Waiting[] } {
  const isReady = (entry: Waiting): boolean => entry.notBefore <= now && isEligible(entry);
  const ready = waiting.findIndex(isReady);
  const first = waiting[ready];
  if (first === undefined) return { batch: [], rest: waiting };
  if (first.isAlone) return { batch: [first], rest: waiting.toSpliced(ready, 1) };
  const batch: Waiting[] = [];
  const rest: Waiting[] = [];
  for (const entry of waiting) {
    if (batch.length < size && !entry.isAlone && isReady(entry)) batch.push(entry);
    else rest.push(entry);
  }
  return { batch, rest };
}

async function tryBatch(
  plan: RowPlan,
  batch: Waiting[],
  signal: AbortSignal,
): Promise<(FinishedRowOutcome | Waiting)[] | "aborted"> {
  const now = Date.now();
  for (const entry of batch) if (entry.startedAt === 0) entry.startedAt = now;
  const leftMs =
    plan.timeoutMs === undefined
      ? undefined
      : Math.min(...batch.map((entry) => entry.startedAt + (plan.timeoutMs ?? 0) - now));
  const timeout = leftMs === undefined ? undefined : AbortSignal.timeout(Math.max(1, leftMs));
  let outcomes: RowOutcome[];
  try {
    outcomes = await plan.step.processRows(
      batch.map((entry) => entry.row),
      timeout === undefined ? signal : AbortSignal.any([signal, timeout]),
    );
    if (outcomes.length !== batch.length)
      throw new Error(`a processor gave ${outcomes.length} outcomes for ${batch.length} rows`);
  } catch (error) {
    if (signal.aborted) return "aborted";
    if (timeout?.aborted === true) return afterTimeout(plan, batch);
    plan.reportError(error);
    return afterError(plan, batch);
  }
  const ended = Date.now();
  return batch.map((entry, i) => {
    const outcome = outcomes[i];
    return judge(plan, entry, outcome === undefined ? internalError() : plan.checks.checkOutput(outcome), ended);
  });
}

/** A row that was alone has had its time; of several, each gets its own. */
function afterTimeout(plan: RowPlan, batch: Waiting[]): (FinishedRowOutcome | Waiting)[] {
  if (batch.length > 1) return batch.map((entry) => ({ ...entry, isAlone: true, startedAt: 0 }));
  const seconds = (plan.timeoutMs ?? 0) / 1000;
  return batch.map((entry) => ({
    index: entry.row.index,
    attempts: entry.attempts + 1,
    durationMs: Date.now() - entry.startedAt,
    outcome: { ok: false, failure: { code: "row_timeout", message: `The row took longer than ${seconds} seconds.` } },
    usage: entry.usage,
  }));
}

/** One row that breaks a processor must not take the others with it: each is tried alone, and ends by itself. */
function afterError(plan: RowPlan, batch: Waiting[]): (FinishedRowOutcome | Waiting)[] {
  if (batch.length > 1) return batch.map((entry) => ({ ...entry, isAlone: true }));
  return batch.map((entry) => judge(plan, entry, internalError(), Date.now()));
}

const internalError = (): RowOutcome => ({
  ok: false,
  failure: { code: "internal_error", message: "The service failed at this row. Its log says why." },
});

/** The end of the row, or its place in the line for another attempt. */
function judge(plan: RowPlan, entry: Waiting, outcome: RowOutcome, now: number): FinishedRowOutcome | Waiting {
  const attempts = entry.attempts + 1;
  const usage = addUsage(entry.usage, outcome.usage);
  if (!outcome.ok) {
    const delayMs = delayBeforeAttempt(plan.retry, outcome.failure, attempts, plan.random());
    const deadline = plan.timeoutMs === undefined ? Number.POSITIVE_INFINITY : entry.startedAt + plan.timeoutMs;
    if (delayMs !== undefined && now + delayMs < deadline)
      return { ...entry, attempts, usage, notBefore: now + delayMs };
  }
  return { index: entry.row.index, attempts, durationMs: now - entry.startedAt, outcome, usage };
}

/**
 * Undefined when the run does not try again: only transient and system failures may pass by themselves.
 * `chance` is a random number in [0, 1): with it, rows that failed together do not come back together.
 */
export function delayBeforeAttempt(
  policy: RetryPolicy,
  failure: RowFailure,
  attemptsMade: number,
  chance: number,
): number | undefined {
  const retry = { ...DEFAULT_RETRY, ...policy };
  const { class: failureClass } = failureCodes[failure.code];
  const mayPass =
    failureClass === "transient" || failureClass === "system"
      ? failure.retryable !== false
      : failureClass === "http" && failure.retryable === true;
  if (!mayPass || failure.triedAgain === false || attemptsMade >= retry.maxAttempts) return undefined;
  if ((failure.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return undefined;
  const ceiling = Math.min(retry.maxDelayMs, retry.initialDelayMs * retry.multiplier ** (attemptsMade - 1));
  return Math.max(failure.retryAfterMs ?? 0, chance * ceiling);
}

function addUsage(a: RowUsage | undefined, b: RowUsage | undefined): RowUsage | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    inputTokens: (a.inputTokens ?? 0) + (b.inputTokens ?? 0),
    outputTokens: (a.outputTokens ?? 0) + (b.outputTokens ?? 0),
    requests: (a.requests ?? 0) + (b.requests ?? 0),
    ...(a.costUsd === undefined && b.costUsd === undefined
      ? {}
      : { costUsd: addDecimals(a.costUsd ?? "0", b.costUsd ?? "0") }),
  };
}

/** Twelve places are what prices per token need; integers keep them exact. */
export function addDecimals(a: string, b: string): string {
  const PLACES = 12;
  const scaled = (text: string): bigint => {
    const [whole = "0", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(PLACES, "0").slice(0, PLACES));
  };
  const digits = (scaled(a) + scaled(b)).toString().padStart(PLACES + 1, "0");
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES)}`.replace(/\.?0+$/, "");
}
