/**
 * Milliseconds of a page of every list, with every filter and every pair of filters, at the beginning and far behind it, as a client
 * sees them one after the other: of an organization with a million runs, webhook deliveries and audit events, and a hundred thousand
 * of everything else that grows. The p99 is that of one page, by nearest rank, and each page of a list must meet the goal.
 *
 *     npm run bench lists
 *     ROWMILL_BENCH_ROWS=100000 npm run bench lists
 */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "pg";
import { request } from "undici";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { collectGarbageLessOften } from "@rowmill/server/platform/garbage";
import { formatId, newUuid, parseId } from "@rowmill/server/platform/ids";
import { cursorOf, lists, middleOf, queriesOf } from "../tests/support/list-queries.ts";
import { fillTables, multiplyChunks } from "../tests/support/many.ts";
import { CHUNK_ROWS, COMMON, FAILED_RUN, RUN } from "../tests/support/many-values.ts";
import { pathOf } from "../tests/support/operations.ts";
import type { Entry } from "../tests/support/operations.ts";
import { percentile, verdict } from "./support/measure.ts";
import { ADMIN_KEY, startBenchProcess, startBenchService } from "./support/service.ts";
import type { BenchProcess, BenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const MANY = Number(process.env["ROWMILL_BENCH_ROWS"] ?? 1_000_000);
const MILLIONS = ["runs", "webhook_deliveries", "audit_events"];
const OTHER = newUuid();
const FEWER = ["exports", "alert_deliveries", "events", "usage_days", "datasets", "dataset_uploads", "bulk_actions"];
const LIMIT = 50;
/** Of each page: of 100, the p99 is the second slowest, and two moments at which the machine does something else decide. */
const REQUESTS = 300;
/** Before those, and not counted: the service compiles what it runs often. */
const WARMING_REQUESTS = 3;
const TARGET_MS = 10;

// By itself, this process stops for its own garbage every fifty requests, and some would take twice the time.
collectGarbageLessOften();
const encryptionKey = randomBytes(32).toString("base64");
const folder = makeGuardedFolder("rowmill-bench-lists-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
const settings = {
  ROWMILL_DATA_DIR: join(folder, "data"),
  ROWMILL_DATABASE_URL: database.connectionString,
  ROWMILL_ENCRYPTION_KEY: encryptionKey,
  ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
};
const pool = new Pool({ connectionString: database.connectionString, max: 1 });
const query = async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
  (await pool.query<Row>(text, values)).rows;
const maker = await startBenchService(settings);
let service: BenchProcess = maker;
try {
  const { organizationId, datasetId } = await makeDataset(maker);
  // Nobody works on what is filled in.
  await maker.stop();
  await fill(organizationId, datasetId);
  service = await startBenchProcess({ ...settings, ROWMILL_ROLE: "api" });
  const ids = { organizationId, datasetId, jobSpecId: formatId("jobSpec", COMMON) };
  console.log(
    `${MANY} runs, deliveries and audit events; pages of ${LIMIT}, ${REQUESTS} requests of each, milliseconds. ` +
      "By nearest rank: the p50 and the p99 of all requests of a list, and the p99 of the page which has the highest. The fastest request is that of the page whose fastest request is the slowest",
  );
  console.log(
    "| list | pages | p50 | p99 | highest p99 | of the page | fastest | of the page | |\n|---|---|---|---|---|---|---|---|---|",
  );
  // The service is measured as it is after some work: what lists share is compiled while the first of them are read.
  for (const entry of lists) for (const url of pagesOf(entry, ids)) await ask(entry, url);
  const startedAt = performance.now();
  for (const entry of lists) console.log(await measure(entry, pagesOf(entry, ids)));
  console.log(`read in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
} finally {
  await service.stop();
  await pool.end();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

async function makeDataset({ rowmill }: BenchService): Promise<{ organizationId: string; datasetId: string }> {
  const rows = Array.from({ length: CHUNK_ROWS }, (_unused, n) => ({ n }));
  const { id } = await rowmill.datasets.upload({ name: "Rows", rows });
  const [owner] = await query<{ id: string }>("select organization_id as id from datasets limit 1");
  return { organizationId: formatId("organization", owner?.id ?? ""), datasetId: id };
}

async function fill(organizationId: string, datasetId: string): Promise<void> {
  const startedAt = performance.now();
  await multiplyChunks({ query }, parseId("dataset", datasetId) ?? "", CHUNK_ROWS);
  const counts = Object.fromEntries([
    ...MILLIONS.map((table) => [table, MANY]),
    ...FEWER.map((table) => [table, MANY / 10]),
  ]) as Record<string, number>; // of these entries
  await query("insert into organizations (id, name) values ($1, 'Other')", [OTHER]);
  await fillTables({ query }, { organizationId }, { organizationId: formatId("organization", OTHER) }, { counts });
  await query("vacuum analyze");
  console.log(`filled in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

function pagesOf({ id, o }: Entry, ids: Readonly<Record<string, string>>): string[] {
  const owner = { encryptionKey, organizationId: parseId("organization", ids["organizationId"] ?? "") ?? "" };
  return (o.params?.["runId"] === undefined ? [RUN] : [RUN, FAILED_RUN]).flatMap((run) => {
    const path = pathOf(o, { ...ids, runId: formatId("run", run) });
    return queriesOf({ id, o }).flatMap((filters) => {
      const search = new URLSearchParams(`${filters}&limit=${LIMIT}`);
      const first = `${path}?${search.toString()}`;
      search.set("cursor", cursorOf(o, path, search, middleOf(id, o, filters), owner));
      return [first, `${path}?${search.toString()}`];
    });
  });
}

/** A line of the table. The pages alternate: what else the machine does for a moment falls on one request of several pages. */
async function measure(entry: Entry, urls: readonly string[]): Promise<string> {
  const pages = urls.map((url) => ({ url, times: [] as number[] }));
  for (let i = 0; i < WARMING_REQUESTS; i++) for (const { url } of pages) await ask(entry, url);
  for (let i = 0; i < REQUESTS; i++) for (const { url, times } of pages) times.push(await ask(entry, url));
  const highestOf = (valueOf: (times: readonly number[]) => number): { url: string; value: number } =>
    pages
      .map(({ url, times }) => ({ url, value: valueOf(times) }))
      .reduce((highest, page) => (page.value > highest.value ? page : highest));
  const all = pages.flatMap(({ times }) => times);
  const p99 = highestOf((times) => percentile(times, 99));
  const fastest = highestOf((times) => Math.min(...times));
  const ofPage = ({ url, value }: typeof p99): string => `${value.toFixed(1)} | ${short(url)}`;
  return `| ${entry.id} | ${pages.length} | ${percentile(all, 50).toFixed(1)} | ${percentile(all, 99).toFixed(1)} | ${ofPage(p99)} | ${ofPage(fastest)} | ${verdict(p99.value < TARGET_MS, `p99 < ${TARGET_MS} ms`)} |`;
}

/** Milliseconds. */
async function ask({ o }: Entry, url: string): Promise<number> {
  const key = o.access.by === "admin" ? ADMIN_KEY : maker.apiKey;
  const startedAt = performance.now();
  // `fetch` leaves so much to be collected that some requests would wait for this process.
  const { statusCode, body } = await request(service.url + url, { headers: { authorization: `Bearer ${key}` } });
  await body.dump();
  const took = performance.now() - startedAt;
  if (statusCode !== 200) throw new Error(`${url} responded ${statusCode}`);
  return took;
}

/** Without the path, and with what is long cut off. */
function short(url: string): string {
  const filters = decodeURIComponent(url.slice(url.indexOf("?") + 1))
    .replaceAll(/&?limit=\d+/g, "")
    .replaceAll(/cursor=[^&]+/g, "far")
    .replaceAll(/([\w.]+,){2}[\w.,]+/g, "all")
    .replaceAll(/=[a-z]+_\w{26}/g, "=…");
  return filters === "" ? "no filter" : filters;
}
