/**
 * Installations of earlier versions start under this one. Each version leaves a backup of a small installation in `fixtures/releases`;
 * with `ROWMILL_TEST_WRITE_RELEASE=<version>` this file writes that of the present one first, where it is missing.
 */
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { backUp } from "@rowmill/server/backup/backup";
import { restore } from "@rowmill/server/backup/restore";
import { readConfig } from "@rowmill/server/config";
import { createLog } from "@rowmill/server/platform/log";
import { expectStatus } from "@rowmill/server/testing/api";
import type { Api } from "@rowmill/server/testing/api";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "@rowmill/server/testing/factories";
import { startTestService } from "@rowmill/server/testing/service";
import { createTestDatabase } from "@rowmill/server/testing/test-database";
import { waitFor } from "@rowmill/server/testing/wait";

const folder = join(import.meta.dirname, "fixtures", "releases");
const ROWS = 20;
const FAILED = 4;
/** Of an installation that exists in these files alone. */
const ENCRYPTION_KEY = Buffer.alloc(32, 7).toString("base64");
const log = createLog("silent");
const written = process.env["ROWMILL_TEST_WRITE_RELEASE"];
const files = [...new Set([...readdirSync(folder), ...(written === undefined ? [] : [`${written}.tar`])])];

test.each(files)("%s starts under this version, and its work goes on", async (file) => {
  if (!existsSync(join(folder, file))) await writeInstallation(file.slice(0, -".tar".length));
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  const dataDirectory = mkdtempSync(join(tmpdir(), "rowmill-release-"));
  cleanUpLater(async () => rmSync(dataDirectory, { recursive: true, force: true }));
  const place = { ROWMILL_DATABASE_URL: database.url, ROWMILL_DATA_DIR: dataDirectory };
  await restore(readConfig(place), log, join(folder, file));
  const service = await startTestService({ ...place, ROWMILL_ENCRYPTION_KEY: "" });
  const [organization] = (await service.api("GET", "/v1/organizations")).body.data;
  const key = await service.api("POST", `/v1/organizations/${organization?.id}/api-keys`, {
    body: { name: `After ${randomBytes(2).toString("hex")}`, scopes: ["*"] },
  });
  expectStatus(key, 201);
  const api: Api = (method, path, request) => service.api(method, path, { key: key.body["key"] as string, ...request });
  await expect(checkInstallation(api)).resolves.toBeUndefined();
  await service.stop();
});

async function writeInstallation(version: string): Promise<void> {
  const service = await startTestService({ ROWMILL_ENCRYPTION_KEY: ENCRYPTION_KEY, ROWMILL_CHUNK_ROWS: "5" });
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(ROWS));
  const spec = await newJobSpec(api, { type: "mock", failEvery: ROWS / FAILED, failUntilRetry: 1 });
  const run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
  const retried = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: {} });
  await finishedRun(api, retried.body.id);
  for (const [type, format] of [
    ["outputs", "csv"],
    ["resolved_results", "jsonl"],
  ]) {
    const { id } = (await api<Export>("POST", `/v1/runs/${run.id}/exports`, { body: { type, format } })).body;
    await waitFor(async () => (await api<Export>("GET", `/v1/exports/${id}`)).body.status === "ready");
  }
  const slow = await newJobSpec(api, { type: "mock", delayMs: 50 }, { concurrency: 1 });
  const paused = await newRun(api, { datasetId: dataset.id, jobSpecId: slow.id, name: "paused" });
  await waitFor(async () => (await api<Run>("GET", `/v1/runs/${paused.id}`)).body.rows.succeeded > 0);
  expectStatus(await api("POST", `/v1/runs/${paused.id}/pause`), 200);
  const url = "https://hooks.example.com/x";
  const bodies: Record<string, object> = {
    "webhook-endpoints": { url, eventTypes: ["export.failed"] },
    connections: { name: "A", type: "openai_compatible", baseUrl: "https://models.example.com", secret: "sk-x" },
    "alert-rules": { name: "A", eventType: "export.failed", destination: { type: "webhook", url } },
    "dataset-uploads": { name: "Awaits its content", source: { type: "upload" } },
  };
  for (const [path, body] of Object.entries(bodies)) expectStatus(await api("POST", `/v1/${path}`, { body }), 201);
  const target = join(folder, `${version}.tar`);
  await backUp(readConfig(service.settings), log, version, { target, includesEncryptionKey: true });
}

async function checkInstallation(api: Api): Promise<void> {
  const list = async <Item>(path: string): Promise<Item[]> => {
    const response = await api<{ data: Item[] }>("GET", path);
    expectStatus(response, 200);
    return response.body.data;
  };
  const runs = await list<Run>("/v1/runs");
  const first = runs.find((run) => run.rows.failed > 0);
  expect(first).toMatchObject({ state: "partially_succeeded", rows: { total: ROWS, failed: FAILED } });
  expect(await list(`/v1/runs/${first?.id}/failures`)).toHaveLength(FAILED);
  const retried = runs.find((run) => run.parentRunId === first?.id);
  const results = await list<{ resultState: string }>(`/v1/runs/${retried?.id}/resolved-results`);
  expect(results.map(({ resultState }) => resultState)).toEqual(Array.from({ length: ROWS }, () => "succeeded"));
  const exports = await list<Export>(`/v1/runs/${first?.id}/exports`);
  expect(exports).toHaveLength(2);
  for (const { id, sizeBytes } of exports) {
    // A file is kept for a limited time; then the response is 410.
    const download = await api("GET", `/v1/exports/${id}/download`);
    expect(download.status === 410 || download.bytes.length === sizeBytes).toBe(true);
  }
  const paused = runs.find(({ name }) => name === "paused");
  expectStatus(await api("POST", `/v1/runs/${paused?.id}/resume`), 200);
  expect(await finishedRun(api, paused?.id ?? "")).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
  for (const path of ["/v1/connections", "/v1/alert-rules", "/v1/webhook-endpoints", "/v1/job-specs", "/v1/datasets"])
    expect(await list(path)).not.toEqual([]);
  const [endpoint] = await list<{ id: string }>("/v1/webhook-endpoints");
  // Opens the secret that was sealed then.
  expectStatus(await api("POST", `/v1/webhook-endpoints/${endpoint?.id}/rotate-secret`), 200);
}
