/**
 * What a worker claims, and what a request puts in a line, costs the same however much waits and however much has ended, and whatever
 * PostgreSQL knows of it: shown by the plans that it has executed, and the rows and pages that they have read. Statistics of a quiet night
 * say that nothing waits; then the planner takes all that waits for one row, and each index for as good.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { claimAlerts, releaseAlerts } from "@rowmill/server/delivery/claims/claim-alerts";
import { claimDeliveries, releaseDeliveries } from "@rowmill/server/delivery/claims/claim-deliveries";
import { recordAttempts } from "@rowmill/server/delivery/webhooks/record";
import { claimChunk } from "@rowmill/server/engine/chunks/chunk-claims";
import { secondsUntilNextChunk } from "@rowmill/server/engine/chunks/chunk-deaths";
import { noResults } from "@rowmill/server/engine/chunks/chunk-results";
import { commitChunk } from "@rowmill/server/engine/chunks/commit-chunk";
import { reportInFlight } from "@rowmill/server/engine/chunks/report-in-flight";
import { addExtraLane } from "@rowmill/server/engine/lanes/extra-lanes";
import { RowProgress } from "@rowmill/server/engine/rows/row-progress";
import { startRunsThatWait } from "@rowmill/server/engine/runs.tasks";
import { claimUpload, writeProgress } from "@rowmill/server/intake/upload-claim";
import { openDatabase } from "@rowmill/server/platform/database/database";
import type { Database } from "@rowmill/server/platform/database/database";
import { prepareRoles } from "@rowmill/server/platform/database/roles";
import { createTasks } from "@rowmill/server/platform/database/tenants";
import type { Tasks } from "@rowmill/server/platform/database/tenants";
import { newUuid, parseId } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import type { Queue } from "@rowmill/server/platform/queue/queue";
import { queueTables } from "@rowmill/server/platform/queue/queue-tables";
import { claimExport, failExport, touchClaim } from "@rowmill/server/resources/exports/export-claims";
import { startWaitingRuns } from "@rowmill/server/resources/runs/create-run";
import type { RunParts } from "@rowmill/server/resources/runs/create-run";
import { expectStatus } from "@rowmill/server/testing/api";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { idOf } from "./support/many-values.ts";
import {
  ENDED,
  addReceivers,
  fillEnded,
  fillWaiting,
  makeQueues,
  queueNames,
  removeWaiting,
} from "./support/many-waiting.ts";
import type { QueueOwner } from "./support/many-waiting.ts";
import { readsOf, reportPlans } from "./support/plans.ts";

/** Of all tables, in all steps of a claim, some of which read the same rows again. */
const MAX_READS = { rows: 400, pages: 1_000 };
/** As many are counted of a line at most, by one index, and each is looked at in its table. */
const COUNTED = 1_000;
const PLANNED_WITH_VALUES = 5;
const MAX_READS_OF_COUNT = { rows: MAX_READS.rows + COUNTED, pages: MAX_READS.pages + 2 * COUNTED };

/** Of an attempt: the receiver has accepted the delivery. */
const ACCEPTED = {
  startedAt: new Date(0).toISOString(),
  durationMs: 1,
  outcome: "response",
  responseStatus: 200,
  message: "x",
  retryAfterSeconds: undefined,
} as const;

const startsNothing = () => Promise.reject(new Error("no run may start"));
const noQueue: Queue = {
  enqueue: startsNothing,
  enqueueAll: startsNothing,
  enqueueNow: startsNothing,
  work: startsNothing,
  wanted: () => "by nobody",
  isWaitedFor: () => false,
  stop: startsNothing,
};

let service: TestService;
let tenant: TestOrganization;
let owner: QueueOwner;
let made: { datasetId: string; jobSpecId: string; runId: string };
const other: QueueOwner = { organizationId: newUuid(), runId: newUuid() };
let database: Database;
let tasks: Tasks;

