import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseUsd } from "../../platform/usd.ts";
import { RowHeldError } from "../processor.ts";
import type { LlmConfig } from "./llm-config.ts";
import {
  completion,
  createBench,
  createTestBudget,
  messagesOf,
  newConnection,
  SECRET,
  startOddProvider,
} from "./llm-testing.ts";
import type { Bench, GivenAnswer, OddProvider, SeenRequest } from "./llm-testing.ts";

/** What is odd about providers, and what goes around a call. */
let provider: OddProvider;
let bench: Bench;
let answer: (request: SeenRequest, number: number) => GivenAnswer | "silence" | "hang up";

const prices = { models: { m: { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } } };

beforeEach(async () => {
  answer = () => completion("fine");
  provider = await startOddProvider((request, number) => answer(request, number));
  bench = createBench([provider.origin, "http://127.0.0.1:9"]);
  bench.connections.set("conn_a", newConnection("conn_a", `${provider.origin}/v1`, { prices }));
  bench.connections.set("conn_claude", newConnection("conn_claude", provider.origin, { type: "anthropic", prices }));
  bench.connections.set("conn_http", newConnection("conn_http", provider.origin, { type: "http" }));
  bench.connections.set("conn_dead", newConnection("conn_dead", "http://127.0.0.1:9/v1", { prices }));
});
afterEach(async () => {
  await bench.close();
  await provider.close();
});

const config: LlmConfig = {
  type: "llm",
  connection: "conn_a",
  model: "m",
  messages: [{ role: "user", content: "{{row.text}}" }],
};
const row = { text: "hello" };
const schema = {
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
};

describe("a request", () => {
  test("carries what the job spec says, and nothing of the SDK's", async () => {
    await bench.run(
      {
        ...config,
        outputSchema: schema,
        parameters: {
          maxOutputTokens: 9,
          temperature: 0.5,
          topP: 0.9,
          topK: 5,
          seed: 7,
          stopSequences: ["END"],
          presencePenalty: 1,
          frequencyPenalty: -1,
        },
      },
      row,
    );
    expect(provider.seen[0]).toMatchObject({ path: "/v1/chat/completions" });
    expect(provider.seen[0]?.body).toEqual({
      model: "m",
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      seed: 7,
      stop: ["END"],
      presence_penalty: 1,
      frequency_penalty: -1,
      response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
      messages: [{ role: "user", content: "hello" }],
    });
    expect(provider.seen[0]?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, "user-agent": "Rowmill/1" });
  });

  test("takes the connection of the moment: a rotated secret counts at once", async () => {
    const step = await bench.prepare(config);
    const ask = () => step.processRows([{ index: 0, text: '{"text":"x"}' }], new AbortController().signal);
    await ask();
    bench.connections.set("conn_a", newConnection("conn_a", `${provider.origin}/v2`, { secret: "sk-new" }));
    await ask();
    expect(provider.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ["/v1/chat/completions", `Bearer ${SECRET}`],
      ["/v2/chat/completions", "Bearer sk-new"],
    ]);
  });

  test("of a connection without a secret has no Authorization header, whatever the environment holds", async () => {
    bench.connections.set("conn_a", newConnection("conn_a", provider.origin, { secret: null }));
    expect(await bench.run(config, row)).toMatchObject({ ok: true });
    expect(provider.seen[0]?.headers.authorization).toBeUndefined();
    bench.connections.set(
      "conn_claude",
      newConnection("conn_claude", provider.origin, { type: "anthropic", secret: null }),
    );
    expect(await bench.run({ ...config, connection: "conn_claude" }, row)).toMatchObject({
      ok: false,
      failure: { code: "secret_missing" },
    });
    expect(provider.seen).toHaveLength(1);
  });

  test("names images as each provider takes them", async () => {
    const png = "iVBORw0KGgoAAAANSUhEUgAA";
    const withImages: LlmConfig = {
      ...config,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is it?" },
            { type: "image", url: "{{row.url}}" },
            { type: "image", base64: "{{row.png}}" },
          ],
        },
      ],
    };
    const images = { url: `${provider.origin}/a.png`, png };
    await bench.run(withImages, images);
    expect(messagesOf(provider.seen[0])[0]?.content).toEqual([
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: images.url } },
      { type: "image_url", image_url: { url: `data:image/png;base64,${png}` } },
    ]);
    await bench.run({ ...withImages, connection: "conn_claude" }, images);
    expect(messagesOf(provider.seen[1])[0]?.content).toMatchObject([
      { type: "text" },
      { type: "image", source: { type: "url", url: images.url } },
      { type: "image", source: { type: "base64", media_type: "image/png", data: png } },
    ]);
    // Nobody but the provider fetches an image, and no provider is sent to where connections must not go.
    expect(await bench.run(withImages, { url: "http://169.254.169.254/latest", png })).toMatchObject({
      failure: { code: "egress_denied" },
    });
    expect(provider.seen).toHaveLength(2);
  });
});

