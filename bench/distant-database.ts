/**
 * What a database on another machine costs. The embedded PostgreSQL runs here; a proxy in a process of its own holds back each of its
 * responses for some milliseconds, as the way there and back would. Nothing else differs: the bandwidth is that of this machine. Prints a table
 * of Markdown; the first delay is that of the same machine.
 *
 *     node --conditions=@rowmill/source bench/distant-database.ts [delays=0,1,5] [rows=100000] [rounds=3]
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Rowmill } from "@rowmill/client";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { milliseconds, perSecond, seconds } from "./performance/table.ts";
import { processors } from "./performance/run-times.ts";
import { finishedRun, secondsOf, uploadRows } from "./performance/world.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";
import { median } from "./support/measure.ts";
import { withClient } from "./support/plain-table.ts";
import { startBenchService } from "./support/service.ts";

const setting = (name: string, fallback: string): string =>
  process.argv.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? fallback;
const delays = setting("delays", "0,1,5").split(",").map(Number);
const rowCount = Number(setting("rows", "100000"));
const rounds = Number(setting("rounds", "3"));

/** Of a receiver of requests. */
const RESPONSE_MS = 20;
const WAITING_ROWS = 5_000;
const SMALL_RUN_ROWS = 10;
const SMALL_RUNS = 20;
const REQUESTS = 40;
/** Not counted: code is compiled and statements are planned in them. */
const FIRST_REQUESTS = 10;
const PAGE_ROWS = 100;

/** By what was measured, and by the place of the delay. */
const measured = new Map<string, { samples: number[][]; show: (value: number) => string }>();

function note(what: string, at: number, value: number, show: (value: number) => string): void {
  const row = measured.get(what) ?? { samples: delays.map(() => []), show };
  measured.set(what, row);
  row.samples[at]?.push(value);
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
};

async function noteRequests(at: number, what: string, work: () => Promise<unknown>): Promise<void> {
  for (let i = -FIRST_REQUESTS; i < REQUESTS; i++) {
    const took = await timed(work);
    if (i >= 0) note(what, at, took, milliseconds);
  }
}

async function noteRuns(at: number, rowmill: Rowmill, origin: string): Promise<void> {
  const dataset = await uploadRows(rowmill, rowCount);
  const specs = {
    mock: await rowmill.jobSpecs.create({ name: "mock", processor: processors.mock }),
    transform: await rowmill.jobSpecs.create({ name: "transform", processor: processors.transform }),
    http: await rowmill.jobSpecs.create({
      name: "http",
      processor: { type: "http", method: "GET", url: `${origin}/` },
    }),
  };
  for (const { id } of Object.values(specs)) await finishedRun(rowmill, dataset, id, 500);
  for (const name of ["mock", "transform"] as const) {
    const run = await finishedRun(rowmill, dataset, specs[name].id, rowCount);
    note(`run of ${rowCount.toLocaleString("en")} rows, \`${name}\``, at, rowCount / secondsOf(run), perSecond);
  }
  for (const concurrency of [16, 64]) {
    const run = await finishedRun(rowmill, dataset, specs.http.id, WAITING_ROWS, { concurrency });
    const what = `run of ${WAITING_ROWS.toLocaleString("en")} rows, \`http\`, ${RESPONSE_MS} ms, ${concurrency} at once`;
    note(what, at, WAITING_ROWS / secondsOf(run), perSecond);
  }
  const small = async (): Promise<void> => void (await finishedRun(rowmill, dataset, specs.mock.id, SMALL_RUN_ROWS));
  for (let i = -SMALL_RUNS; i < SMALL_RUNS; i++) {
    const took = await timed(small);
    if (i >= 0) note(`run of ${SMALL_RUN_ROWS} rows, from the request to the end`, at, took, milliseconds);
  }
  const run = await finishedRun(rowmill, dataset, specs.transform.id, rowCount);
  const scope = { type: "limit", count: SMALL_RUN_ROWS } as const;
  const newRun = { datasetId: dataset, jobSpecId: specs.mock.id, scope };
  await noteRequests(at, "creating a run", () => rowmill.runs.create(newRun));
  await noteRequests(at, "`GET /v1/runs/{id}`", () => rowmill.runs.get(run.id));
  const page = { limit: PAGE_ROWS, fromIndex: rowCount / 2 };
  await noteRequests(at, `page of ${PAGE_ROWS} \`outputs\``, () => rowmill.runs.outputs(run.id, page));
  note(
    "export as JSON Lines",
    at,
    (await timed(async () => {
      const made = await rowmill.exports.create(run.id, { type: "outputs", format: "jsonl" });
      await rowmill.exports.waitFor(made.id);
    })) / 1000,
    seconds,
  );
  note("upload as JSON Lines", at, (await timed(() => uploadRows(rowmill, rowCount))) / 1000, seconds);
}

async function withDelay(databaseUrl: string, delayMs: number, work: (url: string) => Promise<void>): Promise<void> {
  const url = new URL(databaseUrl);
  const proxy = fork(fileURLToPath(new URL("support/delaying-proxy.ts", import.meta.url)), [url.port, `${delayMs}`]);
  try {
    const [port] = (await once(proxy, "message")) as [number]; // what it sends
    url.port = String(port);
    await work(url.href);
  } finally {
    proxy.kill();
  }
}

const receiver = createServer((_request, response) => void setTimeout(() => response.end("{}"), RESPONSE_MS)).listen(0);
const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`; // it listens on TCP
const folder = makeGuardedFolder("rowmill-bench-distant-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
for (let round = 0; round < rounds; round++)
  for (const [at, delayMs] of delays.entries())
    await withDelay(database.connectionString, delayMs, async (url) => {
      await withClient(url, async (client) => {
        for (let i = 0; i < REQUESTS; i++)
          note("`select 1`", at, await timed(() => client.query("select 1")), milliseconds);
      });
      const service = await startBenchService({
        ROWMILL_DATA_DIR: join(folder, "data"),
        ROWMILL_DATABASE_URL: url,
        ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
        ROWMILL_CONNECTION_ALLOWED_ORIGINS: origin,
        ROWMILL_LOG_LEVEL: "error",
      });
      try {
        await noteRuns(at, service.rowmill, origin);
      } finally {
        await service.stop();
      }
    });
console.log(
  `| measured | ${delays.map((delayMs) => `${delayMs} ms`).join(" | ")} |\n|---|${"---|".repeat(delays.length)}`,
);
for (const [what, { samples, show }] of measured)
  console.log(`| ${what} | ${samples.map((values) => show(median(values))).join(" | ")} |`);
receiver.close();
await database.stop();
await rm(folder, { recursive: true, force: true });
