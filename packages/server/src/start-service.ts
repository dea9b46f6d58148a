/** Starts a role and stops it cleanly: the parts in the order in which they need each other, and backwards. */
import type { FastifyInstance } from "fastify";
import { createApp } from "./app.ts";
import type { AppServices } from "./operations.ts";
import type { Config } from "./config.ts";
import { listen } from "./listen-http.ts";
import { startMetricsServer } from "./metrics-server.ts";
import type { EmbeddedDatabase } from "./platform/database/embedded/embedded-database.ts";
import { isLoopbackHost } from "./platform/egress/loopback.ts";
import type { Log } from "./platform/log.ts";
import { keySettings, refuseUnusableKeys } from "./platform/secrets/encryption-key.ts";
import { checkKeys, openSealer } from "./platform/secrets/keys-in-use.ts";
import { createSelfCheck } from "./platform/self-check.ts";
import type { ReadFreeBytes } from "./platform/storage/free-space.ts";
import { createLoginLink } from "./resources/sessions/login-links.ts";
import { openSpareReaders } from "./intake/intake-directories.ts";
import { createReadAhead } from "./intake/read-ahead.ts";
import { observe } from "./start/observe.ts";
import { openData } from "./start/open-data.ts";
import { openFiles } from "./start/open-files.ts";
import { openOutside } from "./start/open-outside.ts";
import { openProcessing } from "./start/open-processing.ts";
import type { Checkers } from "./start/open-processing.ts";
import { hasNoOrganization, readAuthority } from "./start/read-authority.ts";
import { createStops } from "./start/stops.ts";
import type { Stops } from "./start/stops.ts";
import { queueNames, startWorker } from "./worker.ts";

/** Running requests get this long to end; afterwards their connections are closed. */
const DRAIN_MS = 10_000;

const KEY_WORDS = {
  failed: "the encryption key is not in its place",
  worksAgain: "the encryption key is in its place again",
};

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
  checkers?: Checkers;
  /** For which a request waits for a connection to the database. */
  connectTimeoutMs?: number;
  /** The most that the queue has to the database, beside the one that listens. */
  queueConnections?: number;
  /** Aborts when the process is asked to stop before it has started. */
  stopping?: AbortSignal;
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
  const stops = createStops(log);
  if (ownDatabase !== undefined) stops.add(() => stopDatabase(ownDatabase));
  try {
    const keys = keySettings(config);
    refuseUnusableKeys(keys);
    const { connectTimeoutMs, queueConnections, stopping } = readings;
    const data = await openData(
      { config, log, queueNames, onFatal, ownDatabase, connectTimeoutMs, queueConnections, stopping },
      stops,
    );
    const { database } = data;
    const sealer = await openSealer(database, keys);
    const { adminKey, limits } = await readAuthority(database, config);
    const keyCheck = createSelfCheck(() => checkKeys(database, sealer, keys), log, KEY_WORDS);
    const files = await openFiles({ config, log, database }, readings.readFreeBytes, stops);
    const outside = await openOutside(config, log, stops);
    const processing = openProcessing(config, { log, sealer, ...data, ...outside }, readings.checkers, stops);
    // Its jobs end before what they work with is closed.
    stops.add(() => data.queue.stop());
    const readers = openReaders(config, log, stops);
    const observers = await observe(config, log, data, stops);
    let listeningUrl = "";
    const services: AppServices = {
      config: withReadings(config, readings),
      log,
      ...data,
      ...files,
      ...outside,
      ...processing,
      ...observers,
      ...readers,
      sealer,
      keyCheck,
      limits,
      adminKeyDigest: adminKey.digest,
      clockOfAddresses: readings.clockOfAddresses,
      publicUrl: () => config.ROWMILL_PUBLIC_URL?.replace(/\/+$/, "") ?? listeningUrl,
    };
    listeningUrl = await serve(services, stops);
    const metricsUrl = await startRole(services, stops);
    return {
      url: listeningUrl,
      metricsUrl,
      loginUrl: isForThisMachine(config) ? services.publicUrl() + (await createLoginLink(database)) : undefined,
      isEmpty: await hasNoOrganization(database),
      madeAdminKey: await adminKey.keep(),
      stop: () => stops.run(),
    };
  } catch (error) {
    await stops.run();
    throw error;
  }
}

const withReadings = (config: Config, { batchPollSeconds }: Readings): Config =>
  batchPollSeconds === undefined ? config : { ...config, ROWMILL_BATCH_POLL_SECONDS: batchPollSeconds };

/** What reads files beside the jobs: readers that wait for a file, and reading ahead where one process receives uploads and reads them. */
function openReaders(config: Config, log: Log, stops: Stops) {
  const spareReaders = config.ROWMILL_ROLE === "api" ? undefined : openSpareReaders(config, log);
  stops.add(async () => spareReaders?.stop());
  const readAhead = config.ROWMILL_ROLE === "all" ? createReadAhead(config, log, spareReaders) : undefined;
  stops.add(async () => readAhead?.stop());
  return { readAhead, spareReaders };
}

/** Returns where the service listens. */
async function serve(services: AppServices, stops: Stops): Promise<string> {
  const { config, log } = services;
  const app = await createApp(services, config.ROWMILL_ROLE === "worker" ? "health" : "everything");
  const url = await listen(app, config);
  stops.add(() => drain(app, log));
  return url;
}

/** One that did not start has nothing to stop; why is thrown where it is opened. */
async function stopDatabase(starting: Promise<EmbeddedDatabase>): Promise<void> {
  const [outcome] = await Promise.allSettled([starting]);
  if (outcome.status === "fulfilled") await outcome.value.stop();
}

/** What works beside the HTTP server. Returns where metrics are served, if they have an address of their own. */
async function startRole(services: AppServices, stops: Stops): Promise<string | undefined> {
  const { config, log, metrics } = services;
  const metricsServer = await startMetricsServer(metrics, config, log);
  stops.add(async () => metricsServer?.stop());
  if (config.ROWMILL_ROLE !== "api") {
    const worker = await startWorker(services);
    stops.add(() => worker.stop());
  }
  return metricsServer?.url;
}

async function drain(app: FastifyInstance, log: Log): Promise<void> {
  const timer = setTimeout(() => {
    log.warn(`connections did not end within ${DRAIN_MS / 1_000} seconds, and are closed`);
    app.server.closeAllConnections();
  }, DRAIN_MS);
  await app.close();
  clearTimeout(timer);
}

/** A person who reads the terminal of such a service may do everything on this machine anyway. */
function isForThisMachine({ ROWMILL_HOST, ROWMILL_PUBLIC_URL, ROWMILL_ROLE }: Config): boolean {
  if (ROWMILL_ROLE === "worker" || !isLoopbackHost(ROWMILL_HOST)) return false;
  return ROWMILL_PUBLIC_URL === undefined || isLoopbackHost(new URL(ROWMILL_PUBLIC_URL).hostname);
}
