/**
 * A lane's turn: it claims chunks of its run and works on them. A lane that computes has one chunk at a time; a lane whose rows
 * wait for others begins the next chunk while the last rows of the one before are still under way. What ends it: `rows/run-control.ts`.
 */
import type { EventType } from "@rowmill/contract/events";
import { isUnavailable, statementsOf } from "../../platform/database/database.ts";
import type { Statements } from "../../platform/database/database.ts";
import { isDistributed } from "../../platform/database/distribution-marks.ts";
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { Job, Wanted } from "../../platform/queue/queue.ts";
import { listenedTypes } from "../../resources/events/events.ts";
import type { LaneJob } from "../../resources/runs/lanes.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { claimChunk } from "../chunks/chunk-claims.ts";
import type { ClaimedChunk } from "../chunks/chunk-claims.ts";
import { wokenUsageOf } from "../chunks/chunk-results.ts";
import type { ChunkResults } from "../chunks/chunk-results.ts";
import { MAX_CHUNK_FAILURES, releaseFailedChunk } from "../chunks/chunk-deaths.ts";
import type { ClaimOfChunk } from "../chunks/chunk-deaths.ts";
import type { ChunkEnd, ChunkWork } from "../chunks/chunk-work.ts";
import { ROW_EVENT_TYPES, accountLost, commitAndReport, targetOf } from "../chunks/commit-results.ts";
import { processChunk } from "../chunks/process-chunk.ts";
import { reportInFlight } from "../chunks/report-in-flight.ts";
import { throughOutages } from "../chunks/through-outages.ts";
import type { ChunkPlace, Trials } from "../chunks/trials.ts";
import { storableResults } from "../chunks/unstorable-outputs.ts";
import { applyPolicies, stopForBudget } from "../policies/run-policies.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import { followWrittenResults } from "../policies/storage-policy.ts";
import type { ResultMeter } from "../policies/storage-policy.ts";
import { createCallSlots } from "../rows/call-slots.ts";
import { RowProgress } from "../rows/row-progress.ts";
import { RunControl } from "../rows/run-control.ts";
import type { DrainReason } from "../rows/run-control.ts";
import { failForChunk, goOnWithTurn, releaseForgottenClaim, untilChunkIsDue } from "./lane-turns.ts";
import type { WorkEnd } from "./lane-turns.ts";
import { laneCallsAtOnce, laneRowsPerCall } from "./lane-calls.ts";
import type { LaneOfRun } from "./lane-calls.ts";
import { PausedCalls } from "./paused-calls.ts";
import type { LaneParts, PreparedRun } from "./prepared-runs.ts";
import { TurnTime } from "./turn-lengths.ts";
import type { TurnPart } from "./turn-lengths.ts";
import { watchChunk } from "./watch-chunk.ts";

/** Calls under way when their run is canceled or past its deadline: they are paid for, and most models respond by then. */
const CALL_GRACE_MS = 2_000;
/**
 * Longest a finished row waits for its commit. What was called is paid for, and a crash must repeat hardly more than the calls
 * that were under way; what was computed costs less than the commits would.
 */
const FLUSH_AFTER_MS: Record<LaneKind, number> = { computing: 1_000, waiting: 100 };
/** The event types that somebody listens to are read again after this. */
const LISTENED_FOR_MS = 1_000;
/** The last rows of two chunks, and the one that is being begun. */
const WAITING_CHUNKS_IN_HAND = 3;

/** Of the job, and of the process that takes the turn. */
export interface TurnSurroundings {
  /** Claims of lost workers that had the job. */
  left: readonly ClaimOfChunk[];
  kind: LaneKind;
  trials: Trials;
  meter: ResultMeter;
  /** Whether another lane may want this one's place. */
  wanted: () => Wanted;
}

interface ChunkInTurn {
  control: RunControl;
  ended: Promise<{ chunkNo: number; end: ChunkEnd } | { chunkNo: number; error: unknown }>;
}

