import { afterAll, describe, expect, test } from "vitest";
import type { InputRow, RowOutcome, RunContext } from "../processor.ts";
import { createTransformProcessor, type TransformConfig } from "./transform.ts";

/** On a busy machine too, code meets its limits of memory and of computing first. */
const PATIENCE_MS = 120_000;
const processor = createTransformProcessor({ threads: 2, checkBackstopMs: PATIENCE_MS });
afterAll(() => processor.close());

const context: RunContext = { organizationId: "org_a", runId: "run_a", rootRunId: "run_a", retryNumber: 0 };
const signal = new AbortController().signal;

function config(code: string): TransformConfig {
  return { type: "transform", language: "javascript", code };
}

function rowsOf(values: unknown[]): InputRow[] {
  return values.map((value, index) => ({ index, text: JSON.stringify(value) }));
}

async function run(code: string, values: unknown[], runContext = context): Promise<RowOutcome[]> {
  const step = await processor.prepare(config(code), runContext);
  return step.processRows(rowsOf(values), signal);
}

function outputs(outcomes: RowOutcome[]): unknown[] {
  return outcomes.map((outcome) => (outcome.ok ? (JSON.parse(outcome.output) as unknown) : outcome.failure.code));
}

function messages(outcomes: RowOutcome[]): string[] {
  return outcomes.map((outcome) => (outcome.ok ? "" : outcome.failure.message));
}

describe("what a transform computes", () => {
  test("every row becomes the value that the function returns, in the order of the rows", async () => {
    const values = Array.from({ length: 1_234 }, (_, n) => ({ n }));
    const outcomes = await run("export default (row) => ({ double: row.n * 2 });", values);
    expect(outputs(outcomes)).toEqual(values.map(({ n }) => ({ double: n * 2 })));
  });

  test("no rows give no outcomes", async () => {
    expect(await run("export default (row) => row;", [])).toEqual([]);
  });

  test("null, false, zero and the empty string are values", async () => {
    const code = "export default (row) => row.value;";
    const values = [null, false, 0, "", [], {}].map((value) => ({ value }));
    expect(outputs(await run(code, values))).toEqual([null, false, 0, "", [], {}]);
  });

  test("text of every kind comes back as it went in", async () => {
    const values = ["é 漢字 🎉 \u2028 \u2029 \u00a0", 'a"b\\c\n\r\t', "\\u0000 as text", "x".repeat(5_000)].map(
      (text) => ({ text }),
    );
    expect(outputs(await run("export default (row) => row;", values))).toEqual(values);
  });

  test("texts arrive whole when the sandbox's memory has to grow for them, and so do those after them", async () => {
    const values = ["🎉 é", "🎉é漢".repeat(1_000_000), "漢".repeat(2_000_000), "é"].map((text) => ({ text }));
    const code = "export default ({ text }) => [text.length, text.slice(0, 3), text.slice(-1)];";
    expect(outputs(await run(code, values))).toEqual(
      values.map(({ text }) => [text.length, text.slice(0, 3), text.slice(-1)]),
    );
  });

  test("a named function, a class of its own and modern syntax work", async () => {
    const code = `
      class Money { #cents; constructor(cents) { this.#cents = cents; } toJSON() { return (this.#cents / 100).toFixed(2); } }
      export default function price({ cents = 0, tags }) {
        const groups = Object.groupBy(tags ?? [], (tag) => tag[0]);
        return { price: new Money(cents), sorted: (tags ?? []).toSorted(), last: tags?.at(-1) ?? null, groups };
      }`;
    expect(outputs(await run(code, [{ cents: 1250, tags: ["b", "a"] }]))).toEqual([
      { price: "12.50", sorted: ["a", "b"], last: "a", groups: { a: ["a"], b: ["b"] } },
    ]);
  });

  test("time stands still and chance is fixed, whatever the host's time zone", async () => {
    const before = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    const elsewhere = createTransformProcessor({ threads: 1 });
    try {
      const code = `export default () => [Date.now(), new Date().toISOString(), typeof Date(), new Date(5).getTime(),
        new Date(0).getTimezoneOffset(), new Date(0).getHours(), String(new Date(0)), new Date(2020, 5, 1).toISOString(),
        Math.random(), new Date() instanceof Date, new Date(1).constructor.now(), Date.UTC(1970, 0, 2), Date.length, Date.name]`;
      const step = await elsewhere.prepare(config(code), context);
      expect(outputs(await step.processRows(rowsOf([{}]), signal))).toEqual([
        [
          0,
          "1970-01-01T00:00:00.000Z",
          "string",
          5,
          0,
          0,
          "Thu Jan 01 1970 00:00:00 GMT+0000",
          "2020-06-01T00:00:00.000Z",
          0.5,
          true,
          0,
          86_400_000,
          7,
          "Date",
        ],
      ]);
    } finally {
      if (before === undefined) delete process.env["TZ"];
      else process.env["TZ"] = before;
      await elsewhere.close();
    }
  });

  test("rows larger than a call's text are computed too", async () => {
    const values = Array.from({ length: 12 }, (_, n) => ({ n, text: "z".repeat(900_000) }));
    values.push({ n: 12, text: "z".repeat(8_000_000) });
    const outcomes = await run("export default (row) => row.text.length + row.n;", values);
    expect(outputs(outcomes)).toEqual([...Array.from({ length: 12 }, (_, n) => 900_000 + n), 8_000_012]);
  });

  test("console writes nothing and breaks nothing in a run", async () => {
    expect(outputs(await run("export default (row) => (console.log(row), console.error('x'), 1);", [{}]))).toEqual([1]);
  });
});

