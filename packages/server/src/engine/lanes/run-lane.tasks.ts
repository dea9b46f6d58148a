/**
 * A lane's turn: it claims chunks of its run and works on them. A lane that computes has one chunk in hand; a lane whose rows
 * wait for others begins the next chunk while the last rows of the one before are still under way.
 */
import type { EventType } from "@rowmill/contract/events";
import { isUnavailable } from "../../platform/database/database.ts";
import type { Statements } from "../../platform/database/database.ts";
import { forOrganization } from "../../platform/database/tenants.ts";
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { Job } from "../../platform/queue/queue.ts";
import { listenedTypes } from "../../resources/events/events.ts";
import { createBerths } from "../rows/berths.ts";
import type { Berths } from "../rows/berths.ts";
import { claimChunk } from "../chunks/chunk-claims.ts";
import type { ClaimedChunk } from "../chunks/chunk-claims.ts";
import { MAX_CHUNK_FAILURES, releaseFailedChunk } from "../chunks/chunk-deaths.ts";
import { ROW_EVENT_TYPES, commitAndTell, targetOf } from "../chunks/commit-results.ts";
import { createLanePlaces } from "./lane-places.ts";
import { beginTurn, endTurn, failForChunk, failUnprepared, giveBackChunks, stepAside } from "./lane-turns.ts";
import type { TurnEnd } from "./lane-turns.ts";
import { laneShare } from "../../resources/runs/lanes.ts";
import type { LaneJob } from "../../resources/runs/lanes.ts";
import { createResultMeter, pauseIfStorageExceeded } from "../policies/storage-policy.ts";
import type { ResultMeter } from "../policies/storage-policy.ts";
import { createPreparedRuns } from "./prepared-runs.ts";
import type { LaneParts, PreparedRun, WithTasks } from "./prepared-runs.ts";
import { trackInFlight } from "../chunks/in-flight.ts";
import { processChunk } from "../chunks/process-chunk.ts";
import type { ChunkEnd } from "../chunks/chunk-work.ts";
import { openBatches } from "./open-batches.ts";
import { throughOutages } from "../chunks/through-outages.ts";
import type { Trials } from "../chunks/trials.ts";
import { rejectUnstorableOutputs } from "../chunks/unstorable-outputs.ts";
import { checkPolicies, noteOutcomes, probeRows, stopForBudget } from "../policies/run-policies.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { watchChunk } from "./watch-chunk.ts";

/** A turn takes no further chunk after this. Short, so that a run of one row never waits long behind large ones. */
const TURN_MS = 200;
/** A turn begins no further row of its chunk after this: slow rows would keep workers from other runs for minutes. */
const LONG_TURN_MS = 2_000;
/** The same for lanes that wait, whose rows take seconds each; it only counts while other lanes want their place. */
const WAITING_TURN_MS = 10_000;
/** While nobody wants it, too: a job that is active for hours is taken for lost by the queue, and given to another worker. */
const LONGEST_TURN_MS = 3_600_000;
/** Calls under way when their run is canceled or past its deadline: they are paid for, and most models answer by then. */
const CALL_GRACE_MS = 2_000;
/**
 * Longest a finished row waits for its commit. What was called is paid for, and a crash must repeat hardly more than the calls
 * that were under way; what was computed costs less than the commits would.
 */
const FLUSH_AFTER_MS: Record<LaneKind, number> = { computing: 1_000, waiting: 100 };
/** Who listens to rows is asked again after this. */
const LISTENED_FOR_MS = 1_000;
/** The last rows of two chunks, and the one that is being begun. */
const WAITING_CHUNKS_IN_HAND = 3;

/** Made once: an error for each chunk would cost the trace of its stack. */
const CHUNK_ENDED = new Error("the work on the chunk has ended");

export interface LaneWorkerOptions {
  /** Of the whole process. */
  trials: Trials;
  kind: LaneKind;
  /** Turns that this process takes at once. */
  places: number;
}

export function createLaneWorker(allParts: WithTasks<LaneParts>, { kind, places, trials }: LaneWorkerOptions) {
  const prepared = createPreparedRuns();
  const lanePlaces = createLanePlaces(kind, places);
  const meter = createResultMeter();

  return async function takeTurn(job: Job<LaneJob>): Promise<void> {
    const { organizationId } = job.data;
    const parts = forOrganization(allParts, organizationId);
    if (!trials.mayBegin() || !lanePlaces.enter(organizationId)) return stepAside(parts, job);
    try {
      const run = await beginTurn(parts, job.data);
      if (run === undefined) {
        await giveBackChunks(parts, job);
        await endTurn(parts, job, "ended");
        return;
      }
      let ready: PreparedRun;
      try {
        ready = await prepared.of(parts, run);
      } catch (error) {
        if (isUnavailable(error)) throw error;
        await failUnprepared(parts, run, error);
        return;
      }
      await openBatches(parts, run, ready.definition);
      const turn = new Turn(parts, job, run, ready, kind, trials, meter, () => lanePlaces.othersMayWait());
      await endTurn(parts, job, await turn.take());
    } finally {
      lanePlaces.leave(organizationId);
    }
  };
}

