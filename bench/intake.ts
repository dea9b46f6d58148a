/**
 * Rows per second of the intake of a dataset: from the first byte of the PUT until the dataset is ready, through the API
 * of a service of its own, against binary COPY of the same rows as JSON text into a plain table of the same database.
 * And the peak memory of the service for a tenth of the rows and for all.
 *
 *     node --conditions=@rowmill/source bench/intake.ts [rows] [rounds]
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { createReadStream, createWriteStream, globSync, readFileSync } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

/** Intake is to reach this share of COPY, and to need no more memory than this for ten times the rows. */
const TARGET_RATIO = 0.6;
const TARGET_MEMORY_GROWTH = 1.3;
/** Of the times in /proc. */
const TICKS_PER_SECOND = 100;
const WATCH_INTERVAL_MS = 50;
const ADMIN_KEY = "rma_benchmark00000000000000000000";

const rowCount = Number(process.argv[2] ?? 1_000_000);
const rounds = Number(process.argv[3] ?? 3);
const formats = ["csv", "jsonl"] as const;
type Format = (typeof formats)[number];

interface Row {
  id: number;
  name: string;
  city: string;
  price: string;
  score: number;
  active: boolean;
  createdAt: string;
  note: string;
}

const folder = makeGuardedFolder("rowmill-bench-intake-");
let calls = 0;
let service: ChildProcess | undefined;
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
try {
  const all = await writeFiles("all", rowCount);
  const tenth = await writeFiles("tenth", Math.round(rowCount / 10));

  const peaks: { main: number; all: number }[] = [];
  for (const files of [tenth, all]) {
    const api = await startService();
    const memory = watchMemory(api.pid);
    for (const format of formats) await takeIn(api, files[format], format);
    peaks.push(memory.stop());
    await stopService();
  }

  const rates: Record<Format | "copy", number[]> = { copy: [], csv: [], jsonl: [] };
  const cpu: Record<Format, number[]> = { csv: [], jsonl: [] };
  const api = await startService();
  for (let round = 0; round < rounds; round++) {
    rates.copy.push(rowCount / (await copy(all.copy)));
    for (const format of formats) {
      const before = cpuSeconds(api.pid);
      rates[format].push(rowCount / (await takeIn(api, all[format], format)));
      cpu[format].push(cpuSeconds(api.pid) - before);
    }
  }
  await stopService();

  const limit = median(rates.copy);
  console.log(`${rowCount.toLocaleString("en")} rows of 8 columns, median of ${rounds} rounds`);
  console.log(`COPY of ready rows: ${perSecond(limit)} rows/s (${rates.copy.map(perSecond).join(", ")})`);
  for (const format of formats) {
    const rate = median(rates[format]);
    const ratio = rate / limit;
    console.log(
      `${format} intake: ${perSecond(rate)} rows/s (${rates[format].map(perSecond).join(", ")}), ` +
        `${ratio.toFixed(2)} of COPY; ${verdict(ratio >= TARGET_RATIO)} (target ${TARGET_RATIO}); ` +
        `${median(cpu[format]).toFixed(2)} CPU seconds of the service and its reader`,
    );
  }
  const [small, large] = peaks;
  if (small && large) {
    const growth = large.main / small.main;
    console.log(
      `peak memory of the service: ${megabytes(small.main)} for ${(rowCount / 10).toLocaleString("en")} rows, ` +
        `${megabytes(large.main)} for all, ×${growth.toFixed(2)}; ${verdict(growth <= TARGET_MEMORY_GROWTH)} (target ${TARGET_MEMORY_GROWTH})`,
    );
    console.log(`with its reader process: ${megabytes(small.all)} and ${megabytes(large.all)}`);
  }
} finally {
  await stopService();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

function makeRow(id: number): Row {
  const at = new Date(1_700_000_000_000 + ((id * 7_919_000) % 31_536_000_000));
  return {
    id,
    name: `Customer ${(id * 2_654_435_761) % 4_294_967_296}`,
    city: ["Bern", "Zürich", "San José", "New York", "Kyōto", "Springfield, IL"][id % 6] ?? "",
    price: `${id % 9_973}.${String(((id * 31) % 90) + 10)}`,
    score: (id % 1_000) / 8,
    active: id % 3 === 0,
    createdAt: at.toISOString(),
    note: `Order ${id % 517} was left at the door, signed "${id % 61}" by a neighbour.`,
  };
}

/** The same rows as CSV, as JSON lines, and as the bytes of a binary COPY. */
async function writeFiles(name: string, rows: number): Promise<Record<Format | "copy", string>> {
  const paths = {
    csv: join(folder, `${name}.csv`),
    jsonl: join(folder, `${name}.jsonl`),
    copy: join(folder, `${name}.copy`),
  };
  const datasetId = Buffer.alloc(16, 7);
  function* blocks(encode: (row: Row) => Buffer | string, start: Buffer | string, end: Buffer): Generator<Buffer> {
    let parts: Buffer[] = [Buffer.from(start)];
    for (let id = 0; id < rows; id++) {
      parts.push(Buffer.from(encode(makeRow(id))));
      if (parts.length < 1_000) continue;
      yield Buffer.concat(parts);
      parts = [];
    }
    yield Buffer.concat([...parts, end]);
  }
  const empty = Buffer.alloc(0);
  const quote = (text: string) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const csvLine = (row: Row) =>
    `${Object.values(row)
      .map((value) => quote(String(value)))
      .join(",")}\n`;
  await pipeline(blocks(csvLine, `${Object.keys(makeRow(0)).join(",")}\n`, empty), createWriteStream(paths.csv));
  await pipeline(
    blocks((row) => `${JSON.stringify(row)}\n`, "", empty),
    createWriteStream(paths.jsonl),
  );
  const copyRow = (row: Row) => {
    const json = Buffer.from(JSON.stringify(row));
    const head = Buffer.alloc(2 + 4 + 16 + 4 + 8 + 4);
    head.writeInt16BE(3, 0);
    head.writeInt32BE(16, 2);
    datasetId.copy(head, 6);
    head.writeInt32BE(8, 22);
    head.writeBigInt64BE(BigInt(row.id), 26);
    head.writeInt32BE(json.length, 34);
    return Buffer.concat([head, json]);
  };
  const signature = Buffer.from("PGCOPY\n\u00FF\r\n\0\0\0\0\0\0\0\0\0", "latin1");
  await pipeline(blocks(copyRow, signature, Buffer.from([0xff, 0xff])), createWriteStream(paths.copy));
  return paths;
}

/** Seconds. */
async function copy(path: string): Promise<number> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  await client.query(
    "create table copied_rows (dataset_id uuid, row_index bigint, data json, primary key (dataset_id, row_index))",
  );
  const startedAt = performance.now();
  const statement = "copy copied_rows (dataset_id, row_index, data) from stdin with (format binary)";
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), client.query(copyFrom(statement)));
  const seconds = (performance.now() - startedAt) / 1000;
  await client.query("drop table copied_rows");
  await client.end();
  return seconds;
}

