/** What a run needs to be created and begun. */
import { describe, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { readAll } from "./runs-testing.ts";
import { ROWS, startStateService } from "./run-states-testing.ts";

const { service, api, dataset, quickSpecId, start } = await startStateService();

describe("what a run needs", () => {
  test("cannot be deleted: its dataset, while there is the run", async () => {
    const own = await newDataset(api, numberedRows(3));
    const run = await finishedRun(api, (await newRun(api, { datasetId: own.id, jobSpecId: quickSpecId })).id);
    const refused = await api("DELETE", `/v1/datasets/${own.id}`);
    expectStatus(refused, 409);
    expect(refused.body.error.code).toBe("resource_in_use");
    expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 204);
    expectStatus(await api("DELETE", `/v1/datasets/${own.id}`), 204);
  });

  test("must be there: an unknown dataset or job spec is named", async () => {
    const unknown = { datasetId: dataset.id.replace(/.{4}$/, "zzzz"), jobSpecId: quickSpecId.replace(/.{4}$/, "zzzz") };
    for (const param of ["datasetId", "jobSpecId"] as const) {
      const body = { datasetId: dataset.id, jobSpecId: quickSpecId, scope: { type: "all" }, [param]: unknown[param] };
      const response = await api("POST", "/v1/runs", { body });
      expectStatus(response, 404);
      expect(response.body.error).toMatchObject({ code: "not_found", param });
    }
  });

  test("must be the organization's own", async () => {
    const stranger = await service.newOrganization();
    const body = { datasetId: dataset.id, jobSpecId: quickSpecId, scope: { type: "all" } };
    expectStatus(await stranger.api("POST", "/v1/runs", { body }), 404);
    const run = await finishedRun(api, (await start(quickSpecId)).id);
    for (const path of ["", "/lineage", "/rows", "/outputs", "/failures", "/resolved-results", "/events"])
      expectStatus(await stranger.api("GET", `/v1/runs/${run.id}${path}`), 404);
    for (const path of ["/cancel", "/pause", "/resume", "/retry"])
      expectStatus(await stranger.api("POST", `/v1/runs/${run.id}${path}`), 404);
    expectStatus(await stranger.api("DELETE", `/v1/runs/${run.id}`), 404);
  });
});

test("the same create twice is one run", async () => {
  const body = { datasetId: dataset.id, jobSpecId: quickSpecId, scope: { type: "limit", count: 1 }, name: "only once" };
  const request = { body, idempotencyKey: "one-run" };
  const [first, second] = await Promise.all([
    api<Run>("POST", "/v1/runs", request),
    api<Run>("POST", "/v1/runs", request),
  ]);
  expect(first.status).toBe(201);
  expect(second.body).toEqual(first.body);
  const runs = await readAll<Run>(api, "/v1/runs");
  expect(runs.filter(({ name }) => name === "only once")).toHaveLength(1);
});

test.each([
  ["a time zone that PostgreSQL does not know", "2096-11-26T10:00:00+23:00", "2096-11-25T11:00:00.000Z"],
  ["parts of a millisecond", "2096-11-26T10:00:00.9999999Z", "2096-11-26T10:00:00.999Z"],
])("a deadline with %s", async (_what, deadlineAt, shown) => {
  expect(await start(quickSpecId, { deadlineAt })).toMatchObject({ deadlineAt: shown });
});

test("a deadline after the last year that a response can show is refused", async () => {
  const body = { datasetId: dataset.id, jobSpecId: quickSpecId, scope: { type: "all" } };
  const response = await api("POST", "/v1/runs", { body: { ...body, deadlineAt: "9999-12-31T23:59:59-23:59" } });
  expectStatus(response, 400);
  expect(response.body.error).toMatchObject({ code: "invalid_request", param: "deadlineAt" });
});

test("a run whose job spec cannot be prepared fails, with its reason", async () => {
  const spec = await newJobSpec(api);
  // A schema that was good once, and is not for a later version of the service.
  await service.query(`update job_spec_versions set input_schema = '{"type": "nonsense"}' where job_spec_id = $1`, [
    parseId("jobSpec", spec.id),
  ]);
  const broken = await finishedRun(api, (await start(spec.id)).id);
  expect(broken).toMatchObject({ state: "failed", error: { code: "internal_error" }, rows: { skipped: ROWS } });
  expect(service.logs().some((line) => line.includes("a run could not be prepared"))).toBe(true);
});