class Turn {
  readonly #parts: LaneParts;
  readonly #client: Statements;
  readonly #job: Job<LaneJob>;
  readonly #ready: PreparedRun;
  readonly #kind: LaneKind;
  readonly #trials: Trials;
  readonly #meter: ResultMeter;
  readonly #othersMayWait: () => boolean;
  readonly #startedAt = Date.now();
  readonly #berths: Berths;
  #listened: Promise<ReadonlySet<EventType>> = Promise.resolve(new Set<EventType>());
  #listenedAt = Number.NEGATIVE_INFINITY;
  readonly #inHand = new Map<number, Promise<ChunkEnd>>();
  #run: RunRecord;
  /** The chunk that has rows which are not begun. */
  #beginning: number | undefined;
  #news = Promise.withResolvers<void>();
  /** The run was paused, or has newer lanes: no row is begun any more. */
  #isEnding = false;
  #isHeldBack = false;
  #stopping: Promise<void> = Promise.resolve();

  constructor(
    parts: LaneParts,
    job: Job<LaneJob>,
    run: RunRecord,
    ready: PreparedRun,
    kind: LaneKind,
    trials: Trials,
    meter: ResultMeter,
    othersMayWait: () => boolean,
  ) {
    this.#parts = parts;
    this.#client = parts.database.statements;
    this.#job = job;
    this.#run = run;
    this.#ready = ready;
    this.#kind = kind;
    this.#trials = trials;
    this.#meter = meter;
    this.#othersMayWait = othersMayWait;
    this.#berths = createBerths(() => this.#callsAtOnce());
    ready.follow(run);
  }

