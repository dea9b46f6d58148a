/**
 * The places that a process has for lanes, and who has them. Lanes whose rows wait for others keep their place for seconds, and
 * for minutes where those others are silent: so each organization has a share of them. Of the places for lanes that compute, the
 * queue keeps one more than is configured, which the organization that has the others may not have (`worker.ts`).
 */
import type { LaneKind } from "../../platform/database/run-tables.ts";
import { createOrganizationShares } from "../../platform/organization-shares.ts";

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
  const shares = createOrganizationShares();
  let sentAwayAt = Number.NEGATIVE_INFINITY;
  return {
    enter(organizationId) {
      if (kind === "waiting" && !shares.mayTake(organizationId, places)) {
        sentAwayAt = now();
        return false;
      }
      shares.take(organizationId);
      return true;
    },
    leave: (organizationId) => shares.leave(organizationId),
    othersMayWait: () => shares.all >= places || now() - sentAwayAt < REMEMBERED_MS,
  };
}
