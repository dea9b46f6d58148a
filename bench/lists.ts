/**
 * Milliseconds of a page of every list, with every filter and every pair of filters, at the beginning and far behind it, as a client
 * sees them one after the other: of an organization with a million runs, webhook deliveries and audit events, and a hundred thousand
 * of everything else that grows.
 *
 *     npm run bench lists
 *     ROWMILL_BENCH_ROWS=100000 npm run bench lists
 */
import { randomBytes } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Pool } from "pg";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { formatId, newUuid, parseId } from "@rowmill/server/platform/ids";
import { cursorOf, lists, middleOf, queriesOf } from "../tests/support/list-queries.ts";
import { fillTables, multiplyChunks } from "../tests/support/many.ts";
import { CHUNK_ROWS, COMMON, FAILED_RUN, RUN } from "../tests/support/many-values.ts";
import { pathOf } from "../tests/support/operations.ts";
import type { Entry } from "../tests/support/operations.ts";
import { median, quantile, verdict } from "./support/measure.ts";
import { ADMIN_KEY, startBenchProcess, startBenchService } from "./support/service.ts";
import type { BenchProcess, BenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const MANY = Number(process.env["ROWMILL_BENCH_ROWS"] ?? 1_000_000);
const MILLIONS = ["runs", "webhook_deliveries", "audit_events"];
const OTHER = newUuid();
const FEWER = ["exports", "alert_deliveries", "events", "usage_days", "datasets", "dataset_uploads", "bulk_actions"];
const LIMIT = 50;
/** Of each page. */
const REQUESTS = 20;
const TARGET_MS = 10;

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
    `${MANY} runs, deliveries and audit events; pages of ${LIMIT}, ${REQUESTS} requests of each, milliseconds`,
  );
  console.log("| list | pages | p50 | p99 | slowest page | its fastest request | |\n|---|---|---|---|---|---|---|");
  for (const entry of lists) {
    const pages = pagesOf(entry, ids);
    const measured: { url: string; times: number[] }[] = [];
    for (const url of pages) measured.push({ url, times: await ask(entry, url) });
    const all = measured.flatMap(({ times }) => times);
    // By its fastest request, which says the most where other programs run.
    const [slowest] = measured.toSorted((a, b) => Math.min(...b.times) - Math.min(...a.times));
    const worst = slowest === undefined ? "" : `${short(slowest.url)} | ${Math.min(...slowest.times).toFixed(1)}`;
    const p99 = quantile(all, 0.99);
    console.log(
      `| ${entry.id} | ${pages.length} | ${median(all).toFixed(1)} | ${p99.toFixed(1)} | ${worst} | ${verdict(p99 < TARGET_MS, `p99 < ${TARGET_MS} ms`)} |`,
    );
  }
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

async function ask({ o }: Entry, url: string): Promise<number[]> {
  const key = o.access.by === "admin" ? ADMIN_KEY : maker.apiKey;
  const times: number[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const startedAt = performance.now();
    const response = await fetch(service.url + url, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${url} responded ${response.status}`);
    times.push(performance.now() - startedAt);
  }
  // The first one compiles.
  return times.slice(1);
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