  async take(): Promise<TurnEnd> {
    let end: TurnEnd = "over";
    const errors: unknown[] = [];
    for (;;) {
      while (end === "over" && errors.length === 0 && this.#mayClaim()) {
        const chunk = await this.#claim();
        if (chunk === undefined) end = "ended";
        else this.#begin(chunk);
      }
      if (this.#inHand.size === 0) break;
      this.#news = Promise.withResolvers();
      const first = await Promise.race([
        this.#news.promise,
        ...[...this.#inHand].map(([chunkNo, work]) =>
          work.then(
            (chunkEnd) => ({ chunkNo, chunkEnd }),
            (error: unknown) => ({ chunkNo, error }),
          ),
        ),
      ]);
      if (first === undefined) continue;
      this.#inHand.delete(first.chunkNo);
      if ("error" in first) errors.push(first.error);
      else if (first.chunkEnd === "given_back") end = "given_back";
    }
    await this.#stopping;
    if (errors.length > 0) throw errors[0];
    return end;
  }

  #mayClaim(): boolean {
    if (this.#job.stopping.aborted || this.#isEnding || this.#isHeldBack || this.#isPastDeadline()) return false;
    if (!this.#trials.mayBegin()) return false;
    if (this.#inHand.size === 0) return this.#isWithin(TURN_MS);
    return (
      this.#kind === "waiting" &&
      this.#beginning === undefined &&
      this.#inHand.size < WAITING_CHUNKS_IN_HAND &&
      // A broken run is found out with one chunk.
      probeRows(this.#ready.watch, this.#run) === undefined &&
      this.#isWithin(TURN_MS)
    );
  }

  readonly #mayBegin = (): boolean =>
    !this.#job.stopping.aborted &&
    !this.#isEnding &&
    !this.#isHeldBack &&
    !this.#isPastDeadline() &&
    this.#trials.mayBegin() &&
    this.#isWithin(LONG_TURN_MS);

  #isPastDeadline(): boolean {
    return this.#run.deadlineAt !== null && this.#run.deadlineAt.getTime() <= Date.now();
  }

  #isWithin(turnMs: number): boolean {
    const elapsed = Date.now() - this.#startedAt;
    if (this.#kind === "computing") return elapsed < turnMs;
    return elapsed < (this.#othersMayWait() ? WAITING_TURN_MS : LONGEST_TURN_MS);
  }

  async #claim(): Promise<ClaimedChunk | undefined> {
    // A lane that waits has long turns: what was changed of the run counts from the next chunk on.
    if (this.#kind === "waiting" && this.#inHand.size > 0) {
      const run = await beginTurn(this.#parts, this.#job.data);
      if (run === undefined) {
        this.#isEnding = true;
        return undefined;
      }
      this.#run = run;
      this.#ready.follow(run);
    }
    return claimChunk(this.#client, this.#run, this.#job.id, [...this.#inHand.keys()]);
  }

  #begin(chunk: ClaimedChunk): void {
    this.#beginning = chunk.chunkNo;
    this.#inHand.set(chunk.chunkNo, this.#work(chunk));
  }

  /** This lane's share of what the run may have under way: rows where each is a call of its own, else one call. */
  #callsAtOnce(): number {
    const { step, watch } = this.#ready;
    if (step.batchesAtOnce === 1) return 1;
    const share = laneShare(this.#run, this.#run.concurrency ?? step.batchesAtOnce, this.#job.data.lane);
    return Math.min(share, probeRows(watch, this.#run) ?? Number.POSITIVE_INFINITY);
  }

  #batchRows(): number {
    const { step } = this.#ready;
    const { concurrency } = this.#run;
    if (step.batchesAtOnce > 1 || concurrency === null) return step.maxBatchRows;
    return Math.min(step.maxBatchRows, laneShare(this.#run, concurrency, this.#job.data.lane));
  }

  async #work(chunk: ClaimedChunk): Promise<ChunkEnd> {
    const { definition, checks, step, watch, cache } = this.#ready;
    const run = this.#run;
    const parts = this.#parts;
    const giveUp = new AbortController();
    const place = this.#trials.enter();
    const inFlight = trackInFlight(run.id, chunk);
    const watched = watchChunk(parts, run, chunk, {
      generation: this.#job.data.generation,
      graceMs: this.#kind === "waiting" ? CALL_GRACE_MS : 0,
      giveUp,
      stopping: this.#job.stopping,
      end: () => (this.#isEnding = true),
      report: () => inFlight.report(this.#client),
      follow: ({ concurrency, budget, priority, failurePolicy }) => {
        this.#run = { ...this.#run, concurrency, budget, priority, failurePolicy };
        this.#ready.follow(this.#run);
      },
    });
    const afterFlush = () => checkPolicies(parts.database, parts, this.#run, watch);
    const noteAllBegun = (): void => {
      if (this.#beginning !== chunk.chunkNo) return;
      this.#beginning = undefined;
      this.#news.resolve();
    };
    try {
      const end = await processChunk(
        this.#client,
        {
          target: targetOf(run),
          datasetId: run.datasetId,
          plan: {
            step,
            checks,
            retry: definition.retry ?? {},
            timeoutMs: definition.timeoutSeconds === undefined ? undefined : definition.timeoutSeconds * 1000,
            berths: this.#berths,
            random: Math.random,
            reportError: (error) => parts.log.error({ err: error, runId: run.id }, "a processor failed"),
            noteHeld: () => this.#holdBack(),
            noteBegun: (rows) => inFlight.begin(rows),
            noteReleased: (rows) => inFlight.release(rows),
            noteAllBegun,
          },
          batchRows: () => this.#batchRows(),
          cache,
          flushAfterMs: FLUSH_AFTER_MS[this.#kind],
          dedupes: definition.dedupe === "exact",
          commit: async (held, results, state) => {
            const storable = step.outputsAreParsed === true ? results : await rejectUnstorableOutputs(results);
            const isHeld = await commitAndTell(parts, run, await this.#listenedNow(), held, storable, state);
            inFlight.record(results);
            if (isHeld && this.#meter.note(run.organizationId, storable.size))
              this.#isEnding ||= await pauseIfStorageExceeded(parts.database, parts, run);
            return isHeld;
          },
          afterFlush,
          noteOutcomes: (rows) => noteOutcomes(watch, rows),
          probeRows: () => probeRows(watch, run),
          mayBegin: this.#mayBegin,
          alone: (trial, signal) => place.alone(trial, signal),
          log: parts.log,
        },
        chunk,
        giveUp.signal,
      );
      if (end === "done") await afterFlush();
      return end;
    } catch (error) {
      return await this.#releaseFailed(chunk, error);
    } finally {
      place.leave();
      noteAllBegun();
      giveUp.abort(CHUNK_ENDED);
      await watched;
    }
  }

  /** The worker lives: its error is no evidence against rows. The chunk waits, and the lane goes on with others. */
  async #releaseFailed(chunk: ClaimedChunk, error: unknown): Promise<ChunkEnd> {
    const { log } = this.#parts;
    const runId = this.#run.id;
    const isOutage = isUnavailable(error);
    const failures = await throughOutages(
      () => releaseFailedChunk(this.#client, runId, chunk, isOutage),
      this.#job.signal,
    );
    if (isOutage || failures === undefined) throw error;
    log.error({ err: error, runId, chunkNo: chunk.chunkNo, failures }, "the work on a chunk failed; it waits");
    if (failures >= MAX_CHUNK_FAILURES) await failForChunk(this.#parts, this.#run, chunk, failures);
    return "given_back";
  }

  /** Turns may be long, and who begins to listen meanwhile is told of the rows from then on. */
  #listenedNow(): Promise<ReadonlySet<EventType>> {
    if (Date.now() - this.#listenedAt >= LISTENED_FOR_MS) {
      this.#listenedAt = Date.now();
      this.#listened = listenedTypes(this.#parts.database.db, this.#run.organizationId, ROW_EVENT_TYPES);
    }
    return this.#listened;
  }

  /** The run stops for all its lanes at once. */
  #holdBack(): void {
    if (this.#isHeldBack) return;
    this.#isHeldBack = true;
    this.#stopping = stopForBudget(this.#parts.database, this.#parts, this.#run);
    // It is waited for at the end of the turn, which then fails with it.
    this.#stopping.catch(() => undefined);
  }
}
