/**
 * Rows per second of `llm` and `http` runs through the API of one service process, against a server in a process of its own that responds
 * at once: all that is left is what Rowmill itself takes. Rows of `llm` have structured output, prices and a budget, as a run has them that
 * costs money; those of `http` send the secret of their connection. Also the processor time of a row, and the memory of the service that
 * lives once all garbage has been collected, after a fifth of the rows and after all: that may not grow with the rows.
 *
 * The peak of its resident memory is printed and has no target. It grows over the first 100,000 to 200,000 rows and then no more, while what
 * lives stays the same: V8 collects the whole heap when it has reached three times what was in use (`platform/garbage.ts`), enlarges the part
 * for new objects step by step, and keeps the pages that it has freed. A peak of few rows says how far it has come with this, and nothing else.
 *
 *     node --conditions=@rowmill/source bench/calling-runs.ts [rows=20000] [rounds=3]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rowmill } from "@rowmill/client";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { readLiveMemory, reportingLiveMemory } from "./support/live-memory.ts";
import { megabytes, median, thousands, verdict, watchMemory } from "./support/measure.ts";
import { cpuSecondsOfTree } from "./support/processes.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const TARGET_ROWS_PER_SECOND = 500;
/** Compiled code and caches grow by some 5 % while the service is new. 60,000 rows of which it kept their text would add a quarter. */
const TARGET_MEMORY_GROWTH = 1.1;
const MEMORY_STEP = 5;

const setting = (name: string, fallback: number): number =>
  Number(process.argv.find((word) => word.startsWith(`${name}=`))?.split("=")[1] ?? fallback);
const rowCount = setting("rows", 20_000);
const rounds = setting("rounds", 3);

