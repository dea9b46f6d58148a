/** For tests: a step of the processor with everything around it, and a provider that responds as the test says. */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createSchemas } from "../../platform/json-schema/schemas.ts";
import { formatUsd, parseUsd } from "../../platform/usd.ts";
import { createConnectionEgress } from "../../platform/egress/connection-egress.ts";
import type { Connection } from "../connection-parts.ts";
import { createLargeTexts } from "../large-texts.ts";
import type { LargeTexts } from "../large-texts.ts";
import type { CallEnd, Limiter, PermitRequest } from "../limiter/permits.ts";
import type { Budget, RowOutcome } from "../processor.ts";
import type { LlmConfig } from "./llm-config.ts";
import { createLlmProcessor } from "./llm.ts";
import type { LlmStep } from "./llm-step.ts";

export const ORGANIZATION = "org_test";
export const SECRET = "sk-very-secret";

export interface SettledCall extends PermitRequest {
  end: CallEnd;
}

export interface Bench {
  /** By id; changes count at once. */
  connections: Map<string, Connection>;
  /** What was reported to the limiter, call by call. */
  settled: SettledCall[];
  /** Undefined until a budget was given. */
  budget: TestBudget | undefined;
  largeTexts: LargeTexts;
  findProblems(config: LlmConfig): Promise<string[]>;
  prepare(config: LlmConfig): Promise<LlmStep>;
  /** The outcome of one row. */
  run(config: LlmConfig, row?: unknown, signal?: AbortSignal): Promise<RowOutcome>;
  close(): Promise<void>;
}

export function createBench(origins: string[]): Bench {
  const connections = new Map<string, Connection>();
  const settled: SettledCall[] = [];
  const egress = createConnectionEgress({ allowedOrigins: new Set(origins) });
  const limiter: Limiter = {
    acquire(request, signal) {
      signal.throwIfAborted();
      return Promise.resolve({ settle: (end) => settled.push({ ...request, end }) });
    },
    close: () => Promise.resolve(),
  };
  const schemas = createSchemas();
  const largeTexts = createLargeTexts();
  const find = (organizationId: string, id: string) =>
    Promise.resolve(organizationId === ORGANIZATION ? connections.get(id) : undefined);
  const processor = createLlmProcessor({ connections: { find }, egress, limiter, schemas, largeTexts });
  const bench: Bench = {
    connections,
    settled,
    budget: undefined,
    largeTexts,
    async findProblems(config) {
      const problems = await processor.findProblems(config, ORGANIZATION);
      return problems.map(({ path, message }) => `${path}: ${message}`);
    },
    prepare: (config) =>
      processor.prepare(config, {
        organizationId: ORGANIZATION,
        runId: "run_test",
        rootRunId: "run_test",
        retryNumber: 0,
        ...(bench.budget === undefined ? {} : { budget: bench.budget }),
      }),
    async run(config, row = {}, signal = new AbortController().signal) {
      const step = await bench.prepare(config);
      const [outcome] = await step.processRows([{ index: 0, text: JSON.stringify(row) }], signal);
      if (outcome === undefined) throw new Error("there is no outcome");
      return outcome;
    },
    close: async () => {
      await Promise.all([egress.close(), schemas.close(), largeTexts.close()]);
    },
  };
  return bench;
}

export function newConnection(id: string, baseUrl: string, more: Partial<Connection> = {}): Connection {
  return {
    id,
    organizationId: ORGANIZATION,
    type: "openai_compatible",
    baseUrl,
    secret: SECRET,
    rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
    prices: null,
    ...more,
  };
}

export interface TestBudget extends Budget {
  reserved: string[];
  settled: string[];
  left(): string;
}

export function createTestBudget(amountUsd: string): TestBudget {
  let left = parseUsd(amountUsd);
  const reserved: string[] = [];
  const settled: string[] = [];
  return {
    reserved,
    settled,
    left: () => formatUsd(left),
    reserve(amount) {
      if (amount === undefined) return Promise.resolve(undefined);
      const wanted = parseUsd(amount);
      if (wanted > left || left === 0n) return Promise.resolve(undefined);
      left -= wanted;
      reserved.push(amount);
      return Promise.resolve({
        isLimited: true,
        settle(spent) {
          settled.push(spent);
          left += wanted - parseUsd(spent);
        },
      });
    },
  };
}

export interface SeenRequest {
  path: string;
  headers: IncomingMessage["headers"];
  body: Record<string, unknown>;
}

export interface GivenResponse {
  status?: number;
  headers?: Record<string, string>;
  /** Text as it is, anything else as JSON. */
  body: unknown;
}

export interface OddProvider {
  origin: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** Responds as `answer` says; "silence" is no response at all, "hang up" closes the connection. */
export async function startOddProvider(
  respond: (request: SeenRequest, number: number) => GivenResponse | "silence" | "hang up",
): Promise<OddProvider> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      // A test that sends something else fails here.
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
      const received = { path: request.url ?? "", headers: request.headers, body };
      seen.push(received);
      reply(response, respond(received, seen.length));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function reply(response: ServerResponse, given: GivenResponse | "silence" | "hang up"): void {
  if (given === "silence") return;
  if (given === "hang up") {
    response.socket?.destroy();
    return;
  }
  response.writeHead(given.status ?? 200, { "content-type": "application/json", ...given.headers });
  response.end(typeof given.body === "string" ? given.body : JSON.stringify(given.body));
}

/** As OpenAI and those like it respond. */
export function completion(content: string | null, more: Record<string, unknown> = {}, finish = "stop"): GivenResponse {
  return {
    body: {
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: "model-of-today",
      choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: finish }],
      usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
      ...more,
    },
  };
}

export function messagesOf(request: SeenRequest | undefined): { role: string; content: unknown }[] {
  return request?.body["messages"] as { role: string; content: unknown }[];
}