beforeAll(async () => {
  const first = await startTestService();
  await makeQueues(first);
  tenant = await first.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(1));
  const spec = await newJobSpec(tenant.api);
  await reportPlans(first, { nested: true });
  await first.stop();
  service = await startTestService({ ...first.settings, ROWMILL_ROLE: "api" });
  const api: TestOrganization["api"] = (method, path, options) =>
    service.api(method, path, { key: tenant.apiKey, ...options });
  tenant = { ...tenant, api };
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  made = { datasetId: dataset.id, jobSpecId: spec.id, runId: run.id };
  owner = {
    organizationId: parseId("organization", tenant.organizationId) ?? "",
    runId: parseId("run", run.id) ?? "",
  };
  await service.query("update runs set chunks_made = true, state = 'running', started_at = now() where id = $1", [
    owner.runId,
  ]);
  const url = service.settings["ROWMILL_DATABASE_URL"] ?? "";
  database = openDatabase(url, { max: 2, onError: () => undefined });
  cleanUpLater(() => database.close());
  const roles = await prepareRoles(database.pool, queueTables, "required", createLog("silent"));
  await database.workAs(roles.service ?? "");
  tasks = createTasks(database, roles.task);
  await addReceivers(service, owner);
  await fillEnded(service, other);
  // Else an index of what waits anywhere would have nothing in it.
  await fillWaiting(service, other, new Set(["exports", "dataset_uploads"]));
  await service.query("vacuum analyze");
  await fillEnded(service, owner);
  await fillWaiting(service, owner);
}, 600_000);

/** In the order in which the tables pass through them; nothing is analyzed beside the tests. */
const states: { state: string; enter: () => Promise<unknown> }[] = [
  { state: "with statistics from before the organization had anything", enter: () => expectKnown(false) },
  { state: "with statistics of empty tables", enter: () => forgetStatistics(0) },
  { state: "without statistics", enter: () => forgetStatistics(-1) },
  {
    state: "with statistics that say that nothing waits",
    enter: async () => {
      for (const each of [owner, other]) await removeWaiting(service, each);
      await service.query("vacuum analyze");
      await expectKnown(true);
      await fillWaiting(service, owner);
    },
  },
  { state: "with statistics", enter: () => service.query("analyze") },
];

