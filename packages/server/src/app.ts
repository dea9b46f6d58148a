/** The HTTP server: hooks in order, then every resource's handlers. */
import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import Fastify, { LogController } from "fastify";
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { createEventFeeds } from "./delivery/streams/event-feed.ts";
import { createAuthenticate } from "./resources/api-keys/authenticate.ts";
import { createDeniedAttempts } from "./resources/audit-events/denied-attempts.ts";
import { createRunFeeds } from "./resources/runs/run-feed.ts";
import { serveConsole } from "./console.ts";
import type { Console } from "./console.ts";
import { createHandlers } from "./operations.ts";
import type { AppServices } from "./operations.ts";
import { openBuiltSite } from "./built-site.ts";
import { errorCodesPage } from "./error-codes-page.ts";
import { serveMcp } from "./mcp/serve-mcp.ts";
import { serveGuide } from "./guide.ts";
import { serveHome } from "./home-page.ts";
import { isUnavailable } from "./platform/database/database.ts";
import { createOpenRequests } from "./platform/http/open-requests.ts";
import { parseTrustedProxies } from "./platform/http/client-address.ts";
import { createCors } from "./platform/http/cors.ts";
import { createCursors } from "./platform/http/cursors.ts";
import { ApiError, errorAnswer } from "./platform/http/errors.ts";
import { createBodyReader } from "./platform/http/read-body.ts";
import { createIdempotency } from "./platform/http/idempotency.ts";
import { describeMissingPath, methodsAt } from "./platform/http/paths.ts";
import { serveOperations } from "./platform/http/serve.ts";
import { newId } from "./platform/ids.ts";
import { createRequestBounds, kindOf, OverloadedError } from "./platform/http/request-bounds.ts";
import { createRateLimits } from "./platform/http/rate-limits.ts";
import { createReadiness } from "./readiness.ts";
import { serveReference } from "./reference-page.ts";
import type { Services } from "./services.ts";

/** For a body that is not streamed; a slower sender holds a connection for nothing. */
const BODY_TIMEOUT_MS = 30_000;
/** Above the longest `waitSeconds` and below what proxies allow. */
const CONNECTION_TIMEOUT_MS = 40_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Ids are far shorter; longer segments are answered 404 without a look. */
const MAX_PARAM_LENGTH = 200;

/** Long enough for an answer to cross the world, short enough for nobody to send us data for nothing. */
const UNREAD_BODY_MS = 5_000;

declare module "fastify" {
  interface FastifyContextConfig {
    streamsBody?: boolean;
  }
}

