/** A real service in this process, on a new database of the run's PostgreSQL. */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, Pool } from "pg";
import { pino } from "pino";
import type { Organization } from "@rowmill/contract/organizations";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { readConfig } from "../config.ts";
import { startWatchdog } from "../platform/watchdog/watchdog.ts";
import type { Watchdog } from "../platform/watchdog/watchdog.ts";
import { startService } from "../start-service.ts";
import type { Readings } from "../start-service.ts";
import { createApi } from "./api.ts";
import type { Api } from "./api.ts";
import { findCheckers } from "./checkers.ts";
import { cleanUpLater } from "./cleanup.ts";
import { shareCodeCache } from "./code-cache.ts";
import { checkEvent } from "./contract-check.ts";
import { createMigratedDatabase } from "./test-database.ts";

/** Each costs PostgreSQL and us some ten milliseconds, and a service opens all of them as it starts: as few as its tests can do with. */
const DATABASE_CONNECTIONS = "6";
const QUEUE_CONNECTIONS = 3;
/** On a machine with other work, requests that are sent together wait for these: that is no reason for the 503 of an outage. */
const CONNECT_TIMEOUT_MS = 60_000;
/** Of a test's own statements: one, but for a test that waits in one of them. */
const QUERY_CONNECTIONS = 4;
/** A new connection costs PostgreSQL twenty times what most statements do; tests that wait ask several times a second. */
const QUERY_IDLE_MS = 5_000;

export interface TestOrganization {
  organizationId: string;
  /** With every scope. */
  apiKey: string;
  /** Uses that key unless a request names another. */
  api: Api;
}

export interface TestService {
  url: string;
  /** As `npm start` prints it. */
  loginUrl: string;
  /** With `ROWMILL_METRICS_PORT: "0"`. */
  metricsUrl: string | undefined;
  adminKey: string;
  /** Uses the admin key unless a request names another. */
  api: Api;
  /** All settings it was started with: `startTestService(first.settings)` is a second process's worth of service beside it. */
  settings: Record<string, string>;
  newOrganization(): Promise<TestOrganization>;
  /** For what no client can do or see: attacks, and secrets in tables. */
  query: <Row extends object>(text: string, values?: unknown[]) => Promise<Row[]>;
  /** What it has logged so far, as JSON lines. */
  logs(): string[];
  /** At the end of the file at the latest. */
  stop(): Promise<void>;
}

/** One thread watches for all services of a process, and starting it for each of them would cost as much as some tests. */
let kept: Watchdog | undefined;

export async function startTestService(
  overrides: Record<string, string> = {},
  readings: Readings = {},
): Promise<TestService> {
  kept ??= startWatchdog(() => undefined);
  const settings = await completeSettings(overrides);
  const lines: string[] = [];
  const log = pino(
    { level: settings["ROWMILL_LOG_LEVEL"] ?? "info" },
    { write: (line: string) => void lines.push(line) },
  );
  const service = await startService(
    readConfig(settings),
    log,
    (error) => {
      throw error;
    },
    {
      checkers: findCheckers(),
      connectTimeoutMs: CONNECT_TIMEOUT_MS,
      queueConnections: QUEUE_CONNECTIONS,
      ...readings,
    },
  );
  const stop = cleanUpLater(() => service.stop());
  const logOf = (requestId: string): string => describeErrors(lines, requestId);
  const adminKey = settings["ROWMILL_ADMIN_KEY"] ?? "";
  const api = createApi(service.url, adminKey, logOf);
  return {
    url: service.url,
    loginUrl: service.loginUrl ?? "",
    metricsUrl: service.metricsUrl,
    adminKey,
    api,
    settings,
    newOrganization: () => createOrganization(service.url, api, logOf),
    query: openQueries(settings["ROWMILL_DATABASE_URL"] ?? ""),
    logs: () => lines,
    stop,
  };
}

let organizations = 0;

