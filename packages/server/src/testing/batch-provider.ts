/**
 * A model provider with batch endpoints in the styles of OpenAI and of Anthropic, in this process: it keeps files and batches,
 * responds to requests with what they asked, and writes down what it would have charged for. Chaos is what a test makes of it.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { cleanUpLater } from "./cleanup.ts";

export interface ProviderReply {
  /** 200 if absent. */
  status?: number;
  /** The text of the response; the prompt if absent. */
  text?: string;
  /** Of an error. */
  error?: { type: string; message: string; code?: string };
}

export interface ProviderBatch {
  id: string;
  style: "openai" | "anthropic";
  /** By custom id, in the order in which they came. */
  requests: { customId: string; prompt: string; body: Record<string, unknown> }[];
  metadata: Record<string, string>;
  state: "working" | "canceling" | "ended" | "expired" | "canceled" | "failed";
  createdAt: Date;
  /** Of those that were done when it ended, as they can be downloaded. */
  responses: string[];
  /** How many were done. */
  done: number;
  error: { code: string; message: string } | undefined;
}

export interface ProviderCall {
  method: string;
  path: string;
  headers: NodeJS.Dict<string | string[]>;
}

type Interception =
  | { status: number; body: unknown; headers?: Record<string, string> }
  | "hang"
  | "drop"
  | "mute"
  | undefined;

export interface BatchProvider {
  origin: string;
  /** For a connection. */
  baseUrl: string;
  calls: ProviderCall[];
  batches: ProviderBatch[];
  /** How often each prompt got a completion and was charged for: in batches, and in real time. */
  paid: { inBatches: Map<string, number>; inRealTime: Map<string, number> };
  /** What a request gets. */
  reply: (prompt: string, where: "batch" | "real time") => ProviderReply;
  /** What a batch does when it is looked at; `end` does all of its requests. It ends at the first look. */
  onLook: (batch: ProviderBatch, end: EndBatch) => void;
  /**
   * Instead of the response. `drop`: it is done, and the connection closed without a response. `mute`: it is done, and nothing is
   * said. `hang`: nothing is done or said.
   */
  intercept: (call: ProviderCall) => Interception;
  /** What becomes of the lines of responses on their way. */
  mangle: (lines: string[]) => string[];
  /** As it was when it started. */
  reset(): void;
}

/** Ends the batch, with responses to the requests that are named, all if none are. */
type EndBatch = (
  state?: ProviderBatch["state"],
  isDone?: (request: ProviderBatch["requests"][number]) => boolean,
) => void;

