/**
 * What holds for every processor in the list. A new one is covered as soon as it has a sample here, without which this does not compile.
 */
import type { ProcessorConfigOf, ProcessorType } from "@rowmill/contract/processors";
import { describe, expect, test } from "vitest";
import { createSchemas } from "../platform/json-schema/schemas.ts";
import { cleanUpLater } from "../testing/cleanup.ts";
import type { InputRow, RunContext } from "./processor.ts";
import { createLargeTexts } from "./large-texts.ts";
import { createProcessors, processorTypes, traitsOf } from "./processors.ts";

const MODEL = "conn_0000000000000000000000000a";
const FALLBACK = "conn_0000000000000000000000000b";

const samples: { [T in ProcessorType]: { config: ProcessorConfigOf<T>; connections: string[] } } = {
  llm: {
    config: {
      type: "llm",
      connection: MODEL,
      model: "m",
      messages: [{ role: "user", content: "{{row.text}}" }],
      fallbacks: [{ model: "n" }, { connection: FALLBACK, model: "m" }],
      outputSchema: { type: "object" },
    },
    connections: [MODEL, FALLBACK],
  },
  http: {
    config: { type: "http", connection: MODEL, method: "POST", url: "https://example.com/{{row.text}}" },
    connections: [MODEL],
  },
  transform: { config: { type: "transform", code: "export default (row) => row" }, connections: [] },
  mock: { config: { type: "mock" }, connections: [] },
};

const context: RunContext = { organizationId: "o", runId: "r", rootRunId: "r", retryNumber: 0 };
const rows: InputRow[] = [0, 1, 2].map((index) => ({ index, text: `{"text":"row ${index}"}` }));

const schemas = createSchemas({ runWorkers: 1 });
const largeTexts = createLargeTexts();
const neverCalled = new Proxy(
  {},
  { get: (_target, name) => () => Promise.reject(new Error(`called: ${String(name)}`)) },
);
const processors = createProcessors({
  transformThreads: 1,
  schemas,
  largeTexts,
  // No row has a connection here, so that nothing can be called.
  connections: { find: () => Promise.resolve(undefined) },
  egress: neverCalled as Parameters<typeof createProcessors>[0]["egress"],
  limiter: neverCalled as Parameters<typeof createProcessors>[0]["limiter"],
});
cleanUpLater(async () => {
  await processors.close();
  await schemas.close();
  await largeTexts.close();
});

test("the list has every type of the contract", () => {
  expect(processorTypes.toSorted()).toEqual(Object.keys(samples).toSorted());
});

describe.each(processorTypes)("%s", (type) => {
  const { config, connections } = samples[type];
  const processor = processors.of(config);

  test("names its connections, each once, and only what calls has any", () => {
    const traits = traitsOf(config);
    expect(traits.connectionsOf(config).toSorted()).toEqual(connections.toSorted());
    expect(traits.kind).toBe(connections.length > 0 ? "calling" : "computing");
    const ofBatches = traits.batches === undefined ? [] : [traits.batches.modelOf(config).connectionId];
    expect(connections).toEqual(expect.arrayContaining(ofBatches));
  });

  test("names each text with a template by its place, or has no templates", () => {
    const { templates } = traitsOf(config);
    const texts = [...(templates?.textsOf(config) ?? [])];
    for (const { path, text } of texts) expect(valueAt({ processor: config }, path)).toBe(text);
    const written = JSON.stringify(config).match(/\{\{/g) ?? [];
    expect(texts.flatMap(({ text }) => text.match(/\{\{/g) ?? [])).toEqual(written);
    const main = templates === undefined ? undefined : valueAt({ processor: config }, templates.mainPath);
    expect(main === undefined).toBe(templates === undefined);
  });

  test("finds no problem in its configuration but a connection that does not exist", async () => {
    const problems = await processor.findProblems(config, context.organizationId);
    for (const { path, message } of problems) {
      expect(path).toMatch(/connection/);
      expect(message).not.toBe("");
    }
    expect(problems.length > 0).toBe(connections.length > 0);
  });

  test("gives one outcome for each row, in order, and says what was missing", async () => {
    const step = await processor.prepare(config, context);
    expect(step.maxRowsPerCall).toBeGreaterThanOrEqual(1);
    expect(step.callsAtOnce).toBeGreaterThanOrEqual(1);
    const outcomes = [];
    // The number of rows of a call may change with each of them.
    for (let from = 0; from < rows.length;) {
      const some = rows.slice(from, from + step.maxRowsPerCall);
      from += some.length;
      const made = await step.processRows(some, new AbortController().signal);
      expect(made).toHaveLength(some.length);
      outcomes.push(...made);
    }
    expect(outcomes.map(({ ok }) => ok)).toEqual(rows.map(() => connections.length === 0));
    for (const [index, outcome] of outcomes.entries()) {
      // One line of JSON with the row's own text; or which connection is missing.
      const text = outcome.ok ? outcome.output : outcome.failure.message;
      expect(text).toMatch(outcome.ok ? new RegExp(`^[^\\n]*row ${index}[^\\n]*$`) : /connection/);
    }
  });

  test("begins nothing for a signal that has aborted", async () => {
    const step = await processor.prepare(config, context);
    await expect(step.processRows(rows.slice(0, 1), AbortSignal.abort())).rejects.toThrow(Error);
  });

  test("estimates a row without a call, or calls nobody", async () => {
    const estimator = await processor.prepareEstimate?.(config, context.organizationId);
    expect(estimator !== undefined).toBe(traitsOf(config).kind === "calling");
    expect(estimator?.maxRequests ?? 1).toBeGreaterThanOrEqual(1);
    const [first] = rows;
    const estimated = first === undefined ? undefined : await estimator?.estimateRow(first);
    expect(estimated !== undefined).toBe(estimator !== undefined);
  });
});

/** `pointer` is a JSON pointer without escapes. */
const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split("/")
    .slice(1)
    .reduce((found: unknown, name) => (found as Record<string, unknown> | undefined)?.[name], value); // each part but the last is an object
