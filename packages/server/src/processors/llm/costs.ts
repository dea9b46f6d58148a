/**
 * How many tokens a call will take, and what they cost. Tokens are counted by the provider only, and after the fact; before,
 * they are estimated from the text by a rule of thumb: English has about four UTF-8 bytes a token, plain prose at most five,
 * and JSON, code and other scripts down to two. The real count replaces the estimate as soon as there is a response.
 *
 * A budget does not rely on the estimate. It reserves `mostTokensOf`: no tokenizer makes more than one token of a byte.
 */
import { Buffer } from "node:buffer";
import { parseUsd } from "../../platform/usd.ts";
import type { PicoUsd } from "../../platform/usd.ts";
import type { Connection, ModelPrice } from "../connection-parts.ts";
import type { TokenRange } from "../processor.ts";
import { DEFAULT_MAX_OUTPUT_TOKENS } from "./models.ts";
import type { ChatRequest } from "./models.ts";
import type { LlmConfig } from "./llm-config.ts";
import type { Message } from "./conversation.ts";

const FEWEST_BYTES_PER_TOKEN = 2;
const MOST_BYTES_PER_TOKEN = 5;

/** Role and marks around a message. */
const TOKENS_PER_MESSAGE = 8;

/** An image in full detail at the providers that count most for it, and a small one at those that count least. */
const MOST_TOKENS_PER_IMAGE = 1_700;
const FEWEST_TOKENS_PER_IMAGE = 85;

/**
 * What a provider may add to a request before its count: the date and default system prompt of a chat template (up to some
 * 500 tokens), or the instructions that come with a schema (Anthropic documents up to 530 tokens).
 */
const MOST_TOKENS_ADDED_PER_REQUEST = 1_024;

/** Role, marks and separators around a message or a part of one; chat templates use up to six. */
const MOST_TOKENS_ADDED_PER_PART = 16;

/** A large image in full detail at OpenAI's gpt-4o-mini (2,833 + 8 tiles × 5,667), the highest count that is documented. */
const MOST_TOKENS_OF_ANY_IMAGE = 48_169;

/** Providers print a schema indented, and repeat its keywords in descriptions. */
const SCHEMA_INDENT = 4;
const SCHEMA_FACTOR = 2;

/** A completion has at least a word. */
const FEWEST_OUTPUT_TOKENS = 1;

/** What a completion is expected to need until some were seen; structured ones are short. */
const FIRST_EXPECTED_OUTPUT_TOKENS = 256;

/** Four bytes a token, of which the upper end of the estimate has two. */
const FIRST_EXPECTED_INPUT_RATIO = 0.5;

/** How much the last completion counts in the average: after twenty, earlier ones hardly count. */
const WEIGHT_OF_LAST = 0.05;

export function estimateInputTokens(messages: readonly Message[], schema: object | undefined): TokenRange {
  let bytes = schema === undefined ? 0 : bytesOfSchema(schema);
  let images = 0;
  for (const { parts } of messages)
    for (const part of parts) {
      if (part.type === "text") bytes += Buffer.byteLength(part.text);
      else images++;
    }
  return {
    low: Math.ceil(bytes / MOST_BYTES_PER_TOKEN) + images * FEWEST_TOKENS_PER_IMAGE,
    high:
      Math.ceil(bytes / FEWEST_BYTES_PER_TOKEN) + messages.length * TOKENS_PER_MESSAGE + images * MOST_TOKENS_PER_IMAGE,
  };
}

/**
 * A provider that receives no limit has its own, which is not known: the default of the others stands for it, and is sent
 * where a budget depends on it (`withOutputLimit`).
 */
export function estimateOutputTokens(parameters: LlmConfig["parameters"]): TokenRange {
  return { low: FEWEST_OUTPUT_TOKENS, high: parameters?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS };
}

export interface TokenBound {
  input: number;
  output: number;
}

/**
 * The most tokens that a provider may count for one request. It holds for every tokenizer of bytes and for those that fall
 * back to bytes, while the provider respects the limit of the output and adds no more than the constants above.
 */
export function mostTokensOf({
  messages,
  schema,
  parameters,
}: Pick<ChatRequest, "messages" | "schema" | "parameters">): TokenBound {
  let input = MOST_TOKENS_ADDED_PER_REQUEST + (schema === undefined ? 0 : mostTokensOfSchema(schema));
  for (const { parts } of messages) {
    input += MOST_TOKENS_ADDED_PER_PART;
    for (const part of parts)
      input +=
        MOST_TOKENS_ADDED_PER_PART + (part.type === "text" ? Buffer.byteLength(part.text) : MOST_TOKENS_OF_ANY_IMAGE);
  }
  return { input, output: estimateOutputTokens(parameters).high };
}

/** A schema is the same object in every request of a step. */
function oncePerSchema(measure: (schema: object) => number): (schema: object) => number {
  const measured = new WeakMap<object, number>();
  return (schema) => {
    const size = measured.get(schema) ?? measure(schema);
    measured.set(schema, size);
    return size;
  };
}

const bytesOfSchema = oncePerSchema((schema) => Buffer.byteLength(JSON.stringify(schema)));
const mostTokensOfSchema = oncePerSchema(
  (schema) => SCHEMA_FACTOR * Buffer.byteLength(JSON.stringify(schema, null, SCHEMA_INDENT)),
);

/** Undefined: the price is not known. */
export function priceOf(connection: Pick<Connection, "prices">, model: string): ModelPrice | undefined {
  const prices = connection.prices?.models ?? {};
  if (Object.hasOwn(prices, model)) return prices[model];
  return Object.hasOwn(prices, "*") ? prices["*"] : undefined;
}

/** A price is the same object for all calls of a second or so, each of which has two costs. */
const parsedPrices = new WeakMap<ModelPrice, { input: PicoUsd; output: PicoUsd }>();

function parsePrice(price: ModelPrice): { input: PicoUsd; output: PicoUsd } {
  const known = parsedPrices.get(price);
  if (known !== undefined) return known;
  const parsed = {
    input: parseUsd(price.inputUsdPerMillionTokens),
    output: parseUsd(price.outputUsdPerMillionTokens),
  };
  parsedPrices.set(price, parsed);
  return parsed;
}

/** Rounded up to 10⁻¹² US dollars. */
export function costOf(price: ModelPrice, inputTokens: number, outputTokens: number): PicoUsd {
  const { input, output } = parsePrice(price);
  const perMillion = BigInt(inputTokens) * input + BigInt(outputTokens) * output;
  return (perMillion + 999_999n) / 1_000_000n;
}

/** What the calls of a step to one model really take, for those that are to come: a limiter that expects too much wastes its allowance. */
export interface Expectation {
  tokens(input: TokenRange, output: TokenRange): number;
  learn(input: TokenRange, inputTokens: number, outputTokens: number): void;
}

export function createExpectation(): Expectation {
  /** Real input tokens in parts of the estimate's upper end. */
  let inputRatio = FIRST_EXPECTED_INPUT_RATIO;
  let outputTokens: number | undefined;
  const average = (before: number, last: number) => before + (last - before) * WEIGHT_OF_LAST;
  return {
    tokens: (input, output) =>
      Math.ceil(input.high * inputRatio) +
      Math.min(output.high, Math.ceil(outputTokens ?? FIRST_EXPECTED_OUTPUT_TOKENS)),
    learn(input, realInput, realOutput) {
      // An image can be off by far, and a provider's count can be a mistake.
      inputRatio = average(inputRatio, Math.min(10, realInput / Math.max(1, input.high)));
      outputTokens = outputTokens === undefined ? realOutput : average(outputTokens, realOutput);
    },
  };
}
