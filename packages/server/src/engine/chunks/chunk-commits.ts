/**
 * Commits of a claimed chunk, and what becomes of what its rows have paid for where their results cannot be recorded:
 *
 *   the claim is lost     it is counted apart from the rows (`accountLost`)
 *   the work has failed   the chunk keeps it for its rows, which begin again; where the claim is lost as well, it is counted apart from them
 *
 * A commit that had no response may have been made. Where the claim still holds, its repetition finds that out; where it is lost, nothing
 * does, and what was in it is not counted again.
 */
import { mayBeDone } from "../../platform/database/database.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { addAbandoned, noResults, readCarriedUsage, usageOnly } from "./chunk-results.ts";
import type { CarriedUsage, ChunkResults } from "./chunk-results.ts";
import type { ChunkWork } from "./chunk-work.ts";
import type { RowProgress } from "../rows/row-progress.ts";
import { throughOutages } from "./through-outages.ts";

export class ChunkCommits {
  readonly #work: ChunkWork;
  readonly #chunk: ClaimedChunk;
  readonly #carried: ReadonlyMap<number, CarriedUsage>;
  readonly #progress: RowProgress;
  /** A try of the last commit had no response. */
  #isUnsure = false;

  constructor(
    work: ChunkWork,
    chunk: ClaimedChunk,
    rows: { carried: ReadonlyMap<number, CarriedUsage>; progress: RowProgress },
  ) {
    this.#work = work;
    this.#chunk = chunk;
    this.#carried = rows.carried;
    this.#progress = rows.progress;
  }

  /** False: the claim is lost. */
  async commit(results: ChunkResults, state: "done" | "running" | "pending"): Promise<boolean> {
    const { control } = this.#work;
    // Until the chunk is released, what is recorded of its rows has the times from before the wake: the next claim needs it where this one dies.
    results.seenWake = state === "running" ? null : (control.seenWake ?? this.#chunk.wake);
    this.#isUnsure = false;
    const isCommitted = await throughOutages(() => this.#try(results, state), control.signal);
    if (isCommitted) this.#isUnsure = false;
    return isCommitted;
  }

  async #try(results: ChunkResults, state: "done" | "running" | "pending"): Promise<boolean> {
    try {
      return await this.#work.commit(this.#chunk, results, state);
    } catch (error) {
      this.#isUnsure ||= mayBeDone(error);
      throw error;
    }
  }

  /** `open`: what the last commit was to record. Counts also rows that were abandoned since. */
  async accountLost(open: ChunkResults): Promise<void> {
    const results = this.#isUnsure ? noResults() : open;
    addAbandoned(results, this.#carried, this.#progress.takeAbandoned());
    await this.#work.accountLost(this.#chunk, results.usage);
  }

  /** The chunk is released for an error: its rows begin again, and keep what they have used for their end. */
  async keepUsage(open: ChunkResults): Promise<void> {
    const kept = usageOnly(open, this.#carried);
    addAbandoned(kept, readCarriedUsage(kept.carriedUsage), this.#progress.takeAbandoned());
    if (kept.usage.requests === 0) return;
    const { runId } = this.#work.target;
    await this.#work.lateWrites.write(() => this.#keep(kept), {
      runId,
      chunkNo: this.#chunk.chunkNo,
      usage: kept.usage,
    });
  }

  /** May be tried again. The commit that failed may have been made: then this one is taken for it, and is not made. */
  async #keep(kept: ChunkResults): Promise<void> {
    if (await this.#try(kept, "running")) {
      // What releases the chunk writes it again where the rows were woken.
      this.#chunk.carriedUsage = kept.carriedUsage;
      return;
    }
    if (!this.#isUnsure) await this.#work.accountLost(this.#chunk, kept.usage);
  }
}
