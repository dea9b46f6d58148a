/** Intakes that are cut off: killed, stopped, begun twice. Whatever happens, every row is there once. */
import { createHash, randomBytes } from "node:crypto";
import { rm, symlink } from "node:fs/promises";
import { Client } from "pg";
import { expect, test, vi } from "vitest";
import { pino } from "pino";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { JobRunner } from "../platform/queue/job-runner.ts";
import { openQueue } from "../platform/queue/queue.ts";
import type { Api } from "../testing/api.ts";
import { startServiceProcess } from "../testing/service-process.ts";
import { startTestService } from "../testing/service.ts";
import type { TestService } from "../testing/service.ts";
import { createMigratedDatabase } from "../testing/test-database.ts";
import { datasetOf, endedUpload, keptFiles, newUploadSession, putContent } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";

/** Many more than are stored at once, so that there is a middle. */
const ROWS = 100_000;
const content = Buffer.from(
  Array.from({ length: ROWS }, (_, n) => `{"n":${n},"text":"${(n * 2_654_435_761) % 4_294_967_296}"}\n`).join(""),
);
const contentSha256 = createHash("sha256").update(content).digest("hex");

/**
 * From now on, intakes of this database go no further once their first rows are stored, until the function that it returns is called: a
 * machine may store all of them before a test has looked.
 */
async function holdIntakes(connectionString: string | undefined): Promise<() => Promise<void>> {
  const holder = new Client({ connectionString });
  // Where a test fails, its database goes first.
  holder.on("error", () => undefined);
  await holder.connect();
  await holder.query(`
    select pg_advisory_lock(1);
    create function wait_for_test() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock_shared(1); return new; end';
    create trigger wait_for_test before update on dataset_uploads for each row
      when (old.rows_accepted between 1 and new.rows_accepted - 1) execute function wait_for_test();`);
  return () => holder.end();
}

