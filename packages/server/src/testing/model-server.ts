/**
 * A model provider in the style of OpenAI, in this process: responds to chat completions as the test says, counts them, and reports
 * which were under way together. Not a model: it responds with the request.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { cleanUpLater } from "./cleanup.ts";

export interface ModelCall {
  /** The text of the last message. */
  prompt: string;
  body: Record<string, unknown>;
  headers: NodeJS.Dict<string | string[]>;
}

export interface ModelResponse {
  status?: number;
  headers?: Record<string, string>;
  /** The text of the response; the prompt if absent. */
  text?: string;
  /** The whole body, instead of a completion. */
  body?: unknown;
  inputTokens?: number;
  outputTokens?: number;
  delayMs?: number;
}

export interface ModelServer {
  /** For `ROWMILL_CONNECTION_ALLOWED_ORIGINS`. */
  origin: string;
  /** For a connection. */
  baseUrl: string;
  calls: ModelCall[];
  /** Most calls that were under way together. */
  mostAtOnce: () => number;
  underWay: () => number;
  respond: (call: ModelCall, number: number) => ModelResponse | Promise<ModelResponse>;
}

export async function startModelServer(respond: ModelServer["respond"] = () => ({})): Promise<ModelServer> {
  let underWay = 0;
  let mostAtOnce = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      underWay++;
      mostAtOnce = Math.max(mostAtOnce, underWay);
      void reply(Buffer.concat(chunks).toString()).finally(() => underWay--);
    });
    async function reply(text: string): Promise<void> {
      const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>); // as a client of the API sends it
      const messages = (body["messages"] ?? []) as { content: unknown }[];
      const content = messages.at(-1)?.content;
      const call = {
        prompt: typeof content === "string" ? content : JSON.stringify(content),
        body,
        headers: request.headers,
      };
      model.calls.push(call);
      const number = model.calls.length;
      const made = await model.respond(call, number);
      if (made.delayMs !== undefined) await wait(made.delayMs);
      response.writeHead(made.status ?? 200, { "content-type": "application/json", ...made.headers });
      response.end(JSON.stringify(made.body ?? completion(call, made, number)));
    }
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
  const model: ModelServer = {
    origin,
    baseUrl: `${origin}/v1`,
    calls: [],
    mostAtOnce: () => mostAtOnce,
    underWay: () => underWay,
    respond,
  };
  return model;
}

const completion = (call: ModelCall, { text, inputTokens = 10, outputTokens = 5 }: ModelResponse, number: number) => ({
  id: `chatcmpl-${number}`,
  object: "chat.completion",
  created: 1_700_000_000,
  model: `${String(call.body["model"])}-2026`,
  choices: [{ index: 0, message: { role: "assistant", content: text ?? call.prompt }, finish_reason: "stop" }],
  usage: {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  },
});
