/**
 * What a run may write before it is noticed that its organization stores as much as it may. Results are added up every few seconds by
 * a task (`storage.tasks.ts`); a fast run would write gigabytes in that time. So the process that writes a certain amount of them
 * adds them up itself, before it begins another chunk.
 *
 * The limit is passed by no more than this amount for each process with lanes of the organization, the chunks that these have claimed,
 * and what other processes commit within the half second in which they see the pause.
 */
import { statementsOf } from "../../platform/database/database.ts";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import type { Log } from "../../platform/log.ts";
import { isStorageExceeded } from "../../resources/organizations/storage-limit.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { settleRunningRun } from "../../resources/runs/result-bytes.ts";
import { pauseRunBecause } from "../../resources/runs/run-actions.ts";
import { lockRun } from "../../resources/runs/runs.ts";

/** Of outputs as they were before compression. Adding up reads the run's list of chunks. */
export const MAX_UNCOUNTED_BYTES = 16 * 1024 * 1024;

/** Organizations whose results are counted; more at once are counted together sooner. */
const MAX_ORGANIZATIONS = 10_000;

/** Of one process: which results have been written since they were added up. */
export function createResultMeter() {
  const uncounted = new Map<string, number>();
  return {
    /** True: it is time to add up. */
    note(organizationId: string, bytes: number): boolean {
      const sum = (uncounted.get(organizationId) ?? 0) + bytes;
      if (uncounted.size >= MAX_ORGANIZATIONS) uncounted.clear();
      uncounted.delete(organizationId);
      if (sum >= MAX_UNCOUNTED_BYTES) return true;
      uncounted.set(organizationId, sum);
      return false;
    },
  };
}

export type ResultMeter = ReturnType<typeof createResultMeter>;

/**
 * After a commit of so many bytes: returns true where the run was paused for them. The commit is made, and an error here must not have it
 * repeated as another one: the task looks again in seconds.
 */
export async function followWrittenResults(
  parts: RunParts & { database: OrganizationDatabase; log: Log },
  meter: ResultMeter,
  run: { organizationId: string; id: string },
  bytes: number,
): Promise<boolean> {
  if (!meter.note(run.organizationId, bytes)) return false;
  try {
    return await pauseIfStorageExceeded(parts.database, run, parts);
  } catch (error) {
    parts.log.warn({ err: error, runId: run.id }, "what a run has written could not be added up");
    return false;
  }
}

/** Returns true where the run was paused. Results of other runs are as old as the task's last pass. */
export async function pauseIfStorageExceeded(
  database: OrganizationDatabase,
  run: { organizationId: string; id: string },
  parts: RunParts,
): Promise<boolean> {
  await settleRunningRun(database.db, run);
  return database.transaction(async (tx) => {
    if (!(await isStorageExceeded(statementsOf(tx), run.organizationId, parts.limits))) return false;
    const current = await lockRun(tx, run, run.id);
    if (current.state !== "running") return false;
    await pauseRunBecause(tx, current, "storage_limit_reached");
    return true;
  });
}