describe("what fails", () => {
  test("a row that throws is one failure with name, message and line, and its neighbours succeed", async () => {
    const code =
      "export default (row) => {\n  if (row.n % 100 === 7)\n    throw new RangeError(`no ${row.n}`);\n  return row.n;\n};";
    const outcomes = await run(
      code,
      Array.from({ length: 250 }, (_, n) => ({ n })),
    );
    const failed = outcomes.flatMap((outcome, index) => (outcome.ok ? [] : [{ index, failure: outcome.failure }]));
    expect(failed.map(({ index }) => index)).toEqual([7, 107, 207]);
    expect(failed[1]?.failure).toMatchObject({
      code: "transform_error",
      message: "RangeError: no 107 (line 3)",
      details: {
        name: "RangeError",
        path: expect.stringMatching(/^transform\.js:3:\d+$/) as string,
        stack: expect.stringContaining("transform.js:3") as string,
      },
    });
    expect(outputs(outcomes).slice(98, 102)).toEqual([98, 99, 100, 101]);
  });

  test("the message says what is wrong with what was returned", async () => {
    const code = `const circle = {}; circle.self = circle;
      export default (row) => [undefined, () => 1, Symbol("s"), Promise.resolve(1), { then() {} }, circle, 10n,
        { get a() { throw new Error("getter") } }, { toJSON() { return undefined } }, "\\0", "\\ud800"][row.n];`;
    const outcomes = await run(
      code,
      Array.from({ length: 11 }, (_, n) => ({ n })),
    );
    expect(outcomes.map((outcome) => (outcome.ok ? "ok" : outcome.failure.code))).toEqual(
      Array(11).fill("transform_error"),
    );
    const [nothing, func, symbol, promise, thenable, circular, bigint, getter, toJson, nul, half] = messages(outcomes);
    for (const message of [nothing, func, symbol, toJson]) expect(message).toContain("returned no value");
    for (const message of [promise, thenable]) expect(message).toContain("must not be async");
    expect(circular).toMatch(/not JSON: TypeError: circular/);
    expect(bigint).toMatch(/not JSON: TypeError/);
    expect(getter).toMatch(/not JSON: Error: getter/);
    for (const message of [nul, half]) expect(message).toContain("NUL character or half a surrogate pair");
  });

  test("an output of exactly 1 MiB passes and a byte more fails, in bytes and not in characters", async () => {
    const code = "export default (row) => row.character.repeat(row.count);";
    const values = [
      { character: "a", count: 1_048_574 },
      { character: "a", count: 1_048_575 },
      { character: "é", count: 524_287 },
      { character: "é", count: 524_288 },
    ];
    const outcomes = await run(code, values);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(messages(outcomes)[3]).toBe("The output is larger than 1048576 bytes.");
  });

  test("an output may be nested 64 levels deep and no deeper; brackets in text do not count", async () => {
    const code =
      "export default (row) => { let value = ']'.repeat(100) + '\\\\\"['; for (let i = 0; i < row.depth; i++) value = [value]; return value; };";
    const outcomes = await run(code, [{ depth: 64 }, { depth: 65 }]);
    expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
    expect(messages(outcomes)[1]).toContain("deeper than 64");
  });

  test("a thrown message of any length is cut at 2 000 characters", async () => {
    const [message] = messages(await run("export default () => { throw new Error('m'.repeat(100_000)); };", [{}]));
    expect(message?.length).toBeLessThanOrEqual(2_000);
    expect(message?.length).toBeGreaterThan(1_800);
  });

  test("code that no longer loads fails its rows with the reason", async () => {
    expect(messages(await run("export default 3", [{}, {}]))).toEqual(
      Array(2).fill("The default export must be a function of one row."),
    );
  });
});

