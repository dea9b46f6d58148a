/** Errors say what was meant: the kind of a misplaced id, the path without `/v1`, the values that a filter takes. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Filter } from "@rowmill/contract/pagination";
import { formatId, formatRowId, newUuid } from "@rowmill/server/platform/ids";
import type { TestOrganization } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { newDataset, newJobSpec, numberedRows } from "@rowmill/server/testing/factories";
import { entries, pathOf } from "./support/operations.ts";

let tenant: TestOrganization;
let adminKey: string;
beforeAll(async () => {
  const service = await startTestService();
  adminKey = service.adminKey;
  tenant = await service.newOrganization();
});

const runId = formatId("run", newUuid());

describe("an id of another kind says which kind it is", () => {
  const all = { type: "all" };
  test.each<[string, string, object, string, string]>([
    ["runs", "/v1/runs", { datasetId: runId, jobSpecId: "x", scope: all }, "datasetId", "datasetId` wants ds_…"],
    [
      "dry runs",
      "/v1/runs",
      { datasetId: runId, jobSpecId: "x", scope: all, dryRun: true },
      "datasetId",
      "datasetId` wants ds_…",
    ],
    [
      "runs by a filter",
      "/v1/runs",
      { datasetId: runId, jobSpecId: "x", scope: { type: "filter", where: "true" } },
      "datasetId",
      "datasetId` wants ds_…",
    ],
  ])("in the body of %s", async (_of, path, body, param, message) => {
    const { status, body: response } = await tenant.api("POST", path, { body });
    expect([status, response.error]).toMatchObject([404, { code: "not_found", param }]);
    expect(response.error.message).toBe(`This is a run id; \`${message}.`);
  });

  test("in other members of bodies", async () => {
    const dataset = await newDataset(tenant.api, numberedRows(2));
    const spec = await newJobSpec(tenant.api, { type: "mock" });
    const run = await tenant.api("POST", "/v1/runs", {
      body: { datasetId: dataset.id, jobSpecId: dataset.id, scope: { type: "all" } },
    });
    expect(run.body.error).toMatchObject({
      param: "jobSpecId",
      message: "This is a dataset id; `jobSpecId` wants spec_….",
    });
    const rows = await tenant.api("POST", "/v1/runs", {
      body: { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "rows", rowIds: [runId] } },
    });
    expect([rows.status, rows.body.error.message]).toEqual([422, "This is a run id; `rowIds[0]` wants row_…."]);
    const tested = await tenant.api("POST", `/v1/job-specs/${spec.id}/test`, { body: { datasetId: spec.id } });
    expect([tested.status, tested.body.error.message]).toEqual([404, "This is a job spec id; `datasetId` wants ds_…."]);
    const llm = { type: "llm", connection: spec.id, model: "m", messages: [{ role: "user", content: "x" }] };
    for (const processor of [llm, { type: "http", method: "GET", url: "/x", connection: spec.id }]) {
      const { status, body } = await tenant.api("POST", "/v1/job-specs", { body: { name: "x", processor } });
      expect([status, body.error.details.map(({ message }) => message)]).toEqual([
        422,
        ["This is a job spec id; `connection` wants conn_…."],
      ]);
    }
  });

  test("in paths, which stay 404", async () => {
    const { status, body } = await tenant.api("GET", `/v1/datasets/${runId}`);
    expect([status, body.error.message]).toEqual([404, "This is a run id; the path wants ds_…."]);
    const row = await tenant.api("GET", `/v1/runs/${formatRowId(newUuid(), 3)}`);
    expect([row.status, row.body.error.message]).toEqual([404, "This is a dataset row id; the path wants run_…."]);
    const unknown = await tenant.api("GET", `/v1/datasets/${formatId("dataset", newUuid())}`);
    expect([unknown.status, unknown.body.error.message]).toEqual([404, "There is no such dataset."]);
  });

  test("in filters", async () => {
    const { status, body } = await tenant.api("GET", `/v1/runs?datasetId=${runId}`);
    expect([status, body.error.message]).toEqual([400, "This is a run id; `datasetId` wants ds_…."]);
    const nothing = await tenant.api("GET", "/v1/runs?datasetId=x");
    expect(nothing.body.error.message).toBe("`datasetId` is not the id of a dataset (ds_…).");
  });
});

test("a path without /v1 is refused with the right one", async () => {
  const { status, body } = await tenant.api("GET", "/runs");
  expect([status, body.error.message]).toEqual([
    404,
    "There is no such path. Paths of the API begin with /v1: did you mean /v1/runs?",
  ]);
});

test("an unknown query parameter gets those that exist", async () => {
  const { body } = await tenant.api("GET", "/v1/runs?dataset_id=x");
  expect(body.error.message).toMatch(
    /`dataset_id` here\. Did you mean `datasetId`\? There are: state, datasetId, .*limit/,
  );
});

describe("a member that another body has is named with its place", () => {
  const run = {
    datasetId: formatId("dataset", newUuid()),
    jobSpecId: formatId("jobSpec", newUuid()),
    scope: { type: "all" },
  };
  const spec = { name: "x", processor: { type: "mock" } };
  const upload = { name: "x", source: { type: "upload" } };
  test.each([
    ["/v1/runs", run, "limit", "Did you mean `scope.count`?"],
    ["/v1/runs", run, "filter", "Did you mean `scope.where`?"],
    ["/v1/runs", run, "maxFailures", "Did you mean `failurePolicy.maxFailedRows`?"],
    ["/v1/runs", run, "dedupe", "It belongs to the job spec: POST /v1/job-specs/{jobSpecId}/versions."],
    ["/v1/runs", run, "max_attempts", "It belongs to the job spec: POST /v1/job-specs/{jobSpecId}/versions."],
    ["/v1/runs", run, "retryOf", "POST /v1/runs/{runId}/retry processes rows of a run again."],
    ["/v1/runs", run, "rateLimit", "Connections have `rateLimit`: PATCH /v1/connections/{connectionId}."],
    ["/v1/runs", run, "idempotencyKey", "Send it as the header `Idempotency-Key`."],
    ["/v1/job-specs", spec, "prompt", "Did you mean `processor.messages`?"],
    ["/v1/job-specs", spec, "deduplicate", "Did you mean `dedupe`?"],
    ["/v1/job-specs", spec, "apiKey", "Connections have it: POST /v1/connections."],
    ["/v1/job-specs", spec, "idempotency_key", "Send it as the header `Idempotency-Key`."],
    ["/v1/dataset-uploads", upload, "separator", "Did you mean `csv.delimiter`?"],
    ["/v1/dataset-uploads", upload, "append", "A dataset does not change: upload all rows as a new one."],
    ["/v1/dataset-uploads", upload, "constructor", ""],
  ])("%s %#", async (path, right, name, hint) => {
    const { status, body } = await tenant.api("POST", path, { body: { ...right, [name]: "x" } });
    const message = `There is no member \`${name}\` here.${hint === "" ? "" : ` ${hint}`}`;
    expect([status, body.error.message]).toEqual([400, message]);
  });
});

const enums = entries.flatMap(({ id, o }) =>
  Object.entries((o.filters ?? {}) as Record<string, Filter>).flatMap(([name, filter]) =>
    "values" in filter ? [{ id, o, name, values: filter.values }] : [],
  ),
);
test.each(enums)("the filter $name of $id lists what it takes, and names the nearest", async ({ o, name, values }) => {
  const path = pathOf(o, { organizationId: tenant.organizationId });
  const key = o.access.by === "admin" ? adminKey : tenant.apiKey;
  const meant = values.at(-1) ?? "";
  const { status, body } = await tenant.api("GET", `${path}?${name}=${meant.toUpperCase()}`, { key });
  expect([status, body.error.param]).toEqual([400, name]);
  for (const value of values) expect(body.error.message).toContain(value);
  expect(body.error.message).toContain(`Did you mean \`${meant}\`?`);
});
