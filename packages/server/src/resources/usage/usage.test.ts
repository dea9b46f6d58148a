import type { Pool } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Organization } from "@rowmill/contract/organizations";
import type { UsageGroup } from "@rowmill/contract/usage";
import { newUuid, parseId } from "../../platform/ids.ts";
import { shareTime } from "../../platform/shared-time.ts";
import type { RowUsage } from "../../processors/processor.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { startByHand } from "../../testing/started-run.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { openTestPool } from "../../testing/test-database.ts";
import { claimChunk } from "../../engine/chunks/chunk-claims.ts";
import { commitChunk } from "../../engine/chunks/commit-chunk.ts";
import { addOutcome, noResults } from "../../engine/chunks/chunk-results.ts";
import { readAll } from "../runs/runs-testing.ts";

const DAY_MS = 86_400_000;
/** What is paid is paid on one day, whose noon it is: tomorrow, so that it stays in the month of PostgreSQL when that begins another. */
const TODAY = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
const NOON = Date.parse(`${TODAY}T12:00:00Z`);

let service: TestService;
let pool: Pool;
let time: ReturnType<typeof shareTime>;
beforeAll(async () => {
  // Nobody but the tests works on the runs.
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "2", ROWMILL_ROLE: "api" });
  pool = openTestPool(service.settings["ROWMILL_DATABASE_URL"], 2);
  await service.query(
    `create function be_paid_today() returns trigger language plpgsql as $$ begin new.day := '${TODAY}'; return new; end $$`,
  );
  await service.query(
    "create trigger paid_today before insert on usage_days for each row execute function be_paid_today()",
  );
  vi.useFakeTimers({ toFake: ["Date"], now: NOON });
  // PostgreSQL has another day.
  time = shareTime(() => Date.now());
});
afterAll(async () => {
  time.stop();
  vi.useRealTimers();
  await pool.end();
});

interface PaidRun {
  runId: string;
  jobSpecId: string;
  /** Commits a chunk of two rows, each of which has used this. */
  pay(usage: RowUsage): Promise<void>;
}

async function newPaidRun({ api, organizationId: shownId }: TestOrganization, more: object = {}): Promise<PaidRun> {
  const dataset = await newDataset(api, numberedRows(20));
  const jobSpecId = (await newJobSpec(api)).id;
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId, ...more });
  const organizationId = parseId("organization", shownId) ?? "";
  const id = parseId("run", run.id) ?? "";
  await startByHand(service, id);
  const [row] = await service.query<{ key: string }>("select api_key_id as key from runs where id = $1", [id]);
  const target = {
    organizationId,
    runId: id,
    jobSpecId: parseId("jobSpec", jobSpecId) ?? "",
    jobSpecVersion: 1,
    apiKeyId: row?.key ?? null,
    familyLock: null,
  };
  return {
    runId: run.id,
    jobSpecId,
    async pay(usage) {
      const chunk = await claimChunk(pool, { organizationId, id }, newUuid());
      if (chunk === undefined) throw new Error("there was no chunk to claim");
      const results = noResults();
      for (const index of [chunk.firstRow, chunk.firstRow + 1])
        addOutcome(results, { index, attempts: 2, durationMs: 0, outcome: { ok: true, output: "1" }, usage });
      expect(await commitChunk(pool, target, chunk, results, "done")).toBeDefined();
    },
  };
}

/** What was paid today was paid so many days ago. */
const moveDays = (runId: string, days: number) =>
  service.query("update usage_days set day = day - $2::int where run_id = $1 and day = $3", [
    parseId("run", runId),
    days,
    TODAY,
  ]);

const daysAgo = (days: number): string => new Date(NOON - days * DAY_MS).toISOString().slice(0, 10);
const usageOf = (api: Api, query: string, limit?: number): Promise<UsageGroup[]> =>
  readAll<UsageGroup>(api, `/v1/usage?${query}`, limit);

const tokens = { inputTokens: 1_000, outputTokens: 10, requests: 1 };
const cheap = { ...tokens, costUsd: "0.000000000001" };
const dear = { ...tokens, requests: 3, costUsd: "1.25" };

