/** Templates that do not refer to the rows as they were meant to: every row would be the same paid call. */
import { beforeAll, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset } from "../../testing/factories.ts";
import { startModelServer } from "../../testing/model-server.ts";
import type { ModelServer } from "../../testing/model-server.ts";
import { startTestService } from "../../testing/service.ts";

let api: Api;
let model: ModelServer;
let connection: string;
let datasetId: string;
beforeAll(async () => {
  model = await startModelServer();
  const service = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: model.origin });
  ({ api } = await service.newOrganization());
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: model.baseUrl, secret: "sk-test" },
  });
  expectStatus(created, 201);
  connection = created.body.id;
  datasetId = (
    await newDataset(api, [
      { title: "a", stars: 5 },
      { title: "b", stars: 1 },
    ])
  ).id;
});

const llm = (...contents: string[]): ProcessorConfig => ({
  type: "llm",
  connection,
  model: "m",
  messages: contents.map((content, i) => ({
    role: i === contents.length - 1 ? ("user" as const) : ("system" as const),
    content,
  })),
});
const http = (more: object): ProcessorConfig => ({ type: "http", method: "POST", url: `${model.origin}/x`, ...more });

const create = (processor: ProcessorConfig, more: object = {}) =>
  api<JobSpec>("POST", "/v1/job-specs", { body: { name: "Templates", processor, ...more } });
const warningsOf = async (processor: ProcessorConfig) => {
  const made = await create(processor);
  expectStatus(made, 201);
  return made.body.warnings?.map(({ path, code }) => [code, path]);
};

const NONE = "template_without_row";
const SINGLE = "single_brace_reference";

test("a template without a reference to the row is a warning at creation, and one in single braces is named", async () => {
  expect(await warningsOf(llm("Be brief.", "Label this review."))).toEqual([[NONE, "/processor/messages"]]);
  expect(await warningsOf(llm("Label {row.title}."))).toEqual([
    [NONE, "/processor/messages"],
    [SINGLE, "/processor/messages/0/content"],
  ]);
  expect(await warningsOf(llm("Label { row.title } and {{row.stars}}."))).toEqual([
    [SINGLE, "/processor/messages/0/content"],
  ]);
  expect(await warningsOf(http({ body: { text: "x" } }))).toEqual([[NONE, "/processor/url"]]);
  expect(
    await warningsOf(
      http({ url: `${model.origin}/{row.title}`, headers: { "x-a": "{row.a}" }, body: { a: ["{row.b} {{row.c}}"] } }),
    ),
  ).toEqual([
    [SINGLE, "/processor/url"],
    [SINGLE, "/processor/headers/x-a"],
    [SINGLE, "/processor/body/a/0"],
  ]);
  const spec = await create(llm("{{row.title}}"));
  expect(spec.body).not.toHaveProperty("warnings");
  const version = await api<JobSpec>("POST", `/v1/job-specs/${spec.body.id}/versions`, {
    body: { processor: llm("{row.title}") },
  });
  expect(version.body.warnings?.map(({ code }) => code)).toEqual([NONE, SINGLE]);
});

test("JSON, words in braces, and escaped braces are text", async () => {
  const prompt = String.raw`{{row.title}}: reply {"label": "{title}", "n": {"a": 1}}, use {placeholder} and \{{row.title}}, {{row.stars}}`;
  expect(await warningsOf(llm(prompt))).toBeUndefined();
  expect(await warningsOf(http({ body: '{"title": {{row.title | json}}}' }))).toBeUndefined();
  expect(await warningsOf({ type: "mock" })).toBeUndefined();
});

test("a column that the input schema names is refused in single braces, with the cure", async () => {
  const refused = await create(llm("Label {title} {{row.stars}}."), {
    inputSchema: { type: "object", properties: { title: {} } },
  });
  expectStatus(refused, 422);
  expect(refused.body).toMatchObject({
    error: {
      code: "job_spec_invalid",
      message: expect.stringContaining("{{row.title}}") as string,
      details: [{ path: "/processor/messages/0/content", code: SINGLE }],
    },
  });
});

test("the dry run has a problem where no row is named; runs and tests refuse columns in single braces", async () => {
  const same = await create(llm("Label this."));
  const run = { datasetId, scope: { type: "all" } };
  const dry = await api<RunEstimate>("POST", "/v1/runs", { body: { ...run, jobSpecId: same.body.id, dryRun: true } });
  expectStatus(dry, 200);
  expect(dry.body.problems).toMatchObject([{ datasetRowId: null, index: null, code: NONE }]);

  for (const text of ["{row.title}", "{title} {{row.stars}}"]) {
    const single = (await create(llm(text))).body.id;
    for (const [path, body] of [
      ["/v1/runs", { ...run, jobSpecId: single }],
      ["/v1/runs", { ...run, jobSpecId: single, dryRun: true }],
      [`/v1/job-specs/${single}/test`, { datasetId }],
      [`/v1/job-specs/${single}/test`, { rows: [{ title: "a", stars: 1 }] }],
    ] as const) {
      const refused = await api("POST", path, { body });
      expectStatus(refused, 422);
      expect(refused.body.error).toMatchObject({ code: "job_spec_invalid", details: [{ code: SINGLE }] });
      expect(refused.body.error.message).toContain("Write {{row.title}}");
    }
  }
  expect(model.calls).toEqual([]);
});

test("a column that the dataset does not have is named with the nearest one", async () => {
  const misspelt = (await create(llm("{{row.titel}}"))).body.id;
  const run = { datasetId, jobSpecId: misspelt, scope: { type: "all" } };
  const dry = await api<RunEstimate>("POST", "/v1/runs", { body: { ...run, dryRun: true } });
  expect(dry.body.problems.map(({ code, message }) => [code, message.includes("Did you mean `title`?")])).toEqual([
    ["template_error", true],
    ["template_error", true],
  ]);
  const refused = await api("POST", "/v1/runs", { body: run });
  expectStatus(refused, 422);
  expect(refused.body.error).toMatchObject({
    code: "job_spec_invalid",
    message: "The rows have no column `titel`, which a template names. Did you mean `title`?",
    details: [{ path: "/processor/messages/0/content", code: "unknown_column" }],
  });
  const tried = await api<{ failures: { message: string }[] }>("POST", `/v1/job-specs/${misspelt}/test`, {
    body: { datasetId },
  });
  expect(tried.body.failures[0]?.message).toContain("Did you mean `title`?");
});
