/**
 * The second line of tenant isolation for tasks. What a task does for an organization, once it knows for which, runs under a role
 * that sees the rows of that organization only: so the functions of tasks find nothing of another organization, even where an id
 * is wrong and a `where` is missing. And a walk over all writes shows which of them still span organizations.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openDatabase, pgCode, sql } from "@rowmill/server/platform/database/database";
import type { Database, Transaction } from "@rowmill/server/platform/database/database";
import type { RoleName } from "@rowmill/server/platform/database/role-rights";
import { prepareRoles } from "@rowmill/server/platform/database/roles";
import { queueTables } from "@rowmill/server/platform/queue/queue-tables";
import type { Roles } from "@rowmill/server/platform/database/roles";
import { createTasks } from "@rowmill/server/platform/database/tenants";
import type { Tasks } from "@rowmill/server/platform/database/tenants";
import { parseId } from "@rowmill/server/platform/ids";
import { createLog } from "@rowmill/server/platform/log";
import { openQueue } from "@rowmill/server/platform/queue/queue";
import type { Queue } from "@rowmill/server/platform/queue/queue";
import { laneQueues } from "@rowmill/server/resources/runs/lanes";
import type { RunRecord } from "@rowmill/server/resources/runs/runs";
import { expectStatus } from "@rowmill/server/testing/api";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import type { Receiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";
import { newWorld } from "./support/new-world.ts";
import { CHUNK_ROWS, INSUFFICIENT_PRIVILEGE, JOB, attempts } from "./support/attempts-of-tasks.ts";
import type { Attempt, Ids } from "./support/attempts-of-tasks.ts";

let service: TestService;
let receiver: Receiver;
let database: Database;
let queue: Queue;
let roles: Roles;
let tasks: Tasks;
let ours: TestOrganization;
let us: string;
let them: string;
let their: Ids;
let run: RunRecord;

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startTestService({ ...receiverSettings(receiver), ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS) });
  const url = service.settings["ROWMILL_DATABASE_URL"] ?? "";
  database = openDatabase(url, { max: 2, onError: () => {} });
  roles = await prepareRoles(database.pool, queueTables, "required", createLog("silent"));
  tasks = createTasks(database, roles.task);
  queue = await openQueue(url, [], createLog("silent"));
  await noteWriters();
  const theirs = await service.newOrganization();
  ours = await service.newOrganization();
  us = parseId("organization", ours.organizationId) ?? "";
  them = parseId("organization", theirs.organizationId) ?? "";
  const [ids] = await Promise.all([newWorld(theirs, receiver), newWorld(ours, receiver)]);
  their = {
    datasetId: parseId("dataset", ids["datasetId"] ?? "") ?? "",
    uploadId: parseId("datasetUpload", ids["datasetUploadId"] ?? "") ?? "",
    runId: parseId("run", ids["runId"] ?? "") ?? "",
    exportId: parseId("export", ids["exportId"] ?? "") ?? "",
    endpointId: parseId("webhookEndpoint", ids["webhookEndpointId"] ?? "") ?? "",
    batchId: randomUUID(),
  };
});
afterAll(async () => {
  await queue.stop();
  await database.close();
});

/** A table of who has written what: triggers run as the role of the statement. */
async function noteWriters(): Promise<void> {
  await service.query("create table written (writer text, operation text, unique (writer, operation))");
  await service.query("grant select, insert on written to public");
  await service.query(`
    create function note_writer() returns trigger language plpgsql as $$
    begin
      insert into written values (current_user, lower(tg_op) || ' ' || tg_table_name) on conflict do nothing;
      return null;
    end $$`);
  await service.query(`
    do $$ declare t regclass; begin
      for t in select oid from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace loop
        execute format('create trigger note_writer after insert or update or delete on %s for each row execute function note_writer()', t);
      end loop;
    end $$`);
}

/** All of theirs is open again, as a worker would find it; nobody's job leads to it. */
async function reopenTheirs(): Promise<void> {
  const { runId, uploadId, exportId, datasetId, batchId } = their;
  const later = "now() + interval '1 day'";
  await service.query(
    `update runs set state = 'running', finished_at = null, final_counts = null, updated_at = ${later}, budget = '{"maxCostUsd": "1"}' where id = $1`,
    [runId],
  );
  await service.query("update run_chunks set state = 'pending' where run_id = $1 and chunk_no = 0", [runId]);
  await service.query(
    "update run_chunks set state = 'running', claim_no = 1, claimed_by = $2 where run_id = $1 and chunk_no = 1",
    [runId, JOB],
  );
  await service.query(`update dataset_uploads set state = 'processing', finished_at = null where id = $1`, [uploadId]);
  await service.query(
    `update exports set status = 'queued', finished_at = null, error = null, updated_at = ${later} where id = $1`,
    [exportId],
  );
  await service.query(
    "insert into run_budgets (organization_id, run_id) select organization_id, id from runs where id = $1",
    [runId],
  );
  await service.query(
    `insert into provider_batches (organization_id, id, run_id, connection_id, model, next_turn_at) values ($1, $2, $3, gen_random_uuid(), 'm', ${later})`,
    [them, batchId, runId],
  );
  await service.query("update datasets set state = 'processing' where id = $1", [datasetId]);
}

/** In a transaction that is undone. */
async function tryOut(bind: (tx: Transaction) => Promise<void>, { work }: Attempt): Promise<unknown> {
  const undo = new Error("undone");
  let result: unknown;
  try {
    await database.transaction(async (tx) => {
      await bind(tx);
      result = await work(tx, { their, us, them, run, queue });
      throw undo;
    });
  } catch (error) {
    if (error === undo) return result;
    return pgCode(error) ?? (error instanceof Error ? (error.name === "Error" ? error.message : error.name) : error);
  }
  throw new Error("unreachable");
}

