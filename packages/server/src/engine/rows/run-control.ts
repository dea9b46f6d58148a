/**
 * Whether a row may begin. A turn of a lane has one control, each chunk that it has claimed has one below it, and everything that ends
 * the work on them goes through these:
 *
 *   running ──drain(reason)──▶ draining ──abort──▶ aborted
 *      └──────────────────────abort───────────────────▲
 *
 *   running    rows begin
 *   draining   no row begins. Calls under way may end, and the rest of the chunk is released. A reason that was given to `drain` holds
 *              until the turn is over; an obstacle (another lane wants the place, one row is tried alone) may pass, and rows begin again.
 *              While an obstacle is the reason, or once the money is gone, rows that wait for another attempt rest: they are released
 *              with what is known of them.
 *   aborted    calls under way are abandoned. Of one chunk: its claim is lost, or nobody waits for it any longer.
 */
import { RowPostponedError } from "../../processors/processor.ts";

export type DrainReason =
  /** The service stops. */
  | "stopping"
  /** The run is paused, canceled or has ended, or lanes of a newer generation have it. */
  | "superseded"
  | "deadline"
  | "budget_exhausted"
  | "storage"
  /** The failure policy or the breaker has ended or paused the run. */
  | "policy"
  /** Another row is tried, and nothing else may begin in this process. */
  | "trial"
  /** All calls wait for a provider that has paused them for long, and others want the lane's place. */
  | "paused_calls"
  | "turn_over";

export type ControlState = { is: "running" } | { is: "draining"; reason: DrainReason } | { is: "aborted" };

interface ControlOptions {
  /** What keeps rows from beginning now. Evaluated each time, since it may pass. */
  obstacle?: () => DrainReason | undefined;
  /** Called with the first reason that is given to `drain`. */
  onDrain?: (reason: DrainReason) => void;
}

/** The run goes on in another turn, soon. For other reasons what has begun is brought to its end, as long as there is money for it. */
const RESTS_FOR: ReadonlySet<DrainReason> = new Set(["stopping", "trial", "paused_calls", "turn_over"]);

const RUNNING: ControlState = { is: "running" };
const ABORTED: ControlState = { is: "aborted" };

/** Made once: an error for each chunk would cost the trace of its stack. */
const CHUNK_ENDED = new Error("the work on the chunk has ended");

export class RunControl {
  readonly #obstacle: (() => DrainReason | undefined) | undefined;
  readonly #onDrain: ((reason: DrainReason) => void) | undefined;
  readonly #parent: RunControl | undefined;
  readonly #work: AbortController;
  readonly #allBegun = Promise.withResolvers<void>();
  #reason: DrainReason | undefined;
  #isOutOfMoney = false;
  #begin = new AbortController();
  #rest = new AbortController();
  #isBeginning = true;
  #wake: Date | undefined;
  #seenWake: Date | undefined;

  constructor({ obstacle, onDrain }: ControlOptions = {}, parent?: RunControl, work = new AbortController()) {
    this.#obstacle = obstacle;
    this.#onDrain = onDrain;
    this.#parent = parent;
    this.#work = work;
  }

  /** Of one chunk: it drains with the turn, and is aborted alone. */
  forChunk(): RunControl {
    return new RunControl({}, this);
  }

  /** Of a row that is tried alone: no earlier reason and no obstacle keeps it from beginning. */
  forTrial(): RunControl {
    return new RunControl({ onDrain: (reason) => this.drain(reason) }, undefined, this.#work);
  }

  get state(): ControlState {
    if (this.#work.signal.aborted) return ABORTED;
    if (this.#parent !== undefined) return this.#parent.state;
    const reason = this.#reason ?? this.#obstacle?.();
    return reason === undefined ? RUNNING : { is: "draining", reason };
  }

  /** The one that was given to `drain`. */
  get reason(): DrainReason | undefined {
    return this.#parent === undefined ? this.#reason : this.#parent.reason;
  }

  /** Whether a call did not fit into the budget, whatever the first reason was. */
  get isOutOfMoney(): boolean {
    return this.#parent === undefined ? this.#isOutOfMoney : this.#parent.isOutOfMoney;
  }

  /** Aborts the wait of rows that have not begun where it returns false. */
  mayBegin(): boolean {
    const isRunning = this.state.is === "running";
    this.#begin = abortedUnless(isRunning, this.#begin);
    return isRunning;
  }

  /** Whether a row that was tried before may be tried again now. Aborts the wait of such rows where it returns false. */
  mayGoOn(): boolean {
    const { state } = this;
    const goesOn = state.is !== "draining" || !(RESTS_FOR.has(state.reason) || this.isOutOfMoney);
    this.#rest = abortedUnless(goesOn, this.#rest);
    return goesOn;
  }

  /** Of this chunk, no call is sent any more for a row that waits for its first one, or for another attempt. Those under way may end. */
  stopBeginning(): void {
    this.#begin = abortedUnless(false, this.#begin);
    this.#rest = abortedUnless(false, this.#rest);
  }

  /** For what waits before the first call of a row: aborted as soon as none may begin. */
  get beginSignal(): AbortSignal {
    return this.#begin.signal;
  }

  /** The same before a further call of a row: aborted as soon as it may rest. */
  get restSignal(): AbortSignal {
    return this.#rest.signal;
  }

  /** Rows that wait for another attempt are due now: what they wait for has changed. `wake`: the chunk's mark of it. */
  wakeRows(wake: Date): void {
    this.#wake = wake;
  }

  /** The last one that reached the rows. */
  get seenWake(): Date | undefined {
    return this.#seenWake;
  }

  /** Whether there was one since the last time. */
  takeWake(): boolean {
    if (this.#wake === undefined) return false;
    this.#seenWake = this.#wake;
    this.#wake = undefined;
    return true;
  }

  /** For calls under way. */
  get signal(): AbortSignal {
    return this.#work.signal;
  }

  /** The first reason is kept. */
  drain(reason: DrainReason): void {
    if (this.#parent !== undefined) return this.#parent.drain(reason);
    if (reason === "budget_exhausted") this.#isOutOfMoney = true;
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#onDrain?.(reason);
  }

  abort(reason?: Error): void {
    this.#work.abort(reason);
  }

  /** Whether the chunk has rows that have not begun. */
  get isBeginning(): boolean {
    return this.#isBeginning;
  }

  /** Resolves when every row of the chunk has begun, or its work has ended. */
  get allBegun(): Promise<void> {
    return this.#allBegun.promise;
  }

  noteAllBegun(): void {
    this.#isBeginning = false;
    this.#allBegun.resolve();
  }

  /** The work on the chunk has ended, and so does what looks after it. */
  end(): void {
    this.noteAllBegun();
    this.abort(CHUNK_ENDED);
  }
}

function abortedUnless(mayWait: boolean, controller: AbortController): AbortController {
  const { aborted } = controller.signal;
  if (!mayWait && !aborted) controller.abort(new RowPostponedError("nothing_begins"));
  return mayWait && aborted ? new AbortController() : controller;
}
