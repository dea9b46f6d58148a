/** The outside world of a campaign: a receiver of webhooks and a model provider, both of which remember everything. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

export const INPUT_TOKENS = 10;
export const OUTPUT_TOKENS = 5;
/** Of a call: long enough for a kill to find calls under way. */
const CALL_MS = 150;
/** Of a delivery, for the same reason. */
const DELIVERY_MS = 20;

const HOOKS = "/hook/";

export interface ReceivedEvent {
  /** The URL to which it was sent. */
  url: string;
  id: string;
  body: string;
  headers: Record<string, string>;
}

export interface Outside {
  origin: string;
  /** A receiver of its own for each name: one endpoint does not get what another one's secret has signed. */
  hookUrl: (name: string) => string;
  modelUrl: string;
  /** Deliveries that were acknowledged, in their order. */
  received: ReceivedEvent[];
  /** By the text of the prompt: how often the provider was asked, and paid. */
  calls: Map<string, number>;
  close(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const received: ReceivedEvent[] = [];
  const calls = new Map<string, number>();
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      if (body === undefined) return;
      const path = request.url ?? "";
      if (path.startsWith(HOOKS)) {
        await pause(DELIVERY_MS);
        const headers = Object.fromEntries(
          Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        );
        received.push({ url: origin + path, id: headers["webhook-id"] ?? "", body, headers });
        response.writeHead(204).end();
        return;
      }
      const { messages, model } = JSON.parse(body) as { messages: { content: string }[]; model: string }; // a chat request
      const prompt = messages.at(-1)?.content ?? "";
      calls.set(prompt, (calls.get(prompt) ?? 0) + 1);
      await pause(CALL_MS);
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(completion(prompt, model)));
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;
  return {
    origin,
    hookUrl: (name) => `${origin}${HOOKS}${name}`,
    modelUrl: `${origin}/v1`,
    received,
    calls,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer); // without an encoding, chunks are buffers
  } catch {
    // The sender was killed in the middle: this is no request.
    return undefined;
  }
  return Buffer.concat(chunks).toString();
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port; // it listens on TCP
}

const completion = (text: string, model: string): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1_700_000_000,
  model,
  choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
  usage: {
    prompt_tokens: INPUT_TOKENS,
    completion_tokens: OUTPUT_TOKENS,
    total_tokens: INPUT_TOKENS + OUTPUT_TOKENS,
  },
});
