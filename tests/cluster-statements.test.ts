/**
 * Which statements a cluster gets, without a cluster (decision 0025): a service on one PostgreSQL that says its large tables are
 * distributed. What it does must be right there, too; each statement keeps the rules; and every place of the sources that names a large
 * table was tried.
 */
import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { imitateCluster } from "@rowmill/server/testing/cluster-imitation";
import type { ImitatedCluster } from "@rowmill/server/testing/cluster-imitation";
import { startTestService } from "@rowmill/server/testing/service";
import type { Place } from "./support/cluster/places.ts";
import { builtPlaces, spaced, writtenPlaces } from "./support/cluster/places.ts";
import { describeDistributedService } from "./support/cluster/distributed-service.ts";
import { describeSweeps } from "./support/cluster/sweeps.ts";

const ROWMILL_ENCRYPTION_KEY = randomBytes(32).toString("base64");

let served: ImitatedCluster;
let swept: ImitatedCluster;
beforeAll(async () => {
  [served, swept] = [await imitateCluster(), await imitateCluster()];
});

describeDistributedService(
  () => served.url,
  (settings) =>
    startTestService({
      ROWMILL_DATABASE_URL: served.url,
      ROWMILL_ENCRYPTION_KEY,
      ...settings,
    }),
);

describeSweeps(() => swept.url, ROWMILL_ENCRYPTION_KEY);

/** Joins that a cluster takes: it reads the small table first. The same tests run there. */
const TRIED_JOINS = [
  "from runs r join run_chunks c on c.run_id = r.id and c.chunk_no =",
  "insert into run_budgets (organization_id, run_id, spent_usd)",
];

test("no statement is one that a cluster refuses, or takes otherwise", () => {
  expect(served.statements.size).toBeGreaterThan(100);
  const faults = [...served.faults, ...swept.faults].filter(
    (fault) => !TRIED_JOINS.some((join) => spaced(fault).includes(join)),
  );
  expect(faults).toEqual([]);
});

/** First forms, of statements that are other ones on a cluster, by file. */
const OF_ONE_SERVER: Place[] = [
  {
    file: "resources/runs/result-bytes.ts",
    fragment: "(select coalesce(sum(c.result_bytes), 0) from run_chunks c where c.run_id = r.id)",
  },
  {
    file: "resources/runs/failure-groups.ts",
    fragment: "select code, retryable, failure_path from run_failures where run_id = $2 and organization_id = $1",
  },
  {
    file: "resources/runs/failure-groups.ts",
    fragment:
      "select only_cause.*, (select sum(failed) from run_chunks where run_id = $2 and organization_id = $1 and failed > 0) as count from only_cause",
  },
  // A claim on a cluster reads no rows: they are on the server of their dataset.
  { file: "engine/chunks/chunk-claims.ts", fragment: "(select d.body from dataset_chunks d" },
  { file: "engine/chunks/chunk-claims.ts", fragment: "select chunk_no from run_chunks where run_id = open_run.id and" },
  { file: "resources/runs/retry-selection.ts", fragment: "cross join run_chunks c" },
  {
    file: "resources/runs/retry-selection.ts",
    fragment: "select (f.row_index - c.first_row)::int, 'failure', f.code, f.retryable from run_failures f",
  },
  { file: "resources/runs/stored-results/result-sql.ts", fragment: "select o.pos from run_segments s" },
  {
    file: "engine/provider-batches/reconcile-batches.ts",
    fragment: "update run_chunks c set state = 'pending', batch_id = null, claim_no = claim_no + 1",
  },
  {
    file: "engine/lanes/reconcile-runs.ts",
    fragment: "exists (select 1 from run_chunks c where c.run_id = r.id and c.state = 'pending' and c.in_real_time)",
  },
  { file: "engine/chunks/duplicate-rows.ts", fragment: "select encode(key, 'hex'), row_index from run_row_keys" },
  {
    file: "engine/chunks/duplicate-rows.ts",
    fragment:
      "where run_id = $2 and key = any($3::bytea[]) and not exists (select 1 from taken where taken.key = encode(run_row_keys.key, 'hex'))",
  },
];

/** Sent only where a chunk takes long, a batch ends early, or a process is killed. */
const SOMETIMES: Place[] = [
  {
    file: "resources/runs/budget-row.ts",
    fragment: "select coalesce(sum(cost_usd), 0)::text as cost from run_chunks where run_id =",
  },
  {
    file: "resources/runs/stored-results/fold-segments.ts",
    fragment: "select *, sum(size) over (order by size, part_no) as folded_size from run_segments",
  },
];

/** What Kysely writes of each place where a statement is built; nothing of what is for one server alone, or sent only sometimes. */
const BUILT: Record<string, string[]> = {
  'resources/runs/finish-run.ts: update "run_chunks"': [
    'update "run_chunks" set "state" = $1, "claimed_by" = $2, "batch_id" = $3',
  ],
  'resources/runs/finish-run.ts: from "run_chunks"': [
    'select "chunk_no" from "run_chunks" where "run_id" = $1 and "state" != $2',
    'select "chunk_no" from "run_chunks" where "run_id" = $1 and "state" in (',
  ],
  'resources/runs/provider-batch-records.ts: update "run_chunks"': [],
  'resources/datasets/column-statistics.ts: from "dataset_chunks"': ['from "dataset_chunks"'],
  'intake/inline-rows.ts: insert into "dataset_chunks"': [],
  'engine/runs.tasks.ts: from "run_chunks"': [],
  'engine/runs.tasks.ts: delete from "run_chunks"': ['delete from "run_chunks" where "run_id" = $1'],
  'engine/provider-batches/record-results.ts: update "run_chunks"': [],
  'engine/provider-batches/request-file.ts: from "run_chunks"': ['from "run_chunks"'],
  'engine/lanes/open-batches.ts: from "run_chunks"': ['from "run_chunks"'],
};

test("every place of the sources that names a large table was tried, or is for one PostgreSQL alone", () => {
  const sent = [...served.statements, ...swept.statements].map(spaced).join("\n");
  const keyOf = ({ file, fragment }: Place): string => `${file}: ${fragment}`;
  const written = writtenPlaces();
  const known = [...OF_ONE_SERVER, ...SOMETIMES].map(keyOf);
  const untried = written.filter(({ fragment }) => !sent.includes(fragment)).map(keyOf);
  expect(untried.filter((place) => !known.includes(place))).toEqual([]);
  // Nothing is left out that is not there any more.
  expect(known.filter((place) => !written.map(keyOf).includes(place))).toEqual([]);
  expect(builtPlaces().toSorted()).toEqual(Object.keys(BUILT).toSorted());
  expect(
    Object.values(BUILT)
      .flat()
      .filter((fragment) => !sent.includes(fragment)),
  ).toEqual([]);
});

test("a place that nothing has tried is found", () => {
  expect(
    writtenPlaces(["packages/server/src/new.ts"], () => "sql`select 1 from run_chunks where run_id = ${id}`"),
  ).toEqual([{ file: "new.ts", fragment: "select 1 from run_chunks where run_id =" }]);
});
