/** A step of the http processor against servers on this machine, with a limiter and a budget that note what they are asked. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createConnectionEgress } from "../../platform/egress/connection-egress.ts";
import { undo } from "../../testing/cleanup.ts";
import type { Connection } from "../connection-parts.ts";
import { createLargeTexts } from "../large-texts.ts";
import type { LargeTexts } from "../large-texts.ts";
import type { CallEnd, Limiter } from "../limiter/permits.ts";
import type { Budget, Problem, RowOutcome, RunContext, Step } from "../processor.ts";
import { createHttpProcessor } from "./http.ts";
import type { HttpConfig } from "./request-template.ts";
import { createServer as createTcpServer } from "node:net";
import { expect } from "vitest";

export const SECRET = 's3cr3t/with+signs=and"quote';
export const ORGANIZATION = "org_1";

export interface Received {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Server {
  origin: string;
  requests: Received[];
}

/** Reads each request to its end before the response. */
export async function startServer(
  respond: (request: Received, response: ServerResponse, raw: IncomingMessage) => void,
): Promise<Server> {
  const requests: Received[] = [];
  const server = createServer((raw, response) => {
    const chunks: Buffer[] = [];
    raw.on("data", (chunk: Buffer) => chunks.push(chunk));
    raw.on("end", () => {
      const received = {
        method: raw.method ?? "",
        path: raw.url ?? "",
        headers: raw.headers,
        body: Buffer.concat(chunks).toString(),
      };
      requests.push(received);
      respond(received, response, raw);
    });
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    // The processor may hang up at any moment.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return { origin: `http://127.0.0.1:${port}`, requests };
}

export const respondJson =
  (value: unknown, status = 200) =>
  (_request: Received, response: ServerResponse): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));

/** Responds with the request. */
export const echo = (request: Received, response: ServerResponse): void => respondJson(request)(request, response);

export const connection = (baseUrl: string, more: Partial<Connection> = {}): Connection => ({
  id: "conn_1",
  organizationId: ORGANIZATION,
  type: "http",
  baseUrl,
  secret: SECRET,
  rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
  prices: null,
  ...more,
});

export interface World {
  /** Origins that the operator has allowed. */
  allowed?: string[];
  connection?: Connection;
  budget?: Budget;
  runId?: string;
  rootRunId?: string;
}

export interface Rig {
  step: Step;
  problems: () => Promise<Problem[]>;
  /** One row; a JSON text or a value. */
  call: (row: unknown, options?: { index?: number; signal?: AbortSignal }) => Promise<RowOutcome>;
  /** How each permit was settled. */
  ends: CallEnd[];
  permits: number;
  largeTexts: LargeTexts;
}

const never = new AbortController().signal;

export async function rig(
  config: Omit<HttpConfig, "type" | "method"> & { method?: HttpConfig["method"] },
  world: World,
): Promise<Rig> {
  const { allowed = [], connection: known, budget, runId = "run_1", rootRunId = runId } = world;
  const egress = createConnectionEgress({ allowedOrigins: new Set(allowed) });
  undo.push(() => egress.close());
  const ends: CallEnd[] = [];
  const noted = { permits: 0 };
  const limiter: Limiter = {
    acquire: () => {
      noted.permits++;
      return Promise.resolve({ settle: (end) => void ends.push(end) });
    },
    close: () => Promise.resolve(),
  };
  const connections = {
    find: (organizationId: string, id: string) =>
      Promise.resolve(organizationId === known?.organizationId && id === known.id ? known : undefined),
  };
  const largeTexts = createLargeTexts();
  undo.push(() => largeTexts.close());
  const processor = createHttpProcessor({ connections, egress, limiter, largeTexts });
  const whole: HttpConfig = { type: "http", method: "GET", ...config };
  const context: RunContext = {
    organizationId: ORGANIZATION,
    runId,
    rootRunId,
    retryNumber: 0,
    ...(budget === undefined ? {} : { budget }),
  };
  const step = await processor.prepare(whole, context);
  return {
    step,
    ends,
    largeTexts,
    get permits() {
      return noted.permits;
    },
    problems: () => processor.findProblems(whole, ORGANIZATION),
    async call(row, { index = 0, signal = never } = {}) {
      const text = typeof row === "string" ? row : JSON.stringify(row);
      const [outcome] = await step.processRows([{ index, text }], signal);
      if (outcome === undefined) throw new Error("the step gave no outcome");
      return outcome;
    },
  };
}

/** The output as a value. */
export function outputOf(outcome: RowOutcome): unknown {
  if (!outcome.ok) throw new Error(`the row failed: ${JSON.stringify(outcome.failure)}`);
  return JSON.parse(outcome.output);
}

export function failureOf(outcome: RowOutcome) {
  if (outcome.ok) throw new Error(`the row succeeded: ${outcome.output.slice(0, 1000)}`);
  return outcome.failure;
}

export const containing = (part: string): unknown => expect.stringContaining(part);

/** Speaks whatever bytes the test wants, once the request has begun. */
export async function startRawServer(respond: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {}).once("data", () => respond(socket));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

/** Writes for as long as the other side takes it. */
export function flood(socket: Socket, first: string, next: string | Buffer): void {
  const fill = (): void => {
    while (!socket.destroyed && socket.write(next));
  };
  socket.write(first);
  socket.on("drain", fill);
  fill();
}

export const AUTHORIZED = { headers: { authorization: "Bearer {{connection.secret}}" } };
