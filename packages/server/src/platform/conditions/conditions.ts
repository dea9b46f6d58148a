/**
 * Evaluates conditions that customers wrote, in processes of their own. The macros of CEL multiply (`a.all(x, a.all(y, …))`), so an
 * evaluation may take any time and memory: one that takes too much is ended with its process and counts as an error. What was
 * evaluated before it stands, what comes after it goes on in a new process until the time of the whole batch is used up.
 *
 * Organizations share the workers fairly. Checks, which somebody waits for at a screen, have a worker of their own.
 */
import { availableParallelism } from "node:os";
import { WorkerProcess } from "../worker-process.ts";
import type { TurnEnd } from "../worker-process.ts";
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
const MAX_HEAP_MEGABYTES = 128;

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
  workers: number;
  /** Why the condition cannot be used, in words; undefined if it can. */
  check(condition: Condition, party: Party): Promise<string | undefined>;
  /** `inputs`: JSON texts. A condition that cannot be used is an error for each. */
  evaluate(condition: Condition, inputs: readonly string[], party: Party): Promise<Evaluation>;
  close(): Promise<void>;
}

type ConditionWorker = WorkerProcess<ConditionRequest, ConditionAnswer>;

/**
 * For conditions over whole datasets: a processor is left to the process itself. Each worker may take as much memory as its
 * limits say, and more than these are not fed as fast as they work.
 */
const MAX_WORKERS = 4;
export const workersForDatasets = (): number => Math.max(1, Math.min(MAX_WORKERS, availableParallelism() - 1));

/** Each check takes one second at most, and nobody's comes behind more than a few of each other organization. */
const CHECKING_WORKERS = 1;

/** A worker is started when there is work for it, and then kept. */
export function createConditions(workers = 1): Conditions {
  const evaluating = shareWorkers(workers);
  const checking = shareWorkers(CHECKING_WORKERS);
  return {
    workers,
    check: (condition, party) =>
      checking.inTurn(party, async (worker) => {
        const end = await worker.runTurn({ type: "check", ...condition }, EVALUATION_LIMIT_MS);
        if (isClosed(end)) throw new Error("the workers of conditions are closed");
        return end.outcome === "answered" ? (end.answer.problem ?? undefined) : reasonOf(end);
      }),
    evaluate: (condition, inputs, party) =>
      evaluating.inTurn(party, (worker) => evaluateBatch(worker, condition, inputs)),
    close: async () => void (await Promise.all([evaluating.close(), checking.close()])),
  };
}

/** Workers that organizations share fairly. */
function shareWorkers(count: number) {
  const all = Array.from({ length: count }, newWorker);
  // The one that was used last comes first: it has compiled what is asked again.
  const free = all.toReversed();
  const queue = new FairShare<(worker: ConditionWorker) => void>();

  function giveOut(): void {
    while (free.length > 0) {
      const next = queue.take();
      const worker = next === null ? undefined : free.pop();
      if (next === null || worker === undefined) return;
      next.task(worker);
    }
  }

  return {
    async inTurn<T>(party: Party, work: (worker: ConditionWorker) => Promise<T>): Promise<T> {
      const { promise, resolve } = Promise.withResolvers<ConditionWorker>();
      queue.add(party, resolve);
      giveOut();
      const worker = await promise;
      const startedAt = performance.now();
      try {
        return await work(worker);
      } finally {
        queue.finish(party, performance.now() - startedAt, false);
        free.push(worker);
        giveOut();
      }
    },
    close: () => Promise.all(all.map((worker) => worker.close())),
  };
}

const newWorker = (): ConditionWorker =>
  new WorkerProcess({
    script: new URL("./condition-worker.ts", import.meta.url),
    maxHeapMegabytes: MAX_HEAP_MEGABYTES,
  });

async function evaluateBatch(
  worker: ConditionWorker,
  condition: Condition,
  inputs: readonly string[],
): Promise<Evaluation> {
  const codes = new Uint8Array(inputs.length);
  const startedAt = performance.now();
  let firstError: ConditionError | null = null;
  let isTooExpensive = false;
  for (let from = 0; from < inputs.length;) {
    if (performance.now() - startedAt >= BATCH_LIMIT_MS) {
      firstError ??= { at: from, message: "The expression takes too long." };
      codes.fill(resultCodes.indexOf("error") + 1, from);
      break;
    }
    const end = await worker.runTurn({ type: "evaluate", ...condition, inputs, from }, EVALUATION_LIMIT_MS);
    if (end.outcome === "answered") {
      if (end.answer.problem !== null) {
        codes.fill(resultCodes.indexOf("error") + 1, from);
        firstError ??= { at: from, message: end.answer.problem };
      }
      codes.set(end.answer.codes, from);
      firstError ??= end.answer.firstError;
      break;
    }
    if (isClosed(end)) throw new Error("the workers of conditions are closed");
    isTooExpensive = true;
    const at = end.outcome === "ended" ? Math.max(from, end.at) : from;
    if (end.outcome === "ended") for (const [input, code] of end.results) codes[input] = code;
    codes[at] = resultCodes.indexOf("error") + 1;
    firstError ??= { at, message: reasonOf(end) };
    from = at + 1;
  }
  return { results: [...codes].map((code) => resultCodes[code - 1] ?? "error"), firstError, isTooExpensive };
}

/** Nothing that the expression did: neither it nor its input may be blamed for the end of the service. */
const isClosed = (end: TurnEnd<ConditionAnswer>): boolean => end.outcome === "ended" && end.reason === "closed";

/** Why an expression was ended, for the person who wrote it. */
function reasonOf(end: Exclude<TurnEnd<ConditionAnswer>, { outcome: "answered" }>): string {
  // What the process said at its end names files of the service, and is not for the person who wrote the expression.
  if (end.outcome === "broke") return "The expression could not be evaluated: the process that did it ended.";
  return end.reason === "memory" ? "The expression takes too much memory." : "The expression takes too long.";
}
