/** The HTTP server: hooks in order, then every resource's handlers. */
import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import Fastify, { LogController } from "fastify";
import type { FastifyInstance, FastifyReply } from "fastify";
import { createEventFeeds } from "./delivery/streams/event-feed.ts";
import { createAuthenticate } from "./resources/api-keys/authenticate.ts";
import { createDeniedAttempts } from "./resources/audit-events/denied-attempts.ts";
import { createEndFeeds } from "./resources/wait-for-end.ts";
import { createRunFeeds } from "./resources/runs/run-feed.ts";
import { serveConsole } from "./console.ts";
import type { Console } from "./console.ts";
import { createHandlers } from "./operations.ts";
import { EndedRuns } from "./resources/runs/ended-runs.ts";
import type { AppServices } from "./operations.ts";
import { openBuiltSite } from "./built-site.ts";
import { errorCodesPage } from "./error-codes-page.ts";
import { serveMcp } from "./mcp/serve-mcp.ts";
import { serveGuide } from "./guide.ts";
import { serveHome } from "./home-page.ts";
import { createOpenRequests } from "./platform/http/open-requests.ts";
import { parseTrustedProxies } from "./platform/http/client-address.ts";
import { createCors } from "./platform/http/cors.ts";
import { createCursors } from "./platform/http/cursors.ts";
import { ApiError } from "./platform/http/errors.ts";
import { respondToSilent, respondToUnreadable, respondWithError } from "./app-errors.ts";
import { createBodyReader } from "./platform/http/read-body.ts";
import { endConnectionsAt } from "./platform/http/end-connections.ts";
import { createIdempotency } from "./platform/http/idempotency.ts";
import { describeMissingPath, methodsAt } from "./platform/http/paths.ts";
import { serveOperations } from "./platform/http/serve.ts";
import { withLazyChildren } from "./platform/http/request-log.ts";
import { createRequestIds } from "./platform/ids.ts";
import { createRequestBounds, kindOf } from "./platform/http/request-bounds.ts";
import { createWaitingReads } from "./platform/http/waiting-reads.ts";
import { createRateLimits } from "./platform/http/rate-limits.ts";
import type { RateLimits } from "./platform/http/rate-limits.ts";
import { createReadiness } from "./readiness.ts";
import { serveReference } from "./reference-page.ts";
import type { Services } from "./services.ts";

/** For a body that is not streamed; a slower sender holds a connection for nothing. */
const BODY_TIMEOUT_MS = 30_000;
/** Of a silent connection: above the longest `waitSeconds` and below what proxies allow. */
const CONNECTION_TIMEOUT_MS = 40_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** How often Node looks for connections whose headers are late; its default is 30 seconds. */
const LOOK_FOR_LATE_HEADERS_MS = 1_000;
/** Ids are far shorter; longer segments get 404 without a look. */
const MAX_PARAM_LENGTH = 200;

/** Long enough for a response to cross the world, short enough for nobody to send us data for nothing. */
const UNREAD_BODY_MS = 5_000;

/** Probes of orchestrators wait a second by default. */
const EGRESS_WAIT_MS = 250;

declare module "fastify" {
  interface FastifyContextConfig {
    streamsBody?: boolean;
  }
}

type Serves = "everything" | "health";

/** `serves: health` is what a worker serves: whether it is alive and ready. */
export async function createApp(services: AppServices, serves: Serves): Promise<FastifyInstance> {
  const app = createServer(services);
  let consolePages: Console | undefined;
  respondAtUnknownPaths(app, services, serves, () => consolePages);
  const closing = addHooks(app, services);
  serveHealth(app, services);
  services.metrics.observeRequests(app);
  services.tracing?.observeRequests(app);
  if (serves === "health") return app;

  boundRequests(app, services.config.ROWMILL_MAX_REQUESTS_AT_ONCE);
  consolePages = servePages(app, services.publicUrl);
  await serveApi(app, services, closing);
  return app;
}

