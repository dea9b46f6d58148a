import { afterAll, describe, expect, test } from "vitest";
import { MAX_DEPTH, MAX_SOURCE_BYTES } from "./condition-limits.ts";
import { compileCondition } from "./condition.ts";
import { createConditions } from "./conditions.ts";
import type { Condition, Evaluation } from "./conditions.ts";
import { packSync } from "../zstd.ts";

const party = { organizationId: "organization", ownerId: "owner" };
const conditions = createConditions();
const evaluate = (condition: Condition, inputs: readonly string[]): Promise<Evaluation> =>
  conditions.evaluate(condition, inputs, party);
afterAll(() => conditions.close());

const result = (source: string, row: unknown): string => {
  const compiled = compileCondition(source, "row");
  return compiled.outcome === "compiled" ? compiled.evaluate(row as never).result : `invalid: ${compiled.message}`;
};

describe("a condition", () => {
  test.each([
    ["row.state == 'failed'", { state: "failed" }, "match"],
    ["row.state == 'failed'", { state: "paused" }, "no_match"],
    ["row.state == 'failed'", {}, "error"],
    ["has(row.state) && row.state == 'failed'", {}, "no_match"],
    ["row.missing", {}, "error"],
    ["row.state", { state: "failed" }, "error"],
    ["row.n == 1", { n: 1 }, "match"],
    ["row.n > 0.5", { n: 1 }, "match"],
    ["row.n + 1 == 2.0", { n: 1 }, "match"],
    ["row.n % 2 == 0", { n: 4 }, "match"],
    ["2 * row.n > 3", { n: 2 }, "match"],
    ["row.tags.exists(t, t.startsWith('a'))", { tags: ["b", "ab"] }, "match"],
    ["row.name.lowerAscii().contains('smith')", { name: "SMITHSON" }, "match"],
    ["row.name.matches('^(a+)+$')", { name: `${"a".repeat(5000)}b` }, "no_match"],
    ["type(row.n) == double", { n: 1 }, "match"],
    [
      "row.at != null && timestamp(row.at) > timestamp('2026-01-01T00:00:00Z')",
      { at: "2026-05-01T00:00:00Z" },
      "match",
    ],
    ["has(row.constructor) || has(row.__proto__) || has(row.toString)", {}, "no_match"],
    ["row.size() == 0", {}, "match"],
    // Only the members that it names are given to it, unless it is about the row itself.
    ["row.size() == 3 && row.a == 1", { a: 1, b: 2, c: 3 }, "match"],
    ["row['a b'] == 1", { "a b": 1, c: 2 }, "match"],
    ["row[row.key] == 1", { key: "b", a: 2, b: 1 }, "match"],
    ["'b' in row && row.a == 1", { a: 1, b: 2 }, "match"],
    ["row == {'a': 1.0}", { a: 1, b: 2 }, "no_match"],
    ["row.exists(name, name.startsWith('b'))", { a: 1, b: 2 }, "match"],
    ["[{'a': 1}].exists(row, row.size() == 1) && row.b == 2", { b: 2, c: 3 }, "match"],
    ["row.outer.inner[0].deep == 1 && row['outer']['inner'].size() == 1", { outer: { inner: [{ deep: 1 }] } }, "match"],
    ["row.a == null && !has(row.b)", { a: null, c: 1 }, "match"],
    ["row.__proto__ == 1", JSON.parse('{"__proto__": 1}'), "match"],
  ])("%s of %j: %s", (source, row, expected) => expect(result(source, row)).toBe(expected));

  test.each([
    ["", /end of input/],
    ["row.n ==", /1:7/],
    ["row.n = 1", /1:7/],
    ["event.n == 1", /`event`.*about `row`/],
    ["process.exit() == 1", /`process`|`exit`/],
    ["row.list.exists(x, y == 1)", /`y`/],
    ["frobnicate(row)", /`frobnicate`/],
    ["row.frobnicate()", /`frobnicate`/],
    ["google.protobuf.Struct{} == row", /Messages/],
    [`row.n == '${"x".repeat(MAX_SOURCE_BYTES)}'`, /4096/],
    [`row.n == '${"\u{1F600}".repeat(MAX_SOURCE_BYTES / 4)}'`, /4096/],
    [`${"(".repeat(MAX_DEPTH + 1)}true${")".repeat(MAX_DEPTH + 1)}`, /deeply/],
    [`row.n == 1${"+1".repeat(2000)}`, /deeply/],
    [`${"true?true:".repeat(400)}true`, /deeply/],
    ["[".repeat(2000), /deeply/],
  ])("is none that cannot be used (case %#)", (source, message) => {
    expect(result(source, {})).toMatch(/^invalid: /);
    expect(result(source, {})).toMatch(message);
  });

  test("may be as long and as deep as is allowed", () => {
    const start = "row.n == '";
    expect(result(`${start}${"x".repeat(MAX_SOURCE_BYTES - start.length - 1)}'`, { n: 1 })).toBe("no_match");
    expect(result(`${"(".repeat(MAX_DEPTH)}true${")".repeat(MAX_DEPTH)}`, {})).toBe("match");
    expect(result(Array.from({ length: 100 }, (_, i) => `row.n == ${i}`).join(" || "), { n: 99 })).toBe("match");
  });
});

