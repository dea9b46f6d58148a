/** How long a lane's turn may be: for claims of further chunks, and for rows of the chunk that it has. */
import type { LaneKind } from "../../platform/database/run-tables.ts";
import type { Wanted } from "../../platform/queue/queue.ts";

export type TurnPart = "claims" | "rows";

/** Short, so that a run of one row never waits long behind large ones. */
const TURN_MS = 200;
/**
 * While the process has a place left, which another run would take at once: the end of one turn and the start of the next cost some ten
 * statements. Shorter than what rows have, so that a chunk of fast rows that was claimed at the end is still completed.
 */
const UNDISTURBED_TURN_MS = 1_000;
/** Slow rows of a chunk would keep workers from other runs for minutes. */
const LONG_TURN_MS = 2_000;
/**
 * Of lanes that wait for others, whose rows take seconds each. One whose place nobody wants ends, too: a job that is active for hours is taken
 * for lost by the queue, and given to another worker. The chunks of a lost worker have waited for ten seconds already.
 */
const WAITING_TURN_MS: Record<Wanted, number> = {
  "by nobody": 3_600_000,
  "by others": 10_000,
  "by a lost job": 1_000,
};

/** Of one turn. It follows no clock that may be set: a turn that was begun in an hour to come would not end before that. */
export class TurnTime {
  readonly #kind: LaneKind;
  readonly #startedAt = performance.now();

  constructor(kind: LaneKind) {
    this.#kind = kind;
  }

  isWithin(part: TurnPart, wanted: Wanted): boolean {
    return performance.now() - this.#startedAt < turnMs(this.#kind, part, wanted);
  }
}

/** After this time the turn takes no further chunk, or begins no further row. */
export function turnMs(kind: LaneKind, part: TurnPart, wanted: Wanted): number {
  if (kind === "waiting") return WAITING_TURN_MS[wanted];
  if (part === "rows") return LONG_TURN_MS;
  return wanted === "by nobody" ? UNDISTURBED_TURN_MS : TURN_MS;
}