function createServer(services: Services): FastifyInstance {
  const app: FastifyInstance = Fastify({
    loggerInstance: withLazyChildren(services.log),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: createRequestIds(),
    requestIdHeader: false,
    requestTimeout: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: LOOK_FOR_LATE_HEADERS_MS },
    trustProxy: false,
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    clientErrorHandler: (error, socket) => respondToUnreadable(services, error, socket),
    frameworkErrors: (error, request, reply) => void respondWithError(services, error, request, reply as FastifyReply),
  });
  app.setErrorHandler((error, request, reply) => respondWithError(services, error, request, reply));
  return app;
}

function respondAtUnknownPaths(
  app: FastifyInstance,
  services: Services,
  serves: Serves,
  consolePages: () => Console | undefined,
): void {
  app.setNotFoundHandler((request, reply) => {
    const pages = consolePages();
    if (pages?.isPage(request) === true) return pages.send(request, reply);
    const path = request.url.split("?", 1)[0] ?? "";
    const allowed = serves === "health" ? [] : methodsAt(path);
    const error =
      allowed.length > 0
        ? new ApiError("method_not_allowed", `This path takes ${allowed.join(", ")}.`, {
            headers: { Allow: allowed.join(", ") },
          })
        : new ApiError(
            "not_found",
            serves === "health"
              ? "This process only works on runs: it serves /healthz, /readyz and /metrics."
              : describeMissingPath(path),
          );
    return respondWithError(services, error, request, reply);
  });
}

/** What holds for every path. Returns what is aborted when the server begins to close. */
function addHooks(app: FastifyInstance, services: Services): AbortSignal {
  const { config, log } = services;
  const cors = createCors(config.ROWMILL_CORS_ORIGINS);
  app.addHook("onRequest", (request, reply, done) => {
    // The response to a preflight is sent here, before anybody looks for a key.
    if (cors?.apply(request.raw, reply.raw) === true) return void reply.hijack();
    reply.header("Request-Id", request.id);
    // On the raw response, so that streams which write by themselves have it, too.
    reply.raw.setHeader("X-Content-Type-Options", "nosniff");
    if (request.routeOptions.config.streamsBody === true) {
      // Node gives it only where the connection has been silent, and the body is not complete.
      request.raw.once("timeout", (socket: Socket) =>
        respondToSilent(services, reply.raw, socket, CONNECTION_TIMEOUT_MS),
      );
      return done();
    }
    if (request.headers["content-encoding"] !== undefined)
      return done(new ApiError("unsupported_media_type", "Send the body without Content-Encoding."));
    if (hasBody(request.headers)) limitBodyTime(request.raw);
    done();
  });
  const closing = endConnectionsAtClose(app);
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.raw.complete) endUnreadBody(request.raw);
    if (log.isLevelEnabled("debug"))
      log.debug(
        {
          requestId: request.id,
          method: request.method,
          path: request.url.split("?", 1)[0],
          status: reply.statusCode,
          ms: Math.round(reply.elapsedTime),
        },
        "request",
      );
    done();
  });
  return closing;
}

/** A response that begins while the service stops has `Connection: close`. */
function endConnectionsAtClose(app: FastifyInstance): AbortSignal {
  const closing = new AbortController();
  // Every request that waits for something listens.
  setMaxListeners(0, closing.signal);
  endConnectionsAt(closing.signal, app.server);
  app.addHook("preClose", (done) => {
    closing.abort();
    done();
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing.signal.aborted) reply.header("Connection", "close");
    done();
  });
  return closing.signal;
}

function serveHealth(app: FastifyInstance, { database, storeCheck, keyCheck, egressCheck, freeSpace }: Services): void {
  app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  const checkReadiness = createReadiness(() =>
    database.db.selectFrom("installation").select("name").limit(1).execute(),
  );
  app.get("/readyz", async (_request, reply) => {
    await checkReadiness();
    const [store, encryptionKey, egress] = await Promise.all([
      storeCheck.works().then(availability),
      keyCheck.works().then(availability),
      // Name servers that do not respond take seconds, and a probe does not wait for that: the next one gets the result.
      Promise.race([egressCheck.works().then(availability), pause(EGRESS_WAIT_MS, "unknown" as const, { ref: false })]),
    ]);
    // A directory that is gone is reported by `store`, and must not make the process unready.
    const disk = await freeSpace.isLow().then(
      (isLow) => (isLow ? "low" : "sufficient"),
      () => "unknown",
    );
    return reply.send({ status: "ready", store, disk, encryptionKey, egress });
  });
}

