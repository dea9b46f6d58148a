/**
 * A stand-in for a language model: an HTTP server that speaks the API of OpenAI and responds by rules, always the same for the same prompt.
 * It accepts any model name, takes as long as a fast model, counts tokens and refuses some prompts, so that runs, prices and failures are those of real life.
 *
 *     npm run demo:model            # serves http://127.0.0.1:11500/v1
 */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export const MODEL = "demo-film-critic";
/** What a small model of a large provider costs: US dollars for a million tokens. */
export const PRICE = { inputUsdPerMillionTokens: "0.25", outputUsdPerMillionTokens: "2.00" };

/** Of all that was counted, in US dollars. */
export const costOf = ({ inputTokens, outputTokens }: Bill): number =>
  (inputTokens * Number(PRICE.inputUsdPerMillionTokens) + outputTokens * Number(PRICE.outputUsdPerMillionTokens)) / 1e6;

const DEFAULT_PORT = 11_500;
/** Of a completion; a fast small model takes about twice as long. */
const FASTEST_MS = 40;
const SLOWEST_MS = 140;
/** As of the tokenizers of today, for English. */
const CHARACTERS_PER_TOKEN = 4;

const TOKENS_AROUND_MESSAGE = 4;

export interface Bill {
  requests: number;
  inputTokens: number;
  outputTokens: number;
}

export interface DemoModel {
  baseUrl: string;
  /** Of everything that was asked since the start. */
  readonly bill: Bill;
  close(): Promise<void>;
}

interface ChatRequest {
  model?: string;
  messages?: { role: string; content: string }[];
  response_format?: { json_schema?: { schema?: JsonSchema } };
}

interface Message {
  content: string | null;
  refusal: string | null;
}

interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
}

interface JsonSchema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  minimum?: number;
  maximum?: number;
}

/** On port 0 a free one is taken. `hold` is waited for before a response: a test stops a run in the middle by it. */
export async function startModel(
  port: number,
  hold: (requests: number) => Promise<void> = () => Promise.resolve(),
): Promise<DemoModel> {
  const bill: Bill = { requests: 0, inputTokens: 0, outputTokens: 0 };
  const server = createServer((request, response) => {
    const send = (status: number, body: object): void =>
      void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (request.url === "/v1/models")
      return send(200, { object: "list", data: [{ id: MODEL, object: "model", owned_by: "rowmill" }] });
    if (request.method !== "POST" || request.url !== "/v1/chat/completions")
      return send(404, { error: { message: `There is no ${request.method} ${request.url}.` } });
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      complete(Buffer.concat(chunks).toString()).then(
        ([status, body]) => send(status, body),
        () => send(400, { error: { message: "The body is not a chat completion request." } }),
      );
    });
  });
  async function complete(text: string): Promise<[status: number, body: object]> {
    const { model = MODEL, messages = [], response_format: format } = JSON.parse(text) as ChatRequest; // checked by what follows
    const prompt = messages.map(({ content }) => content).join("\n");
    const digest = createHash("sha256").update(prompt).digest();
    await hold(bill.requests);
    await pause(FASTEST_MS + (digest.readUInt16BE() / 0xffff) * (SLOWEST_MS - FASTEST_MS));
    const message = respond(prompt, format?.json_schema?.schema, digest);
    // Providers count the schema, and a few tokens around each message.
    const asked = prompt + JSON.stringify(format ?? "");
    const inputTokens = tokensOf(asked) + TOKENS_AROUND_MESSAGE * messages.length;
    const usage = { prompt_tokens: inputTokens, completion_tokens: tokensOf(message.content ?? message.refusal ?? "") };
    bill.requests++;
    bill.inputTokens += usage.prompt_tokens;
    bill.outputTokens += usage.completion_tokens;
    return [200, completion(model, message, usage, digest)];
  }
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo; // it listens on TCP
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    bill,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function completion(model: string, message: Message, usage: Usage, digest: Buffer): object {
  return {
    id: `chatcmpl-${digest.toString("hex").slice(0, 12)}`,
    object: "chat.completion",
    created: Math.floor(Date.now() / 1000),
    model,
    choices: [
      {
        index: 0,
        message: { role: "assistant", ...message },
        finish_reason: message.refusal === null ? "stop" : "content_filter",
      },
    ],
    usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens },
  };
}

