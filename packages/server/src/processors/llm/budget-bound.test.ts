/** A provider that counts as much as any can: what it charges stays within the budget. */
import { Buffer } from "node:buffer";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RowPostponedError } from "../processor.ts";
import { parseUsd } from "../../platform/usd.ts";
import type { LlmConfig } from "./llm-config.ts";
import { completion, createBench, createTestBudget, newConnection, startOddProvider } from "./llm-testing.ts";
import type { Bench, GivenResponse, OddProvider, SeenRequest } from "./llm-testing.ts";

const ROWS = 200;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** As many tokens as an output takes for which the request has no limit. */
const ENDLESS = 100_000;
/** A chat template's own system prompt, or the instructions of a tool. */
const OF_REQUEST = 530;
const OF_MESSAGE = 6;
const OF_IMAGE = 48_169;

const prices = { models: { m: { inputUsdPerMillionTokens: "3", outputUsdPerMillionTokens: "15" } } };

let provider: OddProvider;
let bench: Bench;
let charged: bigint;
let text: string;

beforeEach(async () => {
  charged = 0n;
  text = "fine";
  provider = await startOddProvider((request) => responseAtWorst(request));
  bench = createBench([provider.origin]);
  bench.connections.set("conn_openai", newConnection("conn_openai", `${provider.origin}/v1`, { prices }));
  bench.connections.set("conn_claude", newConnection("conn_claude", provider.origin, { type: "anthropic", prices }));
});
afterEach(async () => {
  await bench.close();
  await provider.close();
});

function responseAtWorst({ path, body }: SeenRequest): GivenResponse {
  const { model: _model, max_tokens: limit = ENDLESS, messages, system, ...rest } = body;
  const input = OF_REQUEST + countOf(system ?? "") + countOf(messages) + bytesOf(JSON.stringify(rest, null, 4));
  const output = Number(limit);
  charged += BigInt(input) * 3_000_000n + BigInt(output) * 15_000_000n;
  if (path.endsWith("/chat/completions"))
    return completion(text, {
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
    });
  return {
    body: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: input, output_tokens: output },
    },
  };
}

const bytesOf = (part: string): number => Buffer.byteLength(part);

/** One token for each byte of text. */
function countOf(value: unknown): number {
  if (typeof value === "string") return bytesOf(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + OF_MESSAGE + countOf(item), 0);
  if (typeof value !== "object" || value === null) return 0;
  if ("type" in value && /image/.test(String(value.type))) return OF_IMAGE;
  return "content" in value ? countOf(value.content) : "text" in value ? countOf(value.text) : 0;
}

const schema = {
  type: "object",
  properties: { label: { type: "string", enum: ["a", "b"], description: "What it is about" } },
  required: ["label"],
  additionalProperties: false,
};
const user = (content: LlmConfig["messages"][number]["content"]): LlmConfig["messages"] => [{ role: "user", content }];
const config: LlmConfig = { type: "llm", connection: "conn_openai", model: "m", messages: user("{{row.n}}") };
const capped = { parameters: { maxOutputTokens: 16 } };

test.each<[string, Partial<LlmConfig>, string]>([
  ["a prompt of one word", capped, "0.05"],
  ["a prompt of many scripts", { ...capped, messages: user("日本語のテキスト 😀😀😀 ¤¤ {{row.n}}") }, "0.05"],
  [
    "several messages",
    {
      ...capped,
      messages: [
        { role: "system", content: "s" },
        ...user([
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ]),
      ],
    },
    "0.05",
  ],
  ["a schema", { ...capped, outputSchema: schema }, "0.05"],
  ["an image", { ...capped, messages: user([{ type: "image", base64: PIXEL }]) }, "1"],
  ["no limit of the output", {}, "1"],
  ["Anthropic, with a schema", { ...capped, connection: "conn_claude", outputSchema: schema }, "0.05"],
  ["Anthropic, without a limit", { connection: "conn_claude" }, "1"],
])("with %s the budget is never exceeded", async (_name, more, maxCostUsd) => {
  // An output that does not fit has a repair message, which repeats all that was said.
  if (more.outputSchema !== undefined) text = "x".repeat(16);
  const budget = createTestBudget(maxCostUsd);
  bench.budget = budget;
  const step = await bench.prepare({ ...config, ...more });
  const { signal } = new AbortController();
  const ended = await Promise.allSettled(
    Array.from({ length: ROWS }, (_unused, n) => step.processRows([{ index: n, text: JSON.stringify({ n }) }], signal)),
  );
  const postponed = ended.filter((row) => row.status === "rejected" && row.reason instanceof RowPostponedError);
  expect(postponed.length + ended.filter(({ status }) => status === "fulfilled").length).toBe(ROWS);
  expect(postponed.length).toBeGreaterThan(0);
  expect(provider.seen.length).toBeGreaterThan(0);
  expect(charged).toBeLessThanOrEqual(parseUsd(maxCostUsd));
  // What was settled is what was charged: nothing is hidden by a settlement that is too low.
  expect(budget.settled.reduce((sum, spent) => sum + parseUsd(spent), 0n)).toBe(charged);
});
