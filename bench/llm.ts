/**
 * Rows per second of an `llm` run through the API of one service process, against a server in a process of its own that responds
 * at once: all that is left is what Rowmill itself takes. With structured output, prices and a budget, as a run has them that
 * costs money. Also the processor time of a row, and the peak memory of the service for a fifth of the rows and for all.
 *
 *     node --conditions=@rowmill/source bench/llm.ts [rows=20000] [rounds=3]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { megabytes, median, thousands, verdict, watchMemory } from "./support/measure.ts";
import { startBenchService } from "./support/service.ts";
import type { BenchService } from "./support/service.ts";
import { cpuSecondsOfTree } from "./support/processes.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const TARGET_ROWS_PER_SECOND = 500;
/** Memory may not grow with the rows; so much is noise of the garbage collector. */
const TARGET_MEMORY_GROWTH = 1.3;
const MEMORY_STEP = 5;

const setting = (name: string, fallback: number): number =>
  Number(process.argv.find((word) => word.startsWith(`${name}=`))?.split("=")[1] ?? fallback);
const rowCount = setting("rows", 20_000);
const rounds = setting("rounds", 3);

const model = fork(fileURLToPath(new URL("support/instant-model.ts", import.meta.url)), {
  stdio: ["ignore", "pipe", "inherit", "ipc"],
});
if (model.stdout === null) throw new Error("the model server has no output");
const [line] = (await once(model.stdout, "data")) as [Buffer];
const origin = `http://127.0.0.1:${Number(line.toString())}`;

const folder = makeGuardedFolder("rowmill-bench-llm-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
let service: BenchService | undefined;
try {
  service = await startBenchService({
    ROWMILL_DATA_DIR: join(folder, "data"),
    ROWMILL_DATABASE_URL: database.connectionString,
    ROWMILL_CONNECTION_ALLOWED_ORIGINS: origin,
  });
  const { rowmill } = service;
  const connection = await rowmill.connections.create({
    name: "Instant",
    type: "openai_compatible",
    baseUrl: `${origin}/v1`,
    secret: "sk-bench",
    prices: { models: { "*": { inputUsdPerMillionTokens: "0.15", outputUsdPerMillionTokens: "0.60" } } },
  });
  const jobSpec = await rowmill.jobSpecs.create({
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
  const review = "The kettle boils fast, but its handle gets hot, and the lid does not close. ".repeat(3);
  const lines = Array.from({ length: rowCount }, (_unused, id) => JSON.stringify({ id, review: `${id}: ${review}` }));
  const content = Buffer.from(`${lines.join("\n")}\n`);
  const datasetId = (await rowmill.datasets.upload({ name: "Reviews", format: "jsonl", content })).id;

  async function run(count: number): Promise<number> {
    const { id } = await rowmill.runs.create({
      datasetId,
      jobSpecId: jobSpec.id,
      scope: { type: "limit", count },
      concurrency: 64,
      budget: { maxCostUsd: "1000" },
    });
    const ended = await rowmill.runs.waitFor(id);
    if (ended.state !== "succeeded" || ended.startedAt === null || ended.finishedAt === null)
      throw new Error(`the run ended as ${ended.state}`);
    return count / ((Date.parse(ended.finishedAt) - Date.parse(ended.createdAt)) / 1000);
  }

  await run(500); // warms the code up
  const few = watchMemory(service.pid);
  await run(Math.round(rowCount / MEMORY_STEP));
  const peakOfFew = few.stop();
  const many = watchMemory(service.pid);
  const rates: number[] = [];
  const usedBefore = cpuSecondsOfTree(service.pid);
  for (let round = 0; round < rounds; round++) rates.push(await run(rowCount));
  const usedPerRow = (cpuSecondsOfTree(service.pid) - usedBefore) / (rounds * rowCount);
  const peakOfMany = many.stop();
  const rate = median(rates);
  console.log(
    `llm: ${thousands(rate)} rows/s over ${rowCount.toLocaleString("en")} rows, 64 in flight (${rates.map(thousands).join(", ")}), ` +
      verdict(rate >= TARGET_ROWS_PER_SECOND, `${TARGET_ROWS_PER_SECOND}`),
  );
  console.log(`  processor time of the service and its workers: ${Math.round(usedPerRow * 1e6)} µs for a row`);
  const growth = peakOfMany / peakOfFew;
  console.log(
    `  peak memory of the service: ${megabytes(peakOfFew)} for ${Math.round(rowCount / MEMORY_STEP).toLocaleString("en")} rows, ` +
      `${megabytes(peakOfMany)} for ${rounds} runs of ${rowCount.toLocaleString("en")}: ×${growth.toFixed(2)}, ` +
      verdict(growth <= TARGET_MEMORY_GROWTH, `×${TARGET_MEMORY_GROWTH}`),
  );
} catch (error) {
  // Said before the database stops under whatever is still connected.
  console.error(error);
  process.exitCode = 1;
} finally {
  await service?.stop();
  model.kill();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}