describe("findProblems", () => {
  const cases: [string, string, RegExp][] = [
    ["a syntax error, with its line", "export default (row) => {\n  let = ;\n}", /SyntaxError.*\(line 2\)/],
    ["no default export", "export const f = (row) => row", /no default export/],
    ["no code at all", "", /no default export/],
    ["a default that is no function", "export default { row: 1 }", /must be a function/],
    ["an async function", "export default async (row) => row", /must not be async/],
    ["an async generator", "export default async function* (row) {}", /must not be async/],
    ["a generator", "export default function* (row) {}", /must not be a generator/],
    ["an import", "import fs from 'node:fs'; export default (row) => row", /must not import/],
    ["await at the top level", "await 1; export default (row) => row", /must not use await/],
    ["an error while it is loaded, with its line", "\nnull.x; export default (row) => row", /TypeError.*\(line 2\)/],
    ["null thrown while it is loaded", "throw null", /null/],
    ["an endless loop at the top level", "while (true); export default (row) => row", /runs too long/],
    [
      "a memory bomb at the top level",
      "const a = []; while (true) a.push(new Uint8Array(1 << 25)); export default 1",
      /out of memory|memory/,
    ],
    ["code that is too large", `export default (row) => "${"x".repeat(256 * 1024)}"`, /larger than 262144 bytes/],
  ];
  test.each([
    ["an arrow function", "export default (row) => row"],
    ["a default export given by name", "function f(row) { return row } export { f as default }"],
  ])("nothing is wrong with %s", async (_name, code) => {
    expect(await processor.findProblems(config(code), "org")).toEqual([]);
  });

  test.each(cases)("says what is wrong: %s", async (_name, code, expected) => {
    const problems = await processor.findProblems(config(code), "org");
    expect(problems).toEqual([{ path: "/code", message: expect.stringMatching(expected) as string }]);
  });
});

describe("testRows", () => {
  test("gives each row its outcome and what it wrote to the console", async () => {
    const code = `export default (row) => { console.log("row", row, undefined, 1n); console.warn(Symbol("s"));
      if (row.n === 1) throw new Error("no"); if (row.n === 2) while (true); return row.n; }`;
    const outcomes = await processor.testRows(config(code), rowsOf([{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]), context);
    expect(outputs(outcomes)).toEqual([0, "transform_error", "transform_timeout", 3]);
    expect(outcomes.map(({ logs }) => logs)).toEqual(
      [0, 1, 2, 3].map((n) => `row {"n":${n}} undefined 1\nSymbol(s)\n`),
    );
  });

  test("keeps the first 4 096 characters of the console", async () => {
    const code = "export default () => { for (let i = 0; i < 1e5; i++) console.log('line', i); return 1; }";
    const [outcome] = await processor.testRows(config(code), rowsOf([{}]), context);
    expect(outcome?.ok).toBe(true);
    expect(outcome?.logs).toHaveLength(4_096);
    expect(outcome?.logs.startsWith("line 0\nline 1\n")).toBe(true);
  });
});

describe("cancellation and closing", () => {
  test("a canceled batch is rejected at once, and the thread serves the next one", async () => {
    const alone = createTransformProcessor({ threads: 1 });
    try {
      const controller = new AbortController();
      const slow = await alone.prepare(
        config("export default () => Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);"),
        context,
      );
      const good = await alone.prepare(config("export default (row) => row.n;"), { ...context, runId: "run_b" });
      await good.processRows(rowsOf([{ n: 0 }]), signal);
      const inFlight = slow.processRows(rowsOf([{}]), controller.signal);
      const waiting = good.processRows(rowsOf([{ n: 5 }]), signal);
      const canceledInLine = good.processRows(rowsOf([{ n: 6 }]), controller.signal);
      controller.abort();
      await expect(inFlight).rejects.toMatchObject({ name: "AbortError" });
      await expect(canceledInLine).rejects.toMatchObject({ name: "AbortError" });
      expect(outputs(await waiting)).toEqual([5]);
      await expect(good.processRows(rowsOf([{ n: 7 }]), controller.signal)).rejects.toMatchObject({
        name: "AbortError",
      });
    } finally {
      await alone.close();
    }
  });

  test("close rejects what is in flight and what comes later", async () => {
    const other = createTransformProcessor({ threads: 1 });
    const step = await other.prepare(config("export default () => { while (true); };"), context);
    const inFlight = step.processRows(rowsOf([{}, {}]), signal);
    const [settled] = await Promise.all([Promise.allSettled([inFlight]), other.close()]);
    expect(settled).toMatchObject([{ status: "rejected", reason: { code: "service_unavailable" } }]);
    await expect(step.processRows(rowsOf([{}]), signal)).rejects.toThrow("closed");
  });
});
