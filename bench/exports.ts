/**
 * Exports of one large run through the API of one service process on the embedded database, beside PostgreSQL's own
 * `COPY … TO STDOUT` of the same rows into a file, in the same minutes.
 *
 *     node --conditions=@rowmill/source bench/exports.ts [rows=1000000] [rounds=3]
 *
 * Prints rows per second from the request to `ready`, the ratio to COPY, and the peak memory of the service.
 */
import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { Client } from "pg";
import { to as copyTo } from "pg-copy-streams";
import type { Rowmill } from "@rowmill/client";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { parseId } from "@rowmill/server/platform/ids";
import { insertRun } from "@rowmill/server/resources/exports/exports-testing";
import { median, megabytes, thousands, watchMemory } from "./support/measure.ts";
import { resultTable } from "./support/peers.ts";
import { benchRow } from "./support/rows.ts";
import { startBenchService } from "./support/service.ts";
import { makeGuardedFolder } from "./support/guarded-folder.ts";

const setting = (name: string, fallback: number): number =>
  Number(process.argv.find((word) => word.startsWith(`${name}=`))?.split("=")[1] ?? fallback);
const rowCount = setting("rows", 1_000_000);
const rounds = setting("rounds", 3);

const csvColumns = ["id", "name", "city", "zip", "amount", "active", "note"].map((name) => `data.${name}`);
type ExportBody = Parameters<Rowmill["exports"]["create"]>[1];
const kinds: Record<string, ExportBody> = {
  jsonl: { type: "outputs", format: "jsonl" },
  "jsonl with input": { type: "outputs", format: "jsonl", includeInput: true },
  "jsonl, zstd": { type: "outputs", format: "jsonl", compression: "zstd" },
  "jsonl, gzip": { type: "outputs", format: "jsonl", compression: "gzip" },
  "csv, columns found": { type: "outputs", format: "csv" },
  "csv, columns given": { type: "outputs", format: "csv", columns: ["index", ...csvColumns] },
};

const columns = ["id", "name", "city", "zip", "amount", "active", "note"];
/** Lines as they are: no quotes, no doubled backslashes. Ids are checked: COPY takes no parameters. */
const copies = {
  jsonl: (
    run: string,
  ) => `copy (select '{"index":' || row_index || ',"data":' || output || ',"attempts":' || attempts || '}'
    from plain_results where run_id = '${run}' order by row_index) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`,
  csv: (run: string) => `copy (select row_index, ${columns.map((name) => `output->>'${name}'`).join(", ")}
    from plain_results where run_id = '${run}' order by row_index) to stdout (format csv, header, force_quote *)`,
};

const folder = makeGuardedFolder("rowmill-bench-exports-");
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
const service = await startBenchService({
  ROWMILL_DATA_DIR: join(folder, "data"),
  ROWMILL_DATABASE_URL: database.connectionString,
});
try {
  const run = await makeRun();
  const copied: Record<keyof typeof copies, number[]> = { jsonl: [], csv: [] };
  const exported = new Map<string, { rates: number[]; peaks: number[]; bytes: number }>();
  for (let round = 0; round < rounds; round += 1) {
    copied.jsonl.push(await copyRate(copies.jsonl(uuidOf(run))));
    copied.csv.push(await copyRate(copies.csv(uuidOf(run))));
    for (const [name, kind] of Object.entries(kinds)) {
      const measured = exported.get(name) ?? { rates: [], peaks: [], bytes: 0 };
      const { rate, peak, bytes } = await exportRate(run, kind);
      exported.set(name, { rates: [...measured.rates, rate], peaks: [...measured.peaks, peak], bytes });
    }
  }
  console.log(`COPY jsonl ${thousands(median(copied.jsonl))} rows/s, COPY csv ${thousands(median(copied.csv))} rows/s`);
  for (const [name, { rates, peaks, bytes }] of exported) {
    const peer = median(name.startsWith("csv") ? copied.csv : copied.jsonl);
    console.log(
      `${name}: ${thousands(median(rates))} rows/s, ${(median(rates) / peer).toFixed(2)} of COPY, ` +
        `peak ${megabytes(Math.max(...peaks))}, file ${megabytes(bytes)}`,
    );
  }
} finally {
  await service.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Rows of one statement. */
const ROWS_PER_INSERT = 5_000;

/** Written into the tables: a run of the mock processor would have left the same. */
async function makeRun(): Promise<string> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const me = await service.rowmill.me();
  const { runId } = await insertRun((text, values) => client.query(text, values), String(me.organizationId), {
    rows: Array.from({ length: rowCount }, (_, index) => JSON.stringify(benchRow(index))),
    results: Array.from({ length: rowCount }, (_, index) => ({ index, output: benchRow(index) })),
  });
  await client.query(resultTable("plain_results"));
  for (let from = 0; from < rowCount; from += ROWS_PER_INSERT)
    await client.query(
      `insert into plain_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, output)
       select $1, $2, $3 + n - 1, 1, 5, now(), line::json from string_to_table($4, E'\\n') with ordinality t(line, n)`,
      [
        parseId("organization", String(me.organizationId)),
        uuidOf(runId),
        from,
        Array.from({ length: Math.min(ROWS_PER_INSERT, rowCount - from) }, (_, i) =>
          JSON.stringify(benchRow(from + i)),
        ).join("\n"),
      ],
    );
  await client.query("vacuum analyze plain_results");
  await client.end();
  return runId;
}

function uuidOf(runId: string): string {
  const uuid = parseId("run", runId);
  if (uuid === undefined) throw new Error(`${runId} is no run`);
  return uuid;
}

async function copyRate(statement: string): Promise<number> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const hash = createHash("sha256");
  const startedAt = performance.now();
  await pipeline(
    client.query(copyTo(statement)),
    async function* measure(pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        hash.update(piece);
        yield piece;
      }
    },
    createWriteStream(join(folder, "copied"), { flush: true }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await client.end();
  return rowCount / seconds;
}

async function exportRate(runId: string, body: ExportBody): Promise<{ rate: number; peak: number; bytes: number }> {
  const memory = watchMemory(service.pid);
  const created = await service.rowmill.exports.create(runId, body);
  const ended = await service.rowmill.exports.waitFor(created.id, { timeoutMs: 600_000 });
  const peak = memory.stop();
  if (ended.status !== "ready" || ended.rowCount !== rowCount || ended.finishedAt === null || ended.sizeBytes === null)
    throw new Error(`the export ended as ${ended.status} with ${ended.rowCount} rows`);
  const seconds = (Date.parse(ended.finishedAt) - Date.parse(ended.createdAt)) / 1000;
  return { rate: rowCount / seconds, peak, bytes: ended.sizeBytes };
}
