/** Below the floor of free space nothing new is stored, runs pause, and everything else goes on. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { operationIds, operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { errorsOf } from "@rowmill/contract/operation-errors";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { ApiResponse } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const GB = 1e9;
const disk = { freeBytes: 100 * GB };
let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService({}, { readFreeBytes: async () => disk.freeBytes });
  tenant = await service.newOrganization();
});
beforeEach(() => {
  disk.freeBytes = 100 * GB;
});

const upload = (source: object) =>
  tenant.api<DatasetUpload>("POST", "/v1/dataset-uploads", { body: { name: "A file", source } });
const inline = () => upload({ type: "inline", rows: [{ a: 1 }] });
/** The reading of a second ago may still hold. */
const untilLow = () => waitFor(async () => (await inline()).status === 507);
const untilRoom = () => waitFor(async () => (await inline()).status === 201);

const cancel = async ({ api }: TestOrganization, id: string): Promise<void> =>
  expectStatus(await api("POST", `/v1/dataset-uploads/${id}/cancel`), 200);

function expectRefused(response: ApiResponse<unknown>): void {
  expectStatus(response, 507);
  expect((response.body as { error: { code: string } }).error).toMatchObject({
    code: "insufficient_storage",
    retryable: true,
  });
  expect(response.headers["retry-after"]).toBe("30");
}

test("every operation that stores new bytes is refused, and reading goes on", async () => {
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(3));
  const { id: jobSpecId } = await newJobSpec(tenant.api);
  const run = await finishedRun(tenant.api, (await newRun(tenant.api, { datasetId, jobSpecId })).id);
  const session = (await upload({ type: "upload" })).body;
  disk.freeBytes = GB;
  await untilLow();
  const content = `/v1/dataset-uploads/${session.id}/content`;
  const tus = { "Tus-Resumable": "1.0.0" };
  const requests: Partial<Record<OperationId, (() => Promise<ApiResponse<unknown>>)[]>> = {
    createDatasetUpload: [
      inline,
      () => upload({ type: "upload" }),
      () => upload({ type: "url", url: "https://files.example.com/a.csv" }),
    ],
    putDatasetUploadContent: [
      () => tenant.api("PUT", content, { body: "{}", headers: { "Content-Type": "application/octet-stream" } }),
    ],
    beginResumableContent: [
      () => tenant.api("POST", `${content}/resumable`, { headers: { ...tus, "Upload-Length": "2" } }),
    ],
    appendResumableContent: [
      () =>
        tenant.api("PATCH", `${content}/resumable`, {
          body: "{}",
          headers: { ...tus, "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream" },
        }),
    ],
    createRun: [() => tenant.api("POST", "/v1/runs", { body: { datasetId, jobSpecId, scope: { type: "all" } } })],
    retryRun: [() => tenant.api("POST", `/v1/runs/${run.id}/retry`, { body: { selection: { type: "all" } } })],
    createExport: [
      () => tenant.api("POST", `/v1/runs/${run.id}/exports`, { body: { type: "outputs", format: "jsonl" } }),
    ],
  };
  const declaring = operationIds.filter((id) => errorsOf(operations[id]).includes("insufficient_storage"));
  expect(Object.keys(requests).toSorted()).toEqual(declaring.toSorted());
  for (const request of Object.values(requests).flat()) expectRefused(await request());
  expectStatus(await tenant.api("GET", `/v1/runs/${run.id}/outputs`), 200);
  expectStatus(await tenant.api("DELETE", `/v1/runs/${run.id}`), 204);
  disk.freeBytes = 100 * GB;
  await untilRoom();
  expectStatus(
    await tenant.api("PUT", content, { body: '{"a":1}\n', headers: { "Content-Type": "application/octet-stream" } }),
    200,
  );
});

