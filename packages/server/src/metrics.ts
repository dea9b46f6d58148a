/** Metrics for Prometheus: the process, its requests, what blocked it, and what waits in the database. Served by `metrics-server.ts`. */
import type { FastifyInstance } from "fastify";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import { isUnavailable, sql } from "./platform/database/database.ts";
import type { DatabaseClock } from "./platform/database/database-clock.ts";
import type { Database } from "./platform/database/database.ts";
import type { Meter } from "./platform/meter.ts";
import type { Stall } from "./platform/watchdog/watchdog.ts";
import { MOST_COUNTED, registrationOf } from "./metric-definitions.ts";
import type { MetricName } from "./metric-definitions.ts";
import { isSlowed } from "./processors/limiter/read-limiters.ts";
import { processMetrics } from "./process-metrics.ts";
import { countJobsByQueue, readOldestJobs } from "./platform/queue/jobs.ts";

/** Seconds. A request with `waitSeconds` may take thirty of them. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** Seconds, from what counts as a stall. */
const STALL_BUCKETS = [0.5, 1, 2.5, 5, 10, 30];
/** Several scrapers at once ask the database once. */
const COUNTED_FOR_MS = 5_000;
/** Writing the text takes some milliseconds of the thread that serves requests. */
const TEXT_KEPT_MS = 1_000;

export interface Metrics {
  observeRequests(app: FastifyInstance): void;
  observeStall(stall: Stall): void;
  meter: Meter;
  /** A pass over what is sealed with other keys than the first. */
  observeReseal(pass: { resealed: number; failed: number }): void;
  contentType: string;
  /** At most a second old. */
  text(): Promise<string>;
}

