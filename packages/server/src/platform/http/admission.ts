/**
 * Who may make a request, before a byte of its body is read:
 *
 *   address limit (keys not seen before) → authenticate → rate limit of the key → access and scopes
 *
 * A request with a key takes a token of that key whatever comes of it, one without of its address. What a known key is refused
 * is recorded.
 *
 * A read by a key that this process has read before goes ahead with what is known. PostgreSQL confirms that with the first statement of
 * the read (`key-check.ts`), or the request begins again: nothing is refused and nothing is sent by what is only known.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Operation } from "@rowmill/contract/operation";
import { statusOf } from "@rowmill/contract/errors";
import type { Scope } from "@rowmill/contract/scopes";
import type {
  Authenticate,
  Denial,
  FindKnownKey,
  KeyCaller,
  KeyIdentity,
  OrganizationCaller,
  OrganizationKey,
  PublicCaller,
} from "../auth/caller.ts";
import type { Statements } from "../database/database.ts";
import { KeyChangedError, isCurrent, runChecking } from "../database/key-check.ts";
import type { KeyCheck } from "../database/key-check.ts";
import type { OpenRequests } from "./open-requests.ts";
import { requireNamedKey, requireOwnOrigin, sessionTokenIn } from "./session-cookie.ts";
import { requireScopes } from "./require-scopes.ts";
import { parseId } from "../ids.ts";
import { haveSameLimits } from "./rate-limits.ts";
import type { RateLimits } from "./rate-limits.ts";
import { clientAddress } from "./client-address.ts";
import type { TrustedProxies } from "./client-address.ts";
import { ApiError, RefusedKeyError, notFound } from "./errors.ts";

export type AnyCaller = KeyCaller | PublicCaller;

declare module "fastify" {
  interface FastifyRequest {
    caller?: AnyCaller;
    /** The caller is what the process knows of the key: until the check says that it is current, nothing may be sent. */
    known?: { token: Token; check: KeyCheck };
    /** What the request reads, where that follows from its query: it ends when the key loses one of them. */
    scopesInUse?: readonly Scope[];
  }
}

export interface AdmissionParts {
  authenticate: Authenticate;
  findKnownKey: FindKnownKey;
  /** Of all organizations. */
  database: { statements: Statements };
  recordDenial: (denial: Denial) => Promise<void>;
  publicUrl: () => string;
  /** Undefined: there are none. */
  rateLimits: RateLimits | undefined;
  trustedProxies: TrustedProxies;
  openRequests: OpenRequests;
}

/** Sets the request's caller, or throws. */
export async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Operation,
  parts: AdmissionParts,
): Promise<void> {
  const asked = askedBy(request, reply, parts);
  if (o.access.by === "public") {
    // A page of somebody else must not sign a browser in as somebody else.
    if (o.setsCookie === true && request.headers.origin !== undefined)
      requireOwnOrigin(request.headers, parts.publicUrl());
    request.caller = { kind: "public", ...asked };
    parts.rateLimits?.takeAnonymous(asked.ip);
    return;
  }
  const known = await admitKnown(request, reply, o, asked, parts);
  if (!known.isAllowed) await admitFound(request, reply, o, asked, parts, known.token);
  if (request.caller?.kind === "organization") request.place?.give(request.caller.organizationId);
  watch(request, reply, o, parts);
}

/** Before a response is sent: throws `KeyChangedError` where what is known of the caller no longer holds. */
export async function confirmCaller(
  { known }: FastifyRequest,
  { database }: Pick<AdmissionParts, "database">,
): Promise<void> {
  if (known !== undefined && !(await isCurrent(known.check, database.statements))) throw new KeyChangedError();
}

/** `respond` calls `confirmCaller` before it sends something, and is called again where that throws. */
export async function performKnown<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Operation,
  respond: () => Promise<T>,
  parts: AdmissionParts,
): Promise<T> {
  const { known } = request;
  if (known === undefined) return respond();
  try {
    return await runChecking(known.check, respond);
  } catch (error) {
    // Whatever it is, it may follow from what no longer holds.
    if (await isCurrent(known.check, parts.database.statements)) throw error;
  }
  delete request.known;
  const asked = askedBy(request, reply, parts);
  await admitFound(request, reply, o, asked, parts, known.token);
  return respond();
}

