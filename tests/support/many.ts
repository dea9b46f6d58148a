/**
 * Tables filled for the lists by SQL, since making so much by requests takes hours. The worst that an organization can be: of
 * what can be deleted the newest quarter is, and what a rare filter looks for is the oldest of all.
 */
import { auditEventTypes } from "@rowmill/contract/audit-events";
import { bulkActionStates, bulkResources } from "@rowmill/contract/bulk-actions";
import { connectionTypes } from "@rowmill/contract/connections";
import { alertableEventTypes, deliverableEventTypes, eventTypeNames } from "@rowmill/contract/events";
import { insertSegments } from "@rowmill/server/testing/segments";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { parseId } from "@rowmill/server/platform/ids";

/** Rows of each large table: enough that whoever reads a table, or sorts what a filter leaves, is seen to. */
export const MANY = 40_000;
/** Of tables whose lists have no filter. */
const FEWER = 10_000;
/** Rows from the oldest that a rare value has. */
const RARE = 20;
/** As many rules as an organization may have, and more than it may have endpoints; the others are deleted. */
export const RULES = 200;
/** As many as an organization may have; the others are deleted. */
export const CONNECTIONS = 200;
export const CHUNK_ROWS = 100;
export const CHUNKS = 500;

/** Of usage: few a day, over many days, so that a range of days is a small part. */
export const USES_PER_DAY = 10;

/** The time of the oldest; every further one is a millisecond younger. */
export const OLDEST_MS = Date.UTC(2026, 0, 1);

