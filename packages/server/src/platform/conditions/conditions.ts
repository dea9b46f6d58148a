/**
 * Evaluates conditions that customers wrote, in worker threads. The macros of CEL multiply (`a.all(x, a.all(y, …))`), so an
 * evaluation may take any time and memory: one that takes too much is ended with its thread and counts as an error. What was
 * evaluated before it stands, what comes after it goes on in a new thread until the time of the whole batch is used up.
 *
 * Organizations share the threads fairly. Checks, which somebody waits for at a screen, have a thread of their own.
 */
import { availableParallelism } from "node:os";
import { WatchedThread } from "../watched-thread.ts";
import type { TurnEnd } from "../watched-thread.ts";
import { FairShare } from "../fair-share.ts";
import type { Party } from "../fair-share.ts";
import type { ConditionResult } from "./condition.ts";
import { resultCodes } from "./condition-protocol.ts";
import type { ConditionAnswer, ConditionError, ConditionRequest } from "./condition-protocol.ts";

/** Wall time of one evaluation. Most take microseconds; the rest is for a machine that has other things to do. */
const EVALUATION_LIMIT_MS = 1_000;

/** Of one batch, beyond which the rest of it is not evaluated: others wait. */
const BATCH_LIMIT_MS = 3_000;

/** Four nested `map` over 40 items took a gigabyte; an honest condition needs no more than its input. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface Condition {
  source: string;
  /** The name by which the expression calls its input. */
  variable: "event" | "row";
}

export interface Evaluation {
  /** One for each input. */
  results: ConditionResult[];
  firstError: ConditionError | null;
  /** An evaluation was ended, or the rest of the batch not begun. */
  isTooExpensive: boolean;
}

export interface Conditions {
  /** So many batches are evaluated at once; further ones wait. */
  threads: number;
  /** Why the condition cannot be used, in words; undefined if it can. */
  check(condition: Condition, party: Party): Promise<string | undefined>;
  /** `inputs`: JSON texts. A condition that cannot be used is an error for each. */
  evaluate(condition: Condition, inputs: readonly string[], party: Party): Promise<Evaluation>;
  close(): Promise<void>;
}

type ConditionThread = WatchedThread<ConditionRequest, ConditionAnswer>;

/**
 * For conditions over whole datasets: a processor is left to the process itself. Each thread may take as much memory as its
 * limits say, and more than these are not fed as fast as they work.
 */
const MAX_THREADS = 4;
export const threadsForDatasets = (): number => Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1));

/** Each check takes one second at most, and nobody's comes behind more than a few of each other organization. */
const CHECKING_THREADS = 1;

/** A thread is started when there is work for it, and then kept. */
export function createConditions(threads = 1): Conditions {
  const evaluating = shareThreads(threads);
  const checking = shareThreads(CHECKING_THREADS);
  return {
    threads,
    check: (condition, party) =>
      checking.inTurn(party, async (thread) => {
        const end = await thread.runTurn({ type: "check", ...condition }, EVALUATION_LIMIT_MS);
        return end.outcome === "answered" ? (end.answer.problem ?? undefined) : reasonOf(end);
      }),
    evaluate: (condition, inputs, party) =>
      evaluating.inTurn(party, (thread) => evaluateBatch(thread, condition, inputs)),
    close: async () => void (await Promise.all([evaluating.close(), checking.close()])),
  };
}

/** Threads that organizations share fairly. */
function shareThreads(count: number) {
  const all = Array.from({ length: count }, newThread);
  // The one that was used last comes first: it has compiled what is asked again.
  const free = all.toReversed();
  const queue = new FairShare<(thread: ConditionThread) => void>();

  function giveOut(): void {
    while (free.length > 0) {
      const next = queue.take();
      const thread = next === null ? undefined : free.pop();
      if (next === null || thread === undefined) return;
      next.task(thread);
    }
  }

  return {
    async inTurn<T>(party: Party, work: (thread: ConditionThread) => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<ConditionThread>();
      queue.add(party, resolve);
      giveOut();
      const thread = await promise;
      const startedAt = performance.now();
      try {
        return await work(thread);
      } finally {
        queue.finish(party, performance.now() - startedAt, false);
        free.push(thread);
        giveOut();
      }
    },
    close: () => Promise.all(all.map((thread) => thread.close())),
  };
}

const newThread = (): ConditionThread =>
  new WatchedThread({ file: new URL("./condition-thread.ts", import.meta.url), resourceLimits: THREAD_LIMITS });

async function evaluateBatch(
  thread: ConditionThread,
  condition: Condition,
  inputs: readonly string[],
): Promise<Evaluation> {
  const results = new SharedArrayBuffer(inputs.length);
  const codes = new Uint8Array(results);
  const startedAt = performance.now();
  let firstError: ConditionError | null = null;
  let isTooExpensive = false;
  for (let from = 0; from < inputs.length;) {
    if (performance.now() - startedAt >= BATCH_LIMIT_MS) {
      firstError ??= { at: from, message: "The expression takes too long." };
      codes.fill(resultCodes.indexOf("error") + 1, from);
      break;
    }
    const end = await thread.runTurn({ type: "evaluate", ...condition, inputs, from, results }, EVALUATION_LIMIT_MS);
    if (end.outcome === "answered") {
      if (end.answer.problem !== null) {
        codes.fill(resultCodes.indexOf("error") + 1, from);
        firstError ??= { at: from, message: end.answer.problem };
      }
      firstError ??= end.answer.firstError;
      break;
    }
    isTooExpensive = true;
    const at = codes.indexOf(0, from);
    codes[at] = resultCodes.indexOf("error") + 1;
    firstError ??= { at, message: reasonOf(end) };
    from = at + 1;
  }
  return { results: [...codes].map((code) => resultCodes[code - 1] ?? "error"), firstError, isTooExpensive };
}

/** Why an expression was ended, for the person who wrote it. */
function reasonOf(end: Exclude<TurnEnd<ConditionAnswer>, { outcome: "answered" }>): string {
  if (end.outcome === "broke") return `The expression cannot be evaluated: ${end.error.message}`;
  if (end.reason === "closed") return "The service is stopping.";
  return end.reason === "memory" ? "The expression takes too much memory." : "The expression takes too long.";
}
