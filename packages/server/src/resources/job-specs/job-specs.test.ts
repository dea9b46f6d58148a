/** Job specs, their versions that never change, and trying one out. */
import { beforeAll, describe, expect, test } from "vitest";
import type { JobSpec, JobSpecVersion } from "@rowmill/contract/job-specs";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";

let service: TestService;
let api: Api;
beforeAll(async () => {
  service = await startTestService();
  ({ api } = await service.newOrganization());
});

const transform = (code: string) => ({ type: "transform" as const, code });

describe("a job spec", () => {
  test("shows what it was made of, and null for what was left out", async () => {
    const whole = {
      name: "Whole",
      description: "Everything named",
      processor: { type: "mock", failEvery: 3, delayMs: 0 },
      inputSchema: { type: "object" },
      outputSchema: true,
      retry: { maxAttempts: 2, multiplier: 1.5 },
      timeoutSeconds: 9,
      concurrency: 7,
      failurePolicy: { maxFailedRows: 0 },
      metadata: { team: "data" },
    };
    const created = await api<JobSpec>("POST", "/v1/job-specs", { body: whole });
    expectStatus(created, 201);
    expect(created.headers["location"]).toBe(`/v1/job-specs/${created.body.id}`);
    expect(created.body).toMatchObject({ ...whole, latestVersion: 1, archivedAt: null });
    expect((await api<JobSpec>("GET", `/v1/job-specs/${created.body.id}`)).body).toEqual(created.body);
    expect(await newJobSpec(api)).toMatchObject({
      description: null,
      inputSchema: null,
      outputSchema: null,
      retry: null,
      timeoutSeconds: null,
      concurrency: null,
      failurePolicy: null,
      metadata: {},
    });
  });

  test.each<[string, object, string, string]>([
    [
      "code that does not compile",
      { processor: transform("export default (row) => {") },
      "job_spec_invalid",
      "/processor/code",
    ],
    ["code without a function", { processor: transform("export default 3") }, "job_spec_invalid", "/processor/code"],
    ["an input schema that is none", { inputSchema: { type: "nonsense" } }, "schema_invalid", "/inputSchema/type"],
    [
      "an output schema that refers to the web",
      { outputSchema: { $ref: "https://example.com/a" } },
      "schema_invalid",
      "/outputSchema/$ref",
    ],
    [
      "a pattern that could hang",
      { outputSchema: { type: "string", pattern: "(?=a)b" } },
      "schema_invalid",
      "/outputSchema/pattern",
    ],
  ])("is refused with the place of %s", async (_name, body, code, path) => {
    const response = await api("POST", "/v1/job-specs", {
      body: { name: "Bad", processor: { type: "mock" }, ...body },
    });
    expectStatus(response, 422);
    expect(response.body.error).toMatchObject({ code, details: [{ path }] });
  });

  test("is renamed, and what its runs do stays", async () => {
    const spec = await newJobSpec(api);
    const response = await api<JobSpec>("PATCH", `/v1/job-specs/${spec.id}`, {
      body: { name: "New", description: "d", metadata: { a: "1" } },
    });
    expect(response.body).toEqual({
      ...spec,
      name: "New",
      description: "d",
      metadata: { a: "1" },
      updatedAt: response.body.updatedAt,
    });
    expectStatus(await api("PATCH", `/v1/job-specs/${spec.id}`, { body: { processor: { type: "mock" } } }), 400);
  });

  test("that is archived takes no runs and versions, can be read, and its runs can not be retried", async () => {
    const dataset = await newDataset(api, numberedRows(4));
    const spec = await newJobSpec(api, { type: "mock", failEvery: 2 });
    const run = await finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id })).id);
    expectStatus(await api("DELETE", `/v1/job-specs/${spec.id}`), 204);
    expectStatus(await api("DELETE", `/v1/job-specs/${spec.id}`), 204);
    const body = { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" } };
    const refusals = [
      await api("POST", "/v1/runs", { body }),
      await api("POST", `/v1/runs/${run.id}/retry`, { body: {} }),
      await api("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: { type: "mock" } } }),
    ];
    for (const refusal of refusals) {
      expectStatus(refusal, 409);
      expect(refusal.body.error.code).toBe("invalid_state");
    }
    // Nothing that is refused is offered.
    const actionsOf = ({ nextSteps }: Run): string[] => nextSteps.map(({ action }) => action);
    expect(actionsOf(run)).toEqual(["read_failures", "retry"]);
    const { body: now } = await api<Run>("GET", `/v1/runs/${run.id}`);
    const { body: listed } = await api<{ data: Run[] }>("GET", `/v1/runs?jobSpecId=${spec.id}`);
    for (const shown of [now, ...listed.data]) expect(actionsOf(shown)).toEqual(["read_failures", "create_again"]);
    const { body: archived } = await api<JobSpec>("GET", `/v1/job-specs/${spec.id}`);
    expect(archived.archivedAt).not.toBeNull();
    expect((await api("GET", "/v1/job-specs?limit=1000")).body.data.map(({ id }) => id)).not.toContain(spec.id);
  });

  test("that is archived in the middle of a run lets it go on", async () => {
    const dataset = await newDataset(api, numberedRows(4));
    const spec = await newJobSpec(api, { type: "mock", delayMs: 300 }, { concurrency: 1 });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    expectStatus(await api("DELETE", `/v1/job-specs/${spec.id}`), 204);
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", rows: { succeeded: 4 } });
  });

  test("of another organization does not exist", async () => {
    const spec = await newJobSpec(api);
    const stranger = await service.newOrganization();
    for (const path of ["", "/versions", "/versions/1"])
      expectStatus(await stranger.api("GET", `/v1/job-specs/${spec.id}${path}`), 404);
    expectStatus(await stranger.api("POST", `/v1/job-specs/${spec.id}/test`, { body: { rows: [{}] } }), 404);
    expectStatus(await stranger.api("PATCH", `/v1/job-specs/${spec.id}`, { body: { name: "x" } }), 404);
  });
});

