/** What an organization stores has a limit, which is kept from the moment a session begins. */
import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { zstdCompressSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Export } from "@rowmill/contract/exports";
import type { Organization } from "@rowmill/contract/organizations";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const MIB = 1 << 20;
let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "10" });
});
beforeEach(async () => {
  tenant = await service.newOrganization();
});

const path = () => `/v1/organizations/${tenant.organizationId}`;
const limit = async (storageBytes: number | null): Promise<void> =>
  expectStatus(await service.api("PATCH", path(), { body: { limits: { storageBytes } } }), 200);
const stored = async (): Promise<number> => (await tenant.api<Organization>("GET", path())).body.usage.storageBytes;
const begin = (sizeBytes?: number) =>
  tenant.api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: {
      name: "A file",
      format: "jsonl",
      source: { type: "upload", ...(sizeBytes === undefined ? {} : { sizeBytes }) },
    },
  });
const send = (id: string, content: string | Buffer) =>
  tenant.api("PUT", `/v1/dataset-uploads/${id}/content`, {
    body: content,
    headers: { "Content-Type": "application/octet-stream" },
  });
const ended = (id: string): Promise<DatasetUpload> =>
  waitFor(async () => {
    const { body } = await tenant.api<DatasetUpload>("GET", `/v1/dataset-uploads/${id}`);
    return body.finishedAt === null ? undefined : body;
  });
const codeOf = (response: { status: number; text: string }) => [
  response.status,
  (JSON.parse(response.text) as { error: { code: string } }).error.code, // an error, as the status beside it shows
];

describe("an upload session", () => {
  test("reserves what it announces, and frees it when it is canceled or expires", async () => {
    await limit(10 * MIB);
    const [first, second] = [await begin(6 * MIB), await begin(4 * MIB)];
    expect([first.status, second.status, await stored()]).toEqual([201, 201, 10 * MIB]);
    const third = await begin(1);
    expect(codeOf(third)).toEqual([409, "limit_reached"]);
    expectStatus(await tenant.api("POST", `/v1/dataset-uploads/${first.body.id}/cancel`), 200);
    expect(await stored()).toBe(4 * MIB);
    await service.query(
      "update dataset_uploads set expires_at = now() where name = 'A file' and state = 'awaiting_content'",
    );
    const other = await startTestService(service.settings); // expires sessions when it starts
    await waitFor(async () => (await stored()) === 0);
    await other.stop();
  });

  test("of many at once only as many begin as fit", async () => {
    await limit(10 * MIB);
    const responses = await Promise.all(Array.from({ length: 8 }, () => begin(4 * MIB)));
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      201,
      201,
      ...Array<number>(6).fill(409),
    ]);
    expect(await stored()).toBe(8 * MIB);
  });

  test("without a size reserves as much as there is, and takes no more", async () => {
    await limit(1000);
    const open = await begin();
    expect([open.status, await stored()]).toEqual([201, 1000]);
    expect(codeOf(await begin(1))).toEqual([409, "limit_reached"]);
    const sent = await send(open.body.id, "x".repeat(1001));
    expect(codeOf(sent)).toEqual([409, "limit_reached"]);
    // Who has announced nothing has nothing to correct there.
    expect(JSON.stringify(sent.body)).toMatch(/could store 1000 bytes more .* higher `storageBytes`/);
    const resumable = `/v1/dataset-uploads/${open.body.id}/content/resumable`;
    const tus = { "Tus-Resumable": "1.0.0" };
    const longer = await tenant.api("POST", resumable, { headers: { ...tus, "Upload-Length": "1001" } });
    expect(codeOf(longer)).toEqual([409, "limit_reached"]);
    expectStatus(await tenant.api("POST", resumable, { headers: { ...tus, "Upload-Length": "1000" } }), 201);
  });

  test("reserves at most the size of a dataset", async () => {
    expectStatus(await begin(), 201);
    expect(await stored()).toBe(50 * 1024 * MIB);
  });

  test("holds what has arrived in place of what it reserved, and in the end the dataset", async () => {
    const { body } = await begin();
    expectStatus(await send(body.id, '{"a":1}\n{"a":2}\n'), 200);
    expect((await ended(body.id)).state).toBe("completed");
    const bytes = await stored();
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(1000);
    const [chunks] = await service.query<{ bytes: number }>(
      `select sum(octet_length(body))::float8 as bytes from dataset_chunks
        where dataset_id = (select id from datasets order by created_at desc limit 1)`,
    );
    expect(bytes).toBe(chunks?.bytes);
  });
});

test("an intake that unpacks to more than fits fails with a code of its own, and leaves nothing", async () => {
  await limit(100 * 1024);
  const { body } = await begin();
  // The same row 60 times: once in the packed file, and once in every stored chunk of ten rows.
  const text = randomBytes(45_000).toString("base64");
  const packed = zstdCompressSync(`${JSON.stringify({ text })}\n`.repeat(60));
  expect(packed.length).toBeLessThan(100 * 1024);
  expectStatus(await send(body.id, packed), 200);
  const upload = await ended(body.id);
  expect([upload.state, upload.errors[0]?.code]).toEqual(["failed", "storage_limit_reached"]);
  expect(await stored()).toBe(0);
});

