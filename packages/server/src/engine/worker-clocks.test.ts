/** Processes whose clock is three hours off: deadlines, and when runs and exports begin and end, follow the clock of the database. */
import { afterAll, afterEach, expect, test, vi } from "vitest";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import { FormerFailures } from "../platform/database/failures-by-organization.ts";
import { expireSessions } from "../intake/intake.tasks.ts";
import { inAnHour, passDeadline } from "../resources/runs/runs-testing.ts";
import { openWorkerByHand } from "./worker-by-hand-testing.ts";

const HOUR_MS = 3_600_000;
const OFF_MS = 3 * HOUR_MS;
/** What a run of a few rows may take on a busy machine. */
const NEAR_MS = HOUR_MS / 2;

const service = await startTestService({ ROWMILL_EXPORT_RETENTION_HOURS: "1", ROWMILL_UPLOAD_EXPIRY_HOURS: "1" });
const worker = await openWorkerByHand(service.settings["ROWMILL_DATABASE_URL"] ?? "");
afterAll(() => worker.close());

afterEach(() => {
  vi.useRealTimers();
});

const setClockOff = (byMs: number) => vi.useFakeTimers({ now: Date.now() + byMs, toFake: ["Date"] });

async function newWork(rows: number, delayMs: number) {
  const { api } = await service.newOrganization();
  const dataset = await newDataset(api, numberedRows(rows));
  const jobSpec = await newJobSpec(api, { type: "mock", delayMs }, { concurrency: 1 });
  return { api, datasetId: dataset.id, jobSpecId: jobSpec.id };
}

/** Of the real time, once the clock is right again. */
const distance = (time: string | null): number => Math.abs(Date.parse(String(time)) - Date.now());

test("a worker whose clock is ahead ends no run before its deadline", async () => {
  const { api, ...work } = await newWork(12, 250);
  const { id } = await newRun(api, { ...work, deadlineAt: inAnHour() });
  setClockOff(OFF_MS);
  const run = await finishedRun(api, id);
  vi.useRealTimers();
  expect(run).toMatchObject({ state: "succeeded", rows: { succeeded: 12 } });
  expect(distance(run.finishedAt)).toBeLessThan(NEAR_MS);
});

test("a worker whose clock is behind ends a run at its deadline", async () => {
  const { api, ...work } = await newWork(240, 250);
  const { id } = await newRun(api, { ...work, deadlineAt: inAnHour() });
  setClockOff(-OFF_MS);
  await passDeadline(service, { id });
  const run = await finishedRun(api, id);
  vi.useRealTimers();
  expect(run.state).toBe("expired");
  expect(distance(run.finishedAt)).toBeLessThan(NEAR_MS);
});

test.each([
  ["ahead", OFF_MS],
  ["behind", -OFF_MS],
])("no run ends before it began, or begins before it was made, by a clock that is %s", async (_where, byMs) => {
  const { api, ...work } = await newWork(3, 0);
  const { id } = await newRun(api, work);
  setClockOff(byMs);
  const before = await finishedRun(api, id);
  const made = await newRun(api, work);
  vi.useRealTimers();
  for (const { createdAt, startedAt, finishedAt } of [before, await finishedRun(api, made.id)]) {
    expect(Date.parse(String(startedAt))).toBeGreaterThanOrEqual(Date.parse(createdAt));
    expect(Date.parse(String(finishedAt))).toBeGreaterThanOrEqual(Date.parse(String(startedAt)));
  }
});

test("the file of an export is kept as long where the clock of its worker is behind", async () => {
  const { api, ...work } = await newWork(3, 0);
  const { id } = await newRun(api, work);
  await finishedRun(api, id);
  setClockOff(-OFF_MS);
  const { body: made } = await api<Export>("POST", `/v1/runs/${id}/exports`, {
    body: { type: "outputs", format: "jsonl" },
  });
  const find = async () => (await api<Export>("GET", `/v1/exports/${made.id}`)).body;
  await expect.poll(async () => (await find()).status).toBe("ready");
  vi.useRealTimers();
  const written = await find();
  expect(Date.parse(String(written.expiresAt)) - Date.now()).toBeGreaterThan(HOUR_MS - NEAR_MS);
  expect(distance(written.finishedAt)).toBeLessThan(NEAR_MS);
  expect((await api("GET", `/v1/exports/${made.id}/download`)).status).toBe(200);
});

test("a worker whose clock is ahead expires no upload before its time", async () => {
  const { api } = await service.newOrganization();
  const { body: made } = await api("POST", "/v1/dataset-uploads", {
    body: { name: "Later", source: { type: "upload" } },
  });
  setClockOff(OFF_MS);
  await expireSessions(worker, new FormerFailures());
  vi.useRealTimers();
  expect((await api("GET", `/v1/dataset-uploads/${made.id}`)).body).toMatchObject({ state: "awaiting_content" });
});

test("a run that is under way is shown with the clock of the database", async () => {
  const { api, ...work } = await newWork(40, 250);
  const { id } = await newRun(api, work);
  const find = async () => (await api<Run>("GET", `/v1/runs/${id}`)).body;
  await expect.poll(async () => (await find()).rows.succeeded).toBeGreaterThan(0);
  setClockOff(OFF_MS);
  const { progress } = await find();
  vi.useRealTimers();
  expect(progress.etaSeconds).toBeLessThan(NEAR_MS / 1_000);
  await api("POST", `/v1/runs/${id}/cancel`);
  await finishedRun(api, id);
});
