import { beforeAll, expect, test } from "vitest";
import type { RunEvent } from "@rowmill/contract/run-events";
import type { Run } from "@rowmill/contract/runs";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../testing/factories.ts";
import { startTestService } from "../testing/service.ts";
import type { TestOrganization, TestService } from "../testing/service.ts";
import { waitFor } from "../testing/wait.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "10" });
});

const setState = (of: TestOrganization, state: "active" | "suspended") =>
  service.api("PATCH", `/v1/organizations/${of.organizationId}`, { body: { state } });
const read = async (of: TestOrganization, id: string): Promise<Run> =>
  (await of.api<Run>("GET", `/v1/runs/${id}`)).body;

/** States of the organization's runs, which no key can read while it is suspended: oldest first. */
const statesOf = async (name: string) =>
  (
    await service.query<{ state: string; state_reason: string | null }>(
      "select r.state, r.state_reason from runs r where r.name like $1 order by id",
      [`${name}%`],
    )
  ).map((row) => [row.state, row.state_reason]);

test("runs of a suspended organization stand still, and go on when it is active again", async () => {
  const tenant = await service.newOrganization();
  await service.api("PATCH", `/v1/organizations/${tenant.organizationId}`, { body: { limits: { runsInProgress: 2 } } });
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(200));
  const { id: jobSpecId } = await newJobSpec(tenant.api, { type: "mock", delayMs: 100 }, { concurrency: 1 });
  const start = (name: string) => newRun(tenant.api, { datasetId, jobSpecId, name: `still ${name}`, concurrency: 1 });
  const running = await start("running");
  const byUser = await start("paused by a person");
  const waiting = await start("waiting for the others");
  await waitFor(async () => (await read(tenant, running.id)).rows.succeeded > 0);
  expect((await tenant.api("POST", `/v1/runs/${byUser.id}/pause`)).status).toBe(200);
  expect((await read(tenant, waiting.id)).state).toBe("queued");

  expect((await setState(tenant, "suspended")).status).toBe(200);
  const stopped = [
    ["paused", "organization_suspended"],
    ["paused", "by_user"],
    ["paused", "organization_suspended"],
  ];
  await waitFor(async () => {
    expect(await statesOf("still")).toEqual(stopped);
    return true;
  });
  const inFlight = () =>
    service.query(
      "select 1 from run_chunks c join runs r on r.id = c.run_id where r.name like 'still%' and c.state = 'running'",
    );
  await waitFor(async () => (await inFlight()).length === 0);
  const resultsOf = () =>
    service.query<{ count: number }>("select coalesce(sum(row_count), 0)::int as count from run_segments");
  const before = await resultsOf();
  // Another organization's whole run passes meanwhile: time in which nothing may be done here.
  const other = await service.newOrganization();
  const otherDataset = await newDataset(other.api, numberedRows(20));
  const otherSpec = await newJobSpec(other.api, { type: "mock" });
  const otherRun = await newRun(other.api, { datasetId: otherDataset.id, jobSpecId: otherSpec.id });
  expect((await finishedRun(other.api, otherRun.id)).state).toBe("succeeded");
  expect((await resultsOf())[0]!.count).toBe(before[0]!.count + 20);
  expect(await statesOf("still")).toEqual(stopped);

  await setState(tenant, "active");
  await waitFor(async () => (await read(tenant, running.id)).state === "running");
  expect(await read(tenant, byUser.id)).toMatchObject({ state: "paused", stateReason: "by_user" });
  for (const run of [byUser, running]) await tenant.api("POST", `/v1/runs/${run.id}/cancel`);
  await waitFor(async () => (await read(tenant, waiting.id)).state === "running", { what: "the waiting run began" });
  const { data } = (await tenant.api<{ data: RunEvent[] }>("GET", `/v1/runs/${running.id}/events`)).body;
  expect(data.map(({ type }) => type)).toEqual(expect.arrayContaining(["run.paused", "run.resumed"]));
  await tenant.api("POST", `/v1/runs/${waiting.id}/cancel`);
});

test("a run that is being canceled when its organization is suspended ends", async () => {
  const tenant = await service.newOrganization();
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(100));
  // Its rows do not end by themselves: it is running until it is canceled.
  const { id: jobSpecId } = await newJobSpec(tenant.api, { type: "mock", delayMs: 60_000 });
  const run = await newRun(tenant.api, { datasetId, jobSpecId, name: "ending" });
  await waitFor(async () => (await read(tenant, run.id)).state === "running");
  await tenant.api("POST", `/v1/runs/${run.id}/cancel`);
  await setState(tenant, "suspended");
  await waitFor(async () => {
    expect(await statesOf("ending")).toEqual([["canceled", null]]);
    return true;
  });
});
