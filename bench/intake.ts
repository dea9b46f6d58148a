/**
 * Intake as `npm run bench` measures it, for more rows, with what it takes of the processors and of memory: from the creation of
 * the upload to the ready dataset, through the API of a service of its own, against `COPY` of the same rows as `jsonb` with a key,
 * and against `COPY` of the file. And the peak memory of the service and its reader for a tenth of the rows and for all.
 *
 *     npm run bench intake -- [--rows 1000000] [--rounds 3]
 */
import { createReadStream, globSync, readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { makeGuardedFolder } from "./support/guarded-folder.ts";
import { median, megabytes, thousands, verdict } from "./support/measure.ts";
import { copyFile, copyIn, writeCopyFile } from "./support/plain-table.ts";
import { rowFormats, writeRowFiles } from "./support/row-files.ts";
import type { RowFormat } from "./support/row-files.ts";
import { benchLines } from "./support/rows.ts";
import { startBenchService } from "./support/service.ts";
import type { BenchService } from "./support/service.ts";

/** Intake is to reach this share of COPY, and to need no more memory than this for ten times the rows. */
const TARGET_RATIO = 1;
const TARGET_MEMORY_GROWTH = 1.3;
/** Of the times in /proc. */
const TICKS_PER_SECOND = 100;
const WATCH_INTERVAL_MS = 50;

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, rounds: { type: "string", default: "3" } },
});
const rowCount = Number(options.rows);
const rounds = Number(options.rounds);

const folder = makeGuardedFolder("rowmill-bench-intake-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
const { connectionString } = database;
const settings = {
  ROWMILL_DATA_DIR: join(folder, "data"),
  ROWMILL_DATABASE_URL: connectionString,
  ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
};
let service: BenchService | undefined;
try {
  const all = await writeRowFiles(folder, rowCount);
  const tenth = await writeRowFiles(folder, Math.round(rowCount / 10));
  const copyPath = join(folder, "copied-rows");
  await writeCopyFile(copyPath, rowCount, (from) => Promise.resolve(benchLines(from, rowCount)));

  const peaks: { main: number; all: number }[] = [];
  for (const files of [tenth, all]) {
    service = await startBenchService(settings);
    const memory = watchMemory(service.pid);
    for (const format of rowFormats) await takeIn(service, files(format), format);
    peaks.push(memory.stop());
    await service.stop();
  }

  service = await startBenchService(settings);
  console.log(`${rowCount.toLocaleString("en")} rows of 252 bytes of JSON, median of ${rounds} rounds`);
  for (const format of rowFormats) await compare(service, all(format), copyPath, format);
  const [small, large] = peaks;
  if (small && large) {
    const growth = large.main / small.main;
    console.log(
      `peak memory of the service: ${megabytes(small.main)} for a tenth of the rows, ${megabytes(large.main)} for all, ` +
        `×${growth.toFixed(2)}; ${verdict(growth <= TARGET_MEMORY_GROWTH, `${TARGET_MEMORY_GROWTH}`)}`,
    );
    console.log(`with its reader process: ${megabytes(small.all)} and ${megabytes(large.all)}`);
  }
} finally {
  await service?.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function compare(api: BenchService, path: string, copyPath: string, format: RowFormat): Promise<void> {
  const rates: number[] = [];
  const ratios: number[] = [];
  const fileRatios: number[] = [];
  const cpu: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const copySeconds = await copyIn(connectionString, "copied_rows", copyPath);
    const fileSeconds = format === "parquet" ? undefined : await copyFile(connectionString, format, path);
    const before = cpuSeconds(api.pid);
    const seconds = await takeIn(api, path, format);
    cpu.push(cpuSeconds(api.pid) - before);
    rates.push(rowCount / seconds);
    ratios.push(copySeconds / seconds);
    if (fileSeconds !== undefined) fileRatios.push(fileSeconds / seconds);
  }
  const ratio = median(ratios);
  const ofFile = format === "parquet" ? "" : `, ${median(fileRatios).toFixed(2)} of that of the file`;
  console.log(
    `${format}: ${thousands(median(rates))} rows/s, ${ratio.toFixed(2)} of COPY, ${verdict(ratio >= TARGET_RATIO, `${TARGET_RATIO}`)}` +
      `${ofFile}; ${median(cpu).toFixed(2)} s of processor time of the service and its reader`,
  );
}

/** Seconds; the dataset is gone afterwards. */
async function takeIn({ rowmill }: BenchService, path: string, format: RowFormat): Promise<number> {
  const startedAt = performance.now();
  const dataset = await rowmill.datasets.upload({ name: format, format, content: createReadStream(path) });
  const seconds = (performance.now() - startedAt) / 1000;
  await rowmill.datasets.delete(dataset.id);
  return seconds;
}

/** Peak bytes of the process, as the kernel counts them, and of it with its children, as seen now and then. */
function watchMemory(pid: number): { stop(): { main: number; all: number } } {
  let all = 0;
  const watch = setInterval(() => {
    const children = globSync(`/proc/${pid}/task/*/children`).flatMap((file) => readText(file).split(" "));
    const pids = [String(pid), ...children.filter((child) => child !== "")];
    all = Math.max(
      all,
      pids.reduce((sum, one) => sum + statusBytes(one, "VmRSS"), 0),
    );
  }, WATCH_INTERVAL_MS);
  return {
    stop() {
      clearInterval(watch);
      return { main: statusBytes(String(pid), "VmHWM"), all };
    },
  };
}

/** Of the process and of its children that have ended. */
function cpuSeconds(pid: number): number {
  const fields = readText(`/proc/${pid}/stat`).split(") ")[1]?.split(" ") ?? [];
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
}

function statusBytes(pid: string, field: string): number {
  return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readText(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

/** Empty if it is gone. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
