/** What the service reports about itself that its contract does not know: its version and settings, and how it fares. */
import { readFileSync } from "node:fs";
import type { HealthCheck, ServiceHealth } from "@rowmill/contract/service";
import type { Handlers } from "./platform/http/handlers.ts";
import { sql } from "./platform/database/database.ts";
import type { Database } from "./platform/database/database.ts";
import { readBacklog } from "./metrics.ts";
import type { Services } from "./services.ts";

/** A check that takes longer has failed: the reader wants to know now. */
const CHECK_TIMEOUT_MS = 5_000;
/** No object has this name: whether the store can be asked is what is found out. */
const PROBED_KEY = "health/probe";

export const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
  version: string;
}; // our own

export const createServiceHandlers = ({
  config,
  database,
  store,
  freeSpace,
  keyCheck,
  egressCheck,
  mailer,
  publicUrl,
}: Services) =>
  ({
    getServiceInfo: async () => ({
      version,
      publicUrl: publicUrl(),
      webhookHeaderPrefix: config.ROWMILL_WEBHOOK_HEADER_PREFIX,
      sendsMail: mailer !== undefined,
      retention: {
        webhookDeliveryDays: config.ROWMILL_WEBHOOK_RETENTION_DAYS,
        alertDeliveryDays: config.ROWMILL_ALERT_RETENTION_DAYS,
        exportHours: config.ROWMILL_EXPORT_RETENTION_HOURS,
        idempotencyKeyHours: config.ROWMILL_IDEMPOTENCY_RETENTION_HOURS,
      },
      invitationExpiryHours: config.ROWMILL_INVITATION_EXPIRY_HOURS,
      sessionExpiryHours: config.ROWMILL_SESSION_EXPIRY_HOURS,
    }),
    getServiceHealth: async () => {
      const checks = await Promise.all([
        check("database", "PostgreSQL responds.", () => sql`select 1`.execute(database.db)),
        check("store", "Files can be read.", () => store.head(PROBED_KEY)),
        check("disk", "There is room for what is written.", async () => {
          if (await freeSpace.isLow())
            throw new Error("Free space is below ROWMILL_MIN_FREE_BYTES: nothing new is written.");
        }),
        check("encryption_key", "It opens what is sealed.", () => keyCheck.look()),
        check("egress", "Name servers and proxy respond.", () => egressCheck.look()),
      ]);
      return {
        isHealthy: checks.every(({ ok, name }) => ok || name === "egress"),
        checks,
        ...(await readCounts(database)),
      };
    },
  }) satisfies Partial<Handlers>;

async function check(
  name: HealthCheck,
  message: string,
  ask: () => Promise<unknown>,
): Promise<ServiceHealth["checks"][number]> {
  const startedAt = performance.now();
  const result = await Promise.race([
    ask().then(
      () => ({ ok: true, message }),
      (error: unknown) => ({ ok: false, message: error instanceof Error ? error.message : String(error) }),
    ),
    new Promise<{ ok: false; message: string }>((resolve) =>
      setTimeout(
        () => resolve({ ok: false, message: `There was no response within ${CHECK_TIMEOUT_MS / 1000} seconds.` }),
        CHECK_TIMEOUT_MS,
      ).unref(),
    ),
  ]);
  return { name, ...result, durationMs: Math.round(performance.now() - startedAt) };
}

async function readCounts(database: Database): Promise<Omit<ServiceHealth, "isHealthy" | "checks">> {
  const [{ runs, jobs, deliveries }, { rows }] = await Promise.all([
    readBacklog(database),
    sql<{ organizations: number; oldest: number | null }>`
      select (select count(*)::int from organizations) as organizations,
        (select greatest(0, extract(epoch from now() - min(created_at)))::int from (
          select created_at from events where not is_fanned_out limit 1000) waiting) as oldest`.execute(database.db),
  ]);
  return {
    organizations: rows[0]?.organizations ?? 0,
    runs: runs.map(({ label, count }) => ({ state: label, count })),
    jobs: jobs.map(({ label, count }) => ({ queue: label, count })),
    pendingWebhookDeliveries: deliveries.reduce((sum, { count }) => sum + count, 0),
    oldestEventSeconds: rows[0]?.oldest ?? null,
  };
}