describe.each(states)("$state", ({ enter }) => {
  beforeAll(enter, 600_000);

  test("deliveries to webhooks", async () => {
    await expectBounded(async () => {
      const claimed = await claimDeliveries(database.pool, { first: 50, retry: 50, slow: 50 });
      expect(claimed.length).toBeGreaterThan(0);
      const [one, ...others] = claimed;
      if (one !== undefined)
        await recordAttempts({ tasks, schedule: [] }, owner.organizationId, [
          { claim: one, result: ACCEPTED, finishedAt: new Date() },
        ]);
      await releaseDeliveries(database.pool, others);
    });
  });

  test("alerts", async () => {
    await expectBounded(async () => {
      const claimed = await claimAlerts(database, 50);
      expect(claimed.length).toBeGreaterThan(0);
      await releaseAlerts(database, claimed);
    });
  });

  test("an export, and one that is made", async () => {
    const { organizationId } = owner;
    const job = { organizationId, exportId: idOf(ENDED + nextWaiting()) };
    await expectBounded(async () => {
      const claim = await claimExport(tasks.of(organizationId), job);
      if (claim === undefined) throw new Error("there was no export to claim");
      expect(await touchClaim(tasks.of(organizationId), claim, { rowCount: 1 })).toBe(true);
      const error = { code: "internal_error", message: "x" };
      expect(await failExport(tasks.of(organizationId), claim, error)).toBe(true);
    });
    await expectBounded(async () => {
      const body = { type: "outputs", format: "jsonl" };
      expectStatus(await tenant.api("POST", `/v1/runs/${made.runId}/exports`, { body }), 201);
    }, MAX_READS_OF_COUNT);
  });

  test("an upload, and one that is made", async () => {
    const { organizationId } = owner;
    const id = idOf(ENDED + nextWaiting());
    await expectBounded(async () => {
      const claimed = await claimUpload(tasks.of(organizationId), organizationId, id);
      if (claimed === undefined) throw new Error("there was no upload to claim");
      await writeProgress(tasks.of(organizationId).db, claimed.claim, { bytesRead: 1, rowsAccepted: 1 });
    });
    await expectBounded(async () => {
      const body = { name: "x", format: "jsonl", source: { type: "upload" } };
      const upload = await tenant.api<DatasetUpload>("POST", "/v1/dataset-uploads", { body });
      expectStatus(upload, 201);
      const content = { body: Buffer.from("{}"), headers: { "Content-Type": "application/octet-stream" } };
      expectStatus(await tenant.api("PUT", `/v1/dataset-uploads/${upload.body.id}/content`, content), 200);
    }, MAX_READS_OF_COUNT);
  });

  test("the next run that waits for capacity, and whose run does", async () => {
    const parts: RunParts = { queue: noQueue, limits: { runsInProgress: 1 } };
    await expectBounded(async () => {
      await tasks.of(owner.organizationId).transaction((tx) => startWaitingRuns(tx, owner.organizationId, parts));
    });
    await expectBounded(() => startRunsThatWait({ database, tasks }, parts));
  });

  test("the runs that may get a lane more", async () => {
    const parts: RunParts = { queue: noQueue, limits: {} };
    await expectBounded(() => addExtraLane({ database, tasks }, parts, { hasRoom: () => true }));
  });

  test("a chunk, and a run that is made", async () => {
    const run = {
      organizationId: owner.organizationId,
      id: owner.runId,
      datasetId: parseId("dataset", made.datasetId) ?? "",
    };
    const { statements } = tasks.of(run.organizationId);
    const { organizationId, id: runId } = run;
    const usedFor = {
      organizationId,
      runId,
      jobSpecId: newUuid(),
      jobSpecVersion: 1,
      apiKeyId: null,
      familyLock: null,
    };
    // From the sixth time on, PostgreSQL may plan a prepared statement without its values.
    for (let times = 0; times < PLANNED_WITH_VALUES + 1; times++)
      await expectBounded(async () => {
        const job = newUuid();
        const lost = await claimChunk(statements, run, job);
        const claimed = await claimChunk(statements, run, job, { takesBack: lost === undefined ? [] : [lost] });
        if (claimed === undefined) throw new Error("there was no chunk to claim");
        expect(claimed).toMatchObject({ chunkNo: lost?.chunkNo, claimNo: (lost?.claimNo ?? 0) + 1 });
        await reportInFlight(statements, runId, claimed, new RowProgress());
        expect(await commitChunk(statements, usedFor, claimed, noResults(), "pending")).toBeDefined();
      });
    await expectBounded(async () => {
      expect(await secondsUntilNextChunk(statements, runId)).toBeGreaterThan(1);
    });
    await expectBounded(async () => {
      const { datasetId, jobSpecId } = made;
      expectStatus(
        await tenant.api("POST", "/v1/runs", { body: { datasetId, jobSpecId, scope: { type: "all" } } }),
        201,
      );
    });
  });
});

let waiting = 0;
/** Another one each time. */
const nextWaiting = (): number => ++waiting;

async function expectKnown(isKnown: boolean): Promise<void> {
  const found = await service.query<{ table: string }>(
    `select tablename as table from pg_stats
     where schemaname = 'public' and attname = 'organization_id' and $1 = any(most_common_vals::text::text[])`,
    [owner.organizationId],
  );
  expect([...queueNames].filter((name) => found.some(({ table }) => table === name))).toEqual(
    isKnown ? [...queueNames] : [],
  );
}

/** `rows` as `analyze` leaves them of empty tables, or as tables have them that it has never seen. */
async function forgetStatistics(rows: 0 | -1): Promise<void> {
  await service.query(
    "delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)",
  );
  await service.query(
    "update pg_class set relpages = 0, reltuples = $1, relallvisible = 0 where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
    [rows],
  );
}

async function expectBounded(work: () => Promise<void>, most = MAX_READS): Promise<void> {
  const reads = await readsOf(work, (table) => queueNames.has(table));
  expect(reads).not.toEqual([]);
  const rows = reads.reduce((sum, read) => sum + read.loops * read.rowsPerLoop, 0);
  const pages = reads.reduce((sum, read) => sum + read.pages, 0);
  if (rows > most.rows || pages > most.pages)
    throw new Error(`${rows} rows and ${pages} pages: ${reads.map((read) => JSON.stringify(read)).join("\n")}`);
}
