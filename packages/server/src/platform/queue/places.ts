/**
 * The places that a process has for the jobs of a queue, and which organizations have them. Of the jobs of an organization that has its
 * share, no further one is fetched: they wait in their order, and so each of them comes to its turn.
 *
 *   fetched ──▶ has a place ──▶ ended (the place is free, and the queue is looked at again)
 *
 * A job that was begun before is fetched beyond the share, too: its lost worker may have left what is to be released at once.
 */
import { createOrganizationShares } from "../organization-shares.ts";

/**
 * How many jobs of a queue a process works on at once; `mostOfOrganization`: of those whose data names the same organization. `share`: as
 * `organization-shares.ts` says.
 */
export type Concurrency = number | { places: number; mostOfOrganization: number | "share" };

/** Of a job that was fetched, as pg-boss' statement names it. The group of a job is its organization. */
export interface FetchedJob {
  id: string;
  groupId: string | null;
}

export interface QueuePlaces {
  /** Organizations that have their share. */
  full(): string[];
  take(job: FetchedJob): void;
  /** False: the job was fetched beyond the share of its organization. */
  isWithinShare(jobId: string): boolean;
  leave(jobId: string): void;
  /** All are, or all that one organization may have: another job may want one. */
  areTaken(): boolean;
}

export function createQueuePlaces(concurrency: Concurrency): QueuePlaces {
  const { places, mostOfOrganization } =
    typeof concurrency === "number" ? { places: concurrency, mostOfOrganization: concurrency } : concurrency;
  const shares = createOrganizationShares();
  const jobs = new Map<string, { organizationId: string; isWithinShare: boolean }>();
  // pg-boss itself leaves out who has a fixed number.
  const isFull = (organizationId: string): boolean =>
    mostOfOrganization === "share" && organizationId !== NOBODY && !shares.mayTake(organizationId, places);
  return {
    full: () => [...new Set([...jobs.values()].map(({ organizationId }) => organizationId))].filter(isFull),
    take({ id, groupId }) {
      const organizationId = groupId ?? NOBODY;
      jobs.set(id, { organizationId, isWithinShare: !isFull(organizationId) });
      shares.take(organizationId);
    },
    isWithinShare: (jobId) => jobs.get(jobId)?.isWithinShare ?? true,
    leave(jobId) {
      const job = jobs.get(jobId);
      if (job === undefined) return;
      jobs.delete(jobId);
      shares.leave(job.organizationId);
    },
    areTaken: () => shares.all >= (mostOfOrganization === "share" ? places : mostOfOrganization),
  };
}

/** Whose the jobs of no organization are. */
const NOBODY = "";
