/** What a worker works with, for tests that call its tasks by hand beside a service of role `api`. */
import type { Dataset } from "@rowmill/contract/datasets";
import { openDatabase } from "../platform/database/database.ts";
import type { Database } from "../platform/database/database.ts";
import { markDistributed } from "../platform/database/distribution-marks.ts";
import { prepareRoles } from "../platform/database/roles.ts";
import { createTasks } from "../platform/database/tenants.ts";
import type { Tasks } from "../platform/database/tenants.ts";
import { parseId } from "../platform/ids.ts";
import { createLog } from "../platform/log.ts";
import type { Log } from "../platform/log.ts";
import { openQueue } from "../platform/queue/queue.ts";
import { queueTables } from "../platform/queue/queue-tables.ts";
import type { Repair } from "../platform/queue/reconcile.ts";
import type { RunParts } from "../resources/runs/create-run.ts";
import type { Api } from "../testing/api.ts";
import { newDataset, newJobSpec, numberedRows } from "../testing/factories.ts";
import type { TestService } from "../testing/service.ts";

export interface WorkerByHand extends RunParts {
  database: Database;
  tasks: Tasks;
  log: Log;
  close(): Promise<void>;
}

/**
 * As the owner of the tables, who sees the rows of every organization. `isDistributed`: the tables are, as `rowmill database distribute`
 * leaves them; then as the service's role, as a service works.
 */
export async function openWorkerByHand(url: string, isDistributed = false): Promise<WorkerByHand> {
  const log = createLog("silent");
  const database = openDatabase(url, { max: 4, onError: () => undefined });
  const roles = await prepareRoles(database.pool, queueTables, "required", log);
  if (isDistributed) {
    await database.workAs(roles.service ?? "");
    for (const way of [database.db, database.statements]) markDistributed(way);
  }
  const queue = await openQueue(url, ["run-lane"], log);
  return {
    database,
    tasks: createTasks(database, roles.task, isDistributed),
    log,
    queue,
    limits: {},
    async close() {
      await queue.stop();
      await database.close();
    },
  };
}

export interface Tenant {
  api: Api;
  organizationId: string;
  /** Of two chunks. */
  dataset: Dataset;
  jobSpecId: string;
}

export async function newTenant(service: TestService, chunkRows: number): Promise<Tenant> {
  const { api, organizationId } = await service.newOrganization();
  return {
    api,
    organizationId: parseId("organization", organizationId) ?? "",
    dataset: await newDataset(api, numberedRows(2 * chunkRows)),
    jobSpecId: (await newJobSpec(api)).id,
  };
}

/** Collects what reconcilers report, by the run that it is about. */
export function collectRepairs() {
  const repairs: Repair[] = [];
  return {
    report: (repair: Repair): void => void repairs.push(repair),
    of: (run: { id: string }): string[] =>
      repairs.filter(({ ids }) => ids?.["runId"] === run.id).map(({ what }) => what),
    forget: (): void => void repairs.splice(0),
  };
}