describe("a server that does not know a part of the request", () => {
  const refuse = (message: string, param: string): GivenAnswer => ({
    status: 400,
    body: { error: { message, type: "invalid_request_error", param, code: "unsupported_parameter" } },
  });

  test("is told the schema in the prompt, and so from the next row on", async () => {
    answer = ({ body }) =>
      body["response_format"] === undefined ? completion('{"n":1}') : refuse("response_format is not supported", "");
    const step = await bench.prepare({ ...config, outputSchema: schema });
    const ask = () => step.processRows([{ index: 0, text: JSON.stringify(row) }], new AbortController().signal);
    expect(await ask()).toMatchObject([{ ok: true, output: '{"n":1}', usage: { requests: 2 } }]);
    expect(await ask()).toMatchObject([{ ok: true, usage: { requests: 1 } }]);
    expect(messagesOf(provider.seen[1])[0]).toEqual({
      role: "system",
      content: expect.stringContaining(JSON.stringify(schema)) as string,
    });
  });

  test("is told the limit by its other name", async () => {
    answer = ({ body }) =>
      body["max_tokens"] === undefined
        ? completion(JSON.stringify({ n: body["max_completion_tokens"] }))
        : refuse("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", "max_tokens");
    const outcome = await bench.run({ ...config, outputSchema: schema, parameters: { maxOutputTokens: 77 } }, row);
    expect(outcome).toMatchObject({ ok: true, output: '{"n":77}' });
  });

  test("is not asked for ever", async () => {
    answer = () => refuse("max_completion_tokens and response_format are not supported", "");
    expect(await bench.run({ ...config, outputSchema: schema, parameters: { maxOutputTokens: 1 } }, row)).toMatchObject(
      {
        ok: false,
        failure: { code: "provider_error", retryable: false },
        usage: { requests: 3 },
      },
    );
  });

  test("gets a schema that is not of an object in the prompt", async () => {
    answer = () => completion("[1,2]");
    const outputSchema = { type: "array", items: { type: "integer" } };
    expect(await bench.run({ ...config, outputSchema }, row)).toMatchObject({ ok: true, output: "[1,2]" });
    expect(provider.seen[0]?.body["response_format"]).toBeUndefined();
    expect(JSON.stringify(provider.seen[0]?.body)).toContain("must fit this JSON Schema");
  });
});