test("a member that is not named costs nothing: it is not looked at", () => {
  const compiled = compileCondition("row.a == 1 && row['b'] == 2", "row");
  const row = { a: 1, b: 2 };
  Object.defineProperty(row, "c", { enumerable: true, get: () => expect.fail("it was looked at") });
  expect(compiled.outcome === "compiled" && compiled.evaluate(row)).toEqual({ result: "match" });
});

describe("evaluation", () => {
  const multiplying = "row.l.all(a, row.l.all(b, row.l.all(c, row.l.all(d, row.l.all(e, a + b + c + d + e >= 0)))))";
  const list = (length: number): string => JSON.stringify({ l: Array.from({ length }, (_, i) => i) });

  test("evaluates each input, and the first error", async () => {
    const inputs = [{ n: 1 }, { n: 2 }, {}, { n: "x" }, { n: 1 }].map((input) => JSON.stringify(input));
    expect(await evaluate({ source: "row.n == 1", variable: "row" }, inputs)).toMatchObject({
      results: ["match", "no_match", "error", "no_match", "match"],
      firstError: { at: 2, message: expect.stringContaining("n") as string },
      isTooExpensive: false,
    });
    expect(await evaluate({ source: "row.n == 1", variable: "row" }, [])).toEqual({
      results: [],
      firstError: null,
      isTooExpensive: false,
    });
  });

  test("evaluates the rows of a stored chunk, and says which one ends it", async () => {
    const rows = [
      { n: 1, text: "ä\u2028" },
      { n: 2 },
      {},
      { n: 1, l: Array.from({ length: 200 }, (_, i) => i) },
      { n: 1 },
    ];
    const chunk = packSync(Buffer.from(rows.map((row) => JSON.stringify(row)).join("\n")), 3);
    const source = `row.n == 1 && (!has(row.l) || ${multiplying})`;
    expect(await conditions.evaluateRows({ source: "row.n == 1", variable: "row" }, chunk, rows.length, party)).toEqual(
      {
        results: ["match", "no_match", "error", "match", "match"],
        firstError: { at: 2, message: expect.stringContaining("n") as string },
        isTooExpensive: false,
      },
    );
    expect(await conditions.evaluateRows({ source, variable: "row" }, chunk, rows.length, party)).toMatchObject({
      results: ["match", "no_match", "error", "error", "match"],
      isTooExpensive: true,
    });
  });

  test("says why a condition cannot be used, and goes on", async () => {
    expect(await conditions.check({ source: "row.n ==", variable: "row" }, party)).toMatch(/1:7/);
    expect(await conditions.check({ source: "row.n == 1", variable: "row" }, party)).toBeUndefined();
    const { results, firstError } = await evaluate({ source: "row.n ==", variable: "row" }, ["{}", "{}"]);
    expect(results).toEqual(["error", "error"]);
    expect(firstError?.at).toBe(0);
  });

  test("ends macros that multiply, and keeps what was evaluated before and after", async () => {
    const inputs = [list(2), list(200), list(3)];
    const { results, firstError, isTooExpensive } = await evaluate({ source: multiplying, variable: "row" }, inputs);
    expect(isTooExpensive).toBe(true);
    expect(results).toEqual(["match", "error", "match"]);
    expect(firstError).toEqual({ at: 1, message: "The expression takes too long." });
  });

  test("abandons a group whose every input takes too long", async () => {
    const startedAt = performance.now();
    const inputs = Array.from({ length: 200 }, () => list(200));
    const { results } = await evaluate({ source: multiplying, variable: "row" }, inputs);
    expect(new Set(results)).toEqual(new Set(["error"]));
    // Each of them would take its second, on any machine.
    expect(performance.now() - startedAt).toBeLessThan(150_000);
    expect((await evaluate({ source: "row.n == 1", variable: "row" }, ['{"n":1}'])).results).toEqual(["match"]);
  });

  test("goes on in other threads while one works on something long", async () => {
    const several = createConditions(3);
    // Each has started: on a busy machine that takes longer than the long one may.
    const quick = { source: "row.n == 1", variable: "row" } as const;
    await Promise.all(
      ["a", "b", "c"].map((organizationId) => several.evaluate(quick, ["{}"], { organizationId, ownerId: "owner" })),
    );
    const ended: string[] = [];
    const long = several
      .evaluate({ source: multiplying, variable: "row" }, [list(200)], party)
      .then(({ results }) => ended.push(`long: ${results.join()}`));
    const short = Array.from({ length: 20 }, async (_, n) => {
      const { results } = await several.evaluate(
        { source: `row.n == ${n}`, variable: "row" },
        [`{"n":${n}}`, "{}"],
        party,
      );
      ended.push(results.join());
    });
    await Promise.all([long, ...short]);
    expect(ended).toEqual([...Array<string>(20).fill("match,error"), "long: error"]);
    await several.close();
    await expect(several.check({ source: "true", variable: "row" }, party)).rejects.toThrow("closed");
  });

  test("is not recorded as an error of the input that was in work when the workers were closed", async () => {
    const closing = createConditions();
    const begun = closing.evaluate({ source: multiplying, variable: "row" }, [list(200)], party);
    // Until its work item has begun, which takes no more than promises.
    await new Promise((resolve) => setImmediate(resolve));
    const [end] = await Promise.allSettled([begun, closing.close()]);
    expect(end).toMatchObject({ status: "rejected", reason: { message: expect.stringContaining("closed") as string } });
  });

  describe("whose process dies by itself", () => {
    const breaking = createConditions(1, new URL("../../testing/breaking-condition-worker.ts", import.meta.url));
    afterAll(() => breaking.close());

    test("blames the input that ends it also alone, and no other", async () => {
      const inputs = Array.from({ length: 60 }, (_, n) => (n === 37 || n === 59 ? '{"dies":1}' : "{}"));
      const { results, firstError } = await breaking.evaluate({ source: "true", variable: "event" }, inputs, party);
      expect(results.flatMap((result, n) => (result === "match" ? [] : [n]))).toEqual([37, 59]);
      expect(firstError).toEqual({ at: 37, message: expect.stringContaining("could not be evaluated") as string });
    });

    test("says nothing about inputs where it dies before the first of them", async () => {
      const condition = { source: "dies", variable: "event" } as const;
      await expect(breaking.evaluate(condition, ["{}"], party)).rejects.toThrow("could not be compiled");
      expect(await breaking.check(condition, party)).toMatch(/could not be evaluated/);
    });
  });

  describe.skipIf(process.platform !== "linux")("whose process gets no processor, as on a busy machine", () => {
    const waiting = createConditions(1, new URL("../../testing/breaking-condition-worker.ts", import.meta.url));
    afterAll(() => waiting.close());

    test("goes on when it does: nothing is an error for that", async () => {
      const inputs = ["{}", '{"waits":1}', "{}", '{"waits":1}'];
      expect(await waiting.evaluate({ source: "true", variable: "event" }, inputs, party)).toEqual({
        results: ["match", "match", "match", "match"],
        firstError: null,
        isTooExpensive: false,
      });
    });

    test("and a condition is not refused for that", async () => {
      expect(await waiting.check({ source: "waits", variable: "event" }, party)).toBeUndefined();
    });
  });

  test("lets the inputs of another organization in between those of one that has many", async () => {
    const ended: string[] = [];
    const endOf = async (organizationId: string, owner: number): Promise<void> => {
      const own = { organizationId, ownerId: String(owner) };
      await conditions.evaluate({ source: "row.n == 1", variable: "row" }, ['{"n":1}'], own);
      ended.push(organizationId);
    };
    const many = Array.from({ length: 30 }, (_, n) => endOf("many", n));
    await Promise.all([...many, endOf("one", 0)]);
    expect(ended.indexOf("one")).toBeLessThan(3);
  });

  test("does not keep a check waiting, which has a thread of its own", async () => {
    // It has started: on a busy machine that takes longer than the long ones may.
    await conditions.check({ source: "true", variable: "row" }, party);
    const ended: string[] = [];
    const long = evaluate({ source: multiplying, variable: "row" }, [list(200), list(200)]).then(() =>
      ended.push("long"),
    );
    const other = { organizationId: "other", ownerId: "alert rules" };
    await conditions.check({ source: "row.n == 1", variable: "row" }, other);
    ended.push("check");
    await long;
    expect(ended).toEqual(["check", "long"]);
  });

  test("ends macros that fill the memory", async () => {
    const source = "row.l.map(a, row.l.map(b, row.l.map(c, row.l.map(d, row.l)))).size() > 0";
    // Other tests have used this process, too.
    const before = process.memoryUsage().rss;
    const { results, firstError } = await evaluate({ source, variable: "row" }, [list(100)]);
    expect(results).toEqual(["error"]);
    expect(firstError?.message).toMatch(/too long|too much memory/);
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 29);
  });
});
