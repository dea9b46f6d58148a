/** Gathers finished rows into what one commit records. */
import { failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import { addUsd } from "../../platform/usd.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import type { RowFailure, RowUsage } from "../../processors/processor.ts";
import { addUsage } from "../../processors/row-usage.ts";
import type { FinishedRowOutcome } from "../rows/try-rows.ts";
import type { AbandonedRow, RowProgress, PendingRetry } from "../rows/row-progress.ts";
import { cutText, storableText } from "../../platform/text.ts";
import { present } from "../../platform/present.ts";

const MAX_MESSAGE_LENGTH = 2_000;
/** Details help a person; a whole response there would fill the lists of failures with it. */
const MAX_DETAILS_LENGTH = 16 * 1024;

export interface RecordedSuccess {
  index: number;
  attempts: number;
  durationMs: number;
  /** JSON text on one line. */
  output: string;
  /** JSON text. */
  usage: string | null;
}

export interface RecordedFailure {
  index: number;
  attempts: number;
  durationMs: number;
  code: FailureCode;
  retryable: boolean;
  /** What is shown of the failure beside the columns: message and details. */
  failure: { message: string; details: Record<string, unknown> | null };
  usage: string | null;
}

export interface ChunkResults {
  successes: RecordedSuccess[];
  failures: RecordedFailure[];
  /** Characters of the outputs, about: what one statement carries is bounded. */
  size: number;
  /** Sums over the attempts of these rows. */
  usage: {
    attempts: number;
    inputTokens: number;
    outputTokens: number;
    requests: number;
    unpricedRequests: number;
    costUsd: string;
  };
  /** Of these rows, those for which something was called. */
  calledRows: number;
  /** JSON text, as of a `ClaimedChunk`; null: nothing has changed. */
  carriedUsage: string | null;
  /** Where the chunk is released: how long nothing is to be done for it; null: it may be claimed at once, behind those that rested. */
  restMs: number | null;
  /** The last mark of a wake that the lane has seen: it goes. Another one stays, and the chunk does not rest. */
  seenWake: Date | null;
}

export const noResults = (): ChunkResults => ({
  successes: [],
  failures: [],
  size: 0,
  usage: { attempts: 0, inputTokens: 0, outputTokens: 0, requests: 0, unpricedRequests: 0, costUsd: "0" },
  calledRows: 0,
  carriedUsage: null,
  restMs: null,
  seenWake: null,
});

/** What a row has used before, which the counters have already, but its record has not. */
export interface CarriedUsage {
  attempts: number;
  usage: RowUsage | undefined;
  /** The row rests. */
  retry?: PendingRetry;
}

/** Of a chunk that is claimed. */
export function carriedUsageOf({ carriedUsage, wake }: Pick<ClaimedChunk, "carriedUsage" | "wake">) {
  const carried = readCarriedUsage(carriedUsage);
  const now = Date.now();
  if (wake !== null)
    for (const { retry } of carried.values()) if (retry !== undefined) retry.dueAt = Math.min(retry.dueAt, now);
  return carried;
}

/** As the next claim has it where its rows were woken, in JSON text. */
export const wokenUsageOf = ({ carriedUsage }: Pick<ClaimedChunk, "carriedUsage">): string | null =>
  textOfCarriedUsage(carriedUsageOf({ carriedUsage, wake: new Date() }));

/** By the index of the row, from a chunk's JSON text. */
export function readCarriedUsage(text: string | null): Map<number, CarriedUsage> {
  if (text === null) return new Map();
  const rows = JSON.parse(text) as Record<string, CarriedUsage>; // as `textOfCarriedUsage` wrote it
  return new Map(Object.entries(rows).map(([index, carried]) => [Number(index), carried]));
}

export const textOfCarriedUsage = (carried: ReadonlyMap<number, CarriedUsage>): string | null =>
  carried.size === 0 ? null : JSON.stringify(Object.fromEntries(carried));

/** What the column holds: 24 days. The clock may be set while a row is processed: it took no less than nothing, and no more than this. */
const MAX_DURATION_MS = 2 ** 31 - 1;

export function addOutcome(results: ChunkResults, finished: FinishedRowOutcome, carried?: CarriedUsage): void {
  const { index, attempts, durationMs, outcome, usage } = finished;
  addUsed(results, attempts, usage);
  const recordedUsage = addUsage(carried?.usage, usage);
  if ((recordedUsage?.requests ?? 0) > 0) results.calledRows++;
  const common = {
    index,
    attempts: attempts + (carried?.attempts ?? 0),
    durationMs: Math.min(Math.max(0, durationMs), MAX_DURATION_MS),
    usage: recordedUsage === undefined ? null : JSON.stringify(recordedUsage),
  };
  if (outcome.ok) {
    results.size += outcome.output.length;
    results.successes.push({ ...common, output: outcome.output });
    return;
  }
  const { code, retryable } = outcome.failure;
  const failure = describeFailure(outcome.failure);
  results.size += failure.message.length;
  results.failures.push({ ...common, code, retryable: retryable ?? failureCodes[code].retryable, failure });
}

/** Of rows that rest: when they go on. */
export const retriesOf = (carried: ReadonlyMap<number, CarriedUsage>): Map<number, PendingRetry> =>
  new Map([...carried].flatMap(([index, { retry }]) => (retry === undefined ? [] : [[index, retry] as const])));

/**
 * Until when the chunk rests that is released with these results. The commit ends what woke its rows, so that their times are written. One that
 * need not rest, and has rows that have begun, is due at once: without a time it would come behind all that rested.
 */
export function addRest(
  results: ChunkResults,
  { restsUntil }: RowProgress,
  { wake }: Pick<ClaimedChunk, "wake">,
  carried: ReadonlyMap<number, CarriedUsage>,
): void {
  if (wake !== null) results.carriedUsage ??= textOfCarriedUsage(carried);
  const hasBegun = results.carriedUsage !== null || carried.size > 0;
  if (restsUntil !== undefined) results.restMs = Math.max(0, restsUntil - Date.now());
  else if (hasBegun) results.restMs = 0;
}

/** Counts what abandoned rows have used, and keeps it for their end. */
export function addAbandoned(
  results: ChunkResults,
  carried: ReadonlyMap<number, CarriedUsage>,
  rows: readonly AbandonedRow[],
): void {
  if (rows.length === 0) return;
  const noted = new Map(carried);
  for (const { index, attempts, usage, retry } of rows) {
    addUsed(results, attempts, usage);
    const before = carried.get(index);
    const attemptsInAll = attempts + (before?.attempts ?? 0);
    noted.set(index, { attempts: attemptsInAll, usage: addUsage(before?.usage, usage), ...present({ retry }) });
  }
  results.carriedUsage = textOfCarriedUsage(noted);
}

/** Of rows that have ended and whose results cannot be recorded: they begin again, with what they have used so far. */
export function usageOnly(
  { successes, failures, usage, carriedUsage }: ChunkResults,
  carried: ReadonlyMap<number, CarriedUsage>,
): ChunkResults {
  // Rows that were abandoned before are in the results, beside those that were carried.
  const kept = carriedUsage === null ? new Map(carried) : readCarriedUsage(carriedUsage);
  for (const { index, attempts, usage: text } of [...successes, ...failures]) {
    const used = text === null ? undefined : (JSON.parse(text) as RowUsage); // as `addOutcome` wrote it
    if ((used?.requests ?? 0) > 0) kept.set(index, { attempts, usage: used });
  }
  return { ...noResults(), usage, carriedUsage: textOfCarriedUsage(kept) };
}

/** Counts attempts; alone, those of a row that has not ended with them. */
export function addUsed(results: ChunkResults, attempts: number, usage: RowUsage | undefined): void {
  const sums = results.usage;
  sums.attempts += attempts;
  if (usage !== undefined) {
    sums.inputTokens += usage.inputTokens ?? 0;
    sums.outputTokens += usage.outputTokens ?? 0;
    sums.requests += usage.requests ?? 0;
    sums.unpricedRequests += usage.unpricedRequests ?? 0;
    if (usage.costUsd !== undefined) sums.costUsd = addUsd(sums.costUsd, usage.costUsd);
  }
}

/** Messages and details may quote anything: what the database or a reader of JSON would refuse is replaced. */
function describeFailure({ message, details }: RowFailure): RecordedFailure["failure"] {
  return { message: storableText(cutText(message, MAX_MESSAGE_LENGTH)), details: cleanDetails(details) };
}

function cleanDetails(details: Record<string, unknown> | undefined): Record<string, unknown> | null {
  if (details === undefined) return null;
  const text = JSON.stringify(details, (_name, value: unknown) =>
    typeof value === "string" ? storableText(value) : value,
  );
  if (text.length > MAX_DETAILS_LENGTH) return { omitted: `${text.length} characters` };
  // In a name it is not worth keeping.
  if (/\\u(?:0000|d[89a-f])/.test(text)) return { omitted: "names that are no text" };
  return JSON.parse(text) as Record<string, unknown>; // an object's text is an object's
}
