/** Schemas that would hold up the service: refused when a job spec is made, or a failure of the row whose check takes too long. */
import { beforeAll, expect, test } from "vitest";
import type { Failure } from "@rowmill/contract/run-results";
import type { Operations } from "@rowmill/contract";
import type { Static } from "typebox";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";

type Tried = Static<Operations["testJobSpec"]["response"]["schema"]>;

let api: Api;
beforeAll(async () => {
  ({ api } = await (await startTestService()).newOrganization());
});

/** Each reference doubles the work of a check. */
const doubling = {
  dependentSchemas: { slow: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, level === 39 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  ),
};

test.each([
  [
    "2 000 alternatives",
    "outputSchema",
    { items: { oneOf: Array.from({ length: 2_000 }, (_, n) => ({ const: n })) } },
    "/outputSchema/items/oneOf",
    "at most 250",
  ],
  [
    "nested repeats",
    "inputSchema",
    { properties: { a: { pattern: "((a{0,10}){0,10}){0,10}".repeat(10) } } },
    "/inputSchema/properties/a/pattern",
    "at most 5000",
  ],
  [
    "60 kB of repeats",
    "outputSchema",
    { properties: Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`p${n}`, { pattern: "a{900}" }])) },
    "/outputSchema",
    "at",
  ],
])(
  "a job spec with %s in a schema is refused, with the path and the limit",
  async (_name, member, schema, path, limit) => {
    const body = { name: "Large", processor: { type: "mock" }, [member]: schema };
    const refused = await api("POST", "/v1/job-specs", { body });
    expectStatus(refused, 422);
    expect(refused.body.error).toMatchObject({
      code: "schema_invalid",
      message: expect.stringContaining(limit) as string,
      details: [{ path: expect.stringContaining(path) as string }],
    });
  },
);

const code = `export default ({ n }) =>
  n === 1 ? { slow: n } : n === 2 ? { url: "http://" + "a:".repeat(100000) } : { n, url: "https://example.com/" + n }`;
const outputSchema = { ...doubling, properties: { url: { type: "string", format: "url" } } };

test("a row whose check takes too long fails alone, and so does a long text of a slow format", async () => {
  const rows = [0, 1, 2, 3].map((n) => ({ n }));
  const dataset = await newDataset(api, rows);
  const jobSpec = await newJobSpec(api, { type: "transform", code }, { outputSchema });
  const run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id })).id);
  expect(run).toMatchObject({ rows: { succeeded: 2, failed: 2 } });
  const { body } = await api<{ data: Failure[] }>("GET", `/v1/runs/${run.id}/failures`);
  expect(body.data.map(({ index, code: why, class: kind, message }) => ({ index, why, kind, message }))).toEqual([
    { index: 1, why: "schema_check_limit", kind: "limits", message: expect.stringContaining("too long") as string },
    { index: 2, why: "output_schema_invalid", kind: "output", message: '/url must match format "url".' },
  ]);

  const tried = await api<Tried>("POST", `/v1/job-specs/${jobSpec.id}/test`, { body: { rows } });
  expectStatus(tried, 200);
  expect(tried.body.failures.map(({ index, code: why }) => [index, why])).toEqual([
    [1, "schema_check_limit"],
    [2, "output_schema_invalid"],
  ]);
});

test("an input schema that takes too long is a failure of the row before the processor", async () => {
  const dataset = await newDataset(api, [{ n: 0 }, { slow: 1 }]);
  const jobSpec = await newJobSpec(api, { type: "mock" }, { inputSchema: doubling });
  const run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id })).id);
  expect(run).toMatchObject({ rows: { succeeded: 1, failed: 1 } });
  const { body } = await api<{ data: Failure[] }>("GET", `/v1/runs/${run.id}/failures`);
  expect(body.data).toMatchObject([{ index: 1, code: "schema_check_limit", retryable: true }]);
});