export function createMetrics(
  database: Database,
  { now = () => performance.now(), clock }: { now?: () => number; clock?: Pick<DatabaseClock, "aheadMs"> } = {},
): Metrics {
  const registry = Registry.merge([processMetrics()]);
  const requests = new Histogram({
    ...registrationOf("rowmill_http_request_duration_seconds"),
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  const stalls = new Histogram({
    ...registrationOf("rowmill_event_loop_stall_seconds"),
    buckets: STALL_BUCKETS,
    registers: [registry],
  });

  const resealed = new Counter({ ...registrationOf("rowmill_resealed_values_total"), registers: [registry] });
  const unopened = new Gauge({ ...registrationOf("rowmill_unopened_values"), registers: [registry] });

  const ahead = new Gauge({ ...registrationOf("rowmill_clock_ahead_seconds"), registers: [registry] });

  const meter = createMeter(registry);
  const readDatabase = createDatabaseReader(registry, database, now);
  async function write(): Promise<string> {
    await readDatabase();
    ahead.set((clock?.aheadMs() ?? 0) / 1000);
    return registry.metrics();
  }
  return {
    contentType: registry.contentType,
    observeRequests(app) {
      app.addHook("onResponse", (request, reply, done) => {
        requests.observe(
          { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode },
          reply.elapsedTime / 1000,
        );
        done();
      });
    },
    meter,
    observeReseal(pass) {
      resealed.inc(pass.resealed);
      unopened.set(pass.failed);
    },
    observeStall: ({ work, ms }) => stalls.observe({ work: work?.name ?? "unknown" }, ms / 1000),
    text: keepText(write, now),
  };
}

/** What is read from the database, and whether it responds; the connections to it are those of this process. */
function createDatabaseReader(registry: Registry, database: Database, now: () => number): () => Promise<void> {
  const backlog = [
    gauge(registry, "rowmill_runs_in_progress", countRuns),
    gauge(registry, "rowmill_queue_jobs", countJobs),
    gauge(registry, "rowmill_webhook_deliveries_pending", countDeliveries),
    gauge(registry, "rowmill_limiters", countLimiters),
    gauge(registry, "rowmill_queue_oldest_job_seconds", countOldestJobs),
  ];
  const connections = gauge(registry, "rowmill_database_connections", countConnections);
  const reachable = new Gauge({ ...registrationOf("rowmill_database_reachable"), registers: [registry] });
  let countedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    await connections.read(database);
    if (now() - countedAt < COUNTED_FOR_MS) return;
    countedAt = now();
    try {
      for (const { read } of backlog) await read(database);
      reachable.set(1);
    } catch (error) {
      countedAt = Number.NEGATIVE_INFINITY;
      // A defect of ours is to be seen, and the database is there.
      if (!isUnavailable(error)) throw error;
      // What the process itself counts is needed most now; old counts of the database would pass for fresh ones.
      for (const { forget } of backlog) forget();
      reachable.set(0);
    }
  };
}

/** Writes the text again when the last one is too old. */
function keepText(write: () => Promise<string>, now: () => number): () => Promise<string> {
  let kept: { text: Promise<string>; until: number } | undefined;
  return () => {
    if (kept === undefined || now() >= kept.until) {
      const text = write();
      const own = { text, until: now() + TEXT_KEPT_MS };
      kept = own;
      // The next one asks again.
      text.catch(() => (kept = kept === own ? undefined : kept));
    }
    return kept.text;
  };
}

/** Rows and what they used, as this process has recorded them. */
function createMeter(registry: Registry): Meter {
  const counter = (name: MetricName) => new Counter({ ...registrationOf(name), registers: [registry] });
  const rows = counter("rowmill_rows_total");
  const failures = counter("rowmill_row_failures_total");
  const requests = counter("rowmill_row_requests_total");
  const tokens = counter("rowmill_tokens_total");
  const cost = counter("rowmill_cost_usd_total");
  const attempts = counter("rowmill_webhook_attempts_total");
  const repairs = counter("rowmill_repairs_total");
  return {
    countRepairs: (reconciler, count) => repairs.inc({ reconciler }, count),
    countRows({ successes, failures: failed, usage }) {
      rows.inc({ outcome: "succeeded" }, successes.length);
      rows.inc({ outcome: "failed" }, failed.length);
      for (const { code } of failed) failures.inc({ code });
      requests.inc(usage.requests);
      tokens.inc({ direction: "input" }, usage.inputTokens);
      tokens.inc({ direction: "output" }, usage.outputTokens);
      cost.inc(Number(usage.costUsd));
    },
    countWebhookAttempts({ succeeded, failed }) {
      attempts.inc({ outcome: "succeeded" }, succeeded);
      attempts.inc({ outcome: "failed" }, failed);
    },
  };
}

interface Count {
  label: string;
  count: number;
}
type CountThem = (database: Database) => Promise<{ rows: Count[] }>;

/** Of one label. */
function gauge(registry: Registry, name: MetricName, countThem: CountThem) {
  const registration = registrationOf(name);
  const [label = ""] = registration.labelNames;
  const values = new Gauge({ ...registration, registers: [registry] });
  return {
    read: async (database: Database): Promise<void> => {
      const { rows } = await countThem(database);
      values.reset();
      for (const row of rows) values.set({ [label]: row.label }, row.count);
    },
    forget: () => values.reset(),
  };
}

const countRuns: CountThem = ({ db }) =>
  sql<Count>`select state as label, count(*) as count from runs where finished_at is null group by state`.execute(db);

/** What waits in the database, for the process that reports it. */
export async function readBacklog(database: Database): Promise<{ runs: Count[]; jobs: Count[]; deliveries: Count[] }> {
  const [runs, jobs, deliveries] = await Promise.all([
    countRuns(database),
    countJobs(database),
    countDeliveries(database),
  ]);
  return { runs: runs.rows, jobs: jobs.rows, deliveries: deliveries.rows };
}

const countJobs: CountThem = async ({ db }) => ({ rows: await countJobsByQueue(db) });

const countOldestJobs: CountThem = async ({ db }) => ({ rows: await readOldestJobs(db) });

const countConnections: CountThem = ({ pool }) =>
  Promise.resolve({
    rows: [
      { label: "in_use", count: pool.totalCount - pool.idleCount },
      { label: "idle", count: pool.idleCount },
      { label: "waiting", count: pool.waitingCount },
    ],
  });

const countDeliveries: CountThem = ({ db }) =>
  sql<Count>`
    select kind as label, count(*) as count from (
      select kind from webhook_deliveries where status = 'pending' limit ${MOST_COUNTED}) d group by kind`.execute(db);

/** `cooling`: all calls wait, as the provider wishes; `slowed`: it has refused calls in the last minute, or was overloaded, or this still holds the rate back. */
const countLimiters: CountThem = ({ db }) =>
  sql<Count>`
    select case when cooling_until > now then 'cooling' when slowed_at > now - 60 or ${isSlowed} then 'slowed' else 'free' end as label,
      count(*) as count
    from limiters, (select extract(epoch from now())::float8 as now) n where used_at > now - 60 group by 1`.execute(db);
