/**
 * Compiles and checks JSON Schemas that customers wrote, in processes of their own: neither takes a bounded time. What takes too long, or
 * too much memory, is ended with its process, and is a verdict on the value (or a problem of the schema) that was in work.
 *
 * Organizations share the workers by the time that they use, and so do the runs within each of them. A message has values of one
 * organization and one schema, for a moment's work; what is left of them goes to the back of that organization's line. Checks for which a
 * person waits (a job spec is created or tried) have workers of their own, so that no run can delay them.
 */
import { availableParallelism } from "node:os";
import { ConcurrencyGate } from "../http/concurrency-gate.ts";
import { FairShare } from "../fair-share.ts";
import type { Party } from "../fair-share.ts";
import { workersClosed } from "../http/errors.ts";
import { gatherChecks } from "./gather-checks.ts";
import type { SchemaCheck } from "./gather-checks.ts";
import { WorkerProcess } from "../worker-process.ts";
import type { SchemaResponse, SchemaProblem, SchemaRequest, Verdict } from "./schema-protocol.ts";

/** One value, or compiling one schema, in time of the processors. The counted steps of a value end before this. */
const STEP_LIMIT_MS = 5_000;
/** A schema that is refused ends its run: that other programs of the machine took the processors is no reason for it. */
const MAX_STRETCH = 6;
/** After this long the worker goes to another organization. */
const WORK_MS = 200;
/** Values of one message, which is copied as a whole. One value may be larger. */
const MAX_REQUEST_CHARACTERS = 4 * 1024 * 1024;
const MAX_REQUEST_VALUES = 500;

/** A row of 8 MiB may take twenty times as much as a value; what is compiled comes on top. */
const MAX_HEAP_MEGABYTES = 384;
/** Checks of runs compete with the transform threads and the main worker for the same processors. */
const MAX_RUN_WORKERS = 3;
const MIN_RUN_WORKERS = 2;
const INTERACTIVE_WORKERS = 1;

/** Of one organization, in the interactive place: each is a request that waits, with its body. */
const MAX_WAITING_INTERACTIVE = 100;
const RETRY_AFTER_SECONDS = 5;

/** Schemas that cost a worker its life when they were compiled are not tried again for a while. */
const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 100;

export type Schema = Record<string, unknown> | boolean;

/** `interactive`: a person waits for the response. */
export interface SchemaUser {
  organizationId: string;
  place: "run" | "interactive";
  /** In the place of runs: the run whose rows are checked. */
  runId?: string;
}

const partyOf = ({ organizationId, place, runId }: SchemaUser): Party => ({
  organizationId,
  ownerId: runId ?? place,
});

export interface Schemas {
  /** Why the schema cannot be used. Undefined if it can. */
  findProblem(user: SchemaUser, schema: Schema): Promise<SchemaProblem | undefined>;
  /** A schema that cannot be used is a verdict on each value. Calls that come together are checked together. */
  createCheck(user: SchemaUser, schema: Schema): SchemaCheck;
  close(): Promise<void>;
}

/** `script`: the module of the worker processes, where it is another one than the usual. */
export function createSchemas(options: { runWorkers?: number; script?: URL } = {}): Schemas {
  const runWorkers =
    options.runWorkers ?? Math.max(MIN_RUN_WORKERS, Math.min(MAX_RUN_WORKERS, availableParallelism() - 1));
  const { script = new URL("./schema-worker.ts", import.meta.url) } = options;
  const pools = {
    run: new SchemaWorkers(runWorkers, Infinity, script),
    interactive: new SchemaWorkers(INTERACTIVE_WORKERS, MAX_WAITING_INTERACTIVE, script),
  };
  return {
    async findProblem(user, schema) {
      const { problem } = await pools[user.place].check(partyOf(user), JSON.stringify(schema), []);
      return problem;
    },
    createCheck(user, schema) {
      const text = JSON.stringify(schema);
      const pool = pools[user.place];
      const check = gatherChecks(async (values, signal) => {
        const { problem, verdicts } = await pool.check(partyOf(user), text, values, signal);
        if (problem === undefined) return verdicts;
        const verdict: Verdict = { kind: "limit", message: `The schema cannot be used: ${problem.message}` };
        return values.map(() => verdict);
      }, pool.workers);
      return async (values, signal) => (values.length === 0 ? [] : check(values, signal));
    },
    close: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.close()))),
  };
}