test("an intake counts the larger of the file and its rows, so that a file that fits is taken in", async () => {
  const rows = `${JSON.stringify({ text: randomBytes(60_000).toString("base64") })}\n`;
  await limit(rows.length);
  const { body } = await begin(rows.length);
  expectStatus(await send(body.id, rows), 200);
  expect((await ended(body.id)).state).toBe("completed");
  expect(await stored()).toBeLessThanOrEqual(rows.length);
});

test("rows in the request count, and free their bytes with their dataset", async () => {
  const dataset = await newDataset(tenant.api, numberedRows(100));
  const bytes = await stored();
  await limit(bytes + 10);
  const refused = await tenant.api("POST", "/v1/dataset-uploads", {
    body: { name: "More", source: { type: "inline", rows: numberedRows(100) } },
  });
  expect(codeOf(refused)).toEqual([409, "limit_reached"]);
  expectStatus(await tenant.api("DELETE", `/v1/datasets/${dataset.id}`), 204);
  expect(await stored()).toBe(0);
});

describe("results of runs", () => {
  test("count exactly from the moment the run has ended, and are free when it is deleted", async () => {
    const dataset = await newDataset(tenant.api, numberedRows(1000));
    const before = await stored();
    const { id: jobSpecId } = await newJobSpec(tenant.api);
    const run = await finishedRun(tenant.api, (await newRun(tenant.api, { datasetId: dataset.id, jobSpecId })).id);
    const counted = await stored();
    const [chunks] = await service.query<{ bytes: number }>(
      "select sum(result_bytes)::float8 as bytes from run_chunks where run_id = $1",
      [parseId("run", run.id)],
    );
    expect(counted - before).toBe(chunks?.bytes);
    const [segments] = await service.query<{ bytes: number }>(
      "select sum(octet_length(positions) + octet_length(body))::float8 as bytes from run_segments where run_id = $1",
      [parseId("run", run.id)],
    );
    expect(counted - before).toBeGreaterThan(segments?.bytes ?? Number.POSITIVE_INFINITY);
    expectStatus(await tenant.api("DELETE", `/v1/runs/${run.id}`), 204);
    expect(await stored()).toBe(before);
  });

  test("over the limit pause the run, which shows the reason, and which goes on by itself when there is room", async () => {
    const { id: datasetId } = await newDataset(tenant.api, numberedRows(200));
    const { id: jobSpecId } = await newJobSpec(tenant.api, { type: "mock", delayMs: 200 });
    const run = await newRun(tenant.api, { datasetId, jobSpecId, concurrency: 1 });
    const read = async () => (await tenant.api<Run>("GET", `/v1/runs/${run.id}`)).body;
    await waitFor(async () => (await read()).rows.succeeded > 0);
    await limit(0);
    const paused = await waitFor(async () => {
      const now = await read();
      return now.state === "paused" ? now : undefined;
    });
    expect(paused).toMatchObject({ stateReason: "storage_limit_reached" });
    const refused = await tenant.api("POST", "/v1/runs", { body: { datasetId, jobSpecId, scope: { type: "all" } } });
    expect(codeOf(refused)).toEqual([409, "limit_reached"]);
    await limit(null);
    await waitFor(async () => (await read()).state === "running");
    await tenant.api("POST", `/v1/runs/${run.id}/cancel`);
  });
});

test("the file of an export counts until it expires, and none is begun over the limit", async () => {
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(50));
  const { id: jobSpecId } = await newJobSpec(tenant.api);
  const run = await finishedRun(tenant.api, (await newRun(tenant.api, { datasetId, jobSpecId })).id);
  const ask = () =>
    tenant.api<Export>("POST", `/v1/runs/${run.id}/exports`, { body: { type: "outputs", format: "jsonl" } });
  const before = await stored();
  const { id } = (await ask()).body;
  const file = await waitFor(async () => {
    const { body } = await tenant.api<Export>("GET", `/v1/exports/${id}`);
    return body.status === "ready" ? body : undefined;
  });
  expect(file.sizeBytes).toBeGreaterThan(0);
  await waitFor(async () => (await stored()) - before === file.sizeBytes);
  await limit(1);
  expect(codeOf(await ask())).toEqual([409, "limit_reached"]);
});

test("sums that are wrong are made right", async () => {
  const { id } = await newDataset(tenant.api, numberedRows(10));
  const used = async () => (await tenant.api<Organization>("GET", path())).body.usage;
  const right = await used();
  await service.query("update storage_usage set bytes = bytes + 1000000");
  const wrong = await service.query(
    "update dataset_counts set datasets = datasets + 5 where organization_id = $1 returning datasets::int as datasets",
    [parseId("organization", tenant.organizationId)],
  );
  expect(wrong).toEqual([{ datasets: right.datasets + 5 }]);
  const other = await startTestService(service.settings); // recounts when it starts
  await waitFor(async () => isDeepStrictEqual(await used(), right));
  await other.stop();
  expectStatus(await tenant.api("DELETE", `/v1/datasets/${id}`), 204);
  expect(await stored()).toBe(0);
});