export async function startBatchProvider(): Promise<BatchProvider> {
  const files = new Map<string, string>();
  let batchesMade = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("error", () => response.destroy());
    request.on("end", () => respond(request, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUpLater(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const atStart = (): Omit<BatchProvider, "origin" | "baseUrl" | "reset"> => ({
    calls: [],
    batches: [],
    paid: { inBatches: new Map(), inRealTime: new Map() },
    reply: () => ({}),
    onLook: (_batch, end) => end(),
    intercept: () => undefined,
    mangle: (lines) => lines,
  });
  const provider: BatchProvider = {
    origin,
    baseUrl: `${origin}/v1`,
    ...atStart(),
    reset: () => void Object.assign(provider, atStart()),
  };
  return provider;

  function respond(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const { method = "", url = "", headers } = request;
    const call = { method, path: url, headers };
    provider.calls.push(call);
    const interception = provider.intercept(call);
    if (interception === "hang") return;
    if (typeof interception === "object") {
      response.writeHead(interception.status, { "content-type": "application/json", ...interception.headers });
      response.end(JSON.stringify(interception.body));
      return;
    }
    const { status, text } = responseWith(method, url, body);
    if (interception === "mute") return;
    if (interception === "drop") {
      response.destroy();
      return;
    }
    response.writeHead(status, { "content-type": "application/json" });
    response.end(text);
  }

  function responseWith(method: string, url: string, body: Buffer): { status: number; text: string } {
    const path = new URL(url, origin).pathname.replace(/^\/v1/, "");
    const [, root, ...rest] = path.split("/");
    if (root === "chat" || (root === "messages" && rest.length === 0)) return complete(root === "chat", body);
    const json = (status: number, value: unknown) => ({ status, text: JSON.stringify(value) });
    const missing = json(404, { error: { type: "not_found_error", message: "There is no such thing." } });
    if (root === "files" && method === "POST") {
      const id = `file-${files.size + 1}`;
      files.set(id, fileIn(body));
      return json(200, { id, object: "file", bytes: body.length, purpose: "batch" });
    }
    if (root === "files") {
      const content = files.get(rest[0] ?? "");
      return content === undefined ? missing : { status: 200, text: content };
    }
    const [id, action] = root === "messages" ? rest.slice(1) : rest;
    if (method === "POST" && id === undefined) return json(200, show(make(root === "messages", body)));
    if (id === undefined) return json(200, { data: provider.batches.toReversed().map(show), has_more: false });
    const batch = provider.batches.find((known) => known.id === id);
    if (batch === undefined) return missing;
    if (action === "cancel") {
      if (batch.state !== "working") return json(409, { error: { type: "conflict", message: "It has ended." } });
      batch.state = "canceling";
      return json(200, show(batch));
    }
    if (action === "results") return { status: 200, text: batch.responses.join("\n") };
    if (batch.state === "working" || batch.state === "canceling")
      provider.onLook(batch, (state = "ended", isDone = () => true) => end(batch, state, isDone));
    return json(200, show(batch));
  }

  function complete(isOpenai: boolean, body: Buffer): { status: number; text: string } {
    const asked = JSON.parse(body.toString()) as Record<string, unknown>; // as a client of the API sends it
    const prompt = promptOf(asked);
    const made = provider.reply(prompt, "real time");
    if (made.error === undefined) count(provider.paid.inRealTime, prompt);
    const value = isOpenai ? completion(asked, prompt, made) : message(asked, prompt, made);
    return { status: made.status ?? 200, text: JSON.stringify(value) };
  }

  function make(isAnthropic: boolean, body: Buffer): ProviderBatch {
    const asked = JSON.parse(body.toString()) as {
      input_file_id?: string;
      metadata?: Record<string, string>;
      requests?: { custom_id: string; params: Record<string, unknown> }[];
    }; // as a client of the API sends it
    const requests = isAnthropic
      ? (asked.requests ?? []).map(({ custom_id: customId, params }) => ({ customId, body: params }))
      : (files.get(asked.input_file_id ?? "") ?? "")
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => JSON.parse(line) as { custom_id: string; body: Record<string, unknown> })
          .map(({ custom_id: customId, body: params }) => ({ customId, body: params }));
    const batch: ProviderBatch = {
      id: `${isAnthropic ? "msgbatch" : "batch"}_${++batchesMade}`,
      style: isAnthropic ? "anthropic" : "openai",
      requests: requests.map((request) => ({ ...request, prompt: promptOf(request.body) })),
      metadata: asked.metadata ?? {},
      state: "working",
      createdAt: new Date(),
      responses: [],
      done: 0,
      error: undefined,
    };
    provider.batches.push(batch);
    return batch;
  }

  function end(
    batch: ProviderBatch,
    state: ProviderBatch["state"],
    isDone: (request: ProviderBatch["requests"][number]) => boolean,
  ): void {
    batch.state = state;
    if (state === "failed") return;
    const lines = batch.requests.filter(isDone).map(({ customId, prompt, body }, i) => {
      const made = provider.reply(prompt, "batch");
      if (made.error === undefined) count(provider.paid.inBatches, prompt);
      if (batch.style === "anthropic") {
        const value = message(body, prompt, made);
        const result =
          made.error === undefined ? { type: "succeeded", message: value } : { type: "errored", error: value };
        return JSON.stringify({ custom_id: customId, result });
      }
      const value = completion(body, prompt, made);
      const response = { status_code: made.status ?? 200, request_id: `req-${batch.id}-${i}`, body: value };
      return JSON.stringify({ id: `batch_req_${i}`, custom_id: customId, response, error: null });
    });
    batch.done = lines.length;
    batch.responses = provider.mangle(lines);
    if (batch.style === "openai") files.set(`file-of-${batch.id}`, batch.responses.join("\n"));
  }
}

function show(batch: ProviderBatch): Record<string, unknown> {
  const isOver = batch.state !== "working" && batch.state !== "canceling";
  if (batch.style === "anthropic") {
    const counts = { processing: 0, succeeded: 0, errored: 0, canceled: 0, expired: 0 };
    return {
      id: batch.id,
      type: "message_batch",
      processing_status: isOver ? "ended" : batch.state === "canceling" ? "canceling" : "in_progress",
      request_counts: isOver
        ? { ...counts, succeeded: batch.done, expired: batch.requests.length - batch.done }
        : { ...counts, processing: batch.requests.length },
      created_at: batch.createdAt.toISOString(),
      results_url: isOver ? "https://elsewhere.example.com/results" : null,
    };
  }
  const statuses = {
    working: "in_progress",
    canceling: "cancelling",
    ended: "completed",
    expired: "expired",
    canceled: "cancelled",
    failed: "failed",
  };
  return {
    id: batch.id,
    object: "batch",
    status: statuses[batch.state],
    created_at: Math.floor(batch.createdAt.getTime() / 1_000),
    output_file_id: isOver && batch.state !== "failed" ? `file-of-${batch.id}` : null,
    error_file_id: null,
    errors: batch.error === undefined ? null : { object: "list", data: [batch.error] },
    request_counts: { total: batch.requests.length, completed: batch.done, failed: 0 },
    metadata: batch.metadata,
  };
}

/** The part of a form that is a file. */
function fileIn(body: Buffer): string {
  const text = body.toString("utf8");
  const boundary = text.slice(0, text.indexOf("\r\n"));
  const part = text.split(boundary).find((piece) => piece.includes('name="file"')) ?? "";
  return part.slice(part.indexOf("\r\n\r\n") + 4).replace(/\r\n$/, "");
}

function promptOf(body: Record<string, unknown>): string {
  const content = ((body["messages"] ?? []) as { content: unknown }[]).at(-1)?.content;
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? (content as { text?: string }[]) : [];
  return parts.map(({ text }) => text ?? "").join("");
}

const completion = (body: Record<string, unknown>, prompt: string, { text, error }: ProviderReply) =>
  error === undefined
    ? {
        id: "chatcmpl-1",
        object: "chat.completion",
        created: 1_700_000_000,
        model: String(body["model"]),
        choices: [{ index: 0, message: { role: "assistant", content: text ?? prompt }, finish_reason: "stop" }],
        usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
      }
    : { error };

const message = (body: Record<string, unknown>, prompt: string, { text, error }: ProviderReply) =>
  error === undefined
    ? {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: String(body["model"]),
        content: [{ type: "text", text: text ?? prompt }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 5 },
      }
    : { type: "error", error };

const count = (counts: Map<string, number>, prompt: string): void =>
  void counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
