/**
 * How fast files become rows: one million rows of eight columns, generated, as CSV, JSON Lines and Parquet, read through
 * the reader process to the last group of rows.
 *
 *     node bench/readers.ts [rows]
 *
 * Prints rows per second, CPU seconds, and the peak memory of this process and of the reader's (Linux).
 */
import { createWriteStream } from "node:fs";
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { type DatasetFormat, readDataset } from "../packages/server/src/intake/readers/read-dataset.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const rowCount = Number(process.argv[2] ?? 1_000_000);
const WATCH_INTERVAL_MS = 20;
/** User and system time of /proc/<pid>/stat, in hundredths of a second. */
const TICKS_PER_SECOND = 100;

function makeRow(index: number) {
  const random = (salt: number) => ((Math.imul(index + 1, 2_654_435_761) ^ Math.imul(salt, 40_503)) >>> 0) / 2 ** 32;
  const words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel"];
  const word = (salt: number) => words[Math.floor(random(salt) * words.length)] ?? "";
  return {
    id: index,
    customer: `${word(1)} ${word(2)}`,
    email: `${word(3)}.${index}@example.com`,
    amount: Math.round(random(4) * 1e6) / 1e3,
    score: random(5),
    active: random(6) < 0.5,
    signedUp: new Date(1.7e12 + Math.floor(random(7) * 1e10)).toISOString(),
    comment: index % 10 === 0 ? `${word(8)}, "${word(9)}"` : `${word(8)} ${word(9)} ${word(10)}`,
  };
}

async function writeLines(
  path: string,
  head: string,
  line: (row: ReturnType<typeof makeRow>) => string,
): Promise<void> {
  function* blocks() {
    yield head;
    for (let start = 0; start < rowCount; start += 1000) {
      let block = "";
      for (let index = start; index < Math.min(start + 1000, rowCount); index++) block += line(makeRow(index));
      yield block;
    }
  }
  await pipeline(Readable.from(blocks()), createWriteStream(path));
}

async function measure(format: DatasetFormat, path: string, workDirectory: string): Promise<void> {
  await mkdir(workDirectory);
  let readerPeakKilobytes = 0;
  let readerTicks = 0;
  let peakBytes = 0;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    void findReaderUsage().then(({ peakKilobytes, ticks }) => {
      readerPeakKilobytes = Math.max(readerPeakKilobytes, peakKilobytes);
      readerTicks = Math.max(readerTicks, ticks);
    });
  }, WATCH_INTERVAL_MS);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const limits = { maxBytes: 1e12, maxRows: 1e9 };
  const signal = new AbortController().signal;
  let count = 0;
  for await (const group of readDataset({ path, format, onInvalidRow: "reject", workDirectory, limits, signal })) {
    count += group.rowCount;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  clearInterval(watch);
  const megabytes = ((await stat(path)).size / 1e6).toFixed(0);
  console.log(
    `${format.padEnd(8)} ${megabytes.padStart(5)} MB  ${Math.round(count / seconds).toLocaleString("en")} rows/s`,
    ` CPU: here ${((cpu.user + cpu.system) / 1e6).toFixed(2)} s, reader ${(readerTicks / TICKS_PER_SECOND).toFixed(2)} s`,
    ` peak memory: here ${(peakBytes / 1e6).toFixed(0)} MB, reader ${((readerPeakKilobytes * 1024) / 1e6).toFixed(0)} MB`,
  );
}

async function findReaderUsage(): Promise<{ peakKilobytes: number; ticks: number }> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, "utf8").catch(() => "");
  const pid = children.split(" ")[0] ?? "";
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "")).split(" ");
  const peakKilobytes = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { peakKilobytes, ticks: Number(fields[13] ?? 0) + Number(fields[14] ?? 0) };
}

const directory = makeGuardedFolder("rowmill-bench-");
try {
  const jsonl = join(directory, "rows.jsonl");
  await writeLines(jsonl, "", (row) => `${JSON.stringify(row)}\n`);
  await measure("jsonl", jsonl, join(directory, "work-jsonl"));

  const csv = join(directory, "rows.csv");
  const quote = (value: unknown) =>
    /[",]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value);
  const head = `${Object.keys(makeRow(0)).join(",")}\n`;
  await writeLines(csv, head, (row) => `${Object.values(row).map(quote).join(",")}\n`);
  await measure("csv", csv, join(directory, "work-csv"));

  const parquet = join(directory, "rows.parquet");
  const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await connection.run(`copy (select * from read_json('${jsonl}')) to '${parquet}' (format parquet, compression zstd)`);
  connection.closeSync();
  await measure("parquet", parquet, join(directory, "work-parquet"));
} finally {
  await rm(directory, { recursive: true });
}
