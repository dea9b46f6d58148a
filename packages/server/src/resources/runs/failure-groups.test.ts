import { beforeAll, expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import type { FailureGroup } from "@rowmill/contract/run-failure-groups";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { readAll } from "./runs-testing.ts";

let service: TestService;
let api: Api;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "7" });
  ({ api } = await service.newOrganization());
});

const groupsOf = (runId: string, limit?: number): Promise<FailureGroup[]> =>
  readAll<FailureGroup>(api, `/v1/runs/${runId}/failure-groups`, limit);

/** A run over rows with a number `n` below `count`, each of which has the output that `code` makes of it. */
async function runOf(count: number, code: string, more: Record<string, unknown> = {}): Promise<string> {
  const dataset = await newDataset(api, numberedRows(count));
  const spec = await newJobSpec(api, { type: "transform", code: `export default ${code}` }, more);
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
  return (await finishedRun(api, run.id)).id;
}

const labelAndPrice = {
  type: "object",
  properties: { label: { type: "string" }, prices: { type: "array", items: { type: "number" } } },
};
/** Of 60 rows 10 have a label that is no text, 10 a price that is no number, and 5 throw. */
const mixed = `({ n }) => {
  if (n % 12 === 5) throw new Error("row " + n);
  return n % 4 === 1 ? { label: n } : n % 12 === 3 || n % 12 === 7 ? { prices: [1, "?"] } : { label: "" };
}`;

/** Where code has thrown: its line, and a column. */
const atLine = (line: number): string => expect.stringMatching(new RegExp(`^transform\\.js:${line}:\\d+$`)) as string;

const byPath = (a: { path: string | null }, b: { path: string | null }): number =>
  (a.path ?? "") < (b.path ?? "") ? -1 : 1;

test("failures are grouped by code and path, the most frequent first, each with a sample", async () => {
  const runId = await runOf(60, mixed, { outputSchema: labelAndPrice });
  const failures = await readAll<Failure>(api, `/v1/runs/${runId}/failures`);
  const groups = await groupsOf(runId);
  expect(groups.map(({ sample: _one, ...cause }) => cause).toSorted(byPath)).toEqual([
    { code: "output_schema_invalid", class: "output", retryable: true, path: "/label", count: 10 },
    { code: "output_schema_invalid", class: "output", retryable: true, path: "/prices/1", count: 10 },
    { code: "transform_error", class: "transform", retryable: false, path: atLine(2), count: 5 },
  ]);
  expect(groups.map(({ count }) => count)).toEqual([10, 10, 5]);
  for (const { code, path, sample } of groups) {
    const failure = failures.find(({ index }) => index === sample.index);
    expect(failure).toMatchObject({ ...sample, code });
    expect(failure?.details?.["path"] ?? null).toBe(path);
  }
});

test("groups come in pages, each once", async () => {
  const runId = await runOf(40, "({ n }) => ({ ['field ' + n % 13]: n })", {
    outputSchema: { type: "object", patternProperties: { "^field": { type: "string" } } },
  });
  const all = await groupsOf(runId);
  expect(all).toHaveLength(13);
  expect(all.map(({ count }) => count)).toEqual([4, ...Array.from({ length: 12 }, () => 3)]);
  for (const limit of [1, 5, 12, 13]) expect(await groupsOf(runId, limit)).toEqual(all);
});

test("failures that all have one cause are one group, with a path or without", async () => {
  const outputSchema = { type: "object", properties: { label: { type: "string" } } };
  const withPath = await runOf(31, "({ n }) => (n % 3 === 1 ? { label: n } : {})", { outputSchema });
  const withoutPath = await runOf(31, "({ n }) => (n % 2 === 0 ? undefined : {})");
  for (const [runId, cause] of [
    [withPath, { code: "output_schema_invalid", path: "/label", count: 10 }],
    [withoutPath, { code: "transform_error", path: null, count: 16 }],
  ] as const) {
    const [group, ...others] = await groupsOf(runId, 1);
    expect([group, others]).toMatchObject([cause, []]);
    const failures = await readAll<Failure>(api, `/v1/runs/${runId}/failures`);
    expect(failures).toHaveLength(cause.count);
    expect(failures.find(({ index }) => index === group?.sample.index)).toMatchObject({ ...group?.sample });
  }
});

test("what code throws is grouped by the place where it was thrown, whatever the message", async () => {
  const code = `({ n }) => {
    if (n % 3 === 1) throw new Error("no " + n);
    if (n % 5 === 0) return n.missing.member;
    return n;
  }`;
  const groups = await groupsOf(await runOf(30, code));
  expect(groups).toMatchObject([
    { code: "transform_error", path: atLine(2), count: 10 },
    {
      code: "transform_error",
      path: atLine(3),
      count: 4,
      sample: { message: expect.stringMatching(/^TypeError/) as string },
    },
  ]);
});

test("a run without failures has no groups, and what a retry repaired is not in the retry's", async () => {
  const dataset = await newDataset(api, numberedRows(20));
  const spec = await newJobSpec(api, { type: "mock", failEvery: 4, failUntilRetry: 1 });
  const run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
  expect(await groupsOf(run.id)).toMatchObject([{ code: "provider_overloaded", path: null, count: 5 }]);
  const [group] = await groupsOf(run.id);
  const selection = { type: "codes", codes: [group?.code] };
  const retry = await api<{ id: string }>("POST", `/v1/runs/${run.id}/retry`, { body: { selection } });
  expectStatus(retry, 201);
  expect((await finishedRun(api, retry.body.id)).rows).toMatchObject({ total: 5, succeeded: 5 });
  expect(await groupsOf(retry.body.id)).toEqual([]);
});

test("a path of any length and with any characters is a group, by its first 200 characters", async () => {
  const runId = await runOf(6, `({ n }) => ({ ["😀\\u0001%".repeat(1000) + n]: n })`, {
    outputSchema: { type: "object", additionalProperties: { type: "string" } },
  });
  const groups = await groupsOf(runId, 1);
  const [group] = groups;
  expect(groups).toHaveLength(1);
  expect(group?.count).toBe(6);
  expect(group?.path).toMatch(/^\/😀/u);
  expect(Array.from(group?.path ?? "")).toHaveLength(200);
});

test("another organization, and a key that may not read results, see no groups", async () => {
  const runId = await runOf(1, "() => { throw new Error('no'); }");
  const { organizationId, api: own } = await service.newOrganization();
  const key = await own<{ key: string }>("POST", `/v1/organizations/${organizationId}/api-keys`, {
    body: { name: "Runs only", scopes: ["runs:read"] },
  });
  expectStatus(await api("GET", `/v1/runs/${runId}/failure-groups`, { key: key.body.key }), 403);
  const stranger = await service.newOrganization();
  expectStatus(await stranger.api("GET", `/v1/runs/${runId}/failure-groups`), 404);
});
