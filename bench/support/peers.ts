/** What runs are compared with: COPY of the ready results, and pg-boss with one job per row. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Client, Pool } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { PgBoss } from "pg-boss";
import type { InputRow, RowOutcome } from "@rowmill/server/processors/processor";

const POSTGRES_EPOCH_MS = 946_684_800_000;

/** Results as rows: what a program that stores the outputs of jobs would make. */
export const resultTable = (name: string): string => `create table ${name} (
  organization_id uuid not null, run_id uuid not null, row_index bigint not null, attempts smallint not null,
  duration_ms int not null, finished_at timestamptz not null, code text, retryable boolean, output json, failure json, usage json,
  primary key (run_id, row_index))`;

/** Rows per second of one client's binary COPY of these outputs into a table of results, one row each. */
export async function copyResults(connectionString: string, outputs: readonly string[]): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query("drop table if exists copied_results");
  await client.query(resultTable("copied_results"));
  const startedAt = performance.now();
  await pipeline(
    Readable.from(copyBlocks(outputs)),
    client.query(copyFrom("copy copied_results from stdin (format binary)")),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  await client.query("drop table copied_results");
  await client.end();
  return outputs.length / seconds;
}

/** Columns of a table of results in order: two UUIDs, index, attempts, duration, time, code, retryable, output, failure, usage. */
function* copyBlocks(outputs: readonly string[]): Generator<Buffer> {
  const ROWS_PER_BLOCK = 500;
  const BYTES_BESIDE_OUTPUT = 2 + 20 + 20 + 12 + 6 + 8 + 12 + 4 + 4 + 4 + 4 + 4;
  const organization = uuidBytes(randomUUID());
  const run = uuidBytes(randomUUID());
  const now = BigInt(Date.now() - POSTGRES_EPOCH_MS) * 1000n;
  yield Buffer.concat([Buffer.from("PGCOPY\n\u00FF\r\n\0", "latin1"), Buffer.alloc(8)]);
  for (let from = 0; from < outputs.length; from += ROWS_PER_BLOCK) {
    const block = outputs.slice(from, from + ROWS_PER_BLOCK);
    const bytes = Buffer.allocUnsafe(
      block.reduce((sum, text) => sum + BYTES_BESIDE_OUTPUT + Buffer.byteLength(text), 0),
    );
    let at = 0;
    for (const [i, text] of block.entries()) {
      at = bytes.writeInt16BE(11, at);
      for (const uuid of [organization, run]) {
        at = bytes.writeInt32BE(16, at);
        at += uuid.copy(bytes, at);
      }
      at = bytes.writeInt32BE(8, at);
      at = bytes.writeBigInt64BE(BigInt(from + i), at);
      at = bytes.writeInt32BE(2, at);
      at = bytes.writeInt16BE(1, at);
      at = bytes.writeInt32BE(4, at);
      at = bytes.writeInt32BE(0, at);
      at = bytes.writeInt32BE(8, at);
      at = bytes.writeBigInt64BE(now, at);
      at = bytes.writeInt32BE(-1, at);
      at = bytes.writeInt32BE(-1, at);
      at = bytes.writeInt32BE(Buffer.byteLength(text), at);
      at += bytes.write(text, at);
      at = bytes.writeInt32BE(-1, at);
      at = bytes.writeInt32BE(-1, at);
    }
    yield bytes;
  }
  yield Buffer.from([0xff, 0xff]);
}

const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");

export interface PeerWork {
  rows: readonly string[];
  /** The same work as the run's, in the same sandbox if it has one. */
  compute(rows: InputRow[]): Promise<RowOutcome[]>;
  /** Jobs a worker takes at once: 500, or pg-boss' default of one. */
  batchSize: number;
}

export interface PeerRates {
  /** Rows per second from the insertion of the first job to the last stored output: what a run's time holds, too. */
  whole: number;
  /** The same without the insertion of the jobs. */
  processing: number;
}

/**
 * pg-boss with one job per row. The outputs are stored in a table of results by one statement per group of jobs. Four
 * workers, as the service has lanes for one run, which fetch again at once while there is work: without that pg-boss waits
 * for its next poll after every fetch.
 */
export async function pgBossRows(connectionString: string, work: PeerWork): Promise<PeerRates> {
  const schema = "pgboss_bench";
  const pool = new Pool({ connectionString, max: 8 });
  await pool.query(`drop schema if exists ${schema} cascade; drop table if exists peer_results`);
  await pool.query(resultTable("peer_results"));
  const boss = new PgBoss({
    connectionString,
    schema,
    max: 8,
    monitorIntervalSeconds: 1,
    superviseIntervalSeconds: 1,
    queueCacheIntervalSeconds: 1,
  });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("row");
  const JOBS_PER_INSERT = 2_000;
  const insertedFrom = performance.now();
  for (let from = 0; from < work.rows.length; from += JOBS_PER_INSERT) {
    const jobs = work.rows
      .slice(from, from + JOBS_PER_INSERT)
      .map((text, i) => ({ data: { index: from + i, row: JSON.parse(text) as object } }));
    await boss.insert("row", jobs);
  }
  const insertSeconds = (performance.now() - insertedFrom) / 1000;
  await pool.query(`analyze ${schema}.job`);
  const organizationId = randomUUID();
  const runId = randomUUID();
  let done = 0;
  const startedAt = performance.now();
  await new Promise<void>((resolve, reject) => {
    boss
      .work<{ index: number; row: object }>(
        "row",
        {
          batchSize: work.batchSize,
          localConcurrency: 4,
          pollingIntervalSeconds: 0.5,
          burstWhenBatchFull: true,
          burstWhenReadyExceeds: 1,
        },
        async (jobs) => {
          const rows = jobs.map((job) => ({ index: job.data.index, text: JSON.stringify(job.data.row) }));
          const outcomes = await work.compute(rows);
          const records = outcomes.map(
            (outcome, i) => `{"i":${rows[i]?.index},"o":${outcome.ok ? outcome.output : "null"}}`,
          );
          await pool.query({
            name: "store",
            text: `insert into peer_results (organization_id, run_id, row_index, attempts, duration_ms, finished_at, output)
              select $1, $2, (d->>'i')::bigint, 1, 0, now(), d->'o' from json_array_elements($3::json) d`,
            values: [organizationId, runId, `[${records.join(",")}]`],
          });
          done += jobs.length;
          if (done === work.rows.length) resolve();
        },
      )
      .catch(reject);
  });
  const seconds = (performance.now() - startedAt) / 1000;
  await boss.stop({ graceful: true });
  await pool.query(`drop schema ${schema} cascade; drop table peer_results`);
  await pool.end();
  return { whole: work.rows.length / (insertSeconds + seconds), processing: work.rows.length / seconds };
}
