/** What the reference shows as examples is what the service does. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { celEnv } from "@bufbuild/cel";
import { strings } from "@bufbuild/cel/ext";
import { DuckDBInstance } from "@duckdb/node-api";
import { deliverableEventTypes } from "@rowmill/contract/events";
import { compileCondition } from "@rowmill/server/platform/conditions/condition";
import { readContent, withDirectory } from "@rowmill/server/intake/readers/readers-testing";
import { compileTemplate, TemplateError } from "@rowmill/server/processors/templates/templates";
import { createTransformProcessor } from "@rowmill/server/processors/transform/transform";
import { createCellWriter } from "@rowmill/server/resources/exports/formats/csv-fields";
import { ByteWriter } from "@rowmill/server/platform/byte-writer";
import { createColumnType } from "@rowmill/server/resources/exports/formats/parquet-types";
import { checkEvent } from "@rowmill/server/testing/contract-check";
import { afterAll, describe, expect, test } from "vitest";
import { csvSamples, exportSamples, jsonSamples, parquetSamples } from "./data-type-samples.ts";
import { exampleAlert, exampleEvent } from "./events.ts";
import { expressionGroups, sampleRow, templateErrorSamples, templateSamples } from "./expression-samples.ts";
import {
  fixedValues,
  globalsNotThere,
  globalsThere,
  newerFeatures,
  refusedCode,
  transformSamples,
} from "./transform-samples.ts";

describe("an expression", () => {
  const samples = expressionGroups.flatMap((group) => group.samples);
  test.each(samples.map(({ example }) => example))("%s is true", (example) => {
    const compiled = compileCondition(example, "row");
    expect(compiled.outcome === "compiled" ? compiled.evaluate(sampleRow) : compiled).toEqual({ result: "match" });
  });

  test("every function that CEL brings is in the reference, with an example that uses it", () => {
    const known = samples.flatMap(({ functions }) => functions);
    const brought = functionsOf(celEnv({ funcs: [...strings] }));
    // Its name is a member of something that no expression may name.
    brought.delete("strings.quote");
    expect(brought.size).toBeGreaterThan(40);
    expect([...brought].filter((name) => !known.includes(name))).toEqual([]);
    for (const { functions, example } of samples)
      for (const name of functions.filter((word) => /^\w+$/.test(word))) expect(example).toContain(`${name}(`);
  });
});

/** The names of an environment's functions. */
function functionsOf({ funcs }: ReturnType<typeof celEnv>): Set<string> {
  return new Set(Array.from(funcs, ({ name }) => name));
}

describe("a template", () => {
  const scope = { row: sampleRow };
  test.each(templateSamples.map(({ template, text }) => [template, text]))("%s prints %s", (template, text) => {
    const compiled = compileTemplate(template, { names: ["row"] });
    expect(compiled.problems).toEqual([]);
    expect(compiled.render(scope)).toBe(text);
  });

  test.each(templateErrorSamples.map(({ template, path }) => [template, path]))("%s fails at %s", (template, path) => {
    const rendered = compileTemplate(template, { names: ["row"] }).render(scope);
    expect(rendered).toBeInstanceOf(TemplateError);
    expect(rendered).toMatchObject({ path });
  });
});

