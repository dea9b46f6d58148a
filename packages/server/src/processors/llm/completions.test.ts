import { afterAll, describe, expect, test } from "vitest";
import { createSchemas } from "../../platform/json-schema/schemas.ts";
import { classifyReply, withInstructions, withRepair } from "./completions.ts";
import type { Reply } from "./models.ts";

const schemas = createSchemas();
afterAll(() => schemas.close());

const check = schemas.createCheck(
  { organizationId: "org_test", place: "run" },
  { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
);
const reply = (text: string, finish: Reply["finish"] = "stop"): Reply => ({
  text,
  finish,
  inputTokens: 1,
  outputTokens: 1,
  reportedModel: undefined,
  id: undefined,
});

describe("JSON is found", () => {
  test.each([
    ['{"n":1}', '{"n":1}'],
    ['\n  { "n" : 1 }\n', '{"n":1}'],
    ['```json\n{"n":1}\n```', '{"n":1}'],
    ['```\n{"n":1}```', '{"n":1}'],
    ['Here it is:\n\n```json\r\n{"n":1}\n```\nAnything else?', '{"n":1}'],
    ['<think>first { then }</think>\n\n{"n":1}', '{"n":1}'],
    ['{"n":1.10,"id":12345678901234567890}', '{"n":1.10,"id":12345678901234567890}'],
    ['{"n":1,"text":"```json\\n{}\\n```"}', '{"n":1,"text":"```json\\n{}\\n```"}'],
  ])("in %j", async (text, output) => {
    expect(await classifyReply(reply(text), check)).toEqual({ ok: true, output });
  });
});

test.each([
  [""],
  ["one"],
  ['{"n":1'],
  ['{"n":1} {"n":2}'],
  ['```json\n{"n":1}\n```\n```json\n{"n":2}\n```'],
  ["{n:1}"],
  ["[".repeat(100_000)],
  ["[".repeat(100_000) + "]".repeat(100_000)],
  // A parser that keeps every digit overflows its stack where one that does not goes through.
  [`${"[".repeat(3_500)}1.0${"]".repeat(3_500)}`],
])("%.20j is not JSON", async (text) => {
  expect(await classifyReply(reply(text), check)).toMatchObject({
    ok: false,
    isRepairable: true,
    failure: { code: "output_not_json" },
  });
});

test("what does not fit is reported with its place, and may be repaired", async () => {
  expect(await classifyReply(reply('{"n":"1"}'), check)).toMatchObject({
    ok: false,
    isRepairable: true,
    failure: { code: "output_schema_invalid", message: "/n must be number, not string.", details: { path: "/n" } },
  });
});

test("without a schema any text is an output", async () => {
  expect(await classifyReply(reply('say "hi"\n'), undefined)).toEqual({
    ok: true,
    output: '{"text":"say \\"hi\\"\\n"}',
  });
  expect(await classifyReply(reply(""), undefined)).toEqual({ ok: true, output: '{"text":""}' });
});

test("what the model did not finish, or refused, is no output though it fits", async () => {
  expect(await classifyReply(reply('{"n":1}', "length"), check)).toMatchObject({
    failure: { code: "output_truncated" },
  });
  expect(await classifyReply(reply("", "refused"), check)).toMatchObject({
    failure: { code: "refused", message: "The model refused to answer." },
  });
});

test("instructions stand behind those of the job spec, or before the conversation", async () => {
  const user = { role: "user", parts: [{ type: "text", text: "u" }] } as const;
  const system = { role: "system", parts: [{ type: "text", text: "s" }] } as const;
  expect(withInstructions([system, user], "i").map(({ parts }) => parts.length)).toEqual([2, 1]);
  expect(withInstructions([user], "i").map(({ role }) => role)).toEqual(["system", "user"]);
});

test("a repair message repeats the completion, and says what is wrong with it and what is wanted", async () => {
  const failure = { code: "output_schema_invalid", message: "/n must be number.", details: { path: "/n" } } as const;
  const messages = withRepair([], reply(" "), failure, { type: "object" });
  expect(messages.map(({ role }) => role)).toEqual(["assistant", "user"]);
  expect(messages[0]?.parts).toEqual([{ type: "text", text: "(no answer)" }]);
  expect(messages[1]?.parts[0]).toMatchObject({
    text: expect.stringContaining("/n must be number. (at /n)") as string,
  });
  expect(messages[1]?.parts[0]).toMatchObject({ text: expect.stringContaining('{"type":"object"}') as string });
});

test("a text that no JSON reader has to take is kept, but for what is no character", async () => {
  expect(await classifyReply(reply("a\0b\ud800c😀"), undefined)).toEqual({
    ok: true,
    output: '{"text":"a\ufffdb\ufffdc😀"}',
  });
});
