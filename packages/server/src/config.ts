/**
 * The only reader of the environment: a table of settings, each with its meaning, default and parser. An unknown
 * `ROWMILL_*` variable or a bad value stops the start with a sentence. Variables of clients, and those that Kubernetes
 * sets for a Service whose name begins with `rowmill`, are known and ignored.
 */
import { isLoopbackHost } from "./platform/egress/loopback.ts";
import { parseRetrySchedule } from "./platform/parse-retry-schedule.ts";
import {
  checked,
  choice,
  databaseUrl,
  fraction,
  integer,
  list,
  matching,
  optional,
  origins,
  portOrOff,
  ranges,
  storage,
  text,
} from "./setting-kinds.ts";
import type { Setting } from "./setting-kinds.ts";
import { unknownSetting } from "./unknown-setting.ts";

export const roles = ["all", "api", "worker"] as const;
export const downloadWays = ["stream", "redirect"] as const;
export const modes = ["production", "development"] as const;
export const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

export const settings = {
  ROWMILL_HOST: text("Address the service listens on.", "127.0.0.1"),
  ROWMILL_PORT: integer("Port the service listens on; 0 chooses a free one.", 8080, 0, 65_535),
  ROWMILL_METRICS_HOST: text("Address that serves `GET /metrics`.", "127.0.0.1"),
  ROWMILL_METRICS_PORT: portOrOff(
    "Port that serves `GET /metrics`; 0 chooses a free one, `off` serves none. Where it is in use, the service starts without metrics, with a warning.",
    9464,
  ),
  ROWMILL_PUBLIC_URL: matching(
    "Base address that customers use, for links in responses and events.",
    "http://<host>:<port>",
    /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/,
    "an http or https URL without a query",
  ),
  ROWMILL_TRUSTED_PROXIES: ranges(
    "Addresses and CIDR ranges of the proxies in front of the service, separated by commas: what they add to `X-Forwarded-For` counts as the client's address.",
  ),
  ROWMILL_ROLE: choice("What this process does.", roles, "all"),
  ROWMILL_MODE: choice(
    "`development` admits models and services on loopback addresses for connections, and plain-HTTP webhook and alert receivers there; it only listens on loopback itself.",
    modes,
    "production",
  ),
  ROWMILL_CORS_ORIGINS: origins(
    "Origins whose pages may call the API from a browser with a key, such as `https://app.example.com`; `*` is every origin. Responses never allow credentials (cookies).",
  ),
  ROWMILL_DATA_DIR: text("Directory of the embedded database, local files and made keys.", "./data"),
  ROWMILL_DATABASE_URL: databaseUrl(
    "Any PostgreSQL 15 or newer, or a primary and its standbys (host1:5432,host2:5432), of which the primary is followed; unset starts the embedded one.",
    "embedded",
    "postgres://user:password@host:5432/database",
  ),
  ROWMILL_DATABASE_REPLICA_URL: databaseUrl(
    "A standby of that database, from which workers read what exports contain; the primary is read where the standby is behind or away.",
    "none",
    "postgres://user:password@standby:5432/database",
  ),
  ROWMILL_DATABASE_CONNECTIONS: integer(
    "Most connections of the process's own pool (the queue holds up to 9 more).",
    20,
    5,
    1000,
  ),
  ROWMILL_DATABASE_WAIT_SECONDS: integer(
    "How long a start waits for the database to respond; 0 tries once.",
    60,
    0,
    3600,
  ),
  ROWMILL_ROW_LEVEL_SECURITY: choice(
    "Whether to start where the database does not let requests and tasks be bound by row-level security.",
    ["if_possible", "required"],
    "if_possible",
  ),
  ROWMILL_STORAGE_URL: storage(
    "Where uploads and exports are kept: `file:` and a directory, or `s3://bucket/prefix` with `?endpoint=…`, `&pathStyle=true`, `&region=…` as needed and keys by the AWS variables.",
    "file:<data dir>/files",
  ),
  ROWMILL_DOWNLOADS: choice(
    "How files of exports are downloaded: `stream` through the service, or `redirect` to a URL of S3 that is good for a minute, also after its key is revoked.",
    downloadWays,
    "stream",
  ),
  ROWMILL_ADMIN_KEY: matching(
    "The admin key; it replaces the one before. Unset, the key of the last start is kept, and the first start makes one and prints it once.",
    "made once",
    // It has to fit a header, and guessing it must be hopeless.
    /^[!-~]{16,256}$/,
    "16 to 256 visible ASCII characters without spaces",
    true,
  ),
  ROWMILL_INIT_ORGANIZATION: optional(
    "Name of an organization that the first start makes; its key is written to ROWMILL_INIT_KEY_FILE.",
    "none",
  ),
  ROWMILL_INIT_KEY_FILE: optional(
    "File for the key of ROWMILL_INIT_ORGANIZATION, readable for its owner alone.",
    "none",
  ),
  ROWMILL_ENCRYPTION_KEY: optional("Base64 of 32 bytes; unset, one is made in the data directory.", "made once", true),
  ROWMILL_ENCRYPTION_KEYS: list(
    "In place of `ROWMILL_ENCRYPTION_KEY`: the key that seals, then older ones that still open, comma-separated.",
    true,
  ),
  ROWMILL_LOG_LEVEL: choice("How much is logged.", logLevels, "info"),
  ROWMILL_CHUNK_ROWS: integer("Rows stored, worked on and committed together.", 500, 1, 10_000),
  ROWMILL_WORKER_CONCURRENCY: integer("Turns of lanes a worker process takes at once.", 6, 1, 100),
  ROWMILL_WAITING_LANES: integer(
    "Turns of lanes a worker process takes at once for runs whose rows wait for others (`llm`, `http`). One organization has at most three quarters of them.",
    16,
    1,
    100,
  ),
  ROWMILL_BATCH_POLL_SECONDS: integer(
    "Pause before a provider is first asked for the state of a batch; it grows to twenty times as much.",
    30,
    1,
    3600,
  ),
  ROWMILL_TRANSFORM_THREADS: integer(
    "Threads for transform code in each worker process; 0 takes all processors but one (of two, both), 16 at most, and beyond four one for each 512 MiB of memory.",
    0,
    0,
    64,
  ),
  ROWMILL_IDEMPOTENCY_RETENTION_HOURS: integer("How long an Idempotency-Key is remembered.", 168, 24, 8760),
  ROWMILL_SESSION_EXPIRY_HOURS: integer("How long a browser stays signed in to the console.", 168, 1, 8760),
  ROWMILL_EXPORT_RETENTION_HOURS: integer("How long the file of an export is kept.", 168, 1, 8760),
  ROWMILL_UPLOAD_EXPIRY_HOURS: integer("How long an upload session waits for its content.", 24, 1, 720),
  ROWMILL_MAX_DATASET_BYTES: integer("Bytes of one dataset, unpacked.", 50 * GIB, MIB, 10_000 * GIB),
  ROWMILL_MAX_DATASET_ROWS: integer("Rows of one dataset.", 100_000_000, 1, 1_000_000_000),
  ROWMILL_MAX_ROW_BYTES: integer("Bytes of one row.", 8 * MIB, 1024, 8 * MIB),
  ROWMILL_MAX_RUNS_IN_PROGRESS: integer("Runs in progress per organization; more wait as `queued`.", 100, 1, 100_000),
  ROWMILL_MAX_WEBHOOK_ENDPOINTS: integer("Webhook endpoints per organization.", 200, 0, 100_000),
  ROWMILL_MAX_STORAGE_BYTES: integer(
    "Bytes an organization may store: uploads, datasets, results and exports, with what open upload sessions reserve.",
    1024 * GIB,
    0,
    Number.MAX_SAFE_INTEGER,
  ),
  ROWMILL_MIN_FREE_BYTES: integer(
    "Free bytes of the data directory and the store below which nothing new is stored and runs pause (0: no floor).",
    2 * GIB,
    0,
    10_000 * GIB,
  ),
  ROWMILL_MAX_API_KEYS: integer("Active API keys per organization.", 500, 1, 100_000),
  ROWMILL_WEBHOOK_HEADER_PREFIX: text("First word of the webhook headers.", "Service"),
  ROWMILL_WEBHOOK_RETRY_SCHEDULE: checked(
    "Seconds before each attempt of a delivery, comma-separated.",
    "0,5,300,1800,7200,18000,36000,50400,72000,86400",
    parseRetrySchedule,
  ),
  ROWMILL_WEBHOOK_RETENTION_DAYS: integer(
    "How long an ended webhook delivery, and its event, is kept to be read and replayed.",
    30,
    1,
    3650,
  ),
  ROWMILL_SMTP_URL: matching(
    "Server for e-mail: smtp://user:password@host:587 or smtps://…; unset, no e-mail is sent.",
    "none",
    /^smtps?:\/\/\S+$/,
    "a URL such as smtp://user:password@host:587",
    true,
  ),
  ROWMILL_MAIL_FROM: text(
    "Sender of e-mail: an address, or a name and an address in angle brackets.",
    "rowmill@localhost",
  ),
  ROWMILL_INVITATION_EXPIRY_HOURS: integer("How long an invitation can be accepted.", 168, 1, 8760),
  ROWMILL_RATE_LIMIT_PER_MINUTE: integer(
    "API requests a minute per organization, all keys together; 0 turns every rate limit off.",
    6000,
    0,
    10_000_000,
  ),
  ROWMILL_RATE_LIMIT_BURST: integer(
    "API requests an organization may send at once after a quiet time.",
    1000,
    1,
    1_000_000,
  ),
  ROWMILL_MAX_REQUESTS_AT_ONCE: integer(
    "API requests a process works on at once, and as many uploads, downloads, streams and waiting reads; fewer while most requests are slow. What is above gets a 503 with `Retry-After`.",
    1000,
    10,
    100_000,
  ),
  ROWMILL_ALERT_RETRY_SCHEDULE: checked(
    "Seconds before each attempt of an alert, comma-separated.",
    "0,30,120,600",
    parseRetrySchedule,
  ),
  ROWMILL_ALERT_RETENTION_DAYS: integer("How long an ended alert delivery is kept to be read.", 30, 1, 3650),
  ROWMILL_EGRESS_NAME_SERVERS: list(
    "Name servers for outgoing calls: address or address:port, comma-separated; none, those of the system.",
  ),
  ROWMILL_CONNECTION_ALLOWED_ORIGINS: list(
    "Origins inside the operator's network that connections and `http` processors may call: http://127.0.0.1:11434, comma-separated.",
  ),
  ROWMILL_EGRESS_CONNECT_OVERRIDES: list(
    "Receivers of webhooks and alerts inside the operator's network: host:port=address:port, comma-separated.",
  ),
  ROWMILL_EGRESS_PROXY: matching(
    "Proxy for outgoing calls (CONNECT): http://proxy.example.com:3128, with user:password@ if need be; unset, they go directly.",
    "none",
    /^http:\/\/[^\s/?#]+:[0-9]{1,5}\/?$/i,
    "a URL such as http://proxy.example.com:3128",
    true,
  ),
  ROWMILL_EGRESS_EXTRA_CA: optional("PEM file of a certificate authority trusted for outgoing calls.", "none"),
  OTEL_EXPORTER_OTLP_ENDPOINT: matching(
    "Collector of OpenTelemetry traces (OTLP over HTTP), such as http://127.0.0.1:4318; unset, no traces are made.",
    "none",
    /^https?:\/\/[^\s?#]+$/,
    "an http or https URL without a query",
  ),
  ROWMILL_TRACE_REQUESTS: fraction("Part of requests and deliveries that get a span, 0 to 1.", 1),
  ROWMILL_TRACE_ROWS: fraction("Part of rows that get a span, 0 to 1.", 0.01),
  ROWMILL_TRACE_GEN_AI: choice("Whether spans of rows name models and tokens.", ["off", "on"], "off"),
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof settings;
export type Config = { readonly [K in SettingName]: ReturnType<(typeof settings)[K]["parse"]> };

export class ConfigError extends Error {}

/** What clients on the same machine read: the command line, scripts, the lines that the first start prints. */
const CLIENT_VARIABLES = new Set([
  "ROWMILL_API_KEY",
  // As earlier first starts named it: shells that followed their lines have it.
  "ROWMILL_KEY",
  "ROWMILL_URL",
  "ROWMILL_API_URL",
  "ROWMILL_BASE_URL",
  "ROWMILL_PROFILE",
  "ROWMILL_NODE",
  "ROWMILL_DEBUG",
  "ROWMILL_CONFIG",
  "ROWMILL_CONFIG_DIR",
  "ROWMILL_OUTPUT",
  "ROWMILL_ORGANIZATION",
  "ROWMILL_ORGANIZATION_ID",
  "ROWMILL_WEBHOOK_SECRET",
]);
/** Kubernetes sets these in every pod of a namespace, for each of its Services. */
const SERVICE_LINK =
  /^ROWMILL(_[A-Z0-9]+)*(_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)|_PORT_\d+_(TCP|UDP|SCTP)(_(ADDR|PORT|PROTO))?)$/;
/** The value of `ROWMILL_PORT`, or `ROWMILL_API_PORT`, where a Service has that name. */
const SERVICE_LINK_PORT = /^(tcp|udp|sctp):\/\//;

const isOfSomebodyElse = (name: string, value: string | undefined): boolean =>
  CLIENT_VARIABLES.has(name) ||
  SERVICE_LINK.test(name) ||
  (name.endsWith("_PORT") && value !== undefined && SERVICE_LINK_PORT.test(value));

export function readConfig(environment: Record<string, string | undefined>): Config {
  const problems: string[] = [];
  const own: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (isOfSomebodyElse(name, value)) continue;
    if (Object.hasOwn(settings, name)) {
      own[name] = value;
      continue;
    }
    const problem = unknownSetting(name, Object.keys(settings));
    if (problem !== undefined) problems.push(problem);
  }
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const value = own[name];
    try {
      config[name] = setting.parse(value === "" ? undefined : value);
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (!/^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(String(config["ROWMILL_WEBHOOK_HEADER_PREFIX"])))
    problems.push("ROWMILL_WEBHOOK_HEADER_PREFIX must be letters, digits and hyphens");
  if ((config["ROWMILL_INIT_ORGANIZATION"] === undefined) !== (config["ROWMILL_INIT_KEY_FILE"] === undefined))
    problems.push("ROWMILL_INIT_ORGANIZATION and ROWMILL_INIT_KEY_FILE must be set together");
  if (config["ROWMILL_DOWNLOADS"] === "redirect" && !own["ROWMILL_STORAGE_URL"]?.startsWith("s3:"))
    problems.push("ROWMILL_DOWNLOADS=redirect needs ROWMILL_STORAGE_URL=s3://bucket/prefix");
  if (config["ROWMILL_MODE"] === "development" && !isLoopbackHost(String(config["ROWMILL_HOST"])))
    problems.push("ROWMILL_MODE=development listens on loopback only: set ROWMILL_HOST to 127.0.0.1, ::1 or localhost");
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return config as Config; // every setting was parsed by its own parser
}
