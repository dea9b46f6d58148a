/**
 * Evaluates conditions that customers wrote, in processes of their own. The macros of CEL multiply (`a.all(x, a.all(y, …))`), so an
 * evaluation may take any time and memory: one that takes too much is ended with its process and counts as an error. What was
 * evaluated before it stands, what comes after it goes on in a new process until the time of the whole call is used up.
 *
 * Organizations share the workers fairly. Checks, which somebody waits for at a screen, have a worker of their own.
 */
import { availableParallelism } from "node:os";
import { workersClosed } from "../http/errors.ts";
import { WorkerProcess } from "../worker-process.ts";
import type { WorkEnd } from "../worker-process.ts";
import { FairShare } from "../fair-share.ts";
import type { Party } from "../fair-share.ts";
import type { ConditionResult } from "./condition.ts";
import { resultCodes } from "./condition-protocol.ts";
import type { ConditionResponse, ConditionError, ConditionRequest, Inputs } from "./condition-protocol.ts";

/** One evaluation, in time of the processors. Most take microseconds. */
const EVALUATION_LIMIT_MS = 1_000;

/** An event or a row that counts as an error is passed over: that other programs of the machine took the processors is no reason for it. */
const MAX_STRETCH = 10;

/** Of one call, beyond which the rest of it is not evaluated: others wait. The time in which processes start does not count. */
const CALL_LIMIT_MS = 3_000;

/** Inputs of one call that end their processes. The condition is what does it then, and each costs the start of four processes. */
const MAX_BREAKING_INPUTS = 3;

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
  /** An evaluation was ended, or the rest of the inputs not begun. */
  isTooExpensive: boolean;
}

export interface Conditions {
  /** So many calls are evaluated at once; further ones wait. */
  workers: number;
  /** Why the condition cannot be used, in words; undefined if it can. */
  check(condition: Condition, party: Party): Promise<string | undefined>;
  /** `inputs`: JSON texts. A condition that cannot be used is an error for each. */
  evaluate(condition: Condition, inputs: readonly string[], party: Party): Promise<Evaluation>;
  /** Of a stored chunk of `count` rows, which this process does not unpack: that would hold up its event loop for some 20 ms each time. */
  evaluateRows(condition: Condition, chunk: Buffer, count: number, party: Party): Promise<Evaluation>;
  close(): Promise<void>;
}

type ConditionWorker = WorkerProcess<ConditionRequest, ConditionResponse>;

/**
 * For conditions over whole datasets: a processor is left to the process itself. Each worker may take as much memory as its
 * limits say, and more than these are not fed as fast as they work.
 */
const MAX_WORKERS = 4;
export const workersForDatasets = (): number => Math.max(1, Math.min(MAX_WORKERS, availableParallelism() - 1));

/** Each check takes one second at most, and nobody's comes behind more than a few of each other organization. */
const CHECKING_WORKERS = 1;

/** A worker is started when there is work for it, and then kept. */
export function createConditions(workers = 1, script = CONDITION_WORKER): Conditions {
  const evaluating = shareWorkers(workers, script);
  const checking = shareWorkers(CHECKING_WORKERS, script);
  return {
    workers,
    check: (condition, party) =>
      checking.withWorker(party, async (worker) => {
        const end = await worker.perform({ type: "check", ...condition }, EVALUATION_LIMIT_MS);
        return end.outcome === "responded" ? (end.response.problem ?? undefined) : reasonOf(end);
      }),
    evaluate: (condition, inputs, party) =>
      evaluating.withWorker(party, (worker) => evaluateInputs(worker, condition, inputs, inputs.length)),
    evaluateRows: (condition, chunk, count, party) =>
      evaluating.withWorker(party, (worker) => evaluateInputs(worker, condition, chunk, count)),
    close: async () => void (await Promise.all([evaluating.close(), checking.close()])),
  };
}

/** Workers that organizations share fairly. */
function shareWorkers(count: number, script: URL) {
  const all = Array.from(
    { length: count },
    (): ConditionWorker =>
      new WorkerProcess({
        script,
        maxHeapMegabytes: MAX_HEAP_MEGABYTES,
        maxStretch: MAX_STRETCH,
        closedError: workersClosed,
      }),
  );
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
    async withWorker<T>(party: Party, work: (worker: ConditionWorker) => Promise<T>): Promise<T> {
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

/**
 * An input at which the process dies by itself is tried alone before it counts as an error: somebody else may have killed the
 * process. What stands before and after it is evaluated in any case.
 */
async function evaluateInputs(
  worker: ConditionWorker,
  condition: Condition,
  inputs: Inputs,
  count: number,
): Promise<Evaluation> {
  const codes = new Uint8Array(count);
  let firstError: ConditionError | null = null;
  let isTooExpensive = false;
  let workedMs = 0;
  let suspect = -1;
  let breaking = 0;
  const refuseRest = (at: number, message: string): void => {
    firstError ??= { at, message };
    codes.fill(ERROR_CODE, at);
  };
  for (let from = 0; from < count;) {
    if (workedMs >= CALL_LIMIT_MS) {
      refuseRest(from, "The expression takes too long.");
      break;
    }
    const until = suspect === from ? from + 1 : count;
    const request = { type: "evaluate", ...condition, inputs, from, until } as const;
    const end = await worker.perform(request, EVALUATION_LIMIT_MS);
    if (end.outcome === "responded") {
      if (end.response.problem !== null) {
        refuseRest(from, end.response.problem);
        break;
      }
      codes.set(end.response.codes, from);
      firstError ??= end.response.firstError;
      from = until;
      continue;
    }
    for (const [input, code] of end.results) codes[input] = code;
    // What it waited for the processors is not the condition's time.
    if (end.outcome === "ended") workedMs += Math.min(end.workedMs, EVALUATION_LIMIT_MS);
    if (end.outcome === "broke") {
      // Not at an input: nothing is known about any of them.
      if (end.at < 0) throw new Error("a condition could not be compiled", { cause: end.error });
      if (end.at !== suspect || until !== suspect + 1) {
        suspect = from = end.at;
        continue;
      }
      breaking += 1;
    }
    isTooExpensive = true;
    const at = Math.max(from, end.at);
    codes[at] = ERROR_CODE;
    firstError ??= { at, message: reasonOf(end) };
    from = at + 1;
    if (breaking >= MAX_BREAKING_INPUTS) {
      refuseRest(from, reasonOf(end));
      break;
    }
  }
  return { results: [...codes].map((code) => resultCodes[code - 1] ?? "error"), firstError, isTooExpensive };
}

const CONDITION_WORKER = new URL("./condition-worker.ts", import.meta.url);
const ERROR_CODE = resultCodes.indexOf("error") + 1;

/** Why an expression was ended, for the person who wrote it. */
function reasonOf(end: Exclude<WorkEnd<ConditionResponse>, { outcome: "responded" }>): string {
  // What the process said at its end names files of the service, and is not for the person who wrote the expression.
  if (end.outcome === "broke") return "The expression could not be evaluated: the process that did it ended.";
  return end.reason === "memory" ? "The expression takes too much memory." : "The expression takes too long.";
}