function respond(prompt: string, schema: JsonSchema | undefined, digest: Buffer): Message {
  if (/\b(kill|killer|murder|dead|blood)\b/i.test(prompt))
    return { content: null, refusal: "I cannot help with content about violence." };
  const content = schema === undefined ? sentenceOf(prompt) : JSON.stringify(fill("output", schema, prompt, digest));
  return { content, refusal: null };
}

/** A value of the schema: what the prompt speaks of where that can be found, else one that follows from its hash. */
function fill(name: string, schema: JsonSchema, prompt: string, digest: Buffer): unknown {
  if (schema.enum !== undefined) return choose(schema.enum, prompt, digest);
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type;
  const share = createHash("sha256").update(digest).update(name).digest().readUInt16BE() / 0xffff;
  if (type === "object" || schema.properties !== undefined)
    return Object.fromEntries(
      Object.entries(schema.properties ?? {}).map(([member, of]) => [member, fill(member, of, prompt, digest)]),
    );
  if (type === "array") return [fill(name, schema.items ?? {}, prompt, digest)];
  if (type === "boolean") return /^is[A-Z]/.test(name) ? mentions(lastLineOf(prompt), name.slice(2)) : share < 0.5;
  if (Array.isArray(schema.type) && schema.type.includes("null")) return findValue(type, lastLineOf(prompt));
  const { minimum = 0, maximum = type === "integer" ? 100 : 1 } = schema;
  if (type === "integer") return minimum + Math.floor(share * (maximum - minimum));
  if (name === "confidence") return Number((RATING.test(prompt) ? 0.9 + share / 10 : 0.5 + share / 4).toFixed(2));
  if (type === "number") return Number((minimum + share * (maximum - minimum)).toFixed(2));
  return sentenceOf(prompt);
}

/** Who a film is for, as an authority or, where the prompt allows it, the genre says. */
const audienceOf: Readonly<Record<string, string>> = {
  G: "children",
  PG: "everyone",
  "PG-13": "everyone",
  R: "adults",
  "NC-17": "adults",
  Open: "adults",
  "Not Rated": "adults",
};
const RATING = /\bRating: (G|PG-13|PG|R|NC-17|Open|Not Rated)\b/;
const ADULT_GENRES = /Genre: (Horror|Thriller|Black Comedy|Drama)/;

function choose(values: unknown[], prompt: string, digest: Buffer): unknown {
  if (values.includes("adults") && values.includes("children")) {
    const rating = RATING.exec(prompt)?.[1];
    if (rating !== undefined) return audienceOf[rating];
    if (/judge by the genre/i.test(prompt)) return ADULT_GENRES.test(prompt) ? "adults" : "everyone";
    // A model that does not know makes something up, whatever the schema says.
    if (/\bRating:/.test(prompt)) return "unknown";
  }
  const mentioned = values.find(
    (value) => typeof value === "string" && prompt.toLowerCase().includes(value.toLowerCase()),
  );
  if (mentioned === undefined && values.includes(null)) return null;
  return mentioned ?? values[digest.readUInt16BE(2) % values.length];
}

/** An amount with its currency, or an identifier with digits; null where the text has none. */
function findValue(type: string | undefined, text: string): string | number | null {
  if (type !== "string") return Number(/(\d+(?:\.\d+)?) [A-Z]{3}\b/.exec(text)?.[1] ?? Number.NaN) || null;
  return /\b(?:[A-Z]-)?\d{2,}\b/.exec(text)?.[0] ?? null;
}

const mentions = (text: string, word: string): boolean => text.toLowerCase().includes(word.toLowerCase());

const LONGEST_SENTENCE = 80;
/** In most prompts it is about the row. */
const lastLineOf = (prompt: string): string => (prompt.trim().split("\n").at(-1) ?? "").trim();
const sentenceOf = (prompt: string): string => lastLineOf(prompt).slice(0, LONGEST_SENTENCE);

const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_PER_TOKEN);

if (import.meta.main) {
  // The port alone, or behind `--port`.
  const port = Number(process.argv.slice(2).find((argument) => argument !== "--port") ?? DEFAULT_PORT);
  try {
    const model = await startModel(port);
    console.log(`The model ${MODEL} listens on ${model.baseUrl}`);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    console.error(`Port ${port} is used by another process. Name another port: npm run demo:model -- ${port + 1}`);
    process.exitCode = 1;
  }
}