/** `serves: health` is what a worker answers: whether it is alive and ready. */
export async function createApp(services: AppServices, serves: "everything" | "health"): Promise<FastifyInstance> {
  const { database, log } = services;
  const logger: FastifyBaseLogger = log;
  const app: FastifyInstance = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => newId("request"),
    requestIdHeader: false,
    requestTimeout: 0,
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    trustProxy: false,
    forceCloseConnections: "idle",
    exposeHeadRoutes: true,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    frameworkErrors: (error, request, reply) => void answerError(services, error, request, reply as FastifyReply),
  });
  app.server.headersTimeout = HEADERS_TIMEOUT_MS;

  app.setErrorHandler((error, request, reply) => answerError(services, error, request, reply));
  let consolePages: Console | undefined;
  app.setNotFoundHandler((request, reply) => {
    if (consolePages?.isPage(request) === true) return consolePages.send(request, reply);
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
    return answerError(services, error, request, reply);
  });

  const cors = createCors(services.config.ROWMILL_CORS_ORIGINS);
  app.addHook("onRequest", (request, reply, done) => {
    // A preflight is answered here, before anybody looks for a key.
    if (cors?.apply(request.raw, reply.raw) === true) return void reply.hijack();
    reply.header("Request-Id", request.id);
    // On the raw answer, so that streams which write by themselves have it, too.
    reply.raw.setHeader("X-Content-Type-Options", "nosniff");
    if (request.headers["content-encoding"] !== undefined && request.routeOptions.config.streamsBody !== true)
      return done(new ApiError("unsupported_media_type", "Send the body without Content-Encoding."));
    if (request.routeOptions.config.streamsBody !== true && hasBody(request.headers)) {
      const timer = setTimeout(() => {
        if (!request.raw.complete) request.raw.destroy();
      }, BODY_TIMEOUT_MS);
      request.raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
  // An answer given while the service stops ends its connection, or that would be waited for until it idles out.
  const closing = new AbortController();
  // Every request that waits for something listens.
  setMaxListeners(0, closing.signal);
  app.addHook("preClose", (done) => {
    closing.abort();
    done();
  });
  app.addHook("onSend", (_request, reply, _payload, done) => {
    if (closing.signal.aborted) reply.header("Connection", "close");
    done();
  });
  app.addHook("onResponse", (request, reply, done) => {
    if (!request.raw.complete) endUnreadBody(request.raw);
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

  app.get("/healthz", (_request, reply) => reply.send({ status: "ok" }));
  const checkReadiness = createReadiness(() =>
    database.db.selectFrom("installation").select("name").limit(1).execute(),
  );
  app.get("/readyz", async (_request, reply) => {
    await checkReadiness();
    const store = (await services.storeHealth.isAvailable()) ? "available" : "unavailable";
    return reply.send({ status: "ready", store });
  });
  services.metrics.observeRequests(app);
  services.tracing?.observeRequests(app);
  if (serves === "health") return app;

  const bounds = createRequestBounds(services.config.ROWMILL_MAX_REQUESTS_AT_ONCE);
  app.addHook("onRequest", (request, reply, done) => {
    const kind = kindOf(request);
    // Also where the client has gone before its response.
    if (kind !== undefined) reply.raw.once("close", bounds.begin(kind));
    done();
  });
  const site = openBuiltSite(services.publicUrl);
  if (site !== undefined) {
    serveReference(app, site);
    serveGuide(app, site);
  }
  consolePages = serveConsole(app, services.publicUrl);
  serveHome(app, services.publicUrl, consolePages);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json(?:;|$)/i, { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  const bodies = createBodyReader();
  const deniedAttempts = createDeniedAttempts(database, log);
  const { ROWMILL_RATE_LIMIT_PER_MINUTE: perMinute, ROWMILL_RATE_LIMIT_BURST: burst } = services.config;
  const rateLimits =
    perMinute === 0
      ? undefined
      : createRateLimits(database.pool, log, { perMinute, burst, clockOfAddresses: services.clockOfAddresses });
  const runFeeds = createRunFeeds();
  const eventFeeds = createEventFeeds(database, log, services.publicUrl);
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
    publicUrl: services.publicUrl,
    bodies,
    idempotency: createIdempotency(services.sealer),
    cursors: createCursors(services.sealer.derive("list cursors")),
    ...createHandlers({ ...services, authenticate, closing: closing.signal, runFeeds, eventFeeds }),
    recordDenial: (denial) => deniedAttempts.record(denial),
    rateLimits,
    trustedProxies: parseTrustedProxies(services.config.ROWMILL_TRUSTED_PROXIES),
    openRequests,
    pages: { "/v1/error-codes": errorCodesPage },
  });
  serveMcp(app, {
    publicUrl: services.publicUrl,
    corsOrigins: services.config.ROWMILL_CORS_ORIGINS,
    bodies,
    log,
  });
  return app;
}

const hasBody = ({ "content-length": length, "transfer-encoding": encoding }: IncomingHttpHeaders): boolean =>
  encoding !== undefined || (length !== undefined && length !== "0");

/**
 * A body that was refused: the client may still be sending and reads the answer only then. What comes is thrown away for a
 * moment, since closing at once would lose the answer.
 */
function endUnreadBody(body: IncomingMessage): void {
  body.resume();
  const timer = setTimeout(() => body.destroy(), UNREAD_BODY_MS);
  for (const ended of ["end", "close"]) body.once(ended, () => clearTimeout(timer));
}

function answerError(
  services: Services,
  error: unknown,
  request: Pick<FastifyRequest, "id" | "headers">,
  reply: FastifyReply,
): FastifyReply {
  const known = toApiError(error);
  const isOutage = known.code === "service_unavailable" && !(known instanceof OverloadedError);
  if (known.code === "internal_error" || isOutage)
    services.log.error({ err: error, requestId: request.id }, "request failed");
  const answer = errorAnswer(known, request.id, services.publicUrl(), request.headers.accept);
  return reply
    .headers({ "Request-Id": request.id, "X-Content-Type-Options": "nosniff", ...answer.headers })
    .code(answer.status)
    .type(answer.contentType)
    .send(JSON.stringify(answer.body));
}

function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode, code } = error as Partial<FastifyError>; // members a Fastify error has; of others they are undefined
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new ApiError("payload_too_large", "The body is larger than this route takes.");
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new ApiError("unsupported_media_type", "Send the body as application/json.");
  if (code === "FST_ERR_BAD_URL" || code === "FST_ERR_MAX_PARAM_LENGTH")
    return new ApiError("not_found", "There is no such path.");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError("invalid_request", "The request is not valid HTTP for this route.");
  // After the above: a client that breaks off is a lost connection, too.
  if (isUnavailable(error))
    return new ApiError("service_unavailable", "The database cannot be reached at the moment.", {
      retryAfterSeconds: 2,
    });
  return new ApiError("internal_error", "An error of the service. It is logged under the request id.");
}