describe("an odd answer", () => {
  test.each<[string, GivenAnswer | "hang up", string]>([
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
    answer = () => given;
    expect(await bench.run(config, row)).toMatchObject({ ok: false, failure: { code }, usage: { requests: 1 } });
    expect(bench.settled).toHaveLength(1);
    expect(provider.seen).toHaveLength(1);
  });

  test("without a count of tokens is paid by the estimate", async () => {
    answer = () => completion("fine", { usage: null });
    const outcome = await bench.run({ ...config, parameters: { maxOutputTokens: 10 } }, row);
    expect(outcome).toMatchObject({ ok: true, usage: { inputTokens: 0, outputTokens: 0 } });
    expect(Number(outcome.usage?.costUsd)).toBeGreaterThan(0);
    expect(bench.settled[0]?.end).not.toHaveProperty("tokens");
  });

  test.each([[{}], [{ total_tokens: 7 }], [{ prompt_tokens: null, completion_tokens: null }]])(
    "with the usage %j has no count of tokens, and is not free",
    async (usage) => {
      answer = () => completion("fine", { usage });
      const outcome = await bench.run({ ...config, parameters: { maxOutputTokens: 100 } }, row);
      // A token for each of five bytes, 1,024 for the request, 16 for the message and its part each, and 100 of output.
      expect(outcome).toMatchObject({ ok: true, usage: { costUsd: "0.001161" } });
    },
  );

  test("without a word may have cost what it may cost at most", async () => {
    answer = () => ({ body: "" });
    const outcome = await bench.run({ ...config, parameters: { maxOutputTokens: 100 } }, row);
    expect(outcome).toMatchObject({ ok: false, failure: { code: "provider_error" }, usage: { costUsd: "0.001161" } });
  });

  test("with the secret in its names is shown without it", async () => {
    answer = () => ({ ...completion("fine", { model: `m ${SECRET}` }), headers: { "x-request-id": SECRET } });
    expect(await bench.run(config, row)).toMatchObject({
      usage: { calls: [{ requestId: "[secret]", reportedModel: "m [secret]" }] },
    });
    answer = () => ({ status: 400, headers: { "x-request-id": SECRET }, body: { error: { message: "no" } } });
    expect(JSON.stringify(await bench.run(config, row))).not.toContain(SECRET);
  });

  test("with the secret in its text, however it is written, is an output or a failure without it", async () => {
    const escaped = SECRET.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
    answer = () => completion(`you sent ${SECRET} and ${encodeURIComponent(`${SECRET}+`)}`);
    expect(await bench.run(config, row)).toMatchObject({
      ok: true,
      output: '{"text":"you sent [secret] and [secret]%2B"}',
    });
    for (const body of [
      `{"error":{"message":"${escaped}"}}`,
      `<html>${"-".repeat(470)}${SECRET}</html>`,
      `{"error":{"message":"m","type":"${"t".repeat(190)}${SECRET}"}}`,
      `${"-".repeat(16_384 - SECRET.length + 1)}${SECRET}`,
    ]) {
      answer = () => ({ status: 400, body });
      const outcome = JSON.stringify(await bench.run(config, row));
      expect(outcome).not.toContain(SECRET.slice(0, 6));
      expect(outcome).not.toContain("u0073");
    }
  });

  test("with an impossible count is not believed", async () => {
    answer = () => completion("fine", { usage: { prompt_tokens: -5, completion_tokens: 1e300 } });
    expect(await bench.run(config, row)).toMatchObject({ ok: true, usage: { inputTokens: 0, outputTokens: 0 } });
  });

  test("counts reasoning as output, and keeps the provider's names short", async () => {
    answer = () => ({
      ...completion("fine", {
        model: `m${"x".repeat(1_000)}`,
        usage: { prompt_tokens: 1, completion_tokens: 900, completion_tokens_details: { reasoning_tokens: 890 } },
      }),
      headers: { "x-request-id": "req-42" },
    });
    const outcome = await bench.run(config, row);
    expect(outcome.usage).toMatchObject({ outputTokens: 900, calls: [{ requestId: "req-42" }] });
    expect(outcome.usage?.calls?.[0]?.reportedModel).toHaveLength(200);
  });
});

describe("a connection", () => {
  test("that is gone, or whose address may not be called, fails the row without a call", async () => {
    expect(await bench.run({ ...config, connection: "conn_gone" }, row)).toMatchObject({
      failure: { code: "secret_missing" },
    });
    bench.connections.set("conn_a", newConnection("conn_a", "http://10.0.0.1/v1"));
    const outcome = await bench.run(config, row);
    expect(outcome).toMatchObject({ failure: { code: "egress_denied" }, usage: { requests: 0, costUsd: "0" } });
  });

  test("that refuses to be opened is a network error, for which nothing is paid", async () => {
    bench.budget = createTestBudget("1");
    const outcome = await bench.run({ ...config, connection: "conn_dead" }, row);
    expect(outcome).toMatchObject({ failure: { code: "network_error" }, usage: { requests: 0, costUsd: "0" } });
    expect(bench.budget.left()).toBe("1");
    expect(bench.settled[0]?.end).toEqual({ outcome: "failed", tokens: 0 });
  });
});