type Asked = Pick<AnyCaller, "requestId" | "ip"> & Required<Pick<OrganizationCaller, "clientLeft">>;

const askedBy = (request: FastifyRequest, reply: FastifyReply, parts: AdmissionParts): Asked => ({
  requestId: request.id,
  ip: addressOf(request, parts),
  clientLeft: () => closeSignalOf(reply),
});

function closeSignalOf({ raw }: FastifyReply): AbortSignal {
  if (raw.destroyed) return AbortSignal.abort();
  const left = new AbortController();
  raw.once("close", () => left.abort());
  return left.signal;
}

/** What a request has taken of the limits, by what was known of its key. */
interface Token {
  of: OrganizationKey;
  headers: Record<string, string> | undefined;
}

type KnownAdmission = { isAllowed: true } | { isAllowed: false; token: Token | undefined };

async function admitKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Operation,
  asked: Asked,
  { findKnownKey, rateLimits }: AdmissionParts,
): Promise<KnownAdmission> {
  const { authorization } = request.headers;
  // What is sent in parts, or by the handler itself, cannot begin again.
  const mayBeginAgain = o.method === "GET" && !o.plain && !o.hasPage && !wantsLines(request, o);
  const known = mayBeginAgain && authorization !== undefined ? findKnownKey(authorization) : undefined;
  if (known === undefined) return { isAllowed: false, token: undefined };
  const { key, version } = known;
  const caller = { ...key, ...asked };
  let token: Token | undefined;
  try {
    token = { of: key, headers: await rateLimits?.take(key) };
    checkAccess(request, o, caller);
    if (token.headers !== undefined) reply.headers(token.headers);
  } catch (error) {
    // It may be allowed more by now.
    if (error instanceof ApiError) return { isAllowed: false, token };
    throw error;
  }
  request.caller = caller;
  const { organizationId, apiKeyId } = key;
  request.known = { token, check: { organizationId, apiKeyId, version, result: "unknown" } };
  return { isAllowed: true };
}

/** A token that was taken under other limits is lost: put back, it could be one more than there are now. */
const takeOnce = async (key: OrganizationKey, token: Token | undefined, rateLimits: RateLimits | undefined) =>
  token !== undefined && haveSameLimits(token.of, key) ? token.headers : rateLimits?.take(key);

async function admitFound(
  request: FastifyRequest,
  reply: FastifyReply,
  o: Operation,
  asked: Asked,
  parts: AdmissionParts,
  token: Token | undefined,
): Promise<void> {
  const { rateLimits } = parts;
  const key = await authenticate(request, asked, parts);
  if (key.session !== null) requireNamedKey(request.headers, key.kind === "admin" ? null : key.apiKeyId);
  const caller = { ...key, ...asked };
  request.caller = caller;
  // Caches that many share keep no response to a request with a key; of cookies they know nothing.
  if (key.session !== null) reply.header("Cache-Control", "private, no-cache");
  try {
    if (key.session !== null && request.method !== "GET" && request.method !== "HEAD")
      requireOwnOrigin(request.headers, parts.publicUrl());
    const headers = key.kind === "organization" ? await takeOnce(key, token, rateLimits) : undefined;
    checkAccess(request, o, caller);
    if (headers !== undefined) reply.headers(headers);
  } catch (error) {
    if (error instanceof ApiError && error.code !== "rate_limited") {
      // Another organization's path gets the response of one that does not exist, and is an attempt all the same.
      if (key.kind === "organization") await recordDenial(error, key, request, parts);
      if (statusOf(error.code) === 403) rateLimits?.takeAnonymous(asked.ip);
    }
    throw error;
  }
}

