import { describe, expect, test } from "vitest";
import { classifyRefusal, readHiddenRefusal, readRefusal } from "./refusals.ts";

const NOW = new Date("2026-01-01T00:00:00Z");
const names = { secret: "sk-secret", model: "gpt-test" };
const classify = (status: number, body: unknown, headers: Record<string, string> = {}) => {
  const response = { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
  return classifyRefusal(readRefusal(response), headers, names, NOW);
};
const openai = (message: string, type = "invalid_request_error", code: string | null = null) => ({
  error: { message, type, param: null, code },
});
const anthropic = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" });

describe("a refusal becomes a code that says whose fault it is", () => {
  test.each<[number, unknown, string, boolean]>([
    [
      401,
      openai("Incorrect API key provided: sk-abc", "invalid_request_error", "invalid_api_key"),
      "provider_auth_failed",
      true,
    ],
    [401, anthropic("authentication_error", "invalid x-api-key"), "provider_auth_failed", true],
    [403, anthropic("permission_error", "Your API key does not have permission"), "provider_auth_failed", true],
    [403, openai("Your input was flagged by moderation"), "content_rejected", false],
    [
      400,
      [
        {
          error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" },
        },
      ],
      "provider_auth_failed",
      true,
    ],
    [402, openai("Insufficient Balance", "unknown_error"), "provider_auth_failed", true],
    [
      429,
      openai("You exceeded your current quota", "insufficient_quota", "insufficient_quota"),
      "provider_auth_failed",
      true,
    ],
    [
      400,
      anthropic("invalid_request_error", "Your credit balance is too low to access the Anthropic API."),
      "provider_auth_failed",
      true,
    ],
    [
      404,
      openai("The model `gpt-9` does not exist", "invalid_request_error", "model_not_found"),
      "model_not_found",
      true,
    ],
    [404, anthropic("not_found_error", "model: claude-9"), "model_not_found", true],
    [404, "<html>nginx</html>", "model_not_found", true],
    [400, openai("gpt-9 is not a valid model ID"), "model_not_found", true],
    [
      400,
      openai("This model's maximum context length is 8192 tokens.", "invalid_request_error", "context_length_exceeded"),
      "context_length_exceeded",
      false,
    ],
    [
      400,
      anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"),
      "context_length_exceeded",
      false,
    ],
    [
      400,
      { object: "error", message: "This model's maximum context length is 4096 tokens", code: 400 },
      "context_length_exceeded",
      false,
    ],
    [
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size",
          type: "exceed_context_size_error",
        },
      },
      "context_length_exceeded",
      false,
    ],
    [413, anthropic("request_too_large", "Request exceeds the maximum size"), "context_length_exceeded", false],
    [
      400,
      openai(
        "The response was filtered due to the prompt triggering Azure's content management policy",
        "x",
        "content_filter",
      ),
      "content_rejected",
      false,
    ],
    [
      400,
      openai("You uploaded an unsupported image.", "invalid_request_error", "invalid_image_format"),
      "content_rejected",
      false,
    ],
    [400, anthropic("invalid_request_error", "Could not process image"), "content_rejected", false],
    [408, "", "provider_timeout", true],
    [504, "upstream timed out", "provider_timeout", true],
    [409, openai("conflict"), "provider_error", true],
    [500, anthropic("api_error", "Internal server error"), "provider_error", true],
    [502, "<html>", "provider_error", true],
    [503, openai("The engine is currently overloaded"), "provider_overloaded", true],
    [529, anthropic("overloaded_error", "Overloaded"), "provider_overloaded", true],
    [429, openai("Rate limit reached", "tokens", "rate_limit_exceeded"), "provider_rate_limited", true],
    [
      429,
      [
        {
          error: {
            code: 429,
            message: "You exceeded your current quota, please check your plan",
            status: "RESOURCE_EXHAUSTED",
          },
        },
      ],
      "provider_rate_limited",
      true,
    ],
    [400, openai("Unsupported value: 'temperature'"), "provider_error", false],
    [422, { detail: [{ loc: ["body", "messages"], msg: "field required" }] }, "provider_error", false],
    [400, openai("With this model the parameter 'temperature' is not supported."), "provider_error", false],
    [400, { error: "model 'llama9' not found, try pulling it first" }, "model_not_found", true],
    [405, "Method Not Allowed", "provider_error", false],
  ])("%i %j: %s", (status, body, code, isFaultOfProvider) => {
    const refused = classify(status, body);
    expect([refused.failure.code, refused.isFaultOfProvider]).toEqual([code, isFaultOfProvider]);
  });

  test("a request that is wrong in itself is not tried again, and neither is one that nobody pays for", () => {
    expect(classify(400, openai("Unknown parameter: 'top_k'")).failure).toMatchObject({
      retryable: false,
      triedAgain: false,
    });
    expect(classify(402, "").failure).toMatchObject({ retryable: true, triedAgain: false });
    expect(classify(500, "").failure.triedAgain).toBeUndefined();
  });

  test("a redirect is not followed, and is reported", () => {
    expect(classify(301, "", { location: "https://elsewhere.example" }).failure).toMatchObject({
      code: "provider_error",
      retryable: false,
      message: expect.stringContaining("redirect (301)") as string,
    });
  });
});

test.each([
  [{ "retry-after": "20" }, 20_000],
  [{ "retry-after-ms": "1500", "retry-after": "2" }, 1_500],
  [{ "retry-after": "Thu, 01 Jan 2026 00:00:07 GMT" }, 7_000],
  [{ "retry-after": "soon" }, undefined],
  [{}, undefined],
])("%j asks to wait", (headers, retryAfterMs) => {
  expect(classify(429, "", headers).failure.retryAfterMs).toBe(retryAfterMs);
});

describe("what the provider says is shown", () => {
  test("in part, on one line, without the secret", () => {
    const { message } = classify(400, openai(`bad\n\u0000key sk-secret ${"x".repeat(2_000)}`)).failure;
    expect(message).toMatch(/^The provider responded with 400: bad key \[secret\] x+…$/);
    expect(message.length).toBeLessThan(560);
    expect(JSON.stringify(classify(400, openai("m", "sk-secret", "sk-secret")).failure)).not.toContain("sk-secret");
  });

  test.each<[unknown, string]>([
    [{ error: "model is loading" }, "model is loading"],
    [{ message: "Not allowed" }, "Not allowed"],
    [{ detail: [{ msg: "field required" }] }, '[{"msg":"field required"}]'],
    [{ unknown: 1 }, '{"unknown":1}'],
    ["plain", "plain"],
    [{ error: { message: 7 } }, '{"error":{"message":7}}'],
  ])("%j", (body, said) => {
    expect(classify(500, body).failure.message).toBe(`The provider responded with 500: ${said}`);
  });

  test("a page of any size is read at once", () => {
    const before = process.cpuUsage();
    classify(400, "model image content ".repeat(400_000));
    classify(400, "image could not ".repeat(1_000));
    classify(400, `model${" x".repeat(8_000)}`);
    const { user } = process.cpuUsage(before);
    // Quadratic work would take minutes.
    expect(user / 1_000).toBeLessThan(2_000);
  });
});

test("an error in a response of status 200 is found", () => {
  const hidden = (body: unknown) => readHiddenRefusal({ status: 200, headers: {}, body: JSON.stringify(body) });
  expect(hidden({ error: { code: 429, message: "slow down" } })).toMatchObject({ status: 429, text: "slow down" });
  expect(hidden({ error: { message: "broken" } })).toMatchObject({ status: 500 });
  expect(hidden({ choices: [] })).toBeUndefined();
});