interface Api {
  url: string;
  pid: number;
  key: string;
}

async function startService(): Promise<Api> {
  const main = fileURLToPath(import.meta.resolve("@rowmill/server/main"));
  const child = spawn(process.execPath, ["--conditions=@rowmill/source", main], {
    env: {
      PATH: process.env["PATH"],
      ROWMILL_PORT: "0",
      ROWMILL_DATA_DIR: join(folder, "data"),
      ROWMILL_DATABASE_URL: database.connectionString,
      ROWMILL_ADMIN_KEY: ADMIN_KEY,
      ROWMILL_LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  service = child;
  for await (const line of createInterface(child.stdout)) {
    const url = / listens on (http:\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    const api = { url, pid: child.pid ?? 0, key: ADMIN_KEY };
    const organization = await call(api, "POST", "/v1/organizations", { name: "Benchmark" });
    const key = await call(api, "POST", `/v1/organizations/${String(organization["id"])}/api-keys`, {
      name: "Benchmark",
      scopes: ["*"],
    });
    return { ...api, key: String(key["key"]) };
  }
  throw new Error("the service does not start");
}

async function stopService(): Promise<void> {
  const child = service;
  if (child === undefined || child.exitCode !== null) return;
  service = undefined;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
}

/** Seconds from the first byte sent to the dataset being ready. */
async function takeIn(api: Api, path: string, format: Format): Promise<number> {
  const upload = await call(api, "POST", "/v1/dataset-uploads", {
    name: "Benchmark",
    format,
    source: { type: "upload" },
  });
  const uploadPath = `/v1/dataset-uploads/${String(upload["id"])}`;
  const startedAt = performance.now();
  await put(api, `${uploadPath}/content`, path);
  for (;;) {
    const seen = await call(api, "GET", `${uploadPath}?waitSeconds=30`);
    if (seen["state"] === "completed") {
      const seconds = (performance.now() - startedAt) / 1000;
      await call(api, "DELETE", `/v1/datasets/${String(seen["datasetId"])}`);
      return seconds;
    }
    if (seen["state"] !== "processing") throw new Error(`the intake failed: ${JSON.stringify(seen)}`);
  }
}

async function call(api: Api, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(api.url + path, {
    method,
    headers: {
      authorization: `Bearer ${api.key}`,
      "content-type": "application/json",
      ...(method === "POST" ? { "idempotency-key": `bench-${process.pid}-${++calls}` } : {}),
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} responded ${response.status}: ${text}`);
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>); // a response of the API is an object
}

async function put(api: Api, path: string, file: string): Promise<void> {
  const { size } = await stat(file);
  const headers = { authorization: `Bearer ${api.key}`, "content-length": size };
  await new Promise<void>((resolve, reject) => {
    const sent = request(api.url + path, { method: "PUT", headers }, (response) => {
      response.resume();
      if (response.statusCode === 200) response.once("end", resolve);
      else reject(new Error(`PUT responded ${response.statusCode}`));
    });
    pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), sent).catch(reject);
  });
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

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function perSecond(rate: number): string {
  return Math.round(rate).toLocaleString("en");
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MB`;
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "MISSED";
}
