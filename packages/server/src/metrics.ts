/** `GET /metrics` for Prometheus: the process, its requests, and what waits in the database. */
import type { FastifyInstance } from "fastify";
import { Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";
import { sql } from "./platform/database/database.ts";
import type { Database } from "./platform/database/database.ts";

/** Seconds. A request with `waitSeconds` may take thirty of them. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30];
/** Several scrapers at once ask the database once. */
const COUNTED_FOR_MS = 5_000;
/** A backlog beyond this is an alarm at any size, and counting on would cost more than it tells. */
const MOST_COUNTED = 100_000;

export function serveMetrics(app: FastifyInstance, database: Database): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "rowmill_http_request_duration_seconds",
    help: "Duration of requests, by route and status.",
    labelNames: ["method", "route", "status"],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  });
  app.addHook("onResponse", (request, reply, done) => {
    requests.observe(
      { method: request.method, route: request.routeOptions.url ?? "none", status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });

  const backlog = [
    gauge(registry, "rowmill_runs_in_progress", "Runs that have not ended, by state.", "state", countRuns),
    gauge(registry, "rowmill_queue_jobs", "Jobs that wait or are in hand, by queue.", "queue", countJobs),
    gauge(
      registry,
      "rowmill_webhook_deliveries_pending",
      `Deliveries that wait, up to ${MOST_COUNTED}.`,
      "kind",
      countDeliveries,
    ),
    gauge(
      registry,
      "rowmill_limiters",
      "Connections with a model that were used in the last minute, by how their providers took it.",
      "state",
      countLimiters,
    ),
  ];
  let countedAt = 0;
  app.get("/metrics", async (_request, reply) => {
    if (Date.now() - countedAt >= COUNTED_FOR_MS) {
      countedAt = Date.now();
      for (const { read } of backlog) await read(database);
    }
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

interface Count {
  label: string;
  count: number;
}
type CountThem = (database: Database) => Promise<{ rows: Count[] }>;

function gauge(registry: Registry, name: string, help: string, label: string, countThem: CountThem) {
  const values = new Gauge({ name, help, labelNames: [label], registers: [registry] });
  return {
    read: async (database: Database): Promise<void> => {
      const { rows } = await countThem(database);
      values.reset();
      for (const row of rows) values.set({ [label]: row.label }, row.count);
    },
  };
}

const countRuns: CountThem = ({ db }) =>
  sql<Count>`select state as label, count(*) as count from runs where finished_at is null group by state`.execute(db);

const countJobs: CountThem = ({ db }) =>
  sql<Count>`
    select name as label, count(*) as count from pgboss.job where state in ('created', 'retry', 'active') group by name`.execute(
    db,
  );

const countDeliveries: CountThem = ({ db }) =>
  sql<Count>`
    select kind as label, count(*) as count from (
      select kind from webhook_deliveries where status = 'pending' limit ${MOST_COUNTED}) d group by kind`.execute(db);

/** `cooling`: all calls wait, as the provider wishes; `slowed`: it has refused calls in the last minute, or was overloaded. */
const countLimiters: CountThem = ({ db }) =>
  sql<Count>`
    select case when cooling_until > now then 'cooling' when slowed_at > now - 60 then 'slowed' else 'free' end as label,
      count(*) as count
    from limiters, (select extract(epoch from now())::float8 as now) n where used_at > now - 60 group by 1`.execute(db);