test("a file that is announced and does not fit is refused before a byte of it comes", async () => {
  // What an open session has declared counts for the next one.
  const large = async () => {
    const response = await upload({ type: "upload", sizeBytes: 50 * GB });
    if (response.status === 201) await cancel(tenant, response.body.id);
    return response;
  };
  expectStatus(await large(), 201);
  disk.freeBytes = 40 * GB;
  const refused = await waitFor(async () => {
    const response = await large();
    return response.status === 507 ? response : undefined;
  });
  expectRefused(refused);
  const fitting = await upload({ type: "upload", sizeBytes: 10 * GB });
  expectStatus(fitting, 201);
  await cancel(tenant, fitting.body.id);
});

test("a run pauses, says why, and goes on by itself", async () => {
  await untilRoom();
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(500));
  const { id: jobSpecId } = await newJobSpec(tenant.api, { type: "mock", delayMs: 100 });
  const run = await newRun(tenant.api, { datasetId, jobSpecId, concurrency: 1 });
  const stateOf = async () => {
    const { state, stateReason } = (await tenant.api<Run>("GET", `/v1/runs/${run.id}`)).body;
    return `${state} ${stateReason ?? ""}`;
  };
  await waitFor(async () => (await stateOf()) === "running ");
  disk.freeBytes = GB;
  await waitFor(async () => (await stateOf()) === "paused insufficient_storage");
  expect(service.logs().join("")).toContain("free space is low");
  // Another process with room does not let it go on while this one has none.
  const other = await startTestService(service.settings, { readFreeBytes: async () => 100 * GB });
  const reports = () => service.query<{ at: string }>("select reported_at::text as at from low_space_reports");
  const [before] = await reports();
  await waitFor(async () => (await reports())[0]?.at !== before?.at);
  expect(await stateOf()).toBe("paused insufficient_storage");
  disk.freeBytes = 100 * GB;
  await waitFor(async () => (await stateOf()) === "running ");
  await other.stop();
  await tenant.api("POST", `/v1/runs/${run.id}/cancel`);
});

test("an intake waits for room, and ends when there is some", async () => {
  await untilRoom();
  const { body } = await upload({ type: "upload" });
  const rows = Array.from({ length: 20 }, (_, n) => `{"n":${n}}\n`).join("");
  const sent = await tenant.api("PUT", `/v1/dataset-uploads/${body.id}/content`, {
    body: rows,
    headers: { "Content-Type": "application/octet-stream" },
  });
  expectStatus(sent, 200);
  disk.freeBytes = GB;
  await untilLow();
  disk.freeBytes = 100 * GB;
  await waitFor(
    async () => (await tenant.api<DatasetUpload>("GET", `/v1/dataset-uploads/${body.id}`)).body.state === "completed",
  );
});

test("upload sessions of all organizations together declare no more than there is room for", async () => {
  const declare = async ({ api }: TestOrganization, sizeBytes: number) =>
    api<DatasetUpload>("POST", "/v1/dataset-uploads", {
      body: { name: "A file", source: { type: "upload", sizeBytes } },
    });
  await untilRoom();
  const others = [await service.newOrganization(), await service.newOrganization()];
  const responses = await Promise.all(others.flatMap((other) => [declare(other, 40 * GB), declare(other, 40 * GB)]));
  expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 201, 507, 507]);
  const refused = responses.find(({ status }) => status === 507);
  expect(JSON.stringify(refused?.body)).toMatch(
    /needs \d+ bytes, and \d+ are left beside announced uploads, .*ROWMILL_MIN_FREE_BYTES/,
  );
  expectRefused(await declare(tenant, 20 * GB));
  // A session that ends, in whatever way, makes room for another one.
  const open = responses.findIndex(({ status }) => status === 201);
  const { id } = responses[open]?.body ?? { id: "" };
  await cancel(others[open >> 1] ?? tenant, id);
  expectStatus(await declare(tenant, 40 * GB), 201);
  const [sums] = await service.query(
    "select declared_bytes_of_all() = (select sum(declared_bytes) from dataset_uploads) as is_true",
  );
  expect(sums).toEqual({ is_true: true });
});
