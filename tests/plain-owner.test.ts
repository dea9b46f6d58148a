/**
 * The service on a database of somebody else: it connects as a role that owns the database and is no superuser, migrates it, and does
 * its work. With `ROWMILL_TEST_DATABASE_URL` that is any PostgreSQL.
 */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Export } from "@rowmill/contract/exports";
import { backUp } from "@rowmill/server/backup/backup";
import { restore } from "@rowmill/server/backup/restore";
import { readConfig } from "@rowmill/server/config";
import { createLog } from "@rowmill/server/platform/log";
import { roleNames } from "@rowmill/server/platform/database/role-rights";
import { expectStatus } from "@rowmill/server/testing/api";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { finishedRun, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { receiverSettings, startReceiver } from "@rowmill/server/testing/receiver";
import { startTestService } from "@rowmill/server/testing/service";
import type { TestService } from "@rowmill/server/testing/service";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import { waitFor } from "@rowmill/server/testing/wait";

const ROWS = 5;

/** An empty database that this role owns; returns how to connect as it. `options`: SQL. */
async function newOwnedDatabase(options: string): Promise<string> {
  const database = await createTestDatabase();
  const superuser = new Client({ connectionString: database.url });
  await superuser.connect();
  const name = `owner_${randomBytes(6).toString("hex")}`;
  await superuser.query(`create role ${name} login password 'secret' ${options}`);
  await superuser.query(`alter database ${new URL(database.url).pathname.slice(1)} owner to ${name}`);
  const { rows } = await superuser.query<{ oid: string }>("select oid::text from pg_roles where rolname = $1", [name]);
  await superuser.end();
  cleanUpLater(async () => {
    await database.drop();
    const server = new Client({
      connectionString: Object.assign(new URL(database.url), { pathname: "/postgres" }).href,
    });
    await server.connect();
    for (const role of roleNames) await server.query(`drop role if exists rowmill_${role}_${rows[0]?.oid}`);
    await server.query(`drop role ${name}`);
    await server.end();
  });
  return Object.assign(new URL(database.url), { username: name, password: "secret" }).href;
}

/** From rows to a file and a delivery, by each kind of task. */
async function workThrough(service: TestService): Promise<void> {
  const { api } = await service.newOrganization();
  const hook = await api("POST", "/v1/webhook-endpoints", {
    body: { url: (await receiver).url, eventTypes: ["run.finished"] },
  });
  expectStatus(hook, 201);
  const upload = await api("POST", "/v1/dataset-uploads", { body: { name: "Sent", source: { type: "upload" } } });
  const content = numberedRows(ROWS)
    .map((row) => JSON.stringify(row))
    .join("\n");
  expectStatus(await api("PUT", `/v1/dataset-uploads/${upload.body.id}/content`, { body: content }), 200);
  const uploaded = await waitFor(
    async () => {
      const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.body.id}`);
      return body.state === "completed" && body;
    },
    { what: "the upload is read" },
  );
  const spec = await newJobSpec(api);
  const run = await newRun(api, { datasetId: uploaded.datasetId ?? "", jobSpecId: spec.id });
  expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
  const asked = await api("POST", `/v1/runs/${run.id}/exports`, { body: { type: "outputs", format: "jsonl" } });
  expectStatus(asked, 201);
  const exported = await waitFor(
    async () => {
      const { body } = await api<Export>("GET", `/v1/exports/${asked.body.id}`);
      return body.status === "ready" && body;
    },
    { what: "the export is ready" },
  );
  expect(exported.rowCount).toBe(ROWS);
  await waitFor(
    async () => {
      const { body } = await api("GET", `/v1/webhook-deliveries?webhookEndpointId=${hook.body.id}&status=succeeded`);
      return body.data.length > 0;
    },
    { what: "the event is delivered" },
  );
}

const receiver = startReceiver();
/** A delivery whose attempts fail on a busy machine is there soon: by the default, the third attempt comes five minutes later. */
const deliverySettings = async (): Promise<Record<string, string>> => ({
  ...receiverSettings(await receiver),
  ROWMILL_WEBHOOK_RETRY_SCHEDULE: "0,1,1,1,1",
});
/** What is no error of the owner's rights: a busy machine, and a statement that the queue repeats by itself. */
const EXPECTED = [
  "the event loop stood still",
  "a statement of the queue met another one, was rolled back, and is repeated",
];

/** Warnings and errors, but for those. */
const errorsOf = (service: TestService): string[] =>
  service.logs().filter((line) => {
    const { level, msg } = JSON.parse(line) as { level: number; msg: string }; // as pino writes it
    return level >= 40 && !EXPECTED.includes(msg);
  });

describe("the owner of the database, no superuser,", () => {
  test("may create roles: the service migrates, runs, exports and delivers under row-level security", async () => {
    const url = await newOwnedDatabase("createrole");
    const service = await startTestService({
      ...(await deliverySettings()),
      ROWMILL_DATABASE_URL: url,
      ROWMILL_ROW_LEVEL_SECURITY: "required",
    });
    await workThrough(service);
    expect(errorsOf(service)).toEqual([]);
    // An autovacuum worker is in the database too at times, without a user.
    const sessions = await service.query<{ user: string }>(
      "select distinct usename::text as user from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
    );
    expect(sessions).toEqual([{ user: new URL(url).username }]);

    // The same owner makes a backup, and another one restores it.
    const folder = mkdtempSync(join(tmpdir(), "rowmill-owner-"));
    cleanUpLater(async () => rmSync(folder, { recursive: true, force: true }));
    const log = createLog("silent");
    const target = join(folder, "backup.tar");
    await backUp(readConfig(service.settings), log, "0.0.0-test", { target, includesEncryptionKey: true });
    const place = {
      ROWMILL_DATABASE_URL: await newOwnedDatabase("createrole"),
      ROWMILL_DATA_DIR: join(folder, "data"),
    };
    await restore(readConfig(place), log, target);
    const restored = await startTestService({ ...service.settings, ROWMILL_ENCRYPTION_KEY: "", ...place });
    await workThrough(restored);
    expect(errorsOf(restored)).toEqual([]);
  });

  test("may not: the service logs it once, and does the same without", async () => {
    const url = await newOwnedDatabase("");
    const service = await startTestService({ ...(await deliverySettings()), ROWMILL_DATABASE_URL: url });
    await workThrough(service);
    const errors = errorsOf(service);
    expect(errors.length).toBe(1);
    expect(errors[0]).toContain("requests and tasks run without row-level security");
  });
});
