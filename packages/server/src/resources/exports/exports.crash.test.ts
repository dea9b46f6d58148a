/** Exports whose workers die, are stopped, lose their claim, or cannot reach the store. */
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { startServiceProcess } from "../../testing/service-process.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { createMigratedDatabase } from "../../testing/test-database.ts";
import type { TestDatabase } from "../../testing/test-database.ts";
import { waitFor } from "../../testing/wait.ts";
import { insertManyOutputs, insertRun } from "./exports-testing.ts";

/** A worker's job is given to another some ten seconds after its last beat. */
const TAKEN_AGAIN_MS = 120_000;
/** Many pages: a worker that is stopped at the first one has most of them left. */
const OUTPUTS = 100_000;

let database: TestDatabase;
let client: Client;
beforeAll(async () => {
  database = await createMigratedDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const query = async (text: string, values: unknown[] = []): Promise<object[]> =>
  (await client.query<object>(text, values)).rows;

interface Claim {
  status: string;
  claim_no: number;
  attempts: number;
}
async function claimOf(exportId: string): Promise<Claim | undefined> {
  const rows = await query("select status, claim_no, attempts from exports where id = $1", [
    parseId("export", exportId),
  ]);
  return rows[0] as Claim | undefined; // it has these columns
}

async function createExport(api: Api, runId: string, body: object): Promise<string> {
  const created = await api<Export>("POST", `/v1/runs/${runId}/exports`, { body });
  expectStatus(created, 201);
  return created.body.id;
}

const waitForClaim = (exportId: string, claimNo: number): Promise<Claim> =>
  waitFor(
    async () => {
      const claim = await claimOf(exportId);
      return claim?.status === "running" && claim.claim_no === claimNo ? claim : undefined;
    },
    { what: `claim ${claimNo}`, timeoutMs: TAKEN_AGAIN_MS },
  );

function filesOf(dataDirectory: string | undefined, owner: TestOrganization, exportId: string): string[] {
  const folder = join(dataDirectory ?? "", "files", "exports", owner.organizationId, exportId);
  return existsSync(folder) ? readdirSync(folder) : [];
}

test("an export survives the end of its worker, by SIGTERM and by kill -9, and is written from the first row", async () => {
  const first = await startServiceProcess({ ROWMILL_DATABASE_URL: database.url });
  const owner = await first.newOrganization();
  const run = await insertRun(query, owner.organizationId, { rows: ["{}"], results: [{ index: 0, output: {} }] });
  await insertManyOutputs(query, run.runUuid, OUTPUTS);
  // The worker reads no row while this lock is kept: it is stopped before, however fast it is.
  await query("begin");
  await query("lock table run_segments in access exclusive mode");
  const id = await createExport(owner.api, run.runId, { type: "outputs", format: "csv", compression: "gzip" });

  await waitForClaim(id, 1);
  first.kill("SIGTERM");
  // Requests are refused once it stops.
  await waitFor(() =>
    fetch(first.url).then(
      () => false,
      () => true,
    ),
  );
  await query("rollback");
  expect(await first.exited).toEqual({ code: 0, signal: null });
  // Released, and not counted as an attempt that failed.
  expect(await claimOf(id)).toEqual({ status: "queued", claim_no: 1, attempts: 0 });
  expect(filesOf(first.settings["ROWMILL_DATA_DIR"], owner, id)).toEqual([]);

  // The worker waits for this lock when its file is whole: it is killed with one, however fast it is.
  await query("begin");
  await query("select from runs where id = $1 for update", [run.runUuid]);
  const second = await startServiceProcess(first.settings);
  await waitForClaim(id, 2);
  await waitFor(() => filesOf(first.settings["ROWMILL_DATA_DIR"], owner, id).length > 0, { what: "it has a file" });
  second.kill("SIGKILL");
  await second.exited;
  await query("rollback");
  expect(await claimOf(id)).toEqual({ status: "running", claim_no: 2, attempts: 1 });

  const third = await startServiceProcess(first.settings);
  await waitFor(async () => (await claimOf(id))?.status === "ready", { timeoutMs: TAKEN_AGAIN_MS });
  const response = await third.api("GET", `/v1/exports/${id}/download`, { key: owner.apiKey });
  const lines = gunzipSync(response.bytes).toString().trimEnd().split("\n");
  expect(lines).toHaveLength(1 + 1 + OUTPUTS);
  expect(lines.at(-1)).toContain(`,${499 + OUTPUTS},"row ${499 + OUTPUTS}",`);
  // What the process that was killed had written is removed once the export is ready.
  await waitFor(() => filesOf(first.settings["ROWMILL_DATA_DIR"], owner, id).join() === "3");
  const events = await query("select type from events where run_id = $1", [run.runUuid]);
  expect(events).toEqual([{ type: "export.ready" }]);
  await third.stop();
});

test("a worker that lost its claim at the last moment ends nothing and leaves no file", async () => {
  const service = await startTestService();
  const owner = await service.newOrganization();
  const run = await insertRun((text, values) => service.query(text, values), owner.organizationId, {
    rows: ["{}"],
    results: [{ index: 0, output: { a: 1 } }],
  });
  const other = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await other.connect();
  // The worker waits for this lock when its file is whole and only the end is to be written.
  await other.query("begin");
  await other.query("select from runs where id = $1 for update", [run.runUuid]);
  const id = await createExport(owner.api, run.runId, { type: "outputs", format: "jsonl" });
  const dataDirectory = service.settings["ROWMILL_DATA_DIR"];
  await waitFor(() => filesOf(dataDirectory, owner, id).length === 1);
  await service.query("update exports set claim_no = claim_no + 1 where id = $1", [parseId("export", id)]);
  await other.query("rollback");
  await other.end();
  await waitFor(() => filesOf(dataDirectory, owner, id).length === 0);
  const { body } = await owner.api<Export>("GET", `/v1/exports/${id}`);
  expect(body).toMatchObject({ status: "running", sha256: null, rowCount: null });
  expect(await service.query("select type from events where run_id = $1", [run.runUuid])).toEqual([]);
});

test("an organization's long exports leave a place to others", async () => {
  const service = await startTestService();
  const newRun = async () => {
    const { api, organizationId } = await service.newOrganization();
    const results = [{ index: 0, output: { a: 1 } }];
    const run = await insertRun((text, values) => service.query(text, values), organizationId, {
      rows: ["{}"],
      results,
    });
    return { api, run };
  };
  const [theirs, ours] = [await newRun(), await newRun()];
  const other = new Client({ connectionString: service.settings["ROWMILL_DATABASE_URL"] });
  await other.connect();
  // Their exports take as long as this lock is kept.
  await other.query("begin");
  await other.query("select from runs where id = $1 for update", [theirs.run.runUuid]);
  const body = { type: "outputs", format: "jsonl" };
  const long = [];
  for (let n = 0; n < 6; n++) long.push(await createExport(theirs.api, theirs.run.runId, body));
  const id = await createExport(ours.api, ours.run.runId, body);
  const finishedAt = async (api: Api, exportId: string) =>
    (await api<Export>("GET", `/v1/exports/${exportId}`)).body.finishedAt;
  await waitFor(async () => (await finishedAt(ours.api, id)) !== null);
  expect(await Promise.all(long.map((each) => finishedAt(theirs.api, each)))).toEqual(long.map(() => null));

  await other.query("rollback");
  await other.end();
  for (const each of long) await waitFor(async () => (await finishedAt(theirs.api, each)) !== null);
});

test("a store that is away costs an attempt, and the export is ready when it is back", async () => {
  const service = await startTestService();
  const owner = await service.newOrganization();
  const run = await insertRun((text, values) => service.query(text, values), owner.organizationId, {
    rows: ["{}"],
    results: [{ index: 0, output: { a: 1 } }],
  });
  const inTheWay = join(service.settings["ROWMILL_DATA_DIR"] ?? "", "files", "exports");
  writeFileSync(inTheWay, "a file where a folder belongs");
  const id = await createExport(owner.api, run.runId, { type: "outputs", format: "jsonl" });
  await waitFor(() => service.logs().some((line) => line.includes("an export was not written")));
  rmSync(inTheWay);
  const ended = await waitFor(async () => {
    const { body } = await owner.api<Export>("GET", `/v1/exports/${id}`);
    return body.finishedAt === null ? undefined : body;
  });
  expect(ended).toMatchObject({ status: "ready", error: null, rowCount: 1 });
  expect(filesOf(service.settings["ROWMILL_DATA_DIR"], owner, id)).toHaveLength(1);
});

test("an export whose job got lost is found and written", async () => {
  const service = await startTestService({ ROWMILL_ROLE: "api" });
  const owner = await service.newOrganization();
  const run = await insertRun((text, values) => service.query(text, values), owner.organizationId, {
    rows: ["{}"],
    results: [{ index: 0, output: { a: 1 } }],
  });
  const queued = await createExport(owner.api, run.runId, { type: "outputs", format: "jsonl" });
  const running = await createExport(owner.api, run.runId, { type: "outputs", format: "csv" });
  const inFlight = await createExport(owner.api, run.runId, { type: "rows", format: "csv" });
  await service.query("delete from pgboss.job where name = 'export-lane'");
  await service.query("update exports set status = 'running' where id = any($1)", [
    [running, inFlight].map((id) => parseId("export", id)),
  ]);
  await service.query("update exports set updated_at = now() - interval '11 minutes' where id = any($1)", [
    [queued, running].map((id) => parseId("export", id)),
  ]);
  // A process that starts runs its periodic tasks at once.
  await startTestService({ ...service.settings, ROWMILL_ROLE: "all" });
  await waitFor(async () => {
    const { body } = await owner.api("GET", "/v1/exports?status=ready");
    return body.data.length === 2;
  });
  const { body } = await owner.api("GET", "/v1/exports?status=running");
  expect(body.data.map(({ id }) => id)).toEqual([inFlight]);
});
