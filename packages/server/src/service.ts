/** Starts a role and stops it cleanly: the parts in the order in which they need each other, and backwards. */
import { mkdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { dirname, join } from "node:path";
import { createApp } from "./app.ts";
import type { AppServices } from "./operations.ts";
import type { Config } from "./config.ts";
import { createConditions, workersForDatasets } from "./platform/conditions/conditions.ts";
import type { Conditions } from "./platform/conditions/conditions.ts";
import { listen } from "./listen.ts";
import { createMetrics } from "./metrics.ts";
import { startMetricsServer } from "./metrics-server.ts";
import { checkServer } from "./platform/database/check-server.ts";
import { openDatabase } from "./platform/database/database.ts";
import type { EmbeddedDatabase } from "./platform/database/embedded/embedded-database.ts";
import { migrateDatabase } from "./platform/database/migrate.ts";
import { followPrimary, readServers } from "./platform/database/primary.ts";
import { prepareRoles } from "./platform/database/roles.ts";
import { openReplica } from "./platform/database/replica.ts";
import { createTasks, createTenants, seeingAll } from "./platform/database/tenants.ts";
import { parseConnectOverrides } from "./platform/egress/connect-overrides.ts";
import { parseAllowedOrigins } from "./platform/egress/allowed-origins.ts";
import { createConnectionEgress } from "./platform/egress/connection-egress.ts";
import { createEgress } from "./platform/egress/egress.ts";
import type { GuardOptions } from "./platform/egress/guarded-connect.ts";
import { createResolve, parseNameServers } from "./platform/egress/resolver.ts";
import { parseEgressProxy } from "./platform/egress/proxy.ts";
import { createSchemas } from "./platform/json-schema/schemas.ts";
import type { Schemas } from "./platform/json-schema/schemas.ts";
import { OriginsWithLoopback, isLoopbackHost, loopbackOrigins } from "./platform/egress/loopback.ts";
import type { Log } from "./platform/log.ts";
import { createMailer } from "./platform/mail/mailer.ts";
import { openQueue } from "./platform/queue/queue.ts";
import { readEncryptionKeys } from "./platform/secrets/encryption-key.ts";
import { claimKeys } from "./platform/secrets/keys-in-use.ts";
import { createSealer } from "./platform/secrets/sealing.ts";
import { createFreeSpace } from "./platform/storage/free-space.ts";
import type { ReadFreeBytes } from "./platform/storage/free-space.ts";
import { checkStore, claimStore } from "./platform/storage/installation.ts";
import { createStoreHealth } from "./platform/storage/store-health.ts";
import { openObjectStore } from "./platform/storage/open-store.ts";
import type { Tracing } from "./platform/tracing.ts";
import { startWatchdog } from "./platform/watchdog/watchdog.ts";
import type { Work } from "./platform/current-work.ts";
import { createLimiter } from "./processors/limiter/limiter.ts";
import { createProcessors } from "./processors/processors.ts";
import { readAdminKey } from "./resources/api-keys/admin-key.ts";
import { createFirstOrganization } from "./resources/api-keys/first-organization.ts";
import { createLoginLink } from "./resources/sessions/login-links.ts";
import { createConnections } from "./resources/connections/find-connections.ts";
import { createReadAhead } from "./intake/read-ahead.ts";
import { startOwnDatabase } from "./own-database.ts";
import { version } from "./service-state.ts";
import type { DefaultLimits } from "./services.ts";
import { queueNames, startWorker } from "./worker.ts";

/** Running requests get this long to end; afterwards their connections are closed. */
const DRAIN_MS = 10_000;

export interface Service {
  url: string;
  /** Undefined where none are served. */
  metricsUrl: string | undefined;
  /** Only at the first start of an installation without `ROWMILL_ADMIN_KEY`. */
  madeAdminKey: string | undefined;
  /** Signs a browser in, once: only where the service is reached from this machine alone. */
  loginUrl: string | undefined;
  /** There was no organization when it started. */
  isEmpty: boolean;
  stop(): Promise<void>;
}

/** What is read from the machine or started on it, for tests to give. */
export interface Readings {
  readFreeBytes?: ReadFreeBytes;
  /** Milliseconds, for the limits of requests by address. */
  clockOfAddresses?: () => number;
  /** In place of the setting, which has whole seconds. */
  batchPollSeconds?: number;
  /** Several services of one process may share them; who gives them closes them. */
  checkers?: { schemas: Schemas; conditions: Conditions };
}

/**
 * `onFatal` is called when the service cannot go on: its embedded database is gone. `ownDatabase` is one that `beginOwnDatabase` has begun
 * to start; from here on it belongs to the service.
 */
export async function startService(
  config: Config,
  log: Log,
  onFatal: (error: Error) => void,
  readings: Readings = {},
  ownDatabase?: Promise<EmbeddedDatabase>,
): Promise<Service> {
  const stops: (() => Promise<void>)[] = [];
  // One that did not start has nothing to stop; why is thrown below.
  if (ownDatabase !== undefined)
    stops.push(async () => {
      const [outcome] = await Promise.allSettled([ownDatabase]);
      if (outcome.status === "fulfilled") await outcome.value.stop();
    });
  const stop = async (): Promise<void> => {
    for (let last = stops.pop(); last !== undefined; last = stops.pop()) {
      try {
        await last();
      } catch (error) {
        log.error({ err: error }, "a part did not stop cleanly");
      }
    }
  };
  try {
    const sealer = createSealer(
      ...readEncryptionKeys({
        keys: config.ROWMILL_ENCRYPTION_KEYS,
        key: config.ROWMILL_ENCRYPTION_KEY,
        dataDirectory: config.ROWMILL_DATA_DIR,
      }),
    );
    const { connectionString, openSocket } = await findDatabase(config, log, onFatal, stops, ownDatabase);
    if (config.ROWMILL_DATABASE_URL !== undefined) await checkServer(connectionString, openSocket);
    const database = openDatabase(connectionString, {
      max: config.ROWMILL_DATABASE_CONNECTIONS,
      openSocket,
      onError: (error) => log.warn({ err: error }, "a database connection was lost"),
    });
    stops.push(() => database.close());
    await migrateDatabase(database.pool, new URL("platform/database/migrations/", import.meta.url));
    // Stopped before what its jobs work with (below); here for a start that fails.
    const queue = await openQueue(connectionString, queueNames, log, openSocket);
    stops.push(() => queue.stop());
    // Up to here as the owner of the tables.
    const roles = await prepareRoles(database.pool, config.ROWMILL_ROW_LEVEL_SECURITY, log);
    if (roles.service !== undefined) await database.workAs(roles.service);
    const tasks = createTasks(database, roles.task);
    const replica = await openReplica(config.ROWMILL_DATABASE_REPLICA_URL, roles, log);
    stops.push(() => replica.close());
    await claimKeys(database, sealer);
    const adminKey = await readAdminKey(database, config.ROWMILL_ADMIN_KEY);
    const limits = limitsOfOrganizations(config);
    await createFirstOrganization(database, {
      name: config.ROWMILL_INIT_ORGANIZATION,
      keyFile: config.ROWMILL_INIT_KEY_FILE,
      limits,
    });
    mkdirSync(config.ROWMILL_DATA_DIR, { recursive: true });
    const store = await openObjectStore(
      config.ROWMILL_STORAGE_URL ?? { kind: "folder", folder: join(config.ROWMILL_DATA_DIR, "files") },
      log,
    );
    stops.push(() => store.close());
    await claimStore(database, store);
    const storeHealth = createStoreHealth(() => checkStore(database, store), log);
    const fileInStore = store.localPath?.("any");
    const freeSpace = createFreeSpace({
      workPath: config.ROWMILL_DATA_DIR,
      storePath: fileInStore === undefined ? undefined : dirname(fileInStore),
      minFreeBytes: config.ROWMILL_MIN_FREE_BYTES,
      log,
      readFreeBytes: readings.readFreeBytes,
    });
    const guard = readGuard(config);
    const isDevelopment = config.ROWMILL_MODE === "development";
    const receiverOrigins = isDevelopment ? loopbackOrigins() : new Set<string>();
    const egress = createEgress({
      ...guard,
      connectOverrides: parseConnectOverrides(config.ROWMILL_EGRESS_CONNECT_OVERRIDES.join(",")),
      ...(isDevelopment ? { allowedOrigins: receiverOrigins } : {}),
    });
    stops.push(() => egress.close());
    const listedOrigins = parseAllowedOrigins(config.ROWMILL_CONNECTION_ALLOWED_ORIGINS);
    const allowedOrigins = isDevelopment ? new OriginsWithLoopback(listedOrigins) : listedOrigins;
    const connectionEgress = createConnectionEgress({ ...guard, allowedOrigins });
    stops.push(() => connectionEgress.close());
    const mailer =
      config.ROWMILL_SMTP_URL === undefined
        ? undefined
        : createMailer({ url: config.ROWMILL_SMTP_URL, from: config.ROWMILL_MAIL_FROM });
    stops.push(async () => mailer?.close());
    const connections = createConnections(tasks, sealer);
    const limiter = createLimiter({ database, log, connections });
    stops.push(() => limiter.close());
    const schemas = readings.checkers?.schemas ?? createSchemas();
    if (readings.checkers === undefined) stops.push(() => schemas.close());
    const processors = createProcessors({
      transformThreads: config.ROWMILL_TRANSFORM_THREADS,
      connections,
      egress: connectionEgress,
      limiter,
      schemas,
    });
    stops.push(() => processors.close());
    const conditions = readings.checkers?.conditions ?? createConditions(workersForDatasets());
    if (readings.checkers === undefined) stops.push(() => conditions.close());
    stops.push(() => queue.stop());

    const readAhead = config.ROWMILL_ROLE === "all" ? createReadAhead(config, log) : undefined;
    stops.push(async () => readAhead?.stop());

    const metrics = createMetrics(database);
    const tracing = await openTracingOf(config, log);
    stops.push(async () => tracing?.stop());
    const watchdog = startWatchdog((stall) => {
      const { ms, work, stack } = stall;
      log.warn({ stalledMs: ms, ...describeWork(work), stack }, "the event loop stood still");
      metrics.observeStall(stall);
    });
    stops.push(() => watchdog.stop());

    let listeningUrl = "";
    const { batchPollSeconds = config.ROWMILL_BATCH_POLL_SECONDS } = readings;
    const services: AppServices = {
      config: { ...config, ROWMILL_BATCH_POLL_SECONDS: batchPollSeconds },
      log,
      database,
      tenants: createTenants(database, roles.tenant, { lists: true }),
      ofAll: seeingAll(database, roles.service),
      tasks,
      replica,
      queue,
      store,
      storeHealth,
      freeSpace,
      readAhead,
      sealer,
      egress,
      connectionEgress,
      allowedOrigins,
      receiverOrigins,
      mailer,
      connections,
      limiter,
      processors,
      conditions,
      metrics,
      meter: tracing === undefined ? metrics.meter : tracing.follow(metrics.meter),
      tracing,
      schemas,
      limits,
      adminKeyDigest: adminKey.digest,
      clockOfAddresses: readings.clockOfAddresses,
      publicUrl: () => config.ROWMILL_PUBLIC_URL?.replace(/\/+$/, "") ?? listeningUrl,
    };
    const app = await createApp(services, config.ROWMILL_ROLE === "worker" ? "health" : "everything");
    listeningUrl = await listen(app, config);
    stops.push(async () => {
      const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS);
      await app.close();
      clearTimeout(timer);
    });
    const metricsServer = await startMetricsServer(metrics, config, log);
    stops.push(async () => metricsServer?.stop());
    if (config.ROWMILL_ROLE !== "api") {
      const worker = await startWorker(services);
      stops.push(() => worker.stop());
    }
    const anyOrganization = await database.db.selectFrom("organizations").select("id").limit(1).executeTakeFirst();
    return {
      url: listeningUrl,
      metricsUrl: metricsServer?.url,
      madeAdminKey: adminKey.madeKey,
      loginUrl: isForThisMachine(config) ? services.publicUrl() + (await createLoginLink(database)) : undefined,
      isEmpty: anyOrganization === undefined,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Of organizations that have no limits of their own. */
function limitsOfOrganizations(config: Config): DefaultLimits {
  return {
    runsInProgress: config.ROWMILL_MAX_RUNS_IN_PROGRESS,
    webhookEndpoints: config.ROWMILL_MAX_WEBHOOK_ENDPOINTS,
    apiKeys: config.ROWMILL_MAX_API_KEYS,
    storageBytes: config.ROWMILL_MAX_STORAGE_BYTES,
    ...(config.ROWMILL_RATE_LIMIT_PER_MINUTE === 0 ? {} : { requestsPerMinute: config.ROWMILL_RATE_LIMIT_PER_MINUTE }),
  };
}

/** What all connections to the outside share: name servers, certificate authority, proxy. */
function readGuard(config: Config): Omit<GuardOptions, "connectOverrides"> {
  const nameServers = parseNameServers(config.ROWMILL_EGRESS_NAME_SERVERS);
  return {
    resolve: createResolve(nameServers.length === 0 ? {} : { servers: nameServers }),
    ...(config.ROWMILL_EGRESS_EXTRA_CA === undefined
      ? {}
      : { extraCa: readFileSync(config.ROWMILL_EGRESS_EXTRA_CA, "utf8") }),
    ...(config.ROWMILL_EGRESS_PROXY === undefined ? {} : { proxy: parseEgressProxy(config.ROWMILL_EGRESS_PROXY) }),
  };
}

/** The SDK takes 60 ms and 15 MB: only where it is of use. */
async function openTracingOf(config: Config, log: Log): Promise<Tracing | undefined> {
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  const { openTracing } = await import("./platform/open-tracing.ts");
  const settings = {
    endpoint,
    requests: config.ROWMILL_TRACE_REQUESTS,
    rows: config.ROWMILL_TRACE_ROWS,
    hasGenAi: config.ROWMILL_TRACE_GEN_AI === "on",
    version,
    role: config.ROWMILL_ROLE,
  };
  return openTracing(settings, log);
}

/** Whoever reads the terminal of such a service may do everything on this machine anyway. */
function isForThisMachine({ ROWMILL_HOST, ROWMILL_PUBLIC_URL, ROWMILL_ROLE }: Config): boolean {
  if (ROWMILL_ROLE === "worker" || !isLoopbackHost(ROWMILL_HOST)) return false;
  return ROWMILL_PUBLIC_URL === undefined || isLoopbackHost(new URL(ROWMILL_PUBLIC_URL).hostname);
}

/** The log has a `name` of its own. */
const describeWork = (work: Work | undefined) => {
  const { name = "unknown", ...whose } = work ?? {};
  return { work: name, ...whose };
};

/** `openSocket`, if any, is how connections reach the primary of several servers. */
async function findDatabase(
  config: Config,
  log: Log,
  onFatal: (error: Error) => void,
  stops: (() => Promise<void>)[],
  ownDatabase: Promise<EmbeddedDatabase> | undefined,
): Promise<{ connectionString: string; openSocket?: () => Socket }> {
  if (config.ROWMILL_DATABASE_URL !== undefined) {
    const servers = readServers(config.ROWMILL_DATABASE_URL);
    if (servers.length === 1) return { connectionString: config.ROWMILL_DATABASE_URL };
    const primary = await followPrimary(servers, log);
    stops.push(async () => primary.stop());
    return primary;
  }
  if (ownDatabase !== undefined) return { connectionString: (await ownDatabase).connectionString };
  const embedded = await startOwnDatabase(config, onFatal);
  stops.push(() => embedded.stop());
  return { connectionString: embedded.connectionString };
}