/** The id of number `n` in every table. */
export function idOf(n: number): string {
  const ms = (OLDEST_MS + n).toString(16).padStart(12, "0");
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7000-8000-000000000000`;
}

/** What filters by id look for: nearly everything has the common one. */
export const COMMON = idOf(1);
export const RARELY = idOf(2);
/** A run in which most rows succeeded, a row of every chunk failed, and the last chunks are not done. */
export const RUN = idOf(1);
/** A run in which the last row alone succeeded. */
export const FAILED_RUN = idOf(2);

/** SQL: in turn all of the values but the last, which is the rare one. */
const inTurn = (values: readonly string[]): string => {
  const common = values.slice(0, -1);
  return `case when n <= ${RARE} then '${values.at(-1)}' else (array['${common.join("', '")}'])[1 + n % ${common.length}] end`;
};
const ID = "n_id(n)";
const TIME = `to_timestamp((${OLDEST_MS} + n) / 1000.0)`;
const oneOf = `case when n <= ${RARE} then '${RARELY}'::uuid else '${COMMON}'::uuid end`;
const newestQuarter = (count: number): string => `case when n > ${count * 0.75} then now() end`;
const text = (value: string): string => `'${value}'`;
const json = (value: unknown): string => `'${JSON.stringify(value)}'`;
const digest = "decode(md5(n::text || $1::text), 'hex')";

interface Fill {
  table: string;
  count: number;
  /** Column → SQL of `n`. */
  columns: Record<string, string>;
}

/** Of what is found by its name and metadata. */
const labelled = {
  name: text("x"),
  metadata: `(case when n <= ${RARE} then '{"env":"dev"}' else '{"env":"prod"}' end)::jsonb`,
};
const labelledTables = [
  { table: "runs", kind: "run", hidden: "deleted_at" },
  { table: "datasets", kind: "dataset", hidden: "deleted_at" },
  { table: "job_specs", kind: "job_spec", hidden: "archived_at" },
];

const runStatesOfMany = ["succeeded", "partially_succeeded", "failed", "canceled", "paused"];
const noCounts = { succeeded: 0, failed: 0, attempts: 0, inputTokens: 0, outputTokens: 0, requests: 0, costUsd: "0" };

const fills: Fill[] = [
  {
    table: "runs",
    count: MANY,
    columns: {
      id: ID,
      ...labelled,
      dataset_id: oneOf,
      job_spec_id: oneOf,
      job_spec_version: "1",
      scope: json({ type: "all" }),
      state: inTurn(runStatesOfMany),
      root_run_id: ID,
      row_total: `case when n <= 2 then ${CHUNKS * CHUNK_ROWS} else 1 end`,
      chunk_count: `case when n <= 2 then ${CHUNKS} else 1 end`,
      final_counts: `case when n > ${RARE} then ${json(noCounts)}::jsonb end`,
      created_at: TIME,
      started_at: `case when n <= 2 then ${TIME} end`,
      finished_at: `case when n > ${RARE} then ${TIME} end`,
      deleted_at: newestQuarter(MANY),
    },
  },
  {
    table: "exports",
    count: MANY,
    columns: {
      id: ID,
      run_id: oneOf,
      type: inTurn(["outputs", "failures", "resolved_results", "rows"]),
      format: inTurn(["jsonl", "csv"]),
      status: inTurn(["failed", "canceled", "expired", "queued"]),
      error: `case when n > ${RARE} and n % 3 = 0 then ${json({ code: "internal_error", message: "x" })}::jsonb end`,
      finished_at: `case when n > ${RARE} then now() end`,
    },
  },
  {
    table: "webhook_deliveries",
    count: MANY,
    columns: {
      id: ID,
      webhook_endpoint_id: oneOf,
      event_id: ID,
      event_type: inTurn(deliverableEventTypes),
      status: inTurn(["succeeded", "failed", "canceled", "pending"]),
      next_attempt_at: `case when n <= ${RARE} then now() end`,
    },
  },
  {
    table: "alert_deliveries",
    count: MANY,
    columns: {
      id: ID,
      alert_rule_id: oneOf,
      event_id: ID,
      event_type: text("run.failed"),
      alert: `case when n > ${RARE} then '{}' end`,
      status: inTurn(["succeeded", "failed", "suppressed"]),
    },
  },
  {
    table: "audit_events",
    count: MANY,
    columns: {
      id: ID,
      type: inTurn(auditEventTypes),
      actor_type: inTurn(["api_key", "system"]),
      api_key_id: oneOf,
      target_type: text("run"),
      created_at: TIME,
    },
  },
  {
    table: "events",
    count: MANY,
    columns: {
      id: ID,
      type: inTurn(eventTypeNames),
      run_id: `'${RUN}'::uuid`,
      sequence: "n",
      payload: json({ id: "x", type: "run.started", createdAt: "x", data: { url: "/v1/runs/x" } }),
      is_fanned_out: "true",
    },
  },
  {
    table: "usage_days",
    count: MANY,
    columns: {
      day: `current_date - n / ${USES_PER_DAY}`,
      run_id: ID,
      job_spec_id: oneOf,
      job_spec_version: "1",
      api_key_id: oneOf,
      requests: "1",
      cost_usd: "n",
    },
  },
  {
    table: "invitations",
    count: MANY,
    columns: {
      id: ID,
      email: "n || '@example.com'",
      role: text("viewer"),
      state: inTurn(["revoked", "expired", "pending"]),
      token_digest: digest,
      expires_at: "now() + interval '1 day'",
    },
  },
  {
    table: "datasets",
    count: FEWER,
    columns: {
      id: ID,
      ...labelled,
      state: text("ready"),
      upload_id: ID,
      deleted_at: newestQuarter(FEWER),
    },
  },
  {
    table: "dataset_uploads",
    count: FEWER,
    columns: {
      id: ID,
      name: text("x"),
      source_type: text("inline"),
      state: text("canceled"),
      finished_at: "now()",
    },
  },
  {
    table: "job_specs",
    count: FEWER,
    columns: {
      id: ID,
      ...labelled,
      latest_version: "1",
      archived_at: newestQuarter(FEWER),
    },
  },
  {
    table: "job_spec_versions",
    count: FEWER,
    columns: { job_spec_id: ID, version: "1", id: ID, processor: json({ type: "mock" }) },
  },
  {
    table: "job_spec_versions",
    count: FEWER,
    columns: { job_spec_id: `'${COMMON}'::uuid`, version: "1 + n", id: ID, processor: json({ type: "mock" }) },
  },
  {
    table: "webhook_endpoints",
    count: FEWER,
    columns: {
      id: ID,
      url: text("https://example.com/"),
      shown_url: text("https://example.com/…"),
      event_types: "array['*']",
      signing_secret: text("x"),
      deleted_at: `case when n > ${RULES} then now() end`,
    },
  },
  {
    table: "connections",
    count: FEWER,
    columns: {
      id: ID,
      name: `case when n <= ${RARE} then 'x' else 'y' end`,
      type: inTurn(connectionTypes),
      base_url: text("https://example.com"),
      deleted_at: `case when n > ${CONNECTIONS} then now() end`,
    },
  },
  {
    table: "bulk_actions",
    count: MANY,
    columns: {
      id: ID,
      resource: inTurn(bulkResources),
      action: text("delete"),
      state: inTurn(bulkActionStates),
      finished_at: `case when (${inTurn(bulkActionStates)}) in ('completed', 'aborted', 'failed') then now() end`,
      total: "1",
      api_key_id: `'${COMMON}'::uuid`,
      request_id: text("x"),
      ip: text("x"),
    },
  },
  {
    table: "alert_rules",
    count: FEWER,
    columns: {
      id: ID,
      name: text("x"),
      event_type: inTurn(alertableEventTypes),
      enabled: `n > ${RARE}`,
      trigger: json({ type: "each" }),
      cooldown_seconds: "300",
      destination: json({ type: "webhook", url: "https://example.com/" }),
      deleted_at: `case when n > ${RULES} then now() end`,
    },
  },
  {
    table: "api_keys",
    count: FEWER,
    columns: {
      id: ID,
      name: text("x"),
      digest,
      redacted_key: text("x"),
      scopes: "array['runs:read']",
      revoked_at: `case when n > ${RARE} then now() end`,
    },
  },
  {
    table: "members",
    count: FEWER,
    columns: {
      id: ID,
      name: text("x"),
      email: "n || '@example.com'",
      role: text("viewer"),
      invitation_id: ID,
      removed_at: newestQuarter(FEWER),
    },
  },
];

/** Of these one organization has all, as a run or a dataset has. */
const bulk: Fill[] = [
  {
    table: "run_chunks",
    count: CHUNKS,
    columns: {
      run_id: `'${RUN}'::uuid`,
      chunk_no: "n",
      first_row: `(n - 1) * ${CHUNK_ROWS}`,
      last_row: `n * ${CHUNK_ROWS} - 1`,
      row_count: `${CHUNK_ROWS}`,
      state: `case when n > ${CHUNKS - 10} then 'pending' else 'done' end`,
      succeeded: `case when n > ${CHUNKS - 10} then 0 else ${CHUNK_ROWS} - 1 end`,
      failed: `case when n > ${CHUNKS - 10} then 0 else 1 end`,
    },
  },
  {
    table: "run_chunks",
    count: CHUNKS,
    columns: {
      run_id: `'${FAILED_RUN}'::uuid`,
      chunk_no: "n",
      first_row: `(n - 1) * ${CHUNK_ROWS}`,
      last_row: `n * ${CHUNK_ROWS} - 1`,
      row_count: `${CHUNK_ROWS}`,
      state: "'done'",
      succeeded: `case when n = ${CHUNKS} then 1 else 0 end`,
      failed: `case when n = ${CHUNKS} then ${CHUNK_ROWS} - 1 else ${CHUNK_ROWS} end`,
    },
  },
  {
    table: "run_chunks",
    count: MANY / 4,
    columns: {
      run_id: "n_id(n + 2)",
      chunk_no: "1",
      first_row: "0",
      last_row: "0",
      row_count: "1",
      state: "'pending'",
    },
  },
  {
    table: "run_failures",
    count: CHUNKS - 10,
    columns: failureColumns(RUN, `n * ${CHUNK_ROWS} - 1`, `n > ${CHUNKS - 20}`),
  },
  {
    table: "run_failures",
    count: CHUNKS * CHUNK_ROWS - 1,
    columns: failureColumns(FAILED_RUN, "n - 1", "true"),
  },
  {
    // Of other runs, one each: a run has a part of the table.
    table: "run_failures",
    count: MANY,
    columns: { ...failureColumns(RUN, "0", "true"), run_id: "n_id(n + 2)" },
  },
];

function failureColumns(runId: string, index: string, isRetryable: string): Record<string, string> {
  return {
    run_id: `'${runId}'::uuid`,
    row_index: index,
    attempts: "1",
    duration_ms: "1",
    finished_at: TIME,
    code: "'http_5xx'",
    retryable: isRetryable,
    failure: `'{"message":"x","details":null}'::json`,
  };
}

/** Of the run all rows but the last of each chunk succeeded, of the failed one only the very last row. */
async function insertOutputs(service: TestService, of: TestOrganization): Promise<void> {
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

/** Everything belongs to `of`; of most there is a quarter as much in another organization. */
export async function fillTables(service: TestService, of: TestOrganization, other: TestOrganization): Promise<void> {
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
  await insert(service, of, bulk, 1);
  await insertOutputs(service, of);
  await insert(service, of, fills, 1);
  // Runs, and with them rows and events, have one organization.
  await insert(
    service,
    other,
    fills.filter(({ table }) => table !== "events"),
    4,
  );
  for (const { table, kind, hidden } of labelledTables) {
    await service.query(
      // What the triggers would write, with each label found out once.
      `insert into list_labels (organization_id, label, id) select t.organization_id, labels.label, t.id
       from ${table} t cross join lateral (values
         (list_label('${kind}', 'name', 'x')),
         (case t.metadata->>'env' when 'dev' then list_label('${kind}', 'metadata.env', 'dev')
           else list_label('${kind}', 'metadata.env', 'prod') end)) labels (label)
       where t.${hidden} is null and t.name = 'x' and t.metadata ? 'env'`,
    );
    await service.query(`alter table ${table} enable trigger user`);
  }
  await service.query(`insert into organizations (id, name) select n_id(n), 'x' from generate_series(1, ${FEWER}) n`);
  await service.query("analyze");
}

async function insert(service: TestService, of: TestOrganization, list: Fill[], divisor: number): Promise<void> {
  const organizationId = parseId("organization", of.organizationId);
  for (const { table, count, columns } of list) {
    await service.query(
      `insert into ${table} (organization_id, ${Object.keys(columns).join(", ")})
       select $1::uuid, ${Object.values(columns).join(", ")} from generate_series(1, ${Math.floor(count / divisor)}) n`,
      [organizationId],
    );
  }
}

/** The rows of the dataset `id`, which has one chunk, as a dataset of many chunks. */
export async function multiplyChunks(service: TestService, id: string, chunkRows: number): Promise<void> {
  await service.query(
    `insert into dataset_chunks (organization_id, dataset_id, chunk_no, first_row, row_count, body)
     select organization_id, dataset_id, n, n * ${chunkRows}, row_count, body
     from dataset_chunks cross join generate_series(1, ${CHUNKS}) n where dataset_id = $1 and chunk_no = 0`,
    [id],
  );
}
