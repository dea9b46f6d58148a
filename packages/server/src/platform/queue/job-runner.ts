/** Runs the jobs that a process has fetched: logs what a task throws, sets the pause before its next try, and lets them end at the stop. */
import type { JobWithMetadata } from "pg-boss";
import { runAs } from "../current-work.ts";
import { isUnavailable } from "../database/database.ts";
import type { Log } from "../log.ts";
import type { Attempt, QueuePlaces } from "./places.ts";

/**
 * Pauses before a job is tried again whose task has thrown: 1, 2, 4 … seconds. A job of a dead worker is taken over without one.
 * The last pause is about as long as an outage is tolerable after its end.
 */
const LONGEST_RETRY_PAUSE_SECONDS = 60;

export interface Job<T> {
  id: string;
  data: T;
  /** It was begun before: its task has thrown, or its worker is gone. */
  isRepeated: boolean;
  /** False: it is here since it was begun before, while its organization has its share of the places. */
  isWithinShare: boolean;
  /** Aborted when another worker has the job: at the next beat. */
  signal: AbortSignal;
  /** It only waits from now on, and another job may have its place. False: it keeps the place. */
  leavePlace: () => boolean;
  /** Whether no other worker has it now, as the database knows it. */
  isOurs: () => Promise<boolean>;
  /** Aborted when the process stops: for work that is better begun again than waited for. */
  stopping: AbortSignal;
}

export interface JobRunnerParts {
  log: Log;
  execute: (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>;
  /** The database cannot be reached. */
  reportOutage: (error: unknown) => void;
  placesOf: (queue: string) => QueuePlaces | undefined;
  /** A place of this process is free again. */
  onFree: () => void;
}

export class JobRunner {
  readonly #parts: JobRunnerParts;
  readonly #stopping = new AbortController();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
  }

  async run<T extends object>(
    name: string,
    { id, data, signal, retryDelay, retryCount }: JobWithMetadata<T>,
    handler: (job: Job<T>) => Promise<void>,
  ): Promise<void> {
    const stopping = this.#stopping.signal;
    // It was fetched when the queue stopped: since it fails here, another worker gets it.
    stopping.throwIfAborted();
    const places = this.#parts.placesOf(name);
    const isWithinShare = places?.isWithinShare({ id, retryCount }) ?? true;
    const attempt = async (): Promise<void> => {
      // The pause of the last failure must not delay the takeover from a worker that dies.
      if (retryDelay > 0) await this.#setRetryPause(name, id, 0);
      const isOurs = (): Promise<boolean> => this.#isActive(name, id, retryCount);
      const leavePlace = (): boolean => this.#leavePlace(name, { id, retryCount });
      await handler({ id, data, isRepeated: retryCount > 0, isWithinShare, signal, leavePlace, isOurs, stopping });
    };
    const work = runAs({ name, jobId: id, ...ownerOf(data) }, attempt);
    this.#inFlight.add(work);
    try {
      await work;
    } catch (error) {
      // Released at the stop, or taken by another worker: nothing has failed.
      if (!stopping.aborted && !signal.aborted) await this.#reportFailure(name, { id, data }, retryDelay, error);
      throw error;
    } finally {
      this.#inFlight.delete(work);
      places?.leave({ id, retryCount });
      this.#parts.onFree();
    }
  }

  /** Begins no further job, and waits for those that run. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the service is stopping"));
    // What they throw is pg-boss's to record; here it only matters that they have ended.
    await Promise.allSettled(this.#inFlight);
  }

  #leavePlace(name: string, attempt: Attempt): boolean {
    const hasLeft = this.#parts.placesOf(name)?.leaveEarly(attempt) ?? false;
    if (hasLeft) this.#parts.onFree();
    return hasLeft;
  }

  /** Before the job is failed. */
  async #reportFailure(
    name: string,
    job: { id: string; data: object },
    pauseBefore: number,
    error: unknown,
  ): Promise<void> {
    if (isUnavailable(error)) return this.#parts.reportOutage(error);
    const retryAfterSeconds = Math.min(Math.max(1, pauseBefore * 2), LONGEST_RETRY_PAUSE_SECONDS);
    const { organizationId } = ownerOf(job.data);
    this.#parts.log.error(
      { err: error, queue: name, jobId: job.id, organizationId, retryAfterSeconds },
      "a queued task failed",
    );
    await this.#setRetryPause(name, job.id, retryAfterSeconds);
  }

  /** In this attempt. */
  async #isActive(name: string, id: string, retryCount: number): Promise<boolean> {
    const select = "select 1 from pgboss.job where name = $1 and id = $2 and state = 'active' and retry_count = $3";
    return (await this.#parts.execute(select, [name, id, retryCount])).rows.length === 1;
  }

  /** What is added to the time of the job's next try, should this one fail or its worker die. */
  async #setRetryPause(name: string, id: string, seconds: number): Promise<void> {
    const update = "update pgboss.job set retry_delay = $3 where name = $1 and id = $2";
    await this.#parts.execute(update, [name, id, seconds]);
  }
}

/** Whose a job is, as far as its data says. */
export function ownerOf(data: object): { organizationId?: string; runId?: string } {
  const { organizationId, runId } = data as Record<string, unknown>;
  return {
    ...(typeof organizationId === "string" ? { organizationId } : {}),
    ...(typeof runId === "string" ? { runId } : {}),
  };
}
