/** Every metric of the service, with what it means: registered by `metrics.ts`, and written into the reference from here. */
export interface MetricDefinition {
  type: "counter" | "gauge" | "histogram";
  /** Shown by Prometheus, too. */
  help: string;
  labels: Readonly<Record<string, string>>;
  unit: string;
  /** `process`: what this process has done, so that processes are added up. `installation`: the same from every process. */
  of: "process" | "installation";
}

/** A backlog beyond this is an alarm at any size, and counting on would cost more than it is worth. */
export const MOST_COUNTED = 100_000;

export const metricDefinitions = {
  rowmill_rows_total: {
    type: "counter",
    help: "Rows whose result was recorded, by outcome.",
    labels: { outcome: "`succeeded`, `failed`" },
    unit: "rows",
    of: "process",
  },
  rowmill_row_failures_total: {
    type: "counter",
    help: "Rows that failed, by code.",
    labels: { code: "failure code" },
    unit: "rows",
    of: "process",
  },
  rowmill_row_requests_total: {
    type: "counter",
    help: "Requests to models and HTTP services for rows.",
    labels: {},
    unit: "requests",
    of: "process",
  },
  rowmill_tokens_total: {
    type: "counter",
    help: "Tokens that models counted, by direction.",
    labels: { direction: "`input`, `output`" },
    unit: "tokens",
    of: "process",
  },
  rowmill_cost_usd_total: {
    type: "counter",
    help: "Cost of rows in US dollars, where the price is known.",
    labels: {},
    unit: "US dollars",
    of: "process",
  },
  rowmill_webhook_attempts_total: {
    type: "counter",
    help: "Attempts to deliver webhooks, by outcome.",
    labels: { outcome: "`succeeded`, `failed`" },
    unit: "attempts",
    of: "process",
  },
  rowmill_repairs_total: {
    type: "counter",
    help: "Rows of tables that had lost the job that works on them, and were repaired. Stays 0 unless jobs were deleted, or a worker died again and again.",
    labels: { reconciler: "table or kind of rows, such as `runs`, `claimed_chunks`, `exports`" },
    unit: "rows",
    of: "process",
  },
  rowmill_http_request_duration_seconds: {
    type: "histogram",
    help: "Duration of requests, by route and status.",
    labels: {
      method: "HTTP method",
      route: "path with `:parameters`; `none` where no route matches",
      status: "HTTP status",
    },
    unit: "seconds",
    of: "process",
  },
  rowmill_event_loop_stall_seconds: {
    type: "histogram",
    help: "How long the event loop stood still, by the operation, queue or task that blocked it.",
    labels: { work: "operation, queue or task; `unknown`" },
    unit: "seconds",
    of: "process",
  },
  rowmill_database_connections: {
    type: "gauge",
    help: "Connections of this process's pool, by state; `waiting` are statements without one.",
    labels: { state: "`in_use`, `idle`, `waiting`" },
    unit: "connections",
    of: "process",
  },
  rowmill_database_reachable: {
    type: "gauge",
    help: "1 where the database has responded to the last read of this process's metrics; 0 where not: those of the whole installation are absent then.",
    labels: {},
    unit: "boolean",
    of: "process",
  },
  rowmill_clock_ahead_seconds: {
    type: "gauge",
    help: "How far the clock of this process is ahead of that of the database; below 0, behind. Some milliseconds where both are right.",
    labels: {},
    unit: "seconds",
    of: "process",
  },
  rowmill_resealed_values_total: {
    type: "counter",
    help: "Values that this process has sealed again with the first of ROWMILL_ENCRYPTION_KEYS.",
    labels: {},
    unit: "values",
    of: "process",
  },
  rowmill_unopened_values: {
    type: "gauge",
    help: "Values that the last pass could not open with any of ROWMILL_ENCRYPTION_KEYS.",
    labels: {},
    unit: "values",
    of: "process",
  },
  rowmill_runs_in_progress: {
    type: "gauge",
    help: "Runs that have not ended, by state.",
    labels: { state: "state of the run" },
    unit: "runs",
    of: "installation",
  },
  rowmill_queue_jobs: {
    type: "gauge",
    help: "Jobs that wait or are being worked on, by queue.",
    labels: { queue: "name of the queue" },
    unit: "jobs",
    of: "installation",
  },
  rowmill_queue_oldest_job_seconds: {
    type: "gauge",
    help: "How long the oldest job that could begin has waited, by queue. 0 where none waits.",
    labels: { queue: "name of the queue" },
    unit: "seconds",
    of: "installation",
  },
  rowmill_webhook_deliveries_pending: {
    type: "gauge",
    help: `Deliveries that wait, up to ${MOST_COUNTED}.`,
    labels: { kind: "kind of the delivery" },
    unit: "deliveries",
    of: "installation",
  },
  rowmill_limiters: {
    type: "gauge",
    help: "Connections with a model that were used in the last minute, by how their providers took it. `slowed`: refusals, or overload, of the last ten minutes hold the rate back.",
    labels: { state: "`free`, `slowed`, `cooling`" },
    unit: "connections with a model",
    of: "installation",
  },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof metricDefinitions;
export const metricNames = Object.keys(metricDefinitions) as MetricName[];

/** Name, help text and labels, as the registry takes them. */
export function registrationOf(name: MetricName): { name: MetricName; help: string; labelNames: string[] } {
  const { help, labels } = metricDefinitions[name];
  return { name, help, labelNames: Object.keys(labels) };
}
