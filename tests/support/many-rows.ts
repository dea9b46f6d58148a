/** What each table that `many.ts` fills has: its columns as SQL of the number `n` of the row. */
import { auditEventTypes } from "@rowmill/contract/audit-events";
import { bulkActionStates, bulkResources } from "@rowmill/contract/bulk-actions";
import { connectionTypes } from "@rowmill/contract/connections";
import { alertableEventTypes, deliverableEventTypes, eventTypeNames } from "@rowmill/contract/events";
import {
  CHUNKS,
  CHUNK_ROWS,
  COMMON,
  CONNECTIONS,
  FAILED_RUN,
  FEWER,
  ID,
  MANY,
  NEWEST_QUARTER,
  RARE,
  RULES,
  RUN,
  TIME,
  USES_PER_DAY,
  digest,
  cycling,
  json,
  oneOf,
  text,
} from "./many-values.ts";

export interface Fill {
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

const runStatesOfMany = ["succeeded", "partially_succeeded", "failed", "canceled", "paused"];
const noCounts = { succeeded: 0, failed: 0, attempts: 0, inputTokens: 0, outputTokens: 0, requests: 0, costUsd: "0" };

/** Tables whose lists have no parent. */
export const fills: Fill[] = [
  {
    table: "runs",
    count: MANY,
    columns: {
      id: ID,
      ...labelled,
      dataset_id: oneOf,
      job_spec_id: oneOf,
      api_key_id: oneOf,
      job_spec_version: "1",
      scope: json({ type: "all" }),
      state: cycling(runStatesOfMany),
      root_run_id: ID,
      row_total: `case when n <= 2 then ${CHUNKS * CHUNK_ROWS} else 1 end`,
      chunk_count: `case when n <= 2 then ${CHUNKS} else 1 end`,
      final_counts: `case when n > ${RARE} then ${json(noCounts)}::jsonb end`,
      created_at: TIME,
      started_at: `case when n <= 2 then ${TIME} end`,
      finished_at: `case when n > ${RARE} then ${TIME} end`,
      deleted_at: NEWEST_QUARTER,
    },
  },
  {
    table: "exports",
    count: MANY,
    columns: {
      id: ID,
      run_id: oneOf,
      type: cycling(["outputs", "failures", "resolved_results", "rows"]),
      format: cycling(["jsonl", "csv"]),
      status: cycling(["failed", "canceled", "expired", "queued"]),
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
      event_type: cycling(deliverableEventTypes),
      status: cycling(["succeeded", "failed", "canceled", "pending"]),
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
      status: cycling(["succeeded", "failed", "suppressed"]),
    },
  },
  {
    table: "audit_events",
    count: MANY,
    columns: {
      id: ID,
      type: cycling(auditEventTypes),
      actor_type: cycling(["api_key", "system"]),
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
      type: cycling(eventTypeNames),
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
      state: cycling(["revoked", "expired", "pending"]),
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
      deleted_at: NEWEST_QUARTER,
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
      archived_at: NEWEST_QUARTER,
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
      type: cycling(connectionTypes),
      base_url: text("https://example.com"),
      deleted_at: `case when n > ${CONNECTIONS} then now() end`,
    },
  },
  {
    table: "bulk_actions",
    count: MANY,
    columns: {
      id: ID,
      resource: cycling(bulkResources),
      action: text("delete"),
      state: cycling(bulkActionStates),
      finished_at: `case when (${cycling(bulkActionStates)}) in ('completed', 'aborted', 'failed') then now() end`,
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
      event_type: cycling(alertableEventTypes),
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
      removed_at: NEWEST_QUARTER,
    },
  },
];

/** Of these one organization has all, as a run or a dataset has. */
export const bulk: Fill[] = [
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