const availability = (works: boolean) => (works ? "available" : "unavailable");

function boundRequests(app: FastifyInstance, maxAtOnce: number): void {
  const bounds = createRequestBounds(maxAtOnce);
  app.addHook("onRequest", (request, reply, done) => {
    const kind = kindOf(request);
    if (kind !== undefined) {
      const place = bounds.begin(kind);
      request.place = place;
      // Also where the client has gone before its response.
      reply.raw.once("close", () => place.leave());
    }
    done();
  });
}

function servePages(app: FastifyInstance, publicUrl: () => string): Console | undefined {
  const site = openBuiltSite(publicUrl);
  if (site !== undefined) {
    serveReference(app, site);
    serveGuide(app, site);
  }
  const consolePages = serveConsole(app, publicUrl);
  serveHome(app, publicUrl, consolePages);
  return consolePages;
}

/** The operations of the contract, and the tools for agents. */
async function serveApi(app: FastifyInstance, services: AppServices, closing: AbortSignal): Promise<void> {
  const { config, database, log, publicUrl } = services;
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i, { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  const bodies = createBodyReader();
  const deniedAttempts = createDeniedAttempts(database, log);
  const rateLimits = openRateLimits(services);
  const waitingReads = createWaitingReads(closing);
  const endedRuns = new EndedRuns();
  const runFeeds = createRunFeeds();
  const endFeeds = createEndFeeds();
  const eventFeeds = createEventFeeds(database, log, publicUrl);
  const { authenticate, findKnownKey } = createAuthenticate(database, services.adminKeyDigest);
  const openRequests = createOpenRequests(database, log);
  app.addHook("onClose", async () => {
    openRequests.stop();
    await eventFeeds.stop();
    await deniedAttempts.stop();
    await bodies.close();
    await rateLimits?.stop();
  });
  await serveOperations(app, {
    database: services.ofAll,
    tenants: services.tenants,
    authenticate,
    findKnownKey,
    publicUrl,
    bodies,
    idempotency: createIdempotency(services.sealer),
    cursors: createCursors(services.sealer.derive("list cursors")),
    ...createHandlers({ ...services, authenticate, closing, waitingReads, endedRuns, runFeeds, endFeeds, eventFeeds }),
    recordDenial: (denial) => deniedAttempts.record(denial),
    rateLimits,
    trustedProxies: parseTrustedProxies(config.ROWMILL_TRUSTED_PROXIES),
    openRequests,
    pages: { "/v1/error-codes": errorCodesPage },
  });
  serveMcp(app, { publicUrl, corsOrigins: config.ROWMILL_CORS_ORIGINS, bodies, log });
}

function openRateLimits({ config, database, log, clockOfAddresses }: AppServices): RateLimits | undefined {
  const { ROWMILL_RATE_LIMIT_PER_MINUTE: perMinute, ROWMILL_RATE_LIMIT_BURST: burst } = config;
  if (perMinute === 0) return undefined;
  return createRateLimits(database.pool, log, { perMinute, burst, clockOfAddresses });
}

const hasBody = ({ "content-length": length, "transfer-encoding": encoding }: IncomingHttpHeaders): boolean =>
  encoding !== undefined || (length !== undefined && length !== "0");

function limitBodyTime(body: IncomingMessage): void {
  const timer = setTimeout(() => {
    if (!body.complete) body.destroy();
  }, BODY_TIMEOUT_MS);
  body.once("close", () => clearTimeout(timer));
}

/**
 * A body that was refused: the client may still be sending and reads the response only then. What comes is thrown away for a
 * moment, since closing at once would lose the response.
 */
function endUnreadBody(body: IncomingMessage): void {
  body.resume();
  const timer = setTimeout(() => body.destroy(), UNREAD_BODY_MS);
  for (const ended of ["end", "close"]) body.once(ended, () => clearTimeout(timer));
}