test("is added up by day, the newest first, to the last decimal", async () => {
  const { api, ...organization } = await service.newOrganization();
  const run = await newPaidRun({ api, ...organization });
  await run.pay(dear);
  await moveDays(run.runId, 3);
  await run.pay(cheap);
  await run.pay(dear);
  const days = await usageOf(api, "");
  expect(days).toEqual([
    {
      day: daysAgo(0),
      rows: 4,
      attempts: 8,
      requests: 8,
      inputTokens: 4_000,
      outputTokens: 40,
      unpricedRequests: 0,
      costUsd: "2.500000000002",
      pricedCostUsd: "2.500000000002",
      tests: { requests: 0, costUsd: "0.000000" },
    },
    {
      day: daysAgo(3),
      rows: 2,
      attempts: 4,
      requests: 6,
      inputTokens: 2_000,
      outputTokens: 20,
      unpricedRequests: 0,
      costUsd: "2.500000",
      pricedCostUsd: "2.500000",
      tests: { requests: 0, costUsd: "0.000000" },
    },
  ]);
  expect(await usageOf(api, "groupBy=day", 1)).toEqual(days);
  expect(await usageOf(api, `to=${daysAgo(1)}`)).toEqual(days.slice(1));
  expect(await usageOf(api, `from=${daysAgo(2)}&to=${daysAgo(0)}`)).toEqual(days.slice(0, 1));
});

test("is added up by run, job spec and key, the most expensive first, and each of them alone", async () => {
  const organization = await service.newOrganization();
  const { api, organizationId } = organization;
  const key = await api<CreatedApiKey>("POST", `/v1/organizations/${organizationId}/api-keys`, {
    body: { name: "Another" },
  });
  expectStatus(key, 201);
  const [first, second] = [await newPaidRun(organization), await newPaidRun(organization)];
  const withKey: Api = (method, path, request) => api(method, path, { key: key.body.key, ...request });
  const third = await newPaidRun({ ...organization, api: withKey }, { jobSpecId: first.jobSpecId });
  await first.pay(cheap);
  await second.pay(cheap);
  await second.pay(cheap);
  await third.pay(dear);
  const runs = await usageOf(api, "groupBy=run");
  expect(runs.map(({ runId, rows, costUsd }) => [runId, rows, costUsd])).toEqual([
    [third.runId, 2, "2.500000"],
    [second.runId, 4, "0.000000000004"],
    [first.runId, 2, "0.000000000002"],
  ]);
  for (const limit of [1, 2]) expect(await usageOf(api, "groupBy=run", limit)).toEqual(runs);
  const keys = await usageOf(api, "groupBy=api_key");
  expect(keys.map(({ apiKeyId, rows }) => [apiKeyId, rows])).toEqual([
    [key.body.id, 2],
    [expect.stringMatching(/^key_/), 6],
  ]);
  expect(await usageOf(api, `groupBy=run&apiKeyId=${key.body.id}`)).toMatchObject([{ runId: third.runId }]);
  expect(await usageOf(api, `runId=${second.runId}`)).toMatchObject([{ day: daysAgo(0), rows: 4 }]);
  const specs = await usageOf(api, "groupBy=job_spec");
  expect(specs.every((group) => Object.keys(group).includes("jobSpecId"))).toBe(true);
  expect(await usageOf(api, `groupBy=api_key&jobSpecId=${second.jobSpecId}`)).toMatchObject([{ rows: 4 }]);
});

test("is added up by the model that the version names, also when its run is deleted", async () => {
  const organization = await service.newOrganization();
  const [small, large, none] = [
    await newPaidRun(organization),
    await newPaidRun(organization),
    await newPaidRun(organization),
  ];
  for (const [{ jobSpecId }, model] of [
    [small, "house-small"],
    [large, "house-large"],
  ] as const)
    await service.query("update job_spec_versions set model = $2 where job_spec_id = $1", [
      parseId("jobSpec", jobSpecId),
      model,
    ]);
  await small.pay(cheap);
  await small.pay(cheap);
  await large.pay(dear);
  await none.pay(cheap);
  await service.query("delete from runs where id = $1", [parseId("run", small.runId)]);
  const groups = await usageOf(organization.api, "groupBy=model");
  expect(groups.map(({ model, rows, costUsd }) => [model, rows, costUsd])).toEqual([
    ["house-large", 2, "2.500000"],
    ["house-small", 4, "0.000000000004"],
    [null, 2, "0.000000000002"],
  ]);
  expect(await usageOf(organization.api, "groupBy=model", 1)).toEqual(groups);
});