/** Guesses end with the tokens of their address, before they cost a query. */
async function authenticate(
  request: FastifyRequest,
  { ip }: { ip: string },
  parts: AdmissionParts,
): ReturnType<Authenticate> {
  const { authorization, cookie } = request.headers;
  const sessionToken = authorization === undefined ? sessionTokenIn(cookie, parts.publicUrl()) : undefined;
  const attempt = await parts.rateLimits?.beginAuthentication(ip, authorization ?? sessionToken);
  try {
    const key = await parts.authenticate({ authorization, sessionToken });
    attempt?.end("valid");
    return key;
  } catch (error) {
    await noteDenial(error, request, parts);
    attempt?.end(error instanceof ApiError && [401, 403].includes(statusOf(error.code)) ? "refused" : "unknown");
    throw error;
  }
}

/** Some things that a key may not do are known only with the body: to give away scopes that it lacks. */
export async function noteDenial(error: unknown, request: FastifyRequest, parts: AdmissionParts): Promise<void> {
  const { caller } = request;
  if (error instanceof RefusedKeyError) await recordDenial(error, error.key, request, parts);
  else if (error instanceof ApiError && caller?.kind === "organization" && isDenial(error))
    await recordDenial(error, caller, request, parts);
}

const isDenial = ({ code }: ApiError): boolean => code === "insufficient_scope" || code === "admin_required";

async function recordDenial(
  error: ApiError,
  { organizationId, apiKeyId, memberId }: KeyIdentity,
  request: FastifyRequest,
  parts: AdmissionParts,
): Promise<void> {
  const { requiredScopes } = error.options.extra ?? {};
  await parts.recordDenial({
    organizationId,
    apiKeyId,
    memberId,
    code: error.code,
    requiredScopes: Array.isArray(requiredScopes) ? requiredScopes.map(String) : [],
    method: request.method,
    path: request.url.split("?", 1)[0] ?? "",
    requestId: request.id,
    ip: addressOf(request, parts),
  });
}

function addressOf(request: FastifyRequest, { trustedProxies }: AdmissionParts): string {
  const header = request.headers["x-forwarded-for"];
  const forwardedFor = Array.isArray(header) ? header.join(",") : header;
  return clientAddress(request.socket.remoteAddress ?? "", forwardedFor, trustedProxies);
}

function checkAccess(request: FastifyRequest, { access }: Operation, caller: AnyCaller): void {
  if (caller.kind !== "organization") {
    if (access.by === "organization")
      throw new ApiError(
        "organization_key_required",
        "The admin key cannot be used here: create an API key for the organization.",
      );
    return;
  }
  if (access.by === "any") return;
  if (access.by === "admin" || access.by === "public")
    throw new ApiError("admin_required", "Only the admin key may do this.");
  if (access.by === "organization_or_admin") {
    const named = (request.params as Record<string, string>)["organizationId"];
    if (named === undefined || parseId("organization", named) !== caller.organizationId) throw notFound("organization");
  }
  requireScopes(caller, "scopes" in access ? access.scopes : []);
}

/** Whether the request reads a whole list as NDJSON. */
export const wantsLines = (request: FastifyRequest, o: Operation): boolean =>
  o.streams === true && request.headers.accept?.includes("application/x-ndjson") === true;

/** Writes end in one transaction; what may stay open for long is looked after as long as it does. */
function watch(request: FastifyRequest, reply: FastifyReply, o: Operation, { openRequests }: AdmissionParts): void {
  const { caller } = request;
  if (caller?.kind !== "organization" || (o.method !== "GET" && o.plain !== true)) return;
  const close = openRequests.open({
    key: { organizationId: caller.organizationId, apiKeyId: caller.apiKeyId, memberId: caller.memberId },
    sessionId: caller.session?.id ?? null,
    requiredScopes: () => request.scopesInUse ?? ("scopes" in o.access ? o.access.scopes : []),
    isStream: o.response.contentType === "text/event-stream" || wantsLines(request, o),
    // The response breaks in the middle, so that no client takes a part for the whole.
    breakOff: () => request.raw.destroy(),
  });
  reply.raw.once("close", close);
}