/** The upload while some of its rows are stored and others are not. */
async function beginIntake(api: Api): Promise<DatasetUpload> {
  const upload = await newUploadSession(api, { format: "jsonl" });
  await putContent(api, upload, content);
  const seen = await waitFor(
    async () => {
      const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${upload.id}`);
      return body.rowsAccepted > 0 ? body : undefined;
    },
    { what: "the first rows are stored" },
  );
  expect(seen.state).toBe("processing");
  expect(seen.rowsAccepted).toBeLessThan(ROWS);
  expect(seen.progress.percent).toBeLessThan(100);
  return seen;
}

async function expectWhole(api: Api, service: Pick<TestService, "query">, upload: DatasetUpload): Promise<void> {
  const ended = await endedUpload(api, upload.id);
  expect(ended).toMatchObject({ state: "completed", rowsAccepted: ROWS, errors: [] });
  expect(await datasetOf(api, ended)).toMatchObject({ state: "ready", rowCount: ROWS, contentSha256 });
  const chunks = await service.query<{ chunk_no: number; first_row: string; row_count: number }>(
    "select chunk_no, first_row, row_count from dataset_chunks order by chunk_no",
  );
  let next = 0;
  for (const [index, chunk] of chunks.entries()) {
    expect([chunk.chunk_no, Number(chunk.first_row)]).toEqual([index, next]);
    next += chunk.row_count;
  }
  expect(next).toBe(ROWS);
  const events = await service.query("select 1 from events where type in ('dataset.ready', 'dataset.failed')");
  expect(events).toHaveLength(1);
}

test("an intake whose process is killed is begun again by the next", async () => {
  const database = await createMigratedDatabase();
  const first = await startServiceProcess({
    ROWMILL_DATABASE_URL: database.url,
    ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64"),
  });
  const organization = await first.newOrganization();
  const goOn = await holdIntakes(database.url);
  const upload = await beginIntake(organization.api);
  first.kill("SIGKILL");
  await first.exited;
  await goOn();
  const second = await startTestService({ ...first.settings, ROWMILL_PORT: "0" });
  const api: Api = (method, path, request) => second.api(method, path, { key: organization.apiKey, ...request });
  await expectWhole(api, second, upload);
  await waitFor(async () => (await keptFiles(second.settings)).length === 0, { what: "nothing is left of either" });
  await second.stop();
  await database.drop();
});

test("a service that stops gives its intake back, and the next one does it", async () => {
  const first = await startTestService();
  const organization = await first.newOrganization();
  const goOn = await holdIntakes(first.settings["ROWMILL_DATABASE_URL"]);
  const upload = await beginIntake(organization.api);
  const queueStops = vi.spyOn(JobRunner.prototype, "stop");
  const stopped = first.stop();
  // Other parts stop before: by then, the intake would have ended.
  await waitFor(() => queueStops.mock.calls.length > 0, { what: "the intake is asked to stop" });
  await goOn();
  await stopped;
  // Released, and not left to the time in which the dead are found out.
  const jobs = await first.query("select state::text from pgboss.job where name = 'dataset-intake'");
  expect(jobs).toEqual([{ state: expect.stringMatching(/^(created|retry)$/) as string }]);
  expect((await first.query("select state from dataset_uploads"))[0]).toEqual({ state: "processing" });
  const second = await startTestService(first.settings);
  const api: Api = (method, path, request) => second.api(method, path, { key: organization.apiKey, ...request });
  await expectWhole(api, second, upload);
});

test("an intake that is begun a second time while the first goes on doubles nothing", async () => {
  const service = await startTestService();
  const { api } = await service.newOrganization();
  // Opened before, or the first intake may have ended by the time the second one is asked for.
  const queue = await openQueue(service.settings["ROWMILL_DATABASE_URL"] ?? "", [], pino({ level: "silent" }));
  const goOn = await holdIntakes(service.settings["ROWMILL_DATABASE_URL"]);
  const upload = await beginIntake(api);
  const [row] = await service.query<{ organization_id: string; id: string }>(
    "select organization_id, id from dataset_uploads",
  );
  const waiting =
    "select 1 from pg_stat_activity where datname = current_database() and query ~* $1 and $2 = wait_event";
  await waitFor(async () => (await service.query(waiting, ["dataset_uploads", "advisory"])).length === 1, {
    what: "the first intake stores further rows",
  });
  // Not before, or it may claim the upload first, and the other one never waits.
  await queue.enqueueNow("dataset-intake", { organizationId: row?.organization_id, uploadId: row?.id, failures: 0 });
  await queue.stop();
  await waitFor(async () => (await service.query(waiting, ["dataset_uploads", "transactionid"])).length === 1, {
    what: "the second one waits to claim the upload",
  });
  await goOn();
  await expectWhole(api, service, upload);
  expect(await service.query("select claim_no from dataset_uploads")).toEqual([{ claim_no: 2 }]);
  expect(service.logs().filter((line) => line.includes("an intake failed"))).toEqual([]);
});

test("content that cannot be read for a reason of ours fails the upload in the end, with its reason", async () => {
  const front = await startTestService({ ROWMILL_ROLE: "api" });
  const { api, apiKey } = await front.newOrganization();
  const upload = await newUploadSession(api);
  await putContent(api, upload, "n\n1\n");
  const files = await keptFiles(front.settings);
  expect(files).toHaveLength(1);
  for (const file of files) {
    await rm(file);
    await symlink(file, file);
  }
  // As if it had failed before.
  await front.query("update pgboss.job set data = data || '{\"failures\": 4}' where name = 'dataset-intake'");
  const worker = await startTestService({ ...front.settings, ROWMILL_ROLE: "all" });
  const ended = await endedUpload(
    (method, path, request) => worker.api(method, path, { key: apiKey, ...request }),
    upload.id,
  );
  expect(ended).toMatchObject({ state: "failed", errors: [{ line: null, code: "internal_error" }] });
  expect(worker.logs().some((line) => line.includes("an intake failed") && line.includes("ELOOP"))).toBe(true);
});

test("content that is lost fails the upload, with its reason", async () => {
  const front = await startTestService({ ROWMILL_ROLE: "api" });
  const { api, apiKey } = await front.newOrganization();
  const upload = await newUploadSession(api);
  await putContent(api, upload, "n\n1\n");
  const files = await keptFiles(front.settings);
  expect(files).toHaveLength(1);
  for (const file of files) await rm(file);
  const worker = await startTestService({ ...front.settings, ROWMILL_ROLE: "all" });
  const ended = await endedUpload(
    (method, path, request) => worker.api(method, path, { key: apiKey, ...request }),
    upload.id,
  );
  expect(ended).toMatchObject({ state: "failed", errors: [{ line: null, code: "internal_error" }] });
  const logged = worker.logs().filter((line) => line.includes("the content of an upload is lost"));
  expect(logged).toHaveLength(1);
});
