/** Tables that are queues, filled by SQL: much that has ended, and much that waits. */
import type { TestService } from "@rowmill/server/testing/service";
import { COMMON, OLDEST_MS, RARELY, idOf, json, text } from "./many-values.ts";

/** Of each table and organization. */
export const ENDED = 10_000;
export const WAITING = 3_000;

type Queries = Pick<TestService, "query">;

/** Whose rows they are: of a run, its chunks. */
export interface QueueOwner {
  organizationId: string;
  runId: string;
}

interface QueueTable {
  table: string;
  /** Column → SQL of the number `n`. */
  columns: (of: QueueOwner) => Record<string, string>;
  ended: Record<string, string>;
  waiting: Record<string, string>;
  /** SQL: whether it waits, or is in a worker's hand. */
  isOpen: string;
}

const ID = `(lpad(to_hex(${OLDEST_MS} + n), 12, '0') || '70008000000000000000')::uuid`;
/** Two receivers alternate. */
const receiver = `case when n % 2 = 0 then '${COMMON}'::uuid else '${RARELY}'::uuid end`;
const due = "now() - interval '1 minute'";
const noCounts = { succeeded: 0, failed: 0, attempts: 0, inputTokens: 0, outputTokens: 0, requests: 0, costUsd: "0" };

const tables: QueueTable[] = [
  {
    table: "webhook_deliveries",
    columns: () => ({
      id: ID,
      webhook_endpoint_id: receiver,
      event_id: "gen_random_uuid()",
      event_type: text("run.started"),
      payload: text("{}"),
    }),
    ended: { status: text("succeeded"), attempts_made: "1" },
    waiting: { status: text("pending"), next_attempt_at: due },
    isOpen: "status = 'pending'",
  },
  {
    table: "alert_deliveries",
    columns: () => ({
      id: ID,
      alert_rule_id: receiver,
      event_id: "gen_random_uuid()",
      event_type: text("run.failed"),
      alert: text("{}"),
    }),
    ended: { status: text("succeeded"), attempts_made: "1" },
    waiting: { status: text("pending"), next_attempt_at: due },
    isOpen: "status = 'pending'",
  },
  {
    table: "exports",
    columns: ({ runId }) => ({ id: ID, run_id: `'${runId}'::uuid`, type: text("outputs"), format: text("jsonl") }),
    ended: { status: text("canceled"), finished_at: "now()" },
    waiting: { status: text("queued") },
    isOpen: "finished_at is null",
  },
  {
    table: "dataset_uploads",
    columns: () => ({ id: ID, name: text("x"), source_type: text("inline"), dataset_id: ID }),
    ended: { state: text("completed"), finished_at: "now()" },
    waiting: { state: text("processing") },
    isOpen: "finished_at is null",
  },
  {
    table: "runs",
    columns: () => ({
      id: ID,
      dataset_id: `'${COMMON}'::uuid`,
      job_spec_id: `'${COMMON}'::uuid`,
      job_spec_version: "1",
      scope: json({ type: "all" }),
      root_run_id: ID,
      row_total: "1",
      chunk_count: "1",
    }),
    ended: { state: text("succeeded"), final_counts: json(noCounts), started_at: "now()", finished_at: "now()" },
    waiting: { state: text("queued"), state_reason: text("waiting_for_capacity") },
    isOpen: "started_at is null",
  },
  {
    table: "run_chunks",
    columns: ({ runId }) => ({
      run_id: `'${runId}'::uuid`,
      chunk_no: "n",
      first_row: "n",
      last_row: "n",
      row_count: "1",
    }),
    ended: { state: text("done"), succeeded: "1" },
    // The first half of them rests.
    waiting: {
      state: text("pending"),
      not_before: `case when n <= ${ENDED + WAITING / 2} then now() + interval '1 day' end`,
    },
    isOpen: "state <> 'done'",
  },
];

export const queueNames = new Set(tables.map(({ table }) => table));

/** Nothing of them is analyzed or vacuumed but by the test. */
export async function makeQueues(service: Queries): Promise<void> {
  for (const { table } of tables) {
    await service.query(`alter table ${table} set (autovacuum_enabled = false)`);
    // They write what no claim reads, for each row.
    await service.query(`alter table ${table} disable trigger user`);
  }
}

export async function addReceivers(service: Queries, { organizationId }: QueueOwner): Promise<void> {
  for (const id of [COMMON, RARELY]) {
    await service.query(
      `insert into webhook_endpoints (organization_id, id, url, shown_url, event_types, signing_secret, last_answer_at)
       values ($1, $2, 'https://example.com/', 'https://example.com/…', array['*'], 'x', now())`,
      [organizationId, id],
    );
    await service.query(
      `insert into alert_rules (organization_id, id, name, event_type, trigger, cooldown_seconds, destination)
       values ($1, $2, 'x', 'run.failed', '{"type":"each"}', 300, '{"type":"webhook","url":"https://example.com/"}')`,
      [organizationId, id],
    );
  }
}

export const fillEnded = (service: Queries, of: QueueOwner): Promise<void> => fill(service, of, "ended", 1, ENDED);

/** Younger than what has ended. */
export const fillWaiting = (service: Queries, of: QueueOwner, names: ReadonlySet<string> = queueNames): Promise<void> =>
  fill(service, of, "waiting", ENDED + 1, ENDED + WAITING, names);

async function fill(
  service: Queries,
  of: QueueOwner,
  kind: "ended" | "waiting",
  first: number,
  last: number,
  names: ReadonlySet<string> = queueNames,
): Promise<void> {
  for (const entry of tables.filter(({ table }) => names.has(table))) {
    const columns = { ...entry.columns(of), ...entry[kind] };
    await service.query(
      `insert into ${entry.table} (organization_id, ${Object.keys(columns).join(", ")})
       select $1::uuid, ${Object.values(columns).join(", ")} from generate_series(${first}, ${last}) n`,
      [of.organizationId],
    );
  }
}

/** Also what no longer waits of it. */
export async function removeWaiting(service: Queries, { organizationId }: QueueOwner): Promise<void> {
  for (const { table, columns, isOpen } of tables) {
    const isFilled =
      "id" in columns({ organizationId, runId: "" })
        ? `id between '${idOf(ENDED + 1)}' and '${idOf(ENDED + WAITING)}'`
        : `chunk_no > ${ENDED}`;
    await service.query(`delete from ${table} where organization_id = $1 and (${isOpen} or ${isFilled})`, [
      organizationId,
    ]);
  }
}