test("of groups that cost and call the same, each comes once", async () => {
  const organization = await service.newOrganization();
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const run = await newPaidRun(organization);
    await run.pay(cheap);
    ids.push(run.runId);
  }
  const listed = await usageOf(organization.api, "groupBy=run", 2);
  expect(listed).toHaveLength(ids.length);
  expect(new Set(listed.map(({ runId }) => runId))).toEqual(new Set(ids));
});

test("does not pass a part of the costs for all of them, and has that part", async () => {
  const organization = await service.newOrganization();
  const run = await newPaidRun(organization);
  await run.pay(dear);
  await run.pay({ ...tokens, unpricedRequests: 1 });
  expect(await usageOf(organization.api, "")).toMatchObject([
    { requests: 8, unpricedRequests: 2, costUsd: null, pricedCostUsd: "2.500000" },
  ]);
});

test("stays when the run is deleted", async () => {
  const organization = await service.newOrganization();
  const { api } = organization;
  const run = await newPaidRun(organization);
  await run.pay(dear);
  expectStatus(await api("POST", `/v1/runs/${run.runId}/cancel`), 200);
  await service.query(
    "update runs set state = 'canceled', finished_at = now(), final_counts = '{}' where id = $1 and finished_at is null",
    [parseId("run", run.runId)],
  );
  expectStatus(await api("DELETE", `/v1/runs/${run.runId}`), 204);
  expect(await usageOf(api, "groupBy=run")).toMatchObject([{ runId: run.runId, costUsd: "2.500000" }]);
});

test.each([
  ["from=2026-02-01&to=2026-01-31", /from.*lies behind/],
  ["from=2025-01-01&to=2026-01-02", /367 days.*366/],
  ["from=2100-01-01", /lies behind/],
])("the range %s is refused", async (query, message) => {
  const { api } = await service.newOrganization();
  const { status, body } = await api("GET", `/v1/usage?${query}`);
  expect([status, body.error.code, body.error.param]).toEqual([400, "invalid_parameter", "from"]);
  expect(body.error.message).toMatch(message);
});

test("a range of 366 days is taken, at the end of time as well", async () => {
  const { api } = await service.newOrganization();
  for (const query of ["from=2024-01-01&to=2024-12-31", "to=1970-01-01", "to=9999-12-31"])
    expect(await usageOf(api, query)).toEqual([]);
});

test("a cursor keeps its range when the day changes", async () => {
  const organization = await service.newOrganization();
  const { api } = organization;
  const run = await newPaidRun(organization);
  // The first day of the range, to which tomorrow does not belong.
  for (const days of [1, 29]) {
    await run.pay(cheap);
    await moveDays(run.runId, days);
  }
  const page = await api("GET", "/v1/usage?limit=1");
  expect(page.body.data).toMatchObject([{ day: daysAgo(1) }]);
  const oldest = daysAgo(29);
  vi.setSystemTime(NOON + DAY_MS);
  try {
    const next = await api("GET", `/v1/usage?limit=1&cursor=${page.body.nextCursor}`);
    expect(next.body).toMatchObject({ data: [{ day: oldest }], nextCursor: null });
    expect((await api("GET", "/v1/usage?limit=1")).body.nextCursor).toBeNull();
  } finally {
    vi.setSystemTime(NOON);
  }
  const other = await api("GET", `/v1/usage?limit=1&groupBy=run&cursor=${page.body.nextCursor}`);
  expect([other.status, other.body.error.code]).toEqual([400, "invalid_cursor"]);
});

test("an organization shows what it has used this month, and no other", async () => {
  const [organization, other] = [await service.newOrganization(), await service.newOrganization()];
  const run = await newPaidRun(organization);
  await run.pay(dear);
  await moveDays(run.runId, 40);
  await run.pay(cheap);
  const read = async ({ api, organizationId }: TestOrganization) =>
    (await api<Organization>("GET", `/v1/organizations/${organizationId}`)).body.usage.thisMonth;
  expect(await read(organization)).toEqual({
    requests: 2,
    inputTokens: 2_000,
    outputTokens: 20,
    costUsd: "0.000000000002",
  });
  await run.pay({ ...tokens, unpricedRequests: 1 });
  expect(await read(organization)).toMatchObject({ requests: 4, costUsd: null });
  expect(await read(other)).toEqual({ requests: 0, inputTokens: 0, outputTokens: 0, costUsd: "0.000000" });
  expect(await usageOf(other.api, "groupBy=run")).toEqual([]);
  expect(await usageOf(other.api, `runId=${run.runId}`)).toEqual([]);
});
