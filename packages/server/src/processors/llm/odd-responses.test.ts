/** Providers that do not know a part of a request, or respond oddly. */
import { describe, expect, test } from "vitest";
import { completion, messagesOf, SECRET } from "./llm-testing.ts";
import type { GivenResponse } from "./llm-testing.ts";
import { config, row, schema, callsOfEachTest } from "./calls-testing.ts";

const calls = callsOfEachTest();

describe("a server that does not know a part of the request", () => {
  const refuse = (message: string, param: string): GivenResponse => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param, code: "unsupported_parameter" } },
  });

  test("gets the schema in the prompt, and so from the next row on", async () => {
    calls.respond = ({ body }) =>
      body["response_format"] === undefined ? completion('{"n":1}') : refuse("response_format is not supported", "");
    const step = await calls.bench.prepare({ ...config, outputSchema: schema });
    const ask = () => step.processRows([{ index: 0, text: JSON.stringify(row) }], new AbortController().signal);
    expect(await ask()).toMatchObject([{ ok: true, output: '{"n":1}', usage: { requests: 2 } }]);
    expect(await ask()).toMatchObject([{ ok: true, usage: { requests: 1 } }]);
    expect(messagesOf(calls.provider.seen[1])[0]).toEqual({
      role: "system",
      content: expect.stringContaining(JSON.stringify(schema)) as string,
    });
  });

  test("gets the limit by its other name", async () => {
    calls.respond = ({ body }) =>
      body["max_tokens"] === undefined
        ? completion(JSON.stringify({ n: body["max_completion_tokens"] }))
        : refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens");
    const outcome = await calls.bench.run(
      { ...config, outputSchema: schema, parameters: { maxOutputTokens: 77 } },
      row,
    );
    expect(outcome).toMatchObject({ ok: true, output: '{"n":77}' });
  });

  test("is not asked for ever", async () => {
    calls.respond = () => refuse("max_completion_tokens and response_format are not supported", "");
    expect(
      await calls.bench.run({ ...config, outputSchema: schema, parameters: { maxOutputTokens: 1 } }, row),
    ).toMatchObject({
      ok: false,
      failure: { code: "provider_error", retryable: false },
      usage: { requests: 3 },
    });
  });

  test("gets a schema that is not of an object in the prompt", async () => {
    calls.respond = () => completion("[1,2]");
    const outputSchema = { type: "array", items: { type: "integer" } };
    expect(await calls.bench.run({ ...config, outputSchema }, row)).toMatchObject({ ok: true, output: "[1,2]" });
    expect(calls.provider.seen[0]?.body["response_format"]).toBeUndefined();
    expect(JSON.stringify(calls.provider.seen[0]?.body)).toContain("must fit this JSON Schema");
  });
});