describe("versions", () => {
  test("are numbered, never change, and the latest is what new runs use", async () => {
    const dataset = await newDataset(api, numberedRows(2));
    const spec = await newJobSpec(api, transform("export default () => 1"), { concurrency: 5 });
    const add = (code: string) =>
      api<JobSpecVersion>("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: transform(code) } });
    const second = await add("export default () => 2");
    expectStatus(second, 201);
    expect(second.headers["location"]).toBe(`/v1/job-specs/${spec.id}/versions/2`);
    expect(second.body).toMatchObject({ version: 2, jobSpecId: spec.id, concurrency: null });
    expect((await api<JobSpecVersion>("GET", `/v1/job-specs/${spec.id}/versions/1`)).body).toMatchObject({
      version: 1,
      processor: { code: "export default () => 1" },
      concurrency: 5,
    });
    expectStatus(await api("GET", `/v1/job-specs/${spec.id}/versions/3`), 404);
    const { body: list } = await api<{ data: JobSpecVersion[] }>("GET", `/v1/job-specs/${spec.id}/versions`);
    expect(list.data.map(({ version }) => version)).toEqual([2, 1]);
    const outputsOf = async (more: object): Promise<[number, unknown[]]> => {
      const run = await finishedRun(
        api,
        (await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id, ...more })).id,
      );
      const { body } = await api("GET", `/v1/runs/${run.id}/outputs`);
      return [run.jobSpecVersion, body.data.map(({ data }) => data)];
    };
    expect(await outputsOf({})).toEqual([2, [2, 2]]);
    expect(await outputsOf({ jobSpecVersion: 1 })).toEqual([1, [1, 1]]);
    const unknown = await api("POST", "/v1/runs", {
      body: { datasetId: dataset.id, jobSpecId: spec.id, scope: { type: "all" }, jobSpecVersion: 9 },
    });
    expectStatus(unknown, 404);
    expect(unknown.body.error.param).toBe("jobSpecVersion");
  });

  test("made at once get numbers of their own", async () => {
    const spec = await newJobSpec(api);
    const made = await Promise.all(
      Array.from({ length: 6 }, () =>
        api<JobSpecVersion>("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: { type: "mock" } } }),
      ),
    );
    expect(new Set(made.map(({ body }) => body.version))).toEqual(new Set([2, 3, 4, 5, 6, 7]));
    expect((await api<JobSpec>("GET", `/v1/job-specs/${spec.id}`)).body.latestVersion).toBe(7);
  });

  test("keep for a run what it began with", async () => {
    const dataset = await newDataset(api, numberedRows(3));
    const spec = await newJobSpec(api, { type: "mock", delayMs: 300 }, { concurrency: 1 });
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: spec.id });
    await api("POST", `/v1/job-specs/${spec.id}/versions`, { body: { processor: { type: "mock", failEvery: 1 } } });
    expect(await finishedRun(api, run.id)).toMatchObject({ state: "succeeded", jobSpecVersion: 1 });
    const retry = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body: { selection: { type: "all" } } });
    expect(await finishedRun(api, retry.body.id)).toMatchObject({ state: "succeeded", jobSpecVersion: 1 });
  });
});

