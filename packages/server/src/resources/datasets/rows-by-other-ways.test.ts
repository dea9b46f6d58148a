/** Contents of datasets need `datasets:read`, by whatever operation they would be seen or guessed. */
import { beforeAll, expect, test } from "vitest";
import { operations } from "@rowmill/contract";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Export } from "@rowmill/contract/exports";
import { failureCodes } from "@rowmill/contract/failures";
import type { Operation } from "@rowmill/contract/operation";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import type { Scope } from "@rowmill/contract/scopes";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

let service: TestService;
let tenant: TestOrganization;
let ids: { datasetId: string; jobSpecId: string; runId: string };
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
  const { id: datasetId } = await newDataset(tenant.api, [{ secret: "4711" }, { secret: "0815" }]);
  const { id: jobSpecId } = await newJobSpec(tenant.api);
  const run = await newRun(tenant.api, { datasetId, jobSpecId });
  expect((await finishedRun(tenant.api, run.id)).state).toBe("succeeded");
  ids = { datasetId, jobSpecId, runId: run.id };
});

async function keyWith(scopes: readonly Scope[]): Promise<string> {
  const path = `/v1/organizations/${tenant.organizationId}/api-keys`;
  const made = await tenant.api<CreatedApiKey>("POST", path, { body: { name: "A key", scopes } });
  expectStatus(made, 201);
  return made.body.key;
}

const filter = { type: "filter", where: "row.secret == '4711'" };
/** Each operation that can show contents of a dataset, with a body that does and one that does not. */
const ways: { id: keyof typeof operations; path: () => string; shows: () => object; hides: () => object }[] = [
  {
    id: "testJobSpec",
    path: () => `/v1/job-specs/${ids.jobSpecId}/test`,
    shows: () => ({ datasetId: ids.datasetId }),
    hides: () => ({ rows: [{ secret: "mine" }] }),
  },
  {
    id: "createRun",
    path: () => "/v1/runs",
    shows: () => ({ datasetId: ids.datasetId, jobSpecId: ids.jobSpecId, scope: filter, dryRun: true }),
    hides: () => ({ datasetId: ids.datasetId, jobSpecId: ids.jobSpecId, scope: { type: "all" }, dryRun: true }),
  },
  {
    id: "createRun",
    path: () => "/v1/runs",
    shows: () => ({ datasetId: ids.datasetId, jobSpecId: ids.jobSpecId, scope: filter }),
    hides: () => ({ datasetId: ids.datasetId, jobSpecId: ids.jobSpecId, scope: { type: "limit", count: 1 } }),
  },
  {
    id: "createExport",
    path: () => `/v1/runs/${ids.runId}/exports`,
    shows: () => ({ type: "outputs", format: "jsonl", includeInput: true }),
    hides: () => ({ type: "outputs", format: "jsonl", includeInput: false }),
  },
];

test.each(ways)("$id needs datasets:read for what shows rows, and for nothing else", async (way) => {
  const { access }: Operation = operations[way.id];
  const own = "scopes" in access ? access.scopes : [];
  const [without, withIt] = [await keyWith(own), await keyWith([...own, "datasets:read"])];
  const idempotencyKey = `shows-${way.id}-${JSON.stringify(way.shows()).length}`;
  const ask = (key: string) => tenant.api("POST", way.path(), { body: way.shows(), key, idempotencyKey });
  const refused = await ask(without);
  expect([refused.status, refused.body.error.code]).toEqual([403, "insufficient_scope"]);
  expect(refused.body.error["requiredScopes"]).toEqual([...own, "datasets:read"]);
  expect((await ask(withIt)).status).toBeLessThan(300);
  // What is stored for a repeat shows the same.
  const repeated = await ask(without);
  expect([repeated.status, repeated.headers["idempotent-replayed"]]).toEqual([403, undefined]);
  const harmless = await tenant.api("POST", way.path(), { body: way.hides(), key: without });
  expect(harmless.status).toBeLessThan(300);
});

test("the walk above knows every operation whose body can need datasets:read", () => {
  const all = Object.entries(operations as Record<string, Operation>);
  const declared = all
    .filter(([, o]) => o.bodyScopes?.some(({ scopes }) => scopes.includes("datasets:read")))
    .map(([id]) => id);
  expect(declared.toSorted()).toEqual([...new Set(ways.map(({ id }) => id))].toSorted());
});

test("an export's file with inputs is downloaded with datasets:read only", async () => {
  const readyFile = async (includeInput: boolean): Promise<string> => {
    const path = `/v1/runs/${ids.runId}/exports`;
    const made = await tenant.api<Export>("POST", path, { body: { type: "outputs", format: "jsonl", includeInput } });
    expectStatus(made, 201);
    return waitFor(async () => {
      const { body } = await tenant.api<Export>("GET", `/v1/exports/${made.body.id}`);
      return body.status === "ready" ? `/v1/exports/${body.id}/download` : undefined;
    });
  };
  const [withInput, without] = [await readyFile(true), await readyFile(false)];
  const key = await keyWith(["exports:read", "results:read"]);
  const refused = await tenant.api("GET", withInput, { key });
  expect([refused.status, refused.body.error.code]).toEqual([403, "insufficient_scope"]);
  expect(refused.body.error["requiredScopes"]).toContain("datasets:read");
  expect((await tenant.api("GET", without, { key })).status).toBe(200);
  const reader = await keyWith(["exports:read", "results:read", "datasets:read"]);
  expect((await tenant.api("GET", withInput, { key: reader })).text).toContain("4711");
});

test("what failures say of rows is shown with results:read, and in a dry run with datasets:read, and else what their codes mean", async () => {
  const code = "export default (row) => { throw new Error(`the secret is ${row.secret}`); };";
  const failing = await newJobSpec(tenant.api, { type: "transform", code });
  const run = await newRun(tenant.api, { datasetId: ids.datasetId, jobSpecId: failing.id });
  await finishedRun(tenant.api, run.id);
  const list = `/v1/runs/${run.id}/rows`;
  const [operator, reader] = [await keyWith(["runs:read"]), await keyWith(["runs:read", "results:read"])];
  for (const path of [list, `${list}?state=failed`, `${list}?code=transform_error`]) {
    const [hidden, shown] = [
      await tenant.api("GET", path, { key: operator }),
      await tenant.api("GET", path, { key: reader }),
    ];
    expect(hidden.body).toMatchObject({
      data: [{ error: { code: "transform_error", message: failureCodes.transform_error.meaning } }, {}],
    });
    expect([hidden.text.includes("4711"), shown.text.includes("the secret is 4711")]).toEqual([false, true]);
  }
  const streamed = await tenant.api("GET", list, { key: operator, headers: { accept: "application/x-ndjson" } });
  expect([streamed.text.includes("transform_error"), streamed.text.includes("4711")]).toEqual([true, false]);

  const inputSchema = { properties: { secret: { type: "integer" } } };
  const refusing = await newJobSpec(tenant.api, { type: "mock" }, { inputSchema });
  const body = { datasetId: ids.datasetId, jobSpecId: refusing.id, scope: { type: "all" }, dryRun: true };
  const dryRun = async (scopes: Scope[]) =>
    (await tenant.api<RunEstimate>("POST", "/v1/runs", { body, key: await keyWith(scopes) })).body.problems;
  expect((await dryRun(["runs:write"])).map(({ message }) => message)).toEqual(
    Array.from({ length: 2 }, () => failureCodes.input_schema_invalid.meaning),
  );
  expect((await dryRun(["runs:write", "datasets:read"]))[0]?.message).toContain("/secret");
});