describe("an odd response", () => {
  test.each<[string, GivenResponse | "hang up", string]>([
    ["a page", { body: "<html>Please log in</html>" }, "provider_error"],
    ["nothing", { body: "" }, "provider_error"],
    ["no choices", completion(null, { choices: [] }), "provider_error"],
    ["another protocol", { body: { candidates: [] } }, "provider_error"],
    ["an error that says 200", { body: { error: { code: 429, message: "slow down" } } }, "provider_rate_limited"],
    ["a redirect", { status: 302, headers: { location: "http://127.0.0.1:9/" }, body: "" }, "provider_error"],
    ["no content", { status: 204, body: "" }, "provider_error"],
    ["a closed connection", "hang up", "network_error"],
    ["more than fits", { body: "x".repeat(9 * 1024 * 1024) }, "provider_error"],
  ])("%s is a failure of the row", async (_, given, code) => {
    calls.respond = () => given;
    expect(await calls.bench.run(config, row)).toMatchObject({ ok: false, failure: { code }, usage: { requests: 1 } });
    expect(calls.bench.settled).toHaveLength(1);
    expect(calls.provider.seen).toHaveLength(1);
  });

  test("without a count of tokens is paid by the estimate", async () => {
    calls.respond = () => completion("fine", { usage: null });
    const outcome = await calls.bench.run({ ...config, parameters: { maxOutputTokens: 10 } }, row);
    expect(outcome).toMatchObject({ ok: true, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(Number(outcome.usage?.costUsd)).toBeGreaterThan(0);
    expect(calls.bench.settled[0]?.end).not.toHaveProperty("tokens");
  });

  test.each([[{}], [{ total_tokens: 7 }], [{ prompt_tokens: null, completion_tokens: null }]])(
    "with the usage %j has no count of tokens, and is not free",
    async (usage) => {
      calls.respond = () => completion("fine", { usage });
      const outcome = await calls.bench.run({ ...config, parameters: { maxOutputTokens: 100 } }, row);
      // A token for each of five bytes, 1,024 for the request, 16 for the message and its part each, and 100 of output.
      expect(outcome).toMatchObject({ ok: true, usage: { costUsd: "0.001161", assumedCostUsd: "0.001161" } });
    },
  );

  test("without a word may have cost what it may cost at most", async () => {
    calls.respond = () => ({ body: "" });
    const outcome = await calls.bench.run({ ...config, parameters: { maxOutputTokens: 100 } }, row);
    const usage = { costUsd: "0.001161", assumedCostUsd: "0.001161" };
    expect(outcome).toMatchObject({ ok: false, failure: { code: "provider_error" }, usage });
  });

  test("with the secret in its names is shown without it", async () => {
    calls.respond = () => ({ ...completion("fine", { model: `m ${SECRET}` }), headers: { "x-request-id": SECRET } });
    expect(await calls.bench.run(config, row)).toMatchObject({
      usage: { calls: [{ requestId: "[secret]", reportedModel: "m [secret]" }] },
    });
    calls.respond = () => ({ status: 400, headers: { "x-request-id": SECRET }, body: { error: { message: "no" } } });
    expect(JSON.stringify(await calls.bench.run(config, row))).not.toContain(SECRET);
  });

  test("with the secret in its text, however it is written, is an output or a failure without it", async () => {
    const escaped = SECRET.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
    calls.respond = () => completion(`you sent ${SECRET} and ${encodeURIComponent(`${SECRET}+`)}`);
    expect(await calls.bench.run(config, row)).toMatchObject({
      ok: true,
      output: '{"text":"you sent [secret] and [secret]%2B"}',
    });
    for (const body of [
      `{"error":{"message":"${escaped}"}}`,
      `<html>${"-".repeat(470)}${SECRET}</html>`,
      `{"error":{"message":"m","type":"${"t".repeat(190)}${SECRET}"}}`,
      `${"-".repeat(16_384 - SECRET.length + 1)}${SECRET}`,
    ]) {
      calls.respond = () => ({ status: 400, body });
      const outcome = JSON.stringify(await calls.bench.run(config, row));
      expect(outcome).not.toContain(SECRET.slice(0, 6));
      expect(outcome).not.toContain("u0073");
    }
  });

  test("with an impossible count is not believed", async () => {
    calls.respond = () => completion("fine", { usage: { prompt_tokens: -5, completion_tokens: 1e300 } });
    expect(await calls.bench.run(config, row)).toMatchObject({ ok: true, usage: { inputTokens: 0, outputTokens: 0 } });
  });

  test("counts reasoning as output, and keeps the provider's names short", async () => {
    calls.respond = () => ({
      ...completion("fine", {
        model: `m${"x".repeat(1_000)}`,
        usage: { prompt_tokens: 1, completion_tokens: 900, completion_tokens_details: { reasoning_tokens: 890 } },
      }),
      headers: { "x-request-id": "req-42" },
    });
    const outcome = await calls.bench.run(config, row);
    expect(outcome.usage).toMatchObject({ outputTokens: 900, calls: [{ requestId: "req-42" }] });
    expect(outcome.usage?.calls?.[0]?.reportedModel).toHaveLength(200);
  });
});