describe("with an id of another organization", () => {
  beforeAll(async () => {
    await reopenTheirs();
    run = await database.db.selectFrom("runs").selectAll().where("id", "=", their.runId).executeTakeFirstOrThrow();
    // The job of the claimed chunk, which no worker takes.
    await service.query(
      "insert into pgboss.job (id, name, data, start_after) values ($1, $2, $3, now() + interval '1 day')",
      [
        JOB,
        laneQueues.computing,
        JSON.stringify({ organizationId: them, runId: their.runId, generation: run.laneGeneration, lane: 0 }),
      ],
    );
  });

  test.each(attempts.map((attempt) => [attempt.what, attempt] as const))(
    "%s: nothing comes of it",
    async (_, attempt) => {
      const bound = await tryOut((tx) => tasks.bind(tx, us), attempt);
      expect(bound).toEqual(attempt.nothing);
      // It is the binding that keeps it from it, and the organization's own task is not kept from it.
      expect(await tryOut((tx) => tasks.bind(tx, them), attempt)).not.toEqual(attempt.nothing);
    },
  );

  test("no statement of a task reaches rows of theirs in any table, whatever it may do with the table", async () => {
    const tables = await service.query<{ name: string; owner: string }>(`
      select relname as name,
        case relname when 'organizations' then 'id' when 'idempotency_keys' then 'scope_id' else 'organization_id' end as owner
      from pg_class where relrowsecurity and relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`);
    const surprises: unknown[] = [];
    for (const { name, owner } of tables)
      for (const text of [
        `select 1 from ${name} where ${owner} = '${them}'`,
        `update ${name} set ${owner} = ${owner} where ${owner} = '${them}'`,
        `delete from ${name} where ${owner} = '${them}'`,
        `insert into ${name} (${owner}) values ('${them}')`,
      ]) {
        const work = async (tx: Transaction) => {
          const { rows, numAffectedRows = 0n } = await sql.raw(text).execute(tx);
          return rows.length + Number(numAffectedRows);
        };
        const result = await tryOut((tx) => tasks.bind(tx, us), { what: text, work, nothing: 0 });
        if (result !== 0 && result !== INSUFFICIENT_PRIVILEGE) surprises.push([text, result]);
      }
    expect(tables.length).toBeGreaterThan(30);
    expect(surprises).toEqual([]);
  });
});

/** A new line is a decision: does the task not know for which organization it works? */
const SPANNING = [
  // The fan-out takes events of several organizations together, and gives each its position.
  "insert alert_candidates",
  "insert event_logs",
  "update event_logs",
  "insert webhook_deliveries",
  "update events",
  // Claims, which look at what is due everywhere.
  "update alert_deliveries",
  "update alert_rules",
  "update webhook_deliveries",
  // The admin, an invitation that is accepted, and when a key was used last.
  "insert api_keys",
  "insert audit_events",
  "insert idempotency_keys",
  "insert members",
  "insert organizations",
  "update api_keys",
  "update idempotency_keys",
  "update invitations",
].toSorted();

describe("what spans organizations", () => {
  test("is written by the service's role, and the rest by the roles of requests and tasks", async () => {
    const hook = await ours.api("POST", "/v1/webhook-endpoints", {
      body: { url: receiver.url, eventTypes: ["run.*", "row.*"] },
    });
    expectStatus(hook, 201);
    const rule = await ours.api("POST", "/v1/alert-rules", {
      body: { name: "Ended", eventType: "run.finished", destination: { type: "webhook", url: receiver.url } },
    });
    expectStatus(rule, 201);
    const dataset = await newDataset(ours.api, numberedRows(2 * CHUNK_ROWS));
    const upload = await ours.api("POST", "/v1/dataset-uploads", {
      body: { name: "Sent", source: { type: "upload" } },
    });
    expectStatus(await ours.api("PUT", `/v1/dataset-uploads/${upload.body.id}/content`, { body: '{"n":1}' }), 200);
    await waitFor(
      async () => (await ours.api("GET", `/v1/dataset-uploads/${upload.body.id}`)).body.state === "completed",
      { what: "the file was read" },
    );
    const spec = await newJobSpec(ours.api, { type: "mock", failEvery: 2 }, { dedupe: "exact" });
    const made = await newRun(ours.api, { datasetId: dataset.id, jobSpecId: spec.id });
    await finishedRun(ours.api, made.id);
    await waitFor(
      async () => {
        const { body } = await ours.api("GET", `/v1/alert-deliveries?alertRuleId=${rule.body.id}&status=succeeded`);
        return body.data.length > 0;
      },
      { what: "the alert was sent" },
    );
    await waitFor(
      async () => {
        const { body } = await ours.api(
          "GET",
          `/v1/webhook-deliveries?webhookEndpointId=${hook.body.id}&status=succeeded`,
        );
        return body.data.length > 0;
      },
      { what: "an event was delivered" },
    );
    const written = await service.query<{ writer: string; operation: string }>("select writer, operation from written");
    const operationsOf = (name: RoleName) =>
      new Set(written.filter(({ writer }) => writer === roles[name]).map(({ operation }) => operation));
    expect([...operationsOf("task")]).toEqual(
      expect.arrayContaining([
        "insert run_segments",
        "update run_chunks",
        "update runs",
        "insert events",
        "insert dataset_chunks",
        "update exports",
        "update webhook_deliveries",
        "update alert_deliveries",
        "insert alert_deliveries",
        "delete alert_candidates",
        "insert run_row_keys",
      ]),
    );
    expect([...operationsOf("service")].toSorted()).toEqual(SPANNING);
  });
});
