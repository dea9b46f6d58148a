/** The limits that the admin gives an organization, each met by its own error; keys and requests have tests where they are counted. */
import { beforeAll, expect, test } from "vitest";
import type { Organization, OrganizationLimit } from "@rowmill/contract/organizations";
import type { Run } from "@rowmill/contract/runs";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { getRun, runInState } from "../runs/runs-testing.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const limit = (limits: Partial<Record<OrganizationLimit, number | null>>) =>
  service.api("PATCH", `/v1/organizations/${tenant.organizationId}`, { body: { limits } });

test("a run has no more rows than the organization's runs may have, and a retry neither", async () => {
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(20));
  const { id: jobSpecId } = await newJobSpec(tenant.api);
  const ask = (scope: object) => tenant.api("POST", "/v1/runs", { body: { datasetId, jobSpecId, scope } });
  const whole = await finishedRun(tenant.api, (await newRun(tenant.api, { datasetId, jobSpecId })).id);
  await limit({ rowsPerRun: 19 });
  const refused = await ask({ type: "all" });
  expect([refused.status, refused.body.error.code, refused.body.error.param]).toEqual([409, "limit_reached", "scope"]);
  const retry = await tenant.api("POST", `/v1/runs/${whole.id}/retry`, { body: { selection: { type: "all" } } });
  expect([retry.status, retry.body.error.code]).toEqual([409, "limit_reached"]);
  expect((await ask({ type: "limit", count: 19 })).status).toBe(201);
  await limit({ rowsPerRun: null });
  expect((await ask({ type: "all" })).status).toBe(201);
});

test("runs over the limit in progress wait, one after the other, until there is room", async () => {
  await limit({ runsInProgress: 1 });
  const { id: datasetId } = await newDataset(tenant.api, numberedRows(5));
  const [{ id: hanging }, { id: quick }] = [
    await newJobSpec(tenant.api, { type: "mock", delayMs: 60_000 }),
    await newJobSpec(tenant.api),
  ];
  const first = await newRun(tenant.api, { datasetId, jobSpecId: hanging });
  const others = [];
  for (let i = 0; i < 2; i++) others.push(await newRun(tenant.api, { datasetId, jobSpecId: quick }));
  const last = (await tenant.api<Run>("GET", `/v1/runs/${others[1]!.id}`)).body;
  expect(last).toMatchObject({ state: "queued", stateReason: "waiting_for_capacity" });
  expect((await tenant.api("POST", `/v1/runs/${first.id}/cancel`)).status).toBe(200);
  for (const { id } of others) expect((await finishedRun(tenant.api, id)).state).toBe("succeeded");
});

test("runs over the limit in progress begin in the order of their priorities, and can be canceled while they wait", async () => {
  const other = await service.newOrganization();
  await service.api("PATCH", `/v1/organizations/${other.organizationId}`, {
    body: { limits: { runsInProgress: 1 } },
  });
  const own = await newDataset(other.api, numberedRows(5));
  const hanging = await newJobSpec(other.api, { type: "mock", delayMs: 60_000 });
  const make = (priority: number): Promise<Run> =>
    newRun(other.api, { datasetId: own.id, jobSpecId: hanging.id, priority });
  const first = await make(1);
  const [low, high, canceled] = [await make(2), await make(5), await make(4)];
  for (const run of [low, high, canceled])
    expect(run).toMatchObject({ state: "queued", stateReason: "waiting_for_capacity" });
  const gone = await other.api<Run>("POST", `/v1/runs/${canceled.id}/cancel`);
  expect(gone.body).toMatchObject({ state: "canceled", rows: { canceled: 5 } });
  await runInState(other.api, first.id, "running");
  expect((await getRun(other.api, high.id)).state).toBe("queued");
  await other.api("POST", `/v1/runs/${first.id}/cancel`);
  await runInState(other.api, high.id, "running");
  expect(await getRun(other.api, low.id)).toMatchObject({ state: "queued", stateReason: "waiting_for_capacity" });
  await other.api("POST", `/v1/runs/${high.id}/cancel`);
  await runInState(other.api, low.id, "running");
  await other.api("POST", `/v1/runs/${low.id}/cancel`);
});

test("of many runs created at once, no more begin than may", async () => {
  const other = await service.newOrganization();
  await service.api("PATCH", `/v1/organizations/${other.organizationId}`, {
    body: { limits: { runsInProgress: 2 } },
  });
  const own = await newDataset(other.api, numberedRows(5));
  const quick = await newJobSpec(other.api);
  const runs = await Promise.all(
    Array.from({ length: 8 }, () => newRun(other.api, { datasetId: own.id, jobSpecId: quick.id })),
  );
  expect(runs.filter(({ stateReason }) => stateReason === null).length).toBeGreaterThanOrEqual(2);
  for (const run of runs) expect((await finishedRun(other.api, run.id)).state).toBe("succeeded");
});

test("what is used is counted beside the limits", async () => {
  const organization = await service.newOrganization();
  const { id: datasetId } = await newDataset(organization.api, numberedRows(5));
  const { id: jobSpecId } = await newJobSpec(organization.api, { type: "mock", delayMs: 60_000 });
  const run = await newRun(organization.api, { datasetId, jobSpecId });
  await organization.api("POST", "/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/", eventTypes: ["*"] },
  });
  const shown = await organization.api("GET", `/v1/organizations/${organization.organizationId}`);
  expect(shown.body["usage"]).toEqual({
    runsInProgress: 1,
    webhookEndpoints: 1,
    apiKeys: 1,
    datasets: 1,
    storageBytes: expect.any(Number) as number,
    thisMonth: { requests: 0, inputTokens: 0, outputTokens: 0, costUsd: "0.000000" },
  });
  await organization.api("POST", `/v1/runs/${run.id}/cancel`);
});

test("datasets are counted as they are made and deleted, however many at once", async () => {
  const organization = await service.newOrganization();
  const { api } = organization;
  const counted = async (): Promise<unknown> => {
    const shown = await service.api<Organization>("GET", `/v1/organizations/${organization.organizationId}`);
    return shown.body.usage.datasets;
  };
  const made = await Promise.all(Array.from({ length: 8 }, () => newDataset(api, numberedRows(2))));
  expect(await counted()).toBe(8);
  const deleted = await Promise.all(made.slice(3).map(({ id }) => api("DELETE", `/v1/datasets/${id}`)));
  expect(deleted.map(({ status }) => status)).toEqual(Array(5).fill(204));
  expect(await counted()).toBe(3);
});
