/**
 * The providers of the AI SDK, used for what they know: how a conversation becomes the body of a provider's request, and how
 * its response is read. They reach no network and know no secret. Where a request goes is said by the caller:
 *
 *     converse(model, chat, send) ── the SDK makes the body ──► send(request) ──► response ── the SDK reads it ──► text, usage
 *
 * `doGenerate` of the provider's model is called rather than `generateText`: the latter would fetch images by itself, past
 * the egress guard, and takes twice the CPU.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Connection } from "../connection-parts.ts";
import { MANY_VALUES, hasManyValues } from "../large-texts.ts";
import type { Dialect } from "./dialects.ts";
import type { LlmConfig } from "./llm-config.ts";
import type { Message } from "./conversation.ts";
import type { ProviderResponse, ProviderRequest } from "../provider-messages.ts";
import { present } from "../../platform/present.ts";

export type Model = ReturnType<ReturnType<typeof createOpenAICompatible>["chatModel"]>;
export type Prompt = Parameters<Model["doGenerate"]>[0]["prompt"];

export interface ChatRequest {
  messages: readonly Message[];
  parameters: LlmConfig["parameters"];
  /** Where the provider is to enforce it by its own means. */
  schema: Record<string, unknown> | undefined;
  dialect: Dialect;
}

/** Why the model ended its completion. */
export type Finish = "stop" | "length" | "refused" | "other";

export interface Reply {
  text: string;
  finish: Finish;
  /** Undefined: the provider did not say. Reasoning counts as output. */
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  reportedModel: string | undefined;
  /** Of the response's body. */
  id: string | undefined;
}

/** `unreadable` states what was wrong with a successful response; both are absent for a response of another status. */
export interface Conversed {
  response: ProviderResponse;
  reply?: Reply;
  unreadable?: string;
}

/** Anthropic's API requires it; other providers have a default of their own. Enough for some 3,000 words. */
export const DEFAULT_MAX_OUTPUT_TOKENS = 4_096;

/** The same request with a limit on its output: without one, no budget can bound its cost. */
export function withOutputLimit(chat: ChatRequest): ChatRequest {
  if (chat.parameters?.maxOutputTokens !== undefined) return chat;
  return { ...chat, parameters: { ...chat.parameters, maxOutputTokens: DEFAULT_MAX_OUTPUT_TOKENS } };
}

/** Beyond this a provider's count is a mistake, and would spoil every sum. */
const MAX_BELIEVED_TOKENS = 1_000_000_000;

/** Connections and models of a process that are in use at a time; making one again costs a fifth of a millisecond. */
const MAX_MODELS = 500;

/** A provider's name for something; longer ones are shown in part. */
const MAX_NAME_CHARACTERS = 200;

interface Exchange {
  dialect: Dialect;
  send(request: ProviderRequest): Promise<ProviderResponse>;
}

const exchanges = new AsyncLocalStorage<Exchange>();
const models = new Map<string, Model>();

export function modelOf(connection: Pick<Connection, "type" | "baseUrl">, model: string): Model {
  const key = `${connection.type} ${connection.baseUrl} ${model}`;
  const known = models.get(key);
  if (known !== undefined) return known;
  const made =
    connection.type === "anthropic"
      ? // Without a key of its own it would look for one in the environment.
        createAnthropic({ baseURL: connection.baseUrl, apiKey: "not-sent", fetch: fetchByExchange })(model)
      : createOpenAICompatible({
          name: "openaiCompatible",
          baseURL: connection.baseUrl,
          supportsStructuredOutputs: true,
          transformRequestBody: speakDialect,
          fetch: fetchByExchange,
        }).chatModel(model);
  if (models.size >= MAX_MODELS) models.clear();
  models.set(key, made);
  return made;
}

/** Rejects with what `send` rejects with. */
export async function converse(
  connection: Pick<Connection, "type" | "baseUrl">,
  model: string,
  chat: ChatRequest,
  send: Exchange["send"],
): Promise<Conversed> {
  let sending: { error: unknown } | undefined;
  let response: ProviderResponse | undefined;
  const exchange: Exchange = {
    dialect: chat.dialect,
    async send(request) {
      try {
        response = await send(request);
      } catch (error) {
        sending = { error };
        throw error;
      }
      if (!isSuccess(response)) throw new Error("the provider has refused");
      // Its text is one value, however long it is. The SDK reads and checks each value on the thread that serves everybody.
      if (hasManyValues(response.body)) throw new Error(`It has more than ${MANY_VALUES} values.`);
      return response;
    },
  };
  try {
    const result = await exchanges.run(exchange, () =>
      modelOf(connection, model).doGenerate(callOptions(connection.type, chat)),
    );
    if (response === undefined) throw new Error("the SDK returned without a request");
    return { response, reply: readReply(result) };
  } catch (error) {
    if (sending !== undefined) throw sending.error;
    if (response === undefined) throw error;
    if (!isSuccess(response)) return { response };
    return { response, unreadable: error instanceof Error ? error.message : String(error) };
  }
}

function isSuccess({ status, body }: ProviderResponse): boolean {
  return status >= 200 && status < 300 && body !== "";
}