interface Tried {
  outputs: { index: number; data: unknown; logs: string }[];
  failures: { index: number; code: string; message: string; logs: string }[];
}

describe("a test", () => {
  test("returns outputs, failures and what the code wrote, and keeps nothing", async () => {
    const spec = await newJobSpec(
      api,
      transform(
        "export default ({ n }) => { console.log('row', n); if (n === 1) throw new Error('no ones'); return n * 2; }",
      ),
      { inputSchema: { properties: { n: { maximum: 5 } } }, outputSchema: { maximum: 6 } },
    );
    const { body } = await api<Tried>("POST", `/v1/job-specs/${spec.id}/test`, {
      body: { rows: [{ n: 0 }, { n: 1 }, { n: 9 }, { n: 4 }] },
    });
    expect(body.outputs).toMatchObject([{ index: 0, data: 0, logs: "row 0\n" }]);
    expect(body.failures.map(({ index, code }) => [index, code])).toEqual([
      [1, "transform_error"],
      [2, "input_schema_invalid"],
      [3, "output_schema_invalid"],
    ]);
    expect(body.failures[0]?.message).toContain("no ones");
    expect((await api("GET", `/v1/runs?jobSpecId=${spec.id}`)).body.data).toEqual([]);
  });

  test.each([
    ["small", ""],
    ["large", "x".repeat(200_000)],
  ])("takes the numbers of %s rows as they were written, as a run does", async (_what, text) => {
    const spec = await newJobSpec(api);
    const row = `{"id":12345678901234567890,"price":1.10,"text":"${text}"}`;
    const tried = await api<Tried>("POST", `/v1/job-specs/${spec.id}/test`, { body: `{"rows":[${row}]}` });
    expect(tried.text).toContain(row);
  });

  test("takes the first rows of a dataset", async () => {
    const dataset = await newDataset(api, numberedRows(30));
    const spec = await newJobSpec(api);
    const tryWith = async (more: object): Promise<number[]> => {
      const { body } = await api<Tried>("POST", `/v1/job-specs/${spec.id}/test`, {
        body: { datasetId: dataset.id, ...more },
      });
      return body.outputs.map(({ index }) => index);
    };
    expect(await tryWith({})).toEqual([0, 1, 2, 3, 4]);
    expect(await tryWith({ count: 20 })).toHaveLength(20);
    const wrong = await api("POST", `/v1/job-specs/${spec.id}/test`, { body: { datasetId: dataset.id, rows: [{}] } });
    expectStatus(wrong, 400);
  });

  test("fails a row that hangs, like a run would", async () => {
    const spec = await newJobSpec(api, transform("export default ({ n }) => { while (n === 1); return n; }"));
    const { body } = await api<Tried>("POST", `/v1/job-specs/${spec.id}/test`, {
      body: { rows: [{ n: 0 }, { n: 1 }] },
    });
    expect(body.outputs).toMatchObject([{ index: 0, data: 0 }]);
    expect(body.failures).toMatchObject([{ index: 1, code: "transform_timeout" }]);
  });
});
