/**
 * Repairs for what should not happen: a job deleted by hand, a restored database, a job that its queue has abandoned. Rows of a table
 * wait for a job, and nothing else moves them on:
 *
 *   has its job ──the job's work──▶ moved on
 *        │ the job is lost
 *        ▼
 *   without a job, untouched for longer than a job may be on its way
 *        │ a pass of the table's reconciler, in any worker
 *        ▼
 *   has a new job, or is released for other jobs, or is ended if nothing is left to do       (logged, counted)
 *
 * Every worker runs every reconciler (`reconcilers.ts` lists them). So a repair must be safe beside the same repair of another process.
 * What a job or a request finds of its own predecessor that died (`lane-turns.ts`, `resumable-content.ts`) is part of that job or
 * request, and is repaired there.
 */
import { isUnavailable } from "../database/database.ts";
import type { Log } from "../log.ts";
import type { Meter } from "../meter.ts";

export interface Repair {
  /** A sentence for the log. */
  what: string;
  /** How many rows of the table; 1 if left out. */
  rows?: number;
  /** Names what was repaired, for the log. */
  ids?: Readonly<Record<string, string>>;
}

/** Called after the commit of each repair. */
export type ReportRepair = (repair: Repair) => void;

/** One pass. It returns when it finds nothing more to repair, or has done a bounded number of repairs. */
export type Reconcile<Needs> = (needs: Needs, report: ReportRepair) => Promise<void>;

export interface Reconciler<Needs> {
  /** What it repairs, in the metrics and the log. */
  name: string;
  everyMs: number;
  reconcile: Reconcile<Needs>;
}

/** Logs and counts the repairs of one reconciler. */
export const reportRepairs =
  (name: string, { log, meter }: { log: Log; meter: Pick<Meter, "countRepairs"> }): ReportRepair =>
  ({ what, rows = 1, ids }) => {
    log.warn({ reconciler: name, ...ids, ...(rows === 1 ? {} : { rows }) }, what);
    meter.countRepairs(name, rows);
  };

/** One item that cannot be repaired must not keep the others from it. */
export async function repairEach<Item>(
  items: readonly Item[],
  { log, idsOf }: { log: Log; idsOf: (item: Item) => Readonly<Record<string, string>> },
  repair: (item: Item) => Promise<void>,
): Promise<void> {
  for (const item of items) {
    try {
      await repair(item);
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, ...idsOf(item) }, "a repair failed");
    }
  }
}
