import { afterAll, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { openDatabase } from "../../platform/database/database.ts";
import { createTasks } from "../../platform/database/tenants.ts";
import { newUuid, parseId } from "../../platform/ids.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { startByHand } from "../../testing/started-run.ts";
import {
  MAX_UNCOUNTED_BYTES,
  createResultMeter,
  followWrittenResults,
  pauseIfStorageExceeded,
} from "./storage-policy.ts";

/** Nobody but the test works on the run, or adds up its results. */
const service = await startTestService({ ROWMILL_ROLE: "api" });
const { api, organizationId: shownId } = await service.newOrganization();
const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => {} });
afterAll(() => database.close());

test("results are added up when a process has written so many of them, for each organization by itself", () => {
  const meter = createResultMeter();
  expect(meter.note("a", MAX_UNCOUNTED_BYTES - 1)).toBe(false);
  expect(meter.note("b", 1)).toBe(false);
  expect(meter.note("a", 1)).toBe(true);
  expect(meter.note("a", MAX_UNCOUNTED_BYTES - 1)).toBe(false);
  expect(meter.note("c", 10 * MAX_UNCOUNTED_BYTES)).toBe(true);
});

test("a run whose results pass the limit of its organization pauses at once, and not at the task's next pass", async () => {
  const dataset = await newDataset(api, numberedRows(4));
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: (await newJobSpec(api)).id });
  const organizationId = parseId("organization", shownId) ?? "";
  const id = parseId("run", run.id) ?? "";
  await startByHand(service, id);
  const parts = { limits: { storageBytes: 1_000_000 }, publicUrl: () => "" } as unknown as RunParts; // what pausing needs
  const check = () =>
    pauseIfStorageExceeded(createTasks(database, undefined).of(organizationId), { organizationId, id }, parts);
  expect(await check()).toBe(false);
  await service.query("update run_chunks set result_bytes = 1000001 where run_id = $1", [id]);
  expect(await check()).toBe(true);
  const { body } = await api<Run>("GET", `/v1/runs/${run.id}`);
  expect(body).toMatchObject({ state: "paused", stateReason: "storage_limit_reached" });
  expect(await check()).toBe(false);
});

test("a commit is not repeated for what cannot be added up behind it", async () => {
  const away = Object.assign(new Error("gone"), { code: "ECONNRESET" });
  const logged: unknown[] = [];
  const run = { organizationId: parseId("organization", shownId) ?? "", id: newUuid() };
  const parts = {
    limits: { storageBytes: 1 },
    database: { ...database, transaction: () => Promise.reject(away) },
    log: { warn: ({ err }: { err: unknown }) => void logged.push(err) },
  } as unknown as Parameters<typeof followWrittenResults>[0]; // what adding up needs
  expect(await followWrittenResults(parts, createResultMeter(), run, MAX_UNCOUNTED_BYTES)).toBe(false);
  expect(logged).toEqual([away]);
});