describe("fallbacks", () => {
  test("are asked in turn; the failure that may pass is the one that is told", async () => {
    answer = (_, number) => ({ status: number === 1 ? 401 : 503, body: { error: { message: "no" } } });
    const outcome = await bench.run(
      { ...config, fallbacks: [{ model: "n" }, { connection: "conn_gone", model: "o" }] },
      row,
    );
    expect(outcome).toMatchObject({
      ok: false,
      failure: {
        code: "provider_overloaded",
        details: { others: [{ code: "provider_auth_failed" }, { code: "secret_missing" }] },
      },
      usage: { requests: 2 },
    });
    expect(provider.seen.map(({ body }) => body["model"])).toEqual(["m", "n"]);
  });
});

describe("a budget", () => {
  test("that is spent holds back the row that has not begun, and ends the one that has", async () => {
    bench.budget = createTestBudget("0.0001");
    await expect(bench.run(config, row)).rejects.toBeInstanceOf(RowHeldError);
    expect(provider.seen).toEqual([]);

    const plenty = createTestBudget("1");
    bench.budget = plenty;
    answer = () => completion('{"n":1}');
    await bench.run({ ...config, outputSchema: schema }, row);
    const [ofOneCall = "0"] = plenty.reserved;

    answer = () => completion('{"n":"wrong"}');
    bench.budget = createTestBudget(ofOneCall);
    const outcome = await bench.run({ ...config, outputSchema: schema }, row);
    expect(outcome).toMatchObject({
      ok: false,
      failure: { code: "budget_exhausted" },
      usage: { requests: 1, costUsd: "0.00012" },
    });
    expect(parseUsd(bench.budget.left())).toBe(parseUsd(ofOneCall) - parseUsd("0.00012"));
  });

  test("cannot answer for a model without a price: nothing is asked", async () => {
    bench.budget = createTestBudget("1");
    await expect(bench.run({ ...config, model: "unpriced" }, row)).rejects.toThrow(RowHeldError);
    expect(bench.budget.reserved).toEqual([]);
  });

  test("that nobody has set lets a model without a price be asked, and the request is counted as such", async () => {
    bench.budget = undefined;
    expect((await bench.run({ ...config, model: "unpriced" }, row)).usage).toEqual({
      inputTokens: 100,
      outputTokens: 20,
      requests: 1,
      unpricedRequests: 1,
      calls: [expect.objectContaining({ model: "unpriced" })],
    });
  });

  test("is charged with all that a call may have cost whose answer was lost", async () => {
    answer = () => "hang up";
    bench.budget = createTestBudget("1");
    const outcome = await bench.run(config, row);
    expect(bench.budget.settled).toEqual(bench.budget.reserved);
    expect(outcome.usage?.costUsd).toBe(bench.budget.reserved[0]);
  });
});