const folder = makeGuardedFolder("rowmill-bench-calls-");
const model = fork(fileURLToPath(new URL("support/instant-model.ts", import.meta.url)), {
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
if (model.stdout === null) throw new Error("the model server has no output");
const [line] = (await once(model.stdout, "data")) as [Buffer];
const origin = `http://127.0.0.1:${Number(line.toString())}`;

/** With a service and a database of their own: the memory of a process depends on what it has done before. */
async function measure(name: string, makeJobSpec: (rowmill: Rowmill) => Promise<string>): Promise<void> {
  const database = await startEmbeddedDatabase({ dataDirectory: join(folder, name, "postgres") });
  try {
    const memoryFile = join(folder, name, "live-memory");
    const { nodeOptions, environment } = reportingLiveMemory(memoryFile);
    const settings = {
      ROWMILL_DATA_DIR: join(folder, name, "data"),
      ROWMILL_DATABASE_URL: database.connectionString,
      ROWMILL_CONNECTION_ALLOWED_ORIGINS: origin,
    };
    const service = await startBenchService({ ...settings, ...environment }, { nodeOptions });
    try {
      const { rowmill, pid } = service;
      const run = await prepareRuns(rowmill, await makeJobSpec(rowmill), name === "llm");
      await measureRuns(name, run, { pid, liveMemory: () => readLiveMemory(pid, memoryFile) });
    } finally {
      await service.stop();
    }
  } finally {
    await database.stop();
  }
}

/** The returned function performs a run of so many rows, and gives its rows per second. */
async function prepareRuns(
  rowmill: Rowmill,
  jobSpecId: string,
  hasBudget: boolean,
): Promise<(count: number) => Promise<number>> {
  const review = "The kettle boils fast, but its handle gets hot, and the lid does not close. ".repeat(3);
  const lines = Array.from({ length: rowCount }, (_unused, id) => JSON.stringify({ id, review: `${id}: ${review}` }));
  const content = Buffer.from(`${lines.join("\n")}\n`);
  const datasetId = (await rowmill.datasets.upload({ name: "Reviews", format: "jsonl", content })).id;
  return async (count) => {
    const { id } = await rowmill.runs.create({
      datasetId,
      jobSpecId,
      scope: { type: "limit", count },
      concurrency: 64,
      ...(hasBudget ? { budget: { maxCostUsd: "1000" } } : {}),
    });
    const ended = await rowmill.runs.waitFor(id);
    if (ended.state !== "succeeded" || ended.startedAt === null || ended.finishedAt === null)
      throw new Error(`the run ended as ${ended.state}`);
    return count / ((Date.parse(ended.finishedAt) - Date.parse(ended.createdAt)) / 1000);
  };
}

async function measureRuns(
  name: string,
  run: (count: number) => Promise<number>,
  { pid, liveMemory }: { pid: number; liveMemory: () => Promise<number> },
): Promise<void> {
  await run(Math.min(rowCount, 500)); // warms the code up
  const fewRows = Math.round(rowCount / MEMORY_STEP);
  await run(fewRows);
  const livesAfterFew = await liveMemory();
  const watched = watchMemory(pid);
  const rates: number[] = [];
  const usedBefore = cpuSecondsOfTree(pid);
  for (let round = 0; round < rounds; round++) rates.push(await run(rowCount));
  const usedPerRow = (cpuSecondsOfTree(pid) - usedBefore) / (rounds * rowCount);
  const peak = watched.stop();
  const livesAfterMany = await liveMemory();
  const rate = median(rates);
  console.log(
    `${name}: ${thousands(rate)} rows/s over ${rowCount.toLocaleString("en")} rows, 64 in flight (${rates.map(thousands).join(", ")}), ` +
      verdict(rate >= TARGET_ROWS_PER_SECOND, `${TARGET_ROWS_PER_SECOND}`),
  );
  console.log(`  processor time of the service and its workers: ${Math.round(usedPerRow * 1e6)} µs for a row`);
  const growth = livesAfterMany / livesAfterFew;
  console.log(
    `  memory of the service that lives: ${megabytes(livesAfterFew)} after ${fewRows.toLocaleString("en")} rows, ` +
      `${megabytes(livesAfterMany)} after ${rounds} runs of ${rowCount.toLocaleString("en")}: ×${growth.toFixed(2)}, ` +
      `${verdict(growth <= TARGET_MEMORY_GROWTH, `×${TARGET_MEMORY_GROWTH}`)}; resident ${megabytes(peak)} at most`,
  );
}

async function makeLlmJobSpec(rowmill: Rowmill): Promise<string> {
  const connection = await rowmill.connections.create({
    name: "Instant",
    type: "openai_compatible",
    baseUrl: `${origin}/v1`,
    secret: "sk-bench-0123456789abcdefghijklmnopqrstuvwxyz",
    prices: { models: { "*": { inputUsdPerMillionTokens: "0.15", outputUsdPerMillionTokens: "0.60" } } },
  });
  const { id } = await rowmill.jobSpecs.create({
    name: "Label reviews",
    processor: {
      type: "llm",
      connection: connection.id,
      model: "instant",
      messages: [
        { role: "system", content: "Say whether a review is positive or negative." },
        { role: "user", content: "{{row.review}}" },
      ],
      parameters: { maxOutputTokens: 50, temperature: 0 },
      outputSchema: {
        type: "object",
        properties: { label: { enum: ["positive", "negative"] } },
        required: ["label"],
        additionalProperties: false,
      },
    },
  });
  return id;
}

async function makeHttpJobSpec(rowmill: Rowmill): Promise<string> {
  const connection = await rowmill.connections.create({
    name: "Instant",
    type: "http",
    baseUrl: origin,
    secret: "sk-bench-0123456789abcdefghijklmnopqrstuvwxyz",
  });
  const { id } = await rowmill.jobSpecs.create({
    name: "Enrich reviews",
    processor: {
      type: "http",
      connection: connection.id,
      method: "POST",
      url: "/reviews",
      headers: { authorization: "Bearer {{connection.secret}}" },
      body: { review: "{{row.review}}" },
    },
  });
  return id;
}

try {
  await measure("llm", makeLlmJobSpec);
  await measure("http", makeHttpJobSpec);
} finally {
  model.kill();
  await rm(folder, { recursive: true, force: true });
}