interface Checked {
  problem: SchemaProblem | undefined;
  verdicts: (Verdict | undefined)[];
}

/** Values that one caller waits for. */
interface Task {
  schema: string;
  values: readonly string[];
  /** Of the first values, as many as were checked. */
  verdicts: (Verdict | undefined)[];
  /** Values that ended a worker, by their place. */
  limited: Map<number, Verdict>;
  /** The place of a value at which a worker died by itself. It is tried alone: somebody else may have killed the worker. */
  suspect: number | undefined;
  /** It was too much for the memory of a worker that had other schemas in it: a worker of its own decides. */
  needsFreshWorker: boolean;
  isSettled: boolean;
  settle: PromiseWithResolvers<Checked>;
}

interface Slot {
  worker: WorkerProcess<SchemaRequest, SchemaResponse>;
  isFresh: boolean;
}

class SchemaWorkers {
  readonly #queue = new FairShare<Task>();
  readonly #slots: Slot[];
  readonly #idle: Slot[];
  readonly #waiting: ConcurrencyGate;
  readonly #hopeless = new Map<string, { problem: SchemaProblem; until: number }>();

  constructor(workers: number, maxWaiting: number, script: URL) {
    this.#slots = Array.from({ length: workers }, () => ({
      worker: new WorkerProcess({
        script,
        maxHeapMegabytes: MAX_HEAP_MEGABYTES,
        maxStretch: MAX_STRETCH,
        closedError: workersClosed,
      }),
      isFresh: true,
    }));
    // The one that was used last comes first: it has compiled what is checked next.
    this.#idle = this.#slots.toReversed();
    this.#waiting = new ConcurrencyGate({
      atOnce: maxWaiting,
      refusal: (count) => `${count} checks of schemas of this organization wait already.`,
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }

  get workers(): number {
    return this.#slots.length;
  }

  async check(party: Party, schema: string, values: readonly string[], signal?: AbortSignal): Promise<Checked> {
    signal?.throwIfAborted();
    const leave = this.#waiting.enter(party.organizationId);
    const settle = Promise.withResolvers<Checked>();
    const limited = new Map<number, Verdict>();
    const task: Task = {
      schema,
      values,
      verdicts: [],
      limited,
      suspect: undefined,
      needsFreshWorker: false,
      isSettled: false,
      settle,
    };
    const abandon = (): void => {
      task.isSettled = true;
      this.#queue.remove(party, task);
      settle.reject(signal?.reason);
    };
    signal?.addEventListener("abort", abandon, { once: true });
    this.#queue.add(party, task);
    this.#startWork();
    try {
      return await settle.promise;
    } finally {
      signal?.removeEventListener("abort", abandon);
      leave();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#slots.map(({ worker }) => worker.close()));
  }

  #startWork(): void {
    for (;;) {
      const slot = this.#idle.at(-1);
      const taken = slot === undefined ? null : this.#queue.take();
      if (slot === undefined || taken === null) return;
      this.#idle.pop();
      void this.#performStep(slot, taken.party, taken.task);
    }
  }

  async #performStep(slot: Slot, party: Party, task: Task): Promise<void> {
    const startedAt = performance.now();
    let hasHung = false;
    try {
      hasHung = (await this.#work(slot, task)) === "hung";
    } catch (error) {
      finish(task, () => task.settle.reject(error));
    }
    this.#queue.finish(party, performance.now() - startedAt, hasHung);
    // What is left goes behind the organization's other checks.
    if (!task.isSettled) this.#queue.add(party, task);
    this.#idle.push(slot);
    this.#startWork();
  }

  async #work(slot: Slot, task: Task): Promise<"ended" | "hung"> {
    const known = this.#hopeless.get(task.schema);
    if (known !== undefined && known.until > performance.now()) {
      finish(task, () => task.settle.resolve({ problem: known.problem, verdicts: [] }));
      return "ended";
    }
    if (task.needsFreshWorker && !slot.isFresh) {
      await slot.worker.restart();
      slot.isFresh = true;
    }
    const { isFresh } = slot;
    const request = { schema: task.schema, values: nextValues(task), workMs: WORK_MS };
    const end = await slot.worker.perform(request, STEP_LIMIT_MS);
    slot.isFresh = end.outcome !== "responded";
    if (end.outcome === "responded") this.#recordVerdicts(task, end.response);
    else if (end.outcome === "broke") this.#recordBreak(task, end, request.values.length);
    else if (end.reason === "memory" && !isFresh) task.needsFreshWorker = true;
    else this.#recordExcess(task, end.at, end.reason === "memory" ? "too much memory" : "too long");
    return end.outcome === "ended" && end.reason === "time" ? "hung" : "ended";
  }

  #recordVerdicts(task: Task, { problem, verdicts }: SchemaResponse): void {
    for (const verdict of verdicts) task.verdicts.push(verdict ?? undefined);
    addLimited(task);
    if (problem !== null || task.verdicts.length >= task.values.length)
      finish(task, () => task.settle.resolve({ problem: problem ?? undefined, verdicts: task.verdicts }));
  }

  /** The values before it in the same message have no result, and are checked again. */
  #recordExcess(task: Task, at: number, excess: string): void {
    if (at < 0) {
      const problem = { path: "", message: `The schema takes ${excess} to compile: make it simpler.` };
      this.#remember(task.schema, problem);
      finish(task, () => task.settle.resolve({ problem, verdicts: [] }));
      return;
    }
    const message = `The value takes the schema ${excess} to check: make either of them simpler.`;
    this.#recordLimited(task, task.verdicts.length + at, message);
  }

  #recordBreak(task: Task, { at, error }: { at: number; error: Error }, triedValues: number): void {
    const place = task.verdicts.length + at;
    if (at < 0) {
      // Values are not to blame. Their caller has used this schema before, and retries.
      if (task.values.length > 0) throw new Error("a schema could not be compiled", { cause: error });
      const problem = { path: "", message: "The schema could not be compiled: the process that did it ended." };
      finish(task, () => task.settle.resolve({ problem, verdicts: [] }));
    } else if (task.suspect === place && triedValues === 1) {
      this.#recordLimited(task, place, "The value could not be checked: the process that did it ended.");
    } else task.suspect = place;
  }

  #recordLimited(task: Task, place: number, message: string): void {
    task.limited.set(place, { kind: "limit", message });
    addLimited(task);
    if (task.verdicts.length >= task.values.length)
      finish(task, () => task.settle.resolve({ problem: undefined, verdicts: task.verdicts }));
  }

  #remember(schema: string, problem: SchemaProblem): void {
    this.#hopeless.delete(schema);
    this.#hopeless.set(schema, { problem, until: performance.now() + REMEMBERED_MS });
    const [oldest] = this.#hopeless.keys();
    if (this.#hopeless.size > MAX_REMEMBERED && oldest !== undefined) this.#hopeless.delete(oldest);
  }
}

/** Once: an abandoned task is still in a worker. */
function finish(task: Task, settle: () => void): void {
  task.isSettled = true;
  settle();
}

function addLimited(task: Task): void {
  for (;;) {
    const verdict = task.limited.get(task.verdicts.length);
    if (verdict === undefined) return;
    task.verdicts.push(verdict);
  }
}

/** Up to the next value that is decided, and up to a suspect, which comes alone. */
function nextValues({ values, verdicts, limited, suspect }: Task): string[] {
  const next: string[] = [];
  let characters = 0;
  for (let at = verdicts.length; at < values.length && next.length < MAX_REQUEST_VALUES && !limited.has(at); at++) {
    const value = values[at] ?? "null";
    characters += value.length;
    if (next.length > 0 && (characters > MAX_REQUEST_CHARACTERS || at === suspect)) break;
    next.push(value);
    if (at === suspect) break;
  }
  return next;
}
