import { afterAll, describe, expect, test } from "vitest";
import { ApiError } from "../http/errors.ts";
import { createSchemas } from "./schemas.ts";
import type { Schema, SchemaUser } from "./schemas.ts";

const schemas = createSchemas({ runWorkers: 2 });
afterAll(() => schemas.close());

const of = (organizationId: string, place: SchemaUser["place"] = "run"): SchemaUser => ({ organizationId, place });

/** Each reference doubles the work, so that the value meets the limit of counted steps or of time. */
const doubling: Schema = {
  dependentSchemas: { slow: { $ref: "#/$defs/d0" } },
  $defs: Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/d${level + 1}` };
      return [`d${level}`, level === 39 ? { type: "string" } : { anyOf: [next, next] }];
    }),
  ),
};
const slow = '{"slow":1}';
/** Unlike counted steps, the memory of a large value is nobody's but the thread's. */
const largeArray = `[${"[],".repeat(12_000_000)}[]]`;

describe("checking values", () => {
  test("gives a verdict for each", async () => {
    const check = schemas.createCheck(of("a"), { type: "object", properties: { n: { minimum: 1 } } });
    expect(await check(['{"n":1}', '{"n":0}', "[]", "{"])).toEqual([
      undefined,
      { kind: "mismatch", path: "/n", message: "/n must be >= 1." },
      { kind: "mismatch", path: "", message: "The value must be object, not array." },
      { kind: "not_json", message: expect.any(String) as string },
    ]);
    expect(await check([])).toEqual([]);
  });

  test("takes as many requests as many or large values need", async () => {
    const check = schemas.createCheck(of("a"), { type: "integer", maximum: 1_999 });
    const verdicts = await check(Array.from({ length: 2_001 }, (_, n) => String(n)));
    expect(verdicts.filter((verdict) => verdict !== undefined)).toHaveLength(1);
    expect(verdicts[2_000]).toMatchObject({ kind: "mismatch" });
    const large = `{"text":"${"x".repeat(3 * 1024 * 1024)}"}`;
    expect(await schemas.createCheck(of("a"), { type: "object" })([large, large, "1"])).toEqual([
      undefined,
      undefined,
      { kind: "mismatch", path: "", message: "The value must be object, not number." },
    ]);
  });

  test("ends a value that takes too many steps, and goes on", async () => {
    const check = schemas.createCheck(of("a"), doubling);
    expect(await check(["{}", slow, "1"])).toEqual([
      undefined,
      { kind: "limit", message: expect.stringContaining("too long to check") as string },
      undefined,
    ]);
  });

  test("is JSON also where it is too deep to read the digits of a long integer", async () => {
    const check = schemas.createCheck(of("a"), { type: "array" });
    const deep = (integer: string): string => "[".repeat(20_000) + integer + "]".repeat(20_000);
    expect(await check([deep("1"), deep("9007199254740993")])).toEqual([
      undefined,
      { kind: "limit", message: expect.stringContaining("too long to check") as string },
    ]);
  });

  test("ends a value that takes too much memory, and goes on", async () => {
    const check = schemas.createCheck(of("a"), { type: "array" });
    expect(await check(["[1]", "[2]", largeArray, "3"])).toEqual([
      undefined,
      undefined,
      { kind: "limit", message: expect.stringMatching(/too much memory|too long/) as string },
      { kind: "mismatch", path: "", message: "The value must be array, not number." },
    ]);
  });

  test("stops when its signal aborts", async () => {
    const stop = new AbortController();
    const check = schemas.createCheck(of("a"), doubling);
    const checked = check([slow, slow, slow], stop.signal);
    stop.abort(new Error("enough"));
    await expect(checked).rejects.toThrow("enough");
    await expect(check(["1"], stop.signal)).rejects.toThrow("enough");
  });

  test("serves another organization between the slow values of the first", async () => {
    const ended: string[] = [];
    const slowest = schemas
      .createCheck(
        of("slow"),
        doubling,
      )([slow, slow, slow, slow])
      .then((verdicts) => ended.push(verdicts.every((verdict) => verdict?.kind === "limit") ? "slow" : "wrong"));
    const quick = schemas.createCheck(of("quick"), { type: "integer" });
    for (let n = 0; n < 5; n++) expect(await quick([String(n)])).toEqual([undefined]);
    ended.push("quick");
    await slowest;
    expect(ended).toEqual(["quick", "slow"]);
  });
});

describe("a worker that dies by itself", () => {
  const breaking = createSchemas({
    runWorkers: 1,
    script: new URL("../../testing/breaking-schema-worker.ts", import.meta.url),
  });
  afterAll(() => breaking.close());

  test("is the verdict on the value that ends it also alone, and on no other", async () => {
    const values = Array.from({ length: 600 }, (_, n) => (n === 137 || n === 499 ? '"dies"' : "1"));
    const verdicts = await breaking.createCheck(of("a"), { type: "integer" })(values);
    expect(verdicts.flatMap((verdict, n) => (verdict === undefined ? [] : [n]))).toEqual([137, 499]);
    expect(verdicts[137]).toMatchObject({
      kind: "limit",
      message: expect.stringContaining("could not be checked") as string,
    });
  });

  test("while it compiles is a problem of a new schema, and no verdict on values", async () => {
    const schema = { const: "dies" };
    expect(await breaking.findProblem(of("a", "interactive"), schema)).toMatchObject({
      message: expect.stringContaining("could not be compiled") as string,
    });
    await expect(breaking.createCheck(of("a"), schema)(["1"])).rejects.toThrow("could not be compiled");
  });
});

describe("a schema that cannot be used", () => {
  test("is reported with its path, and is a verdict on each value", async () => {
    const schema = { properties: { a: { pattern: "(?=a)" } } };
    expect(await schemas.findProblem(of("a", "interactive"), schema)).toMatchObject({ path: "/properties/a/pattern" });
    expect(await schemas.findProblem(of("a", "interactive"), { type: "object" })).toBeUndefined();
    expect(await schemas.createCheck(of("a"), schema)(["1", "2"])).toEqual([
      expect.objectContaining({ kind: "limit" }),
      expect.objectContaining({ kind: "limit" }),
    ]);
  });
});

test("the interactive place is free while runs are at work, and refuses what cannot be waited for", async () => {
  const ended: string[] = [];
  const runs = ["b", "c"].map((organizationId) => schemas.createCheck(of(organizationId), doubling)([slow, slow]));
  const all = Promise.all(runs).then(() => ended.push("runs"));
  await schemas.findProblem(of("b", "interactive"), { type: "object" });
  ended.push("interactive");
  await all;
  expect(ended).toEqual(["interactive", "runs"]);

  const asked = Array.from({ length: 200 }, () => schemas.findProblem(of("d", "interactive"), { type: "object" }));
  const settled = await Promise.allSettled(asked);
  const refused = settled.filter((end) => end.status === "rejected");
  expect(refused.length).toBe(100);
  expect(refused.every(({ reason }) => reason instanceof ApiError && reason.code === "rate_limited")).toBe(true);
});

test("what waits when the threads are closed is reported", async () => {
  const closing = createSchemas();
  const [waiting] = await Promise.allSettled([closing.createCheck(of("a"), doubling)([slow]), closing.close()]);
  expect(waiting).toMatchObject({
    status: "rejected",
    reason: { code: "service_unavailable", message: expect.stringContaining("closed") as string },
  });
});
