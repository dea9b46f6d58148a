/**
 * How much of a budget is spent, and how much above it: runs of one service, many calls in flight, and a provider that charges the most
 * that each request allows: a token for each byte of the request, and every output token up to the request's limit. The provider counts
 * what it charges by itself; nothing that Rowmill reports is used.
 *
 *     node --conditions=@rowmill/source bench/budget.ts [--runs=20] [--rows=2000]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { startBenchService } from "./support/service.ts";
import type { BenchService } from "./support/service.ts";

const IN_FLIGHT = 64;
/** US dollars for a million tokens. */
const INPUT_PRICE = 3;
const OUTPUT_PRICE = 15;
/** Long enough that calls of all lanes are in flight when the budget ends. */
const RESPONSE_MS = 20;
/** Of a chat template's own system prompt. */
const HIDDEN_TOKENS = 500;

const setting = (name: string, fallback: number): number =>
  Number(process.argv.find((word) => word.startsWith(`--${name}=`))?.split("=")[1] ?? fallback);
const runs = setting("runs", 20);
const rowCount = setting("rows", 2000);

/** In millionths of a US dollar, by model; each run has a model of its own. */
const charged = new Map<string, number>();
let calls = 0;
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { model, max_tokens: limit } = JSON.parse(body.toString()) as { model: string; max_tokens: number };
  const input = body.length + HIDDEN_TOKENS;
  charged.set(model, (charged.get(model) ?? 0) + input * INPUT_PRICE + limit * OUTPUT_PRICE);
  calls++;
  await pause(RESPONSE_MS);
  const message = { role: "assistant", content: "good" };
  const usage = { prompt_tokens: input, completion_tokens: limit, total_tokens: input + limit };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({ id: `chatcmpl-${calls}`, object: "chat.completion", created: 1, model, choices, usage }),
  );
}
const provider = createServer((request, response) => void respond(request, response));
await new Promise<void>((listening) => provider.listen(0, "127.0.0.1", listening));
const origin = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

const folder = await mkdtemp(join(tmpdir(), "rowmill-bench-budget-"));
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
let service: BenchService | undefined;
try {
  service = await startBenchService({
    ROWMILL_DATA_DIR: join(folder, "data"),
    ROWMILL_DATABASE_URL: database.connectionString,
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: origin,
    // On a busy machine it would report each pause.
    ROWMILL_LOG_LEVEL: "error",
  });
  const { rowmill } = service;
  const prices = { inputUsdPerMillionTokens: String(INPUT_PRICE), outputUsdPerMillionTokens: String(OUTPUT_PRICE) };
  const connection = await rowmill.connections.create({
    name: "Dear",
    type: "openai_compatible",
    baseUrl: `${origin}/v1`,
    secret: "sk-bench",
    prices: { models: { "*": prices } },
  });
  const lines = Array.from({ length: rowCount }, (_unused, n) => JSON.stringify({ n, text: "x".repeat(n % 300) }));
  const content = Buffer.from(`${lines.join("\n")}\n`);
  const dataset = await rowmill.datasets.upload({ name: "Texts", format: "jsonl", content });

  /** What the provider charged, as a part of the budget, when the run has no money for another call. */
  async function spend(number: number): Promise<number> {
    const model = `m-${number}`;
    // From a few calls to most of the rows.
    const maxCostUsd = (0.05 + 0.1 * number).toFixed(2);
    const jobSpec = await rowmill.jobSpecs.create({
      name: model,
      processor: {
        type: "llm",
        connection: connection.id,
        model,
        messages: [{ role: "user", content: "Label this: {{row.text}}" }],
        parameters: { maxOutputTokens: 16 },
      },
    });
    const run = await rowmill.runs.create({
      datasetId: dataset.id,
      jobSpecId: jobSpec.id,
      scope: { type: "all" },
      concurrency: IN_FLIGHT,
      budget: { maxCostUsd, onExceeded: "cancel" },
    });
    const { state } = await rowmill.runs.waitFor(run.id);
    const part = (charged.get(model) ?? 0) / (Number(maxCostUsd) * 1e6);
    console.log(`  $${maxCostUsd}: ${(part * 100).toFixed(3)} % charged, the run is ${state}`);
    return part;
  }

  // Four at a time: they share the workers and the connection.
  const parts: number[] = [];
  for (let first = 0; first < runs; first += 4)
    parts.push(...(await Promise.all(Array.from({ length: Math.min(4, runs - first) }, (_, i) => spend(first + i)))));
  const percent = (part: number): string => `${(part * 100).toFixed(2)} %`;
  const above = parts.filter((part) => part > 1).length;
  console.log(
    `budget: ${runs} runs, ${calls.toLocaleString("en")} calls, ${IN_FLIGHT} in flight each: ${percent(Math.min(...parts))} to ` +
      `${percent(Math.max(...parts))} of the budget was charged, ${above} runs above it`,
  );
  if (above > 0) process.exitCode = 1;
} catch (error) {
  // Said before the database stops under whatever is still connected.
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  provider.close();
  provider.closeAllConnections();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
