/**
 * Tables filled for the lists by SQL, since making so much by requests takes hours. The worst that an organization can be: of
 * what can be deleted the newest quarter is, and what a rare filter looks for is the oldest of all.
 */
import { insertSegments } from "@rowmill/server/testing/made-segments";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { parseId } from "@rowmill/server/platform/ids";
import { bulk, fills } from "./many-rows.ts";
import type { Fill } from "./many-rows.ts";
import { CHUNKS, CHUNK_ROWS, COUNT, FAILED_RUN, FEWER, OLDEST_MS, RUN } from "./many-values.ts";

const labelledTables = [
  { table: "runs", kind: "run", hidden: "deleted_at" },
  { table: "datasets", kind: "dataset", hidden: "deleted_at" },
  { table: "job_specs", kind: "job_spec", hidden: "archived_at" },
];

/** Of the run all rows but the last of each chunk succeeded, of the failed one only the very last row. */
async function insertOutputs(service: Queries, of: Owner): Promise<void> {
  const common = {
    organizationId: parseId("organization", of.organizationId),
    chunkRows: CHUNK_ROWS,
    finishedAt: new Date(OLDEST_MS),
  };
  const rows = Array.from({ length: CHUNK_ROWS }, (_unused, position) => ({ position, output: "{}" }));
  const firstRow = `(n - 1) * ${CHUNK_ROWS}`;
  await insertSegments(
    (text, values) => service.query(text, values),
    { ...common, runId: RUN, rows: rows.slice(0, -1) },
    { from: 1, to: CHUNKS - 10, firstRow },
  );
  await insertSegments(
    (text, values) => service.query(text, values),
    { ...common, runId: FAILED_RUN, rows: rows.slice(-1) },
    { from: CHUNKS, to: CHUNKS, firstRow },
  );
}

type Queries = Pick<TestService, "query">;
type Owner = Pick<TestOrganization, "organizationId">;

interface HowToFill {
  /** Tables that have another number of rows. */
  counts?: Readonly<Record<string, number>>;
  /** While the other organization has all there is. */
  onOtherFilled?: () => Promise<void>;
}

/** Everything belongs to `of`; of most there is a quarter as much in another organization. */
export async function fillTables(
  service: Queries,
  of: Owner,
  other: Owner,
  { counts = {}, onOtherFilled }: HowToFill = {},
): Promise<void> {
  const listed = fills.map((fill) => ({ ...fill, count: counts[fill.table] ?? fill.count }));
  await service.query(
    `create function n_id(n bigint) returns uuid immutable language sql
     as $$ select (lpad(to_hex(${OLDEST_MS} + n), 12, '0') || '70008000000000000000')::uuid $$`,
  );
  // Nothing of this has to outlive a crash, and what is written once needs no vacuum beside it. Those that refer first: what is logged
  // cannot refer to what is not.
  for (const table of new Set([
    "job_spec_versions",
    "run_segments",
    "sessions",
    ...[...bulk, ...fills].map((fill) => fill.table),
  ]))
    await service.query(`alter table ${table} set unlogged, set (autovacuum_enabled = false)`);
  await service.query("alter table list_labels set unlogged, set (autovacuum_enabled = false)");
  // In one statement instead of one for each row.
  for (const { table } of labelledTables) await service.query(`alter table ${table} disable trigger user`);
  // Runs, and with them rows and events, have one organization.
  await insert(
    service,
    other,
    listed.filter(({ table }) => table !== "events"),
    4,
  );
  await insertLabels(service, other);
  await onOtherFilled?.();
  await insert(service, of, bulk, 1);
  await insertOutputs(service, of);
  await insert(service, of, listed, 1);
  await insertLabels(service, of);
  await countDatasets(service);
  for (const { table } of labelledTables) await service.query(`alter table ${table} enable trigger user`);
  await service.query(`insert into organizations (id, name) select n_id(n), 'x' from generate_series(1, ${FEWER}) n`);
}

/** What the triggers would write, with each label found out once. */
async function insertLabels(service: Queries, of: Owner): Promise<void> {
  for (const { table, kind, hidden } of labelledTables)
    await service.query(
      `insert into list_labels (organization_id, label, id) select t.organization_id, labels.label, t.id
       from ${table} t cross join lateral (values
         (list_label('${kind}', 'name', 'x')),
         (case t.metadata->>'env' when 'dev' then list_label('${kind}', 'metadata.env', 'dev')
           else list_label('${kind}', 'metadata.env', 'prod') end)) labels (label)
       where t.organization_id = $1 and t.${hidden} is null and t.name = 'x' and t.metadata ? 'env'`,
      [parseId("organization", of.organizationId)],
    );
}

/** The same of the datasets. */
async function countDatasets(service: Queries): Promise<void> {
  await service.query("delete from dataset_counts");
  await service.query(
    `insert into dataset_counts (organization_id, datasets)
     select organization_id, count(*) from datasets where deleted_at is null group by organization_id`,
  );
}

async function insert(service: Queries, of: Owner, list: Fill[], divisor: number): Promise<void> {
  const organizationId = parseId("organization", of.organizationId);
  for (const { table, count, columns } of list) {
    const rows = Math.floor(count / divisor);
    const values = Object.values(columns).join(", ").replaceAll(COUNT, String(rows));
    await service.query(
      `insert into ${table} (organization_id, ${Object.keys(columns).join(", ")})
       select $1::uuid, ${values} from generate_series(1, ${rows}) n`,
      [organizationId],
    );
  }
}

/** The rows of the dataset `id`, which has one chunk, as a dataset of many chunks. */
export async function multiplyChunks(service: Queries, id: string, chunkRows: number): Promise<void> {
  await service.query(
    `insert into dataset_chunks (organization_id, dataset_id, chunk_no, first_row, row_count, body)
     select organization_id, dataset_id, n, n * ${chunkRows}, row_count, body
     from dataset_chunks cross join generate_series(1, ${CHUNKS}) n where dataset_id = $1 and chunk_no = 0`,
    [id],
  );
}