/** What the SDK calls in place of the network. */
const fetchByExchange: typeof fetch = async (url, init) => {
  const exchange = exchanges.getStore();
  if (exchange === undefined || typeof url !== "string" || typeof init?.body !== "string")
    throw new Error("a provider of the SDK asked for something that is not a request of ours");
  const response = await exchange.send({
    url,
    headers: plainHeaders(init.headers),
    body: init.body,
  });
  return responseOf(response.body);
};

/**
 * What the SDK reads of a response, and no more. To make one of the platform, with its stream, and to read it takes longer than to parse
 * most responses of models.
 */
function responseOf(text: string): Response {
  let left: Buffer | undefined = Buffer.from(text);
  const reader = {
    read: () => {
      const value = left;
      left = undefined;
      return Promise.resolve({ done: value === undefined, value });
    },
    cancel: () => Promise.resolve(),
    releaseLock: () => {},
  };
  const headers = new Map<string, string>();
  const read = { ok: true, status: 200, statusText: "", headers, body: { getReader: () => reader } };
  return read as unknown as Response; // the tests of both providers would notice another member that is read
}

/** The SDK gives an object of strings, for which no `Headers` need be made. */
function plainHeaders(headers: RequestInit["headers"] = {}): Record<string, string> {
  if (headers instanceof Headers || Array.isArray(headers)) return Object.fromEntries(new Headers(headers));
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) if (typeof value === "string") plain[name.toLowerCase()] = value;
  return plain;
}

function speakDialect(body: Record<string, unknown>): Record<string, unknown> {
  if (exchanges.getStore()?.dialect.tokenLimit !== "max_completion_tokens" || body["max_tokens"] === undefined)
    return body;
  const { max_tokens: limit, ...rest } = body;
  return { ...rest, max_completion_tokens: limit };
}

function callOptions(type: Connection["type"], chat: ChatRequest): Parameters<Model["doGenerate"]>[0] {
  const { parameters = {}, schema } = chat;
  const { maxOutputTokens, temperature, topP, topK, presencePenalty, frequencyPenalty, seed, stopSequences } =
    parameters;
  const shared = {
    prompt: chat.messages.map(toMessage),
    temperature,
    topP,
    stopSequences,
    // JSON Schema 2020-12 and draft 7 differ in keywords that providers pass over; our own check knows them.
    ...(schema === undefined ? {} : { responseFormat: { type: "json" as const, schema, name: "answer" } }),
  };
  if (type === "anthropic") return { ...shared, topK, maxOutputTokens: maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS };
  return {
    ...shared,
    maxOutputTokens,
    presencePenalty,
    frequencyPenalty,
    seed,
    providerOptions: {
      openaiCompatible: {
        strictJsonSchema: schema !== undefined && isStrictSchema(schema),
        // No parameter of OpenAI's own, and one that vLLM, llama.cpp and others take.
        ...present({ top_k: topK }),
      },
    },
  };
}

function toMessage({ role, parts }: Message): Prompt[number] {
  if (role === "user")
    return {
      role,
      content: parts.map((part) =>
        part.type === "text"
          ? part
          : {
              type: "file",
              mediaType: part.mediaType,
              data: part.url === undefined ? { type: "data", data: part.base64 } : { type: "url", url: part.url },
            },
      ),
    };
  const texts = parts.flatMap((part) => (part.type === "text" ? [part] : []));
  if (role === "assistant") return { role, content: texts };
  return { role, content: texts.map(({ text }) => text).join("\n\n") };
}

/** OpenAI enforces a schema strictly only where every object is closed, and requires all of its members. */
function isStrictSchema(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrictSchema);
  if (typeof schema !== "object" || schema === null) return true;
  const node = schema as Record<string, unknown>;
  const properties = node["properties"];
  if (node["type"] === "object" || properties !== undefined) {
    const required = new Set(Array.isArray(node["required"]) ? node["required"] : []);
    const isClosed = node["additionalProperties"] === false;
    if (!isClosed || !Object.keys(properties ?? {}).every((name) => required.has(name))) return false;
  }
  return Object.values(node).every(isStrictSchema);
}

function readReply(result: Awaited<ReturnType<Model["doGenerate"]>>): Reply {
  const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
  return {
    text,
    finish: finishOf(result.finishReason.unified),
    inputTokens: isSaid(result.usage.raw, "prompt_tokens", "input_tokens")
      ? believe(result.usage.inputTokens.total)
      : undefined,
    outputTokens: isSaid(result.usage.raw, "completion_tokens", "output_tokens")
      ? believe(result.usage.outputTokens.total)
      : undefined,
    reportedModel: shorten(result.response?.modelId),
    id: shorten(result.response?.id),
  };
}

function finishOf(unified: string): Finish {
  switch (unified) {
    case "stop":
    case "length":
      return unified;
    case "content-filter":
      return "refused";
    default:
      return "other";
  }
}

/** The SDK reads a missing count as 0, and the call would be free. */
function isSaid(usage: object | undefined, ...names: string[]): boolean {
  return Object.entries(usage ?? {}).some(([name, count]) => names.includes(name) && typeof count === "number");
}

function believe(tokens: number | undefined): number | undefined {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens >= 0 && tokens <= MAX_BELIEVED_TOKENS
    ? tokens
    : undefined;
}

/** A name that another made, as it may be stored and shown. */
export function shorten(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  return name
    .replaceAll(/\p{Cc}+/gu, " ")
    .slice(0, MAX_NAME_CHARACTERS)
    .toWellFormed();
}
