/**
 * The places that a process has for the jobs of a queue, and which organizations have them. Of the jobs of an organization that has as many
 * as it may have, no further one is fetched: they wait in their order, and so each of them comes to its turn.
 *
 *   fetched ──▶ has a place ──▶ ended (the place is free, and the queue is looked at again)
 *                    └──▶ waits without a place ──▶ ended
 */
import { createOrganizationShares } from "../organization-shares.ts";

/**
 * How many jobs of a queue a process works on at once; `mostOfOrganization`: of those whose data names the same organization. `share`: as
 * `organization-shares.ts` says. A job that was begun before is fetched beyond a share, too: its lost worker may have left what is to be
 * released at once. `mostWithoutPlace`: jobs that only wait may leave their place to others, so many at once, of which each organization has a
 * share, too. Absent: none.
 */
export type Concurrency = number | { places: number; mostOfOrganization: number | "share"; mostWithoutPlace?: number };

/** A job as it was fetched: one that was lost and fetched again here has two places, until its first attempt has ended, too. */
export interface Attempt {
  id: string;
  retryCount: number;
}

/** As pg-boss' statement names it. The group of a job is its organization. */
export interface FetchedJob extends Attempt {
  groupId: string | null;
}

export interface QueuePlaces {
  /** Organizations that have as many as they may have. */
  full(): string[];
  /** Whether jobs of these are fetched all the same that were begun before. */
  takesBegunJobs: boolean;
  take(job: FetchedJob): void;
  /** False: the job was fetched beyond the share of its organization. */
  isWithinShare(attempt: Attempt): boolean;
  leave(attempt: Attempt): void;
  /** The job goes on, and another one may have its place. False: as many do already as may. */
  leaveEarly(attempt: Attempt): boolean;
  /** Whether one is free, for whomever. */
  hasFree(): boolean;
  /** All are, or as many as one organization may have: another job may want one. */
  areTaken(): boolean;
}

export function createQueuePlaces(concurrency: Concurrency): QueuePlaces {
  const {
    places,
    mostOfOrganization: most,
    mostWithoutPlace = 0,
  } = typeof concurrency === "number" ? { places: concurrency, mostOfOrganization: undefined } : concurrency;
  const shares = createOrganizationShares();
  const withoutPlace = createOrganizationShares();
  const attempts = new Map<string, { organizationId: string; isWithinShare: boolean; hasLeft: boolean }>();
  const isFull = (organizationId: string): boolean => {
    if (most === undefined || organizationId === NOBODY) return false;
    return most === "share" ? !shares.mayTake(organizationId, places) : shares.of(organizationId) >= most;
  };
  return {
    full: () => [...new Set([...attempts.values()].map(({ organizationId }) => organizationId))].filter(isFull),
    takesBegunJobs: most === "share",
    take({ groupId, ...attempt }) {
      const organizationId = groupId ?? NOBODY;
      attempts.set(keyOf(attempt), { organizationId, isWithinShare: !isFull(organizationId), hasLeft: false });
      shares.take(organizationId);
    },
    isWithinShare: (attempt) => attempts.get(keyOf(attempt))?.isWithinShare ?? true,
    leave(attempt) {
      const left = attempts.get(keyOf(attempt));
      if (left === undefined) return;
      attempts.delete(keyOf(attempt));
      (left.hasLeft ? withoutPlace : shares).leave(left.organizationId);
    },
    leaveEarly(attempt) {
      const leaving = attempts.get(keyOf(attempt));
      if (leaving === undefined || leaving.hasLeft) return leaving?.hasLeft ?? false;
      const { organizationId } = leaving;
      if (withoutPlace.all >= mostWithoutPlace || !withoutPlace.mayTake(organizationId, mostWithoutPlace)) return false;
      leaving.hasLeft = true;
      withoutPlace.take(organizationId);
      shares.leave(organizationId);
      return true;
    },
    hasFree: () => shares.all < places,
    areTaken: () => shares.all >= (typeof most === "number" ? most : places),
  };
}

const keyOf = ({ id, retryCount }: Attempt): string => `${id} ${retryCount}`;

/** Whose the jobs of no organization are. */
const NOBODY = "";
