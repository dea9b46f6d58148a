/**
 * The places that a process has for lanes, and who has them. Lanes whose rows wait for others keep their place for seconds, and
 * for minutes where those others are silent: so no organization may have all of them. One alone has three quarters, a second
 * one three quarters of the rest, and so on; who has none is never refused. Of the places for lanes that compute, the queue
 * keeps one more than is configured, which the organization that has the others may not have (`worker.ts`).
 */
import type { LaneKind } from "../../platform/database/run-tables.ts";

/** What an organization may have of the places that others have left. */
const SHARE = 3 / 4;
/** One who was sent away comes back after this, and is somebody who waits meanwhile. */
export const ASIDE_SECONDS = 1;
const REMEMBERED_MS = 2_000 * ASIDE_SECONDS;

export interface LanePlaces {
  /** False: the organization has its share. */
  enter(organizationId: string): boolean;
  leave(organizationId: string): void;
  /** Whether somebody may want the place that a lane has. */
  othersMayWait(): boolean;
}

export function createLanePlaces(kind: LaneKind, places: number, now: () => number = Date.now): LanePlaces {
  const taken = new Map<string, number>();
  let all = 0;
  let sentAwayAt = Number.NEGATIVE_INFINITY;
  return {
    enter(organizationId) {
      const own = taken.get(organizationId) ?? 0;
      const share = Math.max(1, Math.floor((places - (all - own)) * SHARE));
      if (kind === "waiting" && own >= share) {
        sentAwayAt = now();
        return false;
      }
      taken.set(organizationId, own + 1);
      all++;
      return true;
    },
    leave(organizationId) {
      const own = (taken.get(organizationId) ?? 1) - 1;
      if (own === 0) taken.delete(organizationId);
      else taken.set(organizationId, own);
      all--;
    },
    othersMayWait: () => all >= places || now() - sentAwayAt < REMEMBERED_MS,
  };
}