describe("the code of a transform", () => {
  const processor = createTransformProcessor({ threads: 1 });
  afterAll(() => processor.close());
  const context = { organizationId: "org_a", runId: "run_a", rootRunId: "run_a", retryNumber: 0 };

  async function run(code: string, row: unknown): Promise<unknown> {
    const step = await processor.prepare({ type: "transform", language: "javascript", code }, context);
    const [outcome] = await step.processRows([{ index: 0, text: JSON.stringify(row) }], new AbortController().signal);
    if (outcome === undefined) throw new Error("no outcome");
    return outcome.ok
      ? { output: JSON.parse(outcome.output) as unknown }
      : { failure: outcome.failure.code, message: outcome.failure.message };
  }

  test.each(transformSamples.map((sample) => [sample.title, sample] as const))(
    "%s",
    async (_title, { code, row, gives }) => {
      expect(await run(code, row)).toEqual(gives);
    },
  );

  test("finds what the reference says, and nothing of what it says is missing", async () => {
    const names = [...globalsThere, ...globalsNotThere];
    const code = `export default () => ({ ${names.map((name) => `${name}: typeof ${name}`).join(", ")} });`;
    const { output } = (await run(code, {})) as { output: Record<string, string> };
    expect(globalsThere.filter((name) => output[name] === "undefined")).toEqual([]);
    expect(globalsNotThere.filter((name) => output[name] !== "undefined")).toEqual([]);
  });

  test.each([...fixedValues, ...newerFeatures].map(({ expression, value }) => [expression, value] as const))(
    "%s is there",
    async (expression, value) => {
      expect(await run(`export default () => (${expression});`, {})).toEqual({ output: value });
    },
  );

  test.each(refusedCode.map(({ code }) => code))("%s is refused", async (code) => {
    expect(await processor.findProblems({ type: "transform", language: "javascript", code }, "org_a")).not.toEqual([]);
  });
});

test.each(deliverableEventTypes)("the example of %s is an event of the contract", (type) => {
  expect(() => checkEvent(JSON.stringify(exampleEvent(type)))).not.toThrow();
});

test("the example of an alert is one of the contract", () => {
  expect(() => checkEvent(JSON.stringify(exampleAlert()))).not.toThrow();
});

describe("a value comes in", () => {
  const valueOf = ({ lines, summary }: Awaited<ReturnType<typeof readContent>>) => ({
    value: /^\{"n":1,"v":(.*)\}$/.exec(lines[0] ?? "")?.[1],
    type: summary.columns.find(({ name }) => name === "v")?.type,
  });

  test.each(csvSamples.map(({ cell, type, value }) => [cell, type, value] as const))(
    "in CSV: %s",
    async (cell, type, value) => {
      const written = cell.includes(",") || cell.startsWith("{") ? `"${cell.replaceAll('"', '""')}"` : cell;
      expect(valueOf(await readContent(`n,v\n1,${written}\n`, { format: "csv" }))).toEqual({ value, type });
    },
  );

  test.each(jsonSamples.map(({ text, type }) => [text, type] as const))("in JSONL: %s", async (text, type) => {
    const content = `{"n":1,"v":${text}}\n`;
    expect(valueOf(await readContent(content, { format: "jsonl" }))).toEqual({ value: text, type });
  });

  test("in Parquet", async () => {
    const content = await withDirectory(async (directory) => {
      const path = join(directory, "table.parquet");
      const columns = parquetSamples.map(({ sql }, n) => `${sql} as c${n}`);
      const connection = await (await DuckDBInstance.create()).connect();
      await connection.run(`copy (select ${columns.join(", ")}) to '${path}' (format parquet)`);
      connection.closeSync();
      return readFile(path);
    });
    const { rows, summary } = await readContent(content, { format: "parquet" });
    expect(Object.values(rows[0] as object).map((value) => JSON.stringify(value))).toEqual(
      parquetSamples.map(({ value }) => value),
    );
    expect(summary.columns.map(({ type }) => type)).toEqual(parquetSamples.map(({ type }) => type));
  });
});

describe("a value goes out", () => {
  test.each(exportSamples.map(({ value, csv, parquet }) => [value, csv, parquet] as const))(
    "%s",
    (value, csv, parquet) => {
      const json = Buffer.from(value);
      const writer = new ByteWriter();
      createCellWriter(writer, { formulaGuard: false, delimiter: "," }).value(json, 0, json.length);
      expect(writer.take().toString()).toBe(csv);
      const column = createColumnType(undefined);
      if (value !== "null") column.add(json, 0, json.length);
      expect(column.type()).toBe(parquet);
    },
  );
});
