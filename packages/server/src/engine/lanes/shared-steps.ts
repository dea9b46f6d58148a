/**
 * Steps of a run that several of its lanes come to at the same moment in one process: its start and its end. One lane takes the step, and
 * the others need no transaction to learn that it is taken. Lanes of other processes meet in the database.
 */
export class SharedSteps<T> {
  readonly #starts = new Map<string, Promise<T>>();
  readonly #ends = new Map<string, Promise<unknown>>();

  /** All who come while the work is under way get its result; where it fails, each tries for itself. */
  async start(runId: string, work: () => Promise<T>): Promise<T> {
    const underWay = this.#starts.get(runId);
    if (underWay !== undefined) return underWay.catch(work);
    const started = work();
    this.#starts.set(runId, started);
    try {
      return await started;
    } finally {
      this.#starts.delete(runId);
    }
  }

  /** One after the other: the first does what is to do, and the next ones find it done. */
  async end(runId: string, work: () => Promise<void>): Promise<void> {
    const before = this.#ends.get(runId);
    const ended = before === undefined ? work() : before.then(work, work);
    this.#ends.set(runId, ended);
    try {
      await ended;
    } finally {
      if (this.#ends.get(runId) === ended) this.#ends.delete(runId);
    }
  }
}