export class Turn {
  readonly #parts: LaneParts;
  readonly #client: Statements;
  readonly #job: Job<LaneJob>;
  readonly #ready: PreparedRun;
  readonly #surroundings: TurnSurroundings;
  readonly #time: TurnTime;
  readonly #control: RunControl;
  readonly #policies: RunPolicies;
  readonly paused = new PausedCalls({ slots: () => this.#slots, wanted: () => this.#surroundings.wanted() });
  readonly #slots = createCallSlots(() => laneCallsAtOnce(this.#calls()));
  readonly #inFlight = new Map<number, ChunkInTurn>();
  #listened: Promise<ReadonlySet<EventType>> = Promise.resolve(new Set<EventType>());
  #listenedAt = Number.NEGATIVE_INFINITY;
  #run: RunRecord;
  #stopping: Promise<void> = Promise.resolve();

  constructor(parts: LaneParts, job: Job<LaneJob>, run: RunRecord, ready: PreparedRun, surroundings: TurnSurroundings) {
    this.#parts = parts;
    this.#client = parts.database.statements;
    this.#job = job;
    this.#run = run;
    this.#ready = ready;
    this.#surroundings = surroundings;
    this.#time = new TurnTime(surroundings.kind);
    this.#control = new RunControl({ obstacle: () => this.#obstacle(), onDrain: (reason) => this.#onDrain(reason) });
    this.#policies = applyPolicies(parts, ready.watch, () => this.#run, this.#control);
    ready.follow(run);
  }

  /** `taken`: another worker has the job, and all that belongs to it. */
  async take(): Promise<WorkEnd | "taken"> {
    let end: WorkEnd | "taken" = "over";
    let hasResting = false;
    const errors: unknown[] = [];
    for (;;) {
      while (end === "over" && errors.length === 0 && this.#mayClaim()) {
        try {
          const chunk = await this.#claim();
          if (chunk === undefined) end = "ended";
          else this.#begin(chunk);
        } catch (error) {
          // The claimed chunks go on to their end, since what they have paid for would be lost with the turn. Then it fails: a chunk may be
          // claimed whose number did not arrive, and the next turn takes it back where this one has not found it.
          errors.push(error);
          if (await this.#hasReleasedForgotten(error, errors)) errors.pop();
        }
      }
      if (this.#inFlight.size === 0) break;
      const chunks = [...this.#inFlight.values()];
      const isOver = end === "ended" ? new AbortController() : undefined;
      const first = await Promise.race([
        ...chunks.map(({ ended }) => ended),
        ...chunks.filter(({ control }) => control.isBeginning).map(({ control }) => control.allBegun),
        ...(isOver === undefined ? [] : [untilChunkIsDue(this.#client, this.#run.id, isOver.signal)]),
      ]);
      isOver?.abort();
      // A chunk that rested may be due by now.
      if (end === "ended") end = "over";
      if (first === undefined) continue;
      this.#inFlight.delete(first.chunkNo);
      if ("error" in first) errors.push(first.error);
      else if (first.end === "released") end = end === "taken" ? end : "released";
      else if (first.end === "resting") hasResting = true;
      else if (first.end === "lost" && !(await this.#isOurs(errors))) end = "taken";
    }
    await this.#stopping;
    if (errors.length > 0) throw errors[0];
    // The lanes of a newer generation may have ended without a look at it, as for any chunk that is released.
    return hasResting && end !== "taken" ? "released" : end;
  }

  /** After a claim that failed: whether it was made all the same. Then nothing of it can come later, and the turn goes on. */
  async #hasReleasedForgotten(error: unknown, errors: unknown[]): Promise<boolean> {
    if (!isUnavailable(error)) return false;
    const { left } = this.#surroundings;
    const release = () => releaseForgottenClaim(this.#parts, this.#job, { left, inHand: this.#inFlight });
    try {
      return await throughOutages(release, AbortSignal.any([this.#job.signal, this.#job.stopping]));
    } catch (failure) {
      errors.push(failure);
      return false;
    }
  }

  /** Where that cannot be found out, the turn fails once the other chunks have ended. */
  async #isOurs(errors: unknown[]): Promise<boolean> {
    try {
      return await this.#job.isOurs();
    } catch (error) {
      errors.push(error);
      return true;
    }
  }

  /** What keeps rows from beginning now. */
  #obstacle(): DrainReason | undefined {
    if (this.#job.stopping.aborted || this.#job.signal.aborted) return "stopping";
    const leftMs = this.#parts.clock.msUntil(this.#run.deadlineAt);
    if (leftMs <= 0) return "deadline";
    if (!this.#surroundings.trials.mayBegin()) return "trial";
    if (this.paused.isWaiting(leftMs)) return this.paused.endsRows("paused_calls", this.#job);
    return this.#isWithin("rows") ? undefined : this.paused.endsRows("turn_over", this.#job);
  }

  /** Where the money is spent, the run stops for all its lanes at once. */
  #onDrain(reason: DrainReason): void {
    if (reason !== "budget_exhausted") return;
    this.#stopping = stopForBudget(this.#parts.database, this.#run);
    // It is waited for at the end of the turn, which then fails with it.
    this.#stopping.catch(() => undefined);
  }

  #mayClaim(): boolean {
    if (!this.#control.mayBegin() || !this.#isWithin("claims")) return false;
    if (this.#inFlight.size === 0) return true;
    return (
      this.#surroundings.kind === "waiting" &&
      this.#inFlight.size < WAITING_CHUNKS_IN_HAND &&
      ![...this.#inFlight.values()].some(({ control }) => control.isBeginning) &&
      // A broken run is found out with one chunk.
      this.#policies.probeRows() === undefined
    );
  }

  #isWithin(what: TurnPart): boolean {
    return !this.paused.hasLeftPlace && this.#time.isWithin(what, this.#surroundings.wanted());
  }

  async #claim(): Promise<ClaimedChunk | undefined> {
    // A lane that waits has long turns: what was changed of the run counts from the next chunk on.
    if (this.#surroundings.kind === "waiting" && this.#inFlight.size > 0) {
      const run = await goOnWithTurn(this.#parts, this.#job.data);
      if (run === undefined) {
        this.#control.drain("superseded");
        return undefined;
      }
      this.#run = run;
      this.#ready.follow(run);
    }
    const options = { begins: this.#rowsThatBegin(), takesBack: this.#surroundings.left };
    const claim = (client: Statements) => claimChunk(client, this.#run, this.#job.id, options);
    if (!isDistributed(this.#client)) return claim(this.#client);
    return this.#parts.database.transaction((tx) => claim(statementsOf(tx)));
  }

  #begin(chunk: ClaimedChunk): void {
    const control = this.#control.forChunk();
    const ended = this.#work(chunk, control).then(
      (end) => ({ chunkNo: chunk.chunkNo, end }),
      (error: unknown) => ({ chunkNo: chunk.chunkNo, error }),
    );
    this.#inFlight.set(chunk.chunkNo, { control, ended });
  }

  #calls(): LaneOfRun {
    const { step, turns } = this.#ready;
    const { lane } = this.#job.data;
    return { kind: this.#surroundings.kind, lane, run: this.#run, step, turns, probeRows: this.#policies.probeRows() };
  }

  /**
   * Of a chunk that is claimed now. Where no slot is free, the next that is freed may be the last one in use: a run with a row
   * under way never counts none.
   */
  #rowsThatBegin(): number {
    const calls = this.#calls();
    const rowsPerCall = Math.min(laneRowsPerCall(calls), calls.probeRows ?? Number.POSITIVE_INFINITY);
    return Math.max(1, this.#slots.free() * rowsPerCall);
  }

  async #work(chunk: ClaimedChunk, control: RunControl): Promise<ChunkEnd> {
    const place = this.#surroundings.trials.enter();
    const progress = new RowProgress();
    const watched = watchChunk(this.#parts, this.#run, chunk, {
      generation: this.#job.data.generation,
      graceMs: this.#surroundings.kind === "waiting" ? CALL_GRACE_MS : 0,
      control,
      stopping: this.#job.stopping,
      areWaitingUnpaid: () => this.#slots.areWaiting() && !progress.hasPaid,
      report: () => reportInFlight(this.#client, this.#run.id, chunk, progress),
      follow: ({ concurrency, budget, priority, failurePolicy }) => {
        this.#run = { ...this.#run, concurrency, budget, priority, failurePolicy };
        this.#ready.follow(this.#run);
      },
    });
    try {
      const end = await processChunk(this.#client, this.#chunkWork(control, progress, place), chunk);
      if (end === "done") await this.#policies.check();
      return end;
    } catch (error) {
      return await this.#releaseFailed(chunk, error);
    } finally {
      place.leave();
      control.end();
      await watched;
    }
  }

  #chunkWork(control: RunControl, progress: RowProgress, place: ChunkPlace): ChunkWork {
    const { definition, checks, step, cache } = this.#ready;
    const run = this.#run;
    return {
      target: targetOf(run),
      datasetId: run.datasetId,
      plan: {
        step,
        checks,
        retry: definition.retry ?? {},
        timeoutMs: definition.timeoutSeconds === undefined ? undefined : definition.timeoutSeconds * 1000,
        slots: this.#slots,
        random: Math.random,
        reportError: (error) => this.#parts.log.error({ err: error, runId: run.id }, "a processor failed"),
        progress,
        deadlineAt: () => Date.now() + this.#parts.clock.msUntil(this.#run.deadlineAt),
      },
      control,
      rowsPerCall: () => laneRowsPerCall(this.#calls()),
      cache,
      flushAfterMs: FLUSH_AFTER_MS[this.#surroundings.kind],
      dedupes: definition.dedupe === "exact",
      commit: async (chunk, results, state) => {
        const isCommitted = await this.#commit(run, chunk, results, state);
        progress.end([...results.successes, ...results.failures].map(({ index }) => index));
        return isCommitted;
      },
      accountLost: ({ chunkNo }, usage) => accountLost(this.#parts, targetOf(run), chunkNo, usage),
      lateWrites: this.#parts.lateWrites,
      policies: this.#policies,
      alone: (trial, signal) => place.alone(trial, signal),
      log: this.#parts.log,
    };
  }

  async #commit(
    run: RunRecord,
    chunk: ClaimedChunk,
    results: ChunkResults,
    state: "done" | "running" | "pending",
  ): Promise<boolean> {
    const storable = await storableResults(this.#ready.step, results);
    const isCommitted = await commitAndReport(this.#parts, run, await this.#listenedNow(), chunk, storable, state);
    if (isCommitted && (await followWrittenResults(this.#parts, this.#surroundings.meter, run, storable.size)))
      this.#control.drain("storage");
    return isCommitted;
  }

  /** The worker lives: its error is no evidence against rows. The chunk waits, and the lane goes on with others. */
  async #releaseFailed(chunk: ClaimedChunk, error: unknown): Promise<ChunkEnd> {
    const { log } = this.#parts;
    const runId = this.#run.id;
    const isOutage = isUnavailable(error);
    const failures = await throughOutages(
      () => releaseFailedChunk(this.#client, runId, { ...chunk, wokenUsage: wokenUsageOf(chunk) }, isOutage),
      this.#job.signal,
    );
    if (isOutage || failures === undefined) throw error;
    log.error({ err: error, runId, chunkNo: chunk.chunkNo, failures }, "the work on a chunk failed; it waits");
    if (failures >= MAX_CHUNK_FAILURES) await failForChunk(this.#parts, this.#run, chunk, failures);
    return "released";
  }

  /** Turns may be long: a listener that comes meanwhile gets the rows from then on. */
  #listenedNow(): Promise<ReadonlySet<EventType>> {
    if (performance.now() - this.#listenedAt >= LISTENED_FOR_MS) {
      this.#listenedAt = performance.now();
      this.#listened = listenedTypes(this.#parts.database.db, this.#run.organizationId, ROW_EVENT_TYPES);
    }
    return this.#listened;
  }
}
