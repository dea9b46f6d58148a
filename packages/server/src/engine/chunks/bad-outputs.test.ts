/** Outputs that are no good JSON, or very large: one such row is one failure, and its neighbours succeed. */
import { beforeAll, describe, expect, test } from "vitest";
import type { Failure, Output } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";

let service: TestService;
let api: Api;
beforeAll(async () => {
  service = await startTestService();
  ({ api } = await service.newOrganization());
});

const runOf = async (count: number, code: string, spec: Record<string, unknown> = {}): Promise<Run> => {
  const dataset = await newDataset(api, numberedRows(count));
  const jobSpec = await newJobSpec(api, { type: "transform", code }, spec);
  return finishedRun(api, (await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id })).id);
};

const failuresOf = (run: Run): Promise<Failure[]> => readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
const outputsOf = (run: Run): Promise<Output[]> => readAll<Output>(api, `/v1/runs/${run.id}/outputs`);

test("bad rows fail one by one, with a message, and all others succeed", async () => {
  const run = await runOf(
    12,
    `export default ({ n }) => {
      if (n === 1) { let deep = 1; for (let i = 0; i < 5000; i++) deep = [deep]; return deep; }
      if (n === 2) { let deep = 1; for (let i = 0; i < 100000; i++) deep = { deep }; return deep; }
      if (n === 3) return "a\\u0000b";
      if (n === 4) return { half: "\\ud83d" };
      if (n === 5) return undefined;
      if (n === 6) return "x".repeat(2000000);
      if (n === 7) throw new Error("bad \\u0000 text \\ud83d");
      if (n === 8) return { huge: 1e308, small: 5e-324, big: 123456789012345680000 };
      if (n === 9) return "line\\nbreak \\u2028 \\u{1F600}";
      return n;
    }`,
  );
  expect(run).toMatchObject({ state: "partially_succeeded", rows: { total: 12, failed: 7, succeeded: 5 } });
  const failures = await failuresOf(run);
  expect(failures.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  for (const failure of failures) {
    expect(failure.code).toMatch(/^(transform_|output_)/);
    expect(failure.message.length).toBeGreaterThan(10);
    expect(failure.message).not.toContain("\0");
    expect(failure.message.isWellFormed()).toBe(true);
  }
  const outputs = await outputsOf(run);
  expect(outputs.map(({ data }) => data)).toEqual([
    0,
    { huge: 1e308, small: 5e-324, big: 123456789012345680000 },
    "line\nbreak \u2028 \u{1F600}",
    10,
    11,
  ]);
});

test("many large outputs take several commits, and each arrives whole", async () => {
  const run = await runOf(60, "export default ({ n }) => ({ n, text: String(n % 10).repeat(900000) })");
  expect(run).toMatchObject({ state: "succeeded", rows: { succeeded: 60 } });
  const outputs = await readAll<{ data: { n: number; text: string } }>(api, `/v1/runs/${run.id}/outputs`, 20);
  const rows = outputs.map(({ data: { n, text } }) => ({ n, length: text.length }));
  expect(rows).toEqual(Array.from({ length: 60 }, (_unused, n) => ({ n, length: 900_000 })));
});

describe("schemas", () => {
  const inputSchema = { type: "object", properties: { n: { type: "integer", maximum: 7 } } };
  const outputSchema = { type: "object", properties: { half: { type: "integer" } } };
  test("refuse rows before the processor and outputs after it, each with the path of what is wrong", async () => {
    const run = await runOf(10, "export default ({ n }) => ({ half: n / 2 })", { inputSchema, outputSchema });
    expect(run).toMatchObject({ state: "partially_succeeded", rows: { succeeded: 4, failed: 6 } });
    const failures = await failuresOf(run);
    expect(failures.map(({ index, code }) => [index, code])).toEqual([
      [1, "output_schema_invalid"],
      [3, "output_schema_invalid"],
      [5, "output_schema_invalid"],
      [7, "output_schema_invalid"],
      [8, "input_schema_invalid"],
      [9, "input_schema_invalid"],
    ]);
    expect(failures[0]).toMatchObject({ class: "output", retryable: true, details: { path: "/half" } });
    expect(failures[5]).toMatchObject({ class: "input", retryable: false, details: { path: "/n" } });
    expect((await outputsOf(run)).map(({ data }) => data)).toEqual([
      { half: 0 },
      { half: 1 },
      { half: 2 },
      { half: 3 },
    ]);
  });
});
