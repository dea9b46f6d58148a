/**
 * Milliseconds of a page of the list of runs with a million of them in the table, most of one organization, as its client
 * sees them: at the beginning and far behind it, with each filter, for what is common and what is rare. Beside it the same
 * pages of another organization with a thousand runs.
 *
 *     node --conditions=@rowmill/source bench/lists.ts [runs]
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import type { Rowmill } from "@rowmill/client";
import { startEmbeddedDatabase } from "@rowmill/server/platform/database/embedded/embedded-database";
import { formatId, newUuid, parseId } from "@rowmill/server/platform/ids";
import { median, quantile, verdict } from "./support/measure.ts";
import { startBenchService } from "./support/service.ts";

const MANY = Number(process.argv[2] ?? 1_000_000);
const FEW = 1_000;
/** Runs of the rare kind, the oldest of all. */
const RARE = 20;
const LIMIT = 50;
const REQUESTS = 100;
/** Pages of a thousand walked to get far behind the beginning. */
const FAR_PAGES = 100;
const TARGET = 2;
const OLDEST_MS = Date.UTC(2026, 0, 1);

type Query = NonNullable<Parameters<Rowmill["runs"]["list"]>[0]>;

const [common, rare] = [newUuid(), newUuid()];
const queries: Record<string, Query> = {
  "no filter": {},
  "state, common": { state: "succeeded" },
  "state, rare": { state: "expired" },
  "several states": { state: ["succeeded", "failed", "canceled", "expired"] },
  "dataset, common": { datasetId: formatId("dataset", common) },
  "dataset, rare": { datasetId: formatId("dataset", rare) },
  "job spec, rare": { jobSpecId: formatId("jobSpec", rare) },
  "dataset and job spec": { datasetId: formatId("dataset", common), jobSpecId: formatId("jobSpec", common) },
  period: { createdBefore: new Date(OLDEST_MS + MANY / 2).toISOString() },
  "all together": {
    state: ["failed", "expired"],
    datasetId: formatId("dataset", common),
    jobSpecId: formatId("jobSpec", common),
    createdBefore: new Date(OLDEST_MS + MANY / 2).toISOString(),
  },
};

const folder = await mkdtemp(join(tmpdir(), "rowmill-bench-lists-"));
const database = await startEmbeddedDatabase({ dataDirectory: join(folder, "postgres") });
const settings = { ROWMILL_DATA_DIR: join(folder, "data"), ROWMILL_DATABASE_URL: database.connectionString };
// Each has an organization of its own, in one database.
const [large, small] = [await startBenchService(settings), await startBenchService(settings)];
try {
  await fill(large.rowmill, MANY);
  await fill(small.rowmill, FEW);
  await query("vacuum analyze runs");
  console.log(`${MANY} and ${FEW} runs; pages of ${LIMIT}, milliseconds: median (99 of 100)`);
  for (const [name, query] of Object.entries(queries)) {
    const cursor = await farCursor(large.rowmill, query);
    const [first = [], far = [], few = []] = await measure([
      () => large.rowmill.runs.list({ ...query, limit: LIMIT }),
      () => large.rowmill.runs.list({ ...query, limit: LIMIT, cursor }),
      () => small.rowmill.runs.list({ ...query, limit: LIMIT }),
    ]);
    const ratio = median(first) / median(few);
    console.log(
      `${name.padEnd(22)} first ${show(first)}   far ${show(far)}   of few ${show(few)}   ` +
        `${ratio.toFixed(2)}x ${verdict(ratio <= TARGET, `at most ${TARGET}x`)}`,
    );
  }
} finally {
  await large.stop();
  await small.stop();
  await database.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Runs that have ended, a millisecond apart. */
async function fill(rowmill: Rowmill, count: number): Promise<void> {
  const { id } = await rowmill.jobSpecs.create({ name: "Whose", processor: { type: "mock" } });
  await query(
    `insert into runs (organization_id, id, dataset_id, job_spec_id, job_spec_version, scope, state, root_run_id, row_total,
       chunk_count, final_counts, created_at, finished_at)
     select organization_id, id, kind, kind, 1, '{"type":"all"}', state, id, 1, 1,
       '{"succeeded":1,"failed":0,"attempts":1,"inputTokens":0,"outputTokens":0,"requests":0,"costUsd":"0"}', at, at
     from (
       select organization_id, to_timestamp(($2::bigint + n) / 1000.0) as at,
         (lpad(to_hex($2::bigint + n), 12, '0') || '7000' || '8000' || substr(md5(organization_id::text), 1, 12))::uuid as id,
         case when n <= $5 then $4::uuid else $3::uuid end as kind,
         case when n <= $5 then 'expired' when n % 10 = 0 then 'failed' else 'succeeded' end as state
       from job_specs, generate_series(1, $6::int) n where id = $1) of_organization`,
    [parseId("jobSpec", id), OLDEST_MS, common, rare, RARE, count],
  );
}

async function query(text: string, values: unknown[] = []): Promise<void> {
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  try {
    await client.query(text, values);
  } finally {
    await client.end();
  }
}

/** Where the page begins that is as far behind the beginning as the list and our patience allow. */
async function farCursor(rowmill: Rowmill, wanted: Query): Promise<string | undefined> {
  let cursor: string | undefined;
  for (let i = 0; i < FAR_PAGES; i++) {
    const page = await rowmill.runs.list({ ...wanted, cursor, limit: 1000 });
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return cursor;
}

/** Milliseconds of each, one after the other in turns: other work on the machine comes and goes. */
async function measure(asks: (() => PromiseLike<unknown>)[]): Promise<number[][]> {
  const times: number[][] = asks.map(() => []);
  for (let i = 0; i < REQUESTS; i++)
    for (const [which, ask] of asks.entries()) {
      const startedAt = performance.now();
      await ask();
      times[which]?.push(performance.now() - startedAt);
    }
  return times;
}

function show(times: readonly number[]): string {
  return `${median(times).toFixed(1).padStart(5)} (${quantile(times, 0.99).toFixed(1)})`.padEnd(14);
}
