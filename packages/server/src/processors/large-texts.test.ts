/** Responses and rows of megabytes: the thread that serves everybody goes on while they are read. */
import { beforeAll, describe, expect, test } from "vitest";
import { undo } from "../testing/cleanup.ts";
import { leastHold, mostHoldMs } from "../testing/longest-step.ts";
import { connection, failureOf, rig, startServer } from "./http/http-testing.ts";
import { LargeTextError, createLargeTexts, hasManyValues } from "./large-texts.ts";
import { findJson } from "./llm/find-json.ts";
import { completion } from "./llm/llm-testing.ts";
import { callsOfEachTest, config, row, schema } from "./llm/calls-testing.ts";

const MIB = 1024 * 1024;
/** One and a half megabytes of numbers that are kept with their digits: nothing of this size takes longer to read. */
const NUMBERS = `[${"1e0,".repeat(0.375 * MIB)}1]`;
let mostMs: number;
const holdOf = (work: () => Promise<void>): Promise<number> => leastHold(mostMs, work);

beforeAll(async () => {
  mostMs = await mostHoldMs(() => findJson(NUMBERS));
});

describe("a response of an HTTP service", () => {
  const respondedWith = async (body: string, more: { responsePath?: string } = {}) => {
    const { origin } = await startServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    });
    const { call } = await rig(
      {
        url: "/",
        connection: "conn_1",
        headers: { authorization: "Bearer {{connection.secret}}" },
        maxResponseBytes: 8 * MIB,
        ...more,
      },
      { allowed: [origin], connection: connection(origin, { secret: "tok+abcdefghijklmnopqrstuvwxyz01" }) },
    );
    return call({});
  };

  test("of megabytes of numbers does not hold the thread, and keeps their digits", async () => {
    const longest = await holdOf(async () => {
      const outcome = await respondedWith(`{"n":${NUMBERS}}`, { responsePath: "n" });
      expect(outcome.ok && outcome.output.length).toBe(NUMBERS.length);
      expect(outcome.ok && outcome.output.slice(0, 9)).toBe("[1e0,1e0,");
    });
    expect(longest).toBeLessThan(mostMs);
  });

  test("of megabytes is read as a small one is: the secret is taken out, and what is wrong is said", async () => {
    const filling = "x".repeat(MIB);
    const echoed = await respondedWith(JSON.stringify({ filling, you: "Bearer tok+abcdefghijklmnopqrstuvwxyz01" }));
    expect(echoed.ok && echoed.output.slice(-27)).toBe('xxx","you":"Bearer [secret]"}'.slice(-27));
    expect(failureOf(await respondedWith(`{"filling":"${filling}`))).toMatchObject({
      code: "output_not_json",
      message: "The response is not JSON.",
    });
    expect(failureOf(await respondedWith(`{"filling":"${filling}"}`, { responsePath: "n" }))).toMatchObject({
      code: "output_schema_invalid",
      details: { path: "n" },
    });
  });

  test("is asked for by a row of megabytes without holding the thread", async () => {
    const { origin, requests } = await startServer((_request, response) => response.end("{}"));
    const { call } = await rig({ url: `${origin}/{{row.id}}` }, { allowed: [origin] });
    const longest = await holdOf(async () => {
      expect(await call(`{"id":"a b","n":${NUMBERS}}`)).toMatchObject({ ok: true });
      expect(failureOf(await call(`{"n":${NUMBERS}}`))).toMatchObject({
        code: "template_error",
        details: { path: "row.id" },
      });
    });
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(["/a%20b"]));
    expect(longest).toBeLessThan(mostMs);
  });
});

describe("a response of a model", () => {
  const calls = callsOfEachTest();
  const large = { ...config, parameters: { maxOutputTokens: MIB } };

  test("of megabytes does not hold the thread, whatever is in its text", async () => {
    calls.respond = () => completion(NUMBERS);
    const longest = await holdOf(async () => {
      const outcome = await calls.bench.run({ ...large, outputSchema: { type: "array" } }, row);
      expect(outcome.ok && outcome.output.length).toBe(NUMBERS.length);
    });
    expect(longest).toBeLessThan(mostMs);
  });

  test("of a million values is no completion, and is not looked into", async () => {
    calls.respond = () => ({ ...completion("{}"), body: `{"choices":[${"[],".repeat(MIB)}[]]}` });
    const longest = await holdOf(async () => {
      const outcome = await calls.bench.run({ ...large, outputSchema: schema }, row);
      expect(failureOf(outcome)).toMatchObject({ code: "provider_error" });
      expect(failureOf(outcome).message).toContain("more than 20000 values");
    });
    expect(longest).toBeLessThan(mostMs);
  });

  test("is asked for with a row of megabytes without holding the thread", async () => {
    calls.respond = () => completion('{"n":1}');
    const step = await calls.bench.prepare({ ...config, outputSchema: schema });
    const text = JSON.stringify(row).replace(/\}$/, `,"numbers":${NUMBERS}}`);
    const longest = await holdOf(async () => {
      const [outcome] = await step.processRows([{ index: 0, text }], new AbortController().signal);
      expect(outcome).toMatchObject({ ok: true, output: '{"n":1}' });
    });
    expect(longest).toBeLessThan(mostMs);
    expect(step.cacheKeyOf?.({ index: 0, text })).toBeUndefined();
  });
});

test("what takes more memory than there is for one ends alone, with a reason", async () => {
  const texts = createLargeTexts({ maxHeapMegabytes: 16 });
  undo.push(() => texts.close());
  const user = { organizationId: "org_1", runId: "run_1" };
  const reading = texts.perform(user, { task: "findJson", text: NUMBERS });
  await expect(reading).rejects.toThrow(LargeTextError);
  await expect(reading).rejects.toThrow("takes too much memory to read");
  expect(await texts.perform(user, { task: "findJson", text: "[1.10]" })).toEqual({ text: "[1.10]", output: "[1.10]" });
});

test("a run whose texts take too long does not hold all processes", async () => {
  const texts = createLargeTexts({ limitMs: 1 });
  undo.push(() => texts.close());
  const ended: string[] = [];
  const read = (runId: string, text: string): Promise<unknown> =>
    texts.perform({ organizationId: "org_1", runId }, { task: "findJson", text }).finally(() => ended.push(runId));
  const slow = `[${NUMBERS},${NUMBERS},${NUMBERS},${NUMBERS}]`;
  await expect(read("run_slow", slow)).rejects.toThrow("takes too long to read");
  await Promise.allSettled([read("run_slow", slow), read("run_slow", slow), read("run_other", "[1]")]);
  // The other one's is read beside the second slow one, and before the third.
  expect(ended.at(-1)).toBe("run_slow");
});

test("a text has many values by what stands outside of its strings", () => {
  expect(hasManyValues(`["${",".repeat(MIB)}"]`)).toBe(false);
  expect(hasManyValues(`["${'\\",'.repeat(MIB)}"]`)).toBe(false);
  expect(hasManyValues(`[${"0,".repeat(MIB)}0]`)).toBe(true);
  expect(hasManyValues(`[${"[],".repeat(MIB)}[]]`)).toBe(true);
  expect(hasManyValues(`[${"0,".repeat(1_000)}0]`)).toBe(false);
});