/** A tenant with a key that may do everything. */
export async function createOrganization(
  url: string,
  adminApi: Api,
  logOf: (requestId: string) => string,
): Promise<TestOrganization> {
  const created = await adminApi<Organization>("POST", "/v1/organizations", {
    body: { name: `Test organization ${++organizations}` },
  });
  if (created.status !== 201) throw new Error(`no organization: ${created.text}`);
  const organizationId = created.body.id;
  const key = await adminApi<CreatedApiKey>("POST", `/v1/organizations/${organizationId}/api-keys`, {
    body: { name: "Everything", scopes: ["*"] },
  });
  if (key.status !== 201) throw new Error(`no API key: ${key.text}`);
  return { organizationId, apiKey: key.body.key, api: createApi(url, key.body.key, logOf) };
}

/** What was logged of a request that failed: messages and stacks. */
export function describeErrors(lines: readonly string[], requestId: string): string {
  return lines
    .filter((line) => line.includes(requestId))
    .map((line) => JSON.parse(line) as { err?: { stack?: string }; msg: string }) // as pino writes it
    .map(({ err, msg }) => err?.stack ?? msg)
    .join("\n");
}

/** A database, a directory, a free port and keys, as far as the test did not name its own. */
async function completeSettings(overrides: Record<string, string>): Promise<Record<string, string>> {
  const settings: Record<string, string> = {
    ROWMILL_PORT: "0",
    ROWMILL_METRICS_PORT: "off",
    ROWMILL_ADMIN_KEY: `rma_test${randomBytes(16).toString("hex")}`,
    ...("ROWMILL_ENCRYPTION_KEYS" in overrides ? {} : { ROWMILL_ENCRYPTION_KEY: randomBytes(32).toString("base64") }),
    ROWMILL_DATABASE_CONNECTIONS: DATABASE_CONNECTIONS,
    ROWMILL_LOG_LEVEL: "info",
    ROWMILL_TRANSFORM_THREADS: "1",
    // Tests ask faster than anybody; those of the limits set their own.
    ROWMILL_RATE_LIMIT_PER_MINUTE: "0",
    ROWMILL_MAX_REQUESTS_AT_ONCE: "100000",
    ...overrides,
  };
  if (settings["ROWMILL_DATA_DIR"] === undefined) {
    const folder = await mkdtemp(join(tmpdir(), "rowmill-service-"));
    cleanUpLater(() => rm(folder, { recursive: true, force: true }));
    await shareCodeCache(folder);
    settings["ROWMILL_DATA_DIR"] = folder;
  }
  if (settings["ROWMILL_DATABASE_URL"] === undefined) {
    const database = await createMigratedDatabase();
    cleanUpLater(async () => {
      try {
        await checkRecordedEvents(database.url);
      } finally {
        await database.drop();
      }
    });
    settings["ROWMILL_DATABASE_URL"] = database.url;
  }
  return settings;
}

/** Each has the members that the contract says, whichever test made it. */
async function checkRecordedEvents(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ payload: string }>(
      // Tests also insert payloads of their own, which have no id.
      `select * from (
         select payload from events
         union all select payload from webhook_deliveries
         union all select alert from alert_deliveries) recorded
       where payload like '{"id":"evt\\_%' or payload like '{"id":"ald\\_%'`,
    );
    for (const { payload } of rows) checkEvent(payload);
  } finally {
    await client.end();
  }
}

/** Connects when the first statement comes. */
function openQueries(url: string): TestService["query"] {
  const pool = new Pool({
    connectionString: url,
    max: QUERY_CONNECTIONS,
    idleTimeoutMillis: QUERY_IDLE_MS,
    allowExitOnIdle: true,
    application_name: "rowmill test",
  });
  // An idle connection was ended, by a test or with its database: the next statement has another one.
  pool.on("error", () => undefined);
  cleanUpLater(() => pool.end());
  return async <Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await pool.query<Row>(text, values)).rows;
}
