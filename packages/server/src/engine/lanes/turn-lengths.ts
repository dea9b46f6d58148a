/** How long a lane's turn may be: for claims of further chunks, and for rows of the chunk that it has. */
import type { LaneKind } from "../../platform/database/run-tables.ts";

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
/** Of lanes that wait for others, whose rows take seconds each. */
const WAITING_TURN_MS = 10_000;
/** While nobody wants their place, too: a job that is active for hours is taken for lost by the queue, and given to another worker. */
const LONGEST_TURN_MS = 3_600_000;

/** After this time the turn takes no further chunk, or begins no further row. */
export function turnMs(kind: LaneKind, part: TurnPart, othersMayWait: boolean): number {
  if (kind === "waiting") return othersMayWait ? WAITING_TURN_MS : LONGEST_TURN_MS;
  if (part === "rows") return LONG_TURN_MS;
  return othersMayWait ? TURN_MS : UNDISTURBED_TURN_MS;
}
