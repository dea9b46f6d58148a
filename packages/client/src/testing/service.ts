/** A small HTTP service that responses as a test says, and remembers what it was asked. */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { onTestFinished } from "vitest";
import { Rowmill } from "../index.ts";
import type { RowmillOptions } from "../index.ts";

export const API_KEY = "rmk_secret0000000000000000000000000000000";

export interface Received {
  method: string;
  url: URL;
  headers: IncomingHttpHeaders;
  body: string;
}

export type Respond = (response: ServerResponse, request: Received, number: number) => void | Promise<void>;

export interface Service {
  received: Received[];
  /** The waits the client asked for, in milliseconds. None of them is made. */
  waits: number[];
  origin: string;
  client: (options?: Partial<RowmillOptions>) => Rowmill;
}

export interface ServiceOptions {
  /** Whether a request's body is taken before the response. */
  readsBodies?: boolean;
  /** Takes the chunks of bodies, which are not kept then. */
  onChunk?: (chunk: Buffer) => void;
}

/** Responds to every request with `respond`; `number` counts from 0. */
export async function startService(respond: Respond, options: ServiceOptions = {}): Promise<Service> {
  const { readsBodies = true, onChunk } = options;
  const received: Received[] = [];
  const waits: number[] = [];
  const failures: unknown[] = [];
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A client that leaves within its body is what some tests are about.
      if (!request.destroyed || request.complete) failures.push(error);
      response.destroy();
    });
  });
  const origin = await listen();
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
    if (failures.length > 0) throw new AggregateError(failures, "the test's service failed");
  });
  return { received, waits, origin, client };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers } = request;
    const entry: Received = { method, url: new URL(request.url ?? "", "http://service"), headers, body: "" };
    const number = received.push(entry) - 1;
    if (readsBodies) entry.body = await textOf(request, onChunk);
    await respond(response, entry, number);
  }

  async function listen(): Promise<string> {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the test's service has no port");
    return `http://127.0.0.1:${address.port}`;
  }

  function client(options: Partial<RowmillOptions> = {}): Rowmill {
    const sleep = (ms: number): Promise<void> => {
      waits.push(ms);
      return Promise.resolve();
    };
    return new Rowmill({ apiKey: API_KEY, baseUrl: origin, sleep, ...options });
  }
}

async function textOf(request: IncomingMessage, onChunk: ServiceOptions["onChunk"]): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    const bytes = chunk as Buffer; // no encoding is set
    if (onChunk === undefined) chunks.push(bytes);
    else onChunk(bytes);
  }
  return Buffer.concat(chunks).toString("utf8");
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

export function failure(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  const error = {
    code,
    message: `${code}!`,
    param: null,
    details: [],
    retryable: false,
    requestId: "req_1",
    docUrl: "https://docs",
  };
  json(response, status, { error }, headers);
}