describe("when the run is stopped", () => {
  test("a call that waits for its answer is abandoned, and paid", async () => {
    bench.budget = createTestBudget("1");
    const stopping = new AbortController();
    answer = () => {
      setImmediate(() => stopping.abort(new Error("stopped")));
      return "silence";
    };
    await expect(bench.run(config, row, stopping.signal)).rejects.toThrow("stopped");
    expect(bench.budget.settled).toEqual(bench.budget.reserved);
    expect(bench.settled).toMatchObject([{ end: { outcome: "failed" } }]);
    expect(bench.settled[0]?.end).not.toHaveProperty("tokens");
  });

  test("a row that waits for its turn gives its money back", async () => {
    const stopping = new AbortController();
    const budget = createTestBudget("1");
    bench.budget = {
      ...budget,
      reserve(amount, signal) {
        stopping.abort(new Error("stopped"));
        return budget.reserve(amount, signal);
      },
    };
    await expect(bench.run(config, row, stopping.signal)).rejects.toThrow("stopped");
    expect(budget.settled).toEqual(["0"]);
    expect(budget.left()).toBe("1");
    expect(provider.seen).toEqual([]);
  });

  test("a row that has not begun calls nobody", async () => {
    await expect(bench.run(config, row, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(provider.seen).toEqual([]);
  });
});

test("what the provider says of its limits is passed on", async () => {
  answer = () => ({
    ...completion("fine"),
    headers: {
      "x-ratelimit-limit-requests": "600",
      "x-ratelimit-remaining-requests": "599",
      "x-ratelimit-reset-requests": "100ms",
      "x-ratelimit-limit-tokens": "90000",
      "x-ratelimit-remaining-tokens": "89000",
      "x-ratelimit-reset-tokens": "666ms",
    },
  });
  await bench.run(config, row);
  expect(bench.settled[0]?.end).toMatchObject({
    outcome: "answered",
    tokens: 120,
    learned: { requestsPerMinute: 600, remainingRequests: 599, tokensPerMinute: 90_000 },
  });
  answer = () => ({ status: 429, headers: { "retry-after": "7" }, body: { error: { message: "slow down" } } });
  expect(await bench.run(config, row)).toMatchObject({ failure: { retryAfterMs: 7_000 } });
  expect(bench.settled[1]?.end).toMatchObject({ outcome: "rate_limited", retryAfterMs: 7_000 });
});

test("a step can say what a row would take", async () => {
  const step = await bench.prepare({ ...config, parameters: { maxOutputTokens: 100 } });
  const inHand = { index: 0, text: JSON.stringify({ text: "x".repeat(4_000) }) };
  expect(await step.estimate(inHand)).toEqual({
    ok: true,
    inputTokens: { low: 800, high: 2_008 },
    outputTokens: { low: 1, high: 100 },
    costUsd: { low: "0.000801", high: "0.002108" },
  });
  expect(await step.estimate({ index: 1, text: "{}" })).toMatchObject({
    ok: false,
    failure: { code: "template_error" },
  });
  expect(provider.seen).toEqual([]);
});

test("rows with the same question have the same cache key, others have not", async () => {
  const keyOf = async (changed: Partial<LlmConfig>, text: unknown) =>
    (await bench.prepare({ ...config, ...changed })).cacheKeyOf?.({ index: 0, text: JSON.stringify(text) });
  const key = await keyOf({}, { text: "a", unused: 1 });
  expect(await keyOf({ repairAttempts: 1 }, { text: "a", unused: 2 })).toBe(key);
  const others = await Promise.all([
    keyOf({}, { text: "b" }),
    keyOf({ model: "n" }, { text: "a" }),
    keyOf({ connection: "conn_claude" }, { text: "a" }),
    keyOf({ parameters: { temperature: 0 } }, { text: "a" }),
    keyOf({ outputSchema: schema }, { text: "a" }),
    keyOf({ repairAttempts: 0 }, { text: "a" }),
    keyOf({ fallbacks: [{ model: "n" }] }, { text: "a" }),
    keyOf({ messages: [{ role: "system", content: "s" }, ...config.messages] }, { text: "a" }),
  ]);
  expect(new Set([key, ...others]).size).toBe(others.length + 1);
  expect(await keyOf({}, {})).toBeUndefined();
});

describe("a job spec is refused", () => {
  test.each<[Partial<LlmConfig>, string[]]>([
    [{}, []],
    [{ connection: "conn_gone" }, ["/connection: There is no connection conn_gone."]],
    [
      { connection: "conn_http" },
      ["/connection: The connection is of type http; a model needs one of type openai_compatible or anthropic."],
    ],
    [
      { fallbacks: [{ model: "n" }, { connection: "conn_http", model: "o" }] },
      [
        "/fallbacks/1/connection: The connection is of type http; a model needs one of type openai_compatible or anthropic.",
      ],
    ],
    [
      { connection: "conn_claude", parameters: { seed: 1, temperature: 1.5 } },
      [
        "/parameters/seed: A connection of type anthropic takes no seed.",
        "/parameters/temperature: A connection of type anthropic takes a temperature of at most 1.",
      ],
    ],
    [{ outputSchema: true }, []],
  ])("for %j", async (changed, problems) => {
    expect(await bench.findProblems({ ...config, ...changed })).toEqual(problems);
  });

  test("for a schema that does not compile, and for templates", async () => {
    const problems = await bench.findProblems({
      ...config,
      messages: [{ role: "user", content: "{{row.a" }],
      outputSchema: { type: "objekt" },
    });
    expect(problems).toEqual([
      expect.stringContaining("/messages/0/content: Character 1:") as string,
      expect.stringContaining("/outputSchema: The schema does not compile") as string,
    ]);
  });
});
