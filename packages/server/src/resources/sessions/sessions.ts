/**
 * Sessions of browsers: rows in the database, so that signing out, and revoking a key, ends them at once on every process. The
 * cookie has a random token, of which the database has the digest only.
 */
import type { Session } from "@rowmill/contract/sessions";
import type { AdminCaller, Authenticate, KeyCaller, OrganizationCaller } from "../../platform/auth/caller.ts";
import { keyDigest, newSessionToken } from "../../platform/auth/keys.ts";
import { clearedCookie, cookieOf } from "../../platform/http/session-cookie.ts";
import { sql } from "../../platform/database/database.ts";
import type { Database, Queryable, Transaction } from "../../platform/database/database.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { invalidState } from "../../platform/http/errors.ts";
import { WithHeaders } from "../../platform/http/handlers.ts";
import type { OperationFunction, PrepareFunction } from "../../platform/http/handlers.ts";
import { formatId, formatIdOrNull, newUuid } from "../../platform/ids.ts";
import type { Log } from "../../platform/log.ts";
import { revokeApiKey } from "../api-keys/revoke-keys.ts";
import type { RevokeMadeWith } from "../api-keys/revoke-keys.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import type { Config } from "../../config.ts";
import type { DefaultLimits } from "../../services.ts";
import { redeemLoginLink } from "./login-links.ts";
import { sharedMs } from "../../platform/shared-time.ts";

/** Ended sessions are deleted when others begin, this many at a time. */
const PURGED_AT_ONCE = 100;

export interface SessionParts {
  database: Database;
  authenticate: Authenticate;
  adminKeyDigest: () => Buffer;
  limits: DefaultLimits;
  revokeMadeWith: RevokeMadeWith;
  config: Pick<Config, "ROWMILL_SESSION_EXPIRY_HOURS">;
  publicUrl: () => string;
  /** What the admin key signs in to leaves no audit event: those belong to an organization. */
  log: Log;
}

const prepareSession: PrepareFunction<"createSession", SessionParts> = async (_db, asked, { body }, parts) => {
  if (body.by === "login_link") {
    const { token } = body;
    return async (tx) => {
      const expiresAt = expiryOf(parts);
      const caller = await redeemLoginLink(tx, asked, { token, expiresAt }, parts);
      return startSession(tx, caller, { expiresAt, ownsKey: caller.kind === "organization" }, parts);
    };
  }
  const key = await parts.authenticate({ authorization: `Bearer ${body.apiKey}`, sessionToken: undefined });
  const caller = { ...key, requestId: asked.requestId, ip: asked.ip };
  return async (tx) =>
    startSession(tx, caller, { expiresAt: await endOfKey(tx, caller, expiryOf(parts)), ownsKey: false }, parts);
};

/** The key that the session's login link has made ends with it; keys that were made with that one go on. */
const deleteSession: OperationFunction<"deleteSession", SessionParts> = async (tx, caller, _input, parts) => {
  const { publicUrl, log } = parts;
  if (caller.session === null)
    throw invalidState("The request has sent an API key and no cookie: there is no session to end.");
  const { id } = caller.session;
  const ended = await tx
    .deleteFrom("sessions")
    .where("id", "=", id)
    .where(ofCaller(caller))
    .returning("ownsKey")
    .executeTakeFirst();
  if (caller.kind === "admin") log.info(describeForLog(caller, id), "a session with the admin key was ended");
  else {
    await recordAudit(tx, caller, "session.ended", id);
    const key = { organizationId: caller.organizationId, id: caller.apiKeyId };
    if (ended?.ownsKey === true) await revokeApiKey(tx, caller, { ...key, cascade: false }, parts);
  }
  return new WithHeaders(undefined, { "Set-Cookie": clearedCookie(publicUrl()) });
};

const describeForLog = ({ requestId, ip }: AdminCaller, id: string) => ({
  sessionId: formatId("session", id),
  requestId,
  ip,
});

const ofCaller = (caller: KeyCaller) =>
  caller.kind === "admin"
    ? sql<boolean>`organization_id is null`
    : sql<boolean>`organization_id = ${caller.organizationId}`;

async function startSession(
  tx: Transaction,
  caller: KeyCaller,
  { expiresAt, ownsKey }: { expiresAt: Date; ownsKey: boolean },
  { adminKeyDigest, publicUrl, log }: SessionParts,
): Promise<WithHeaders<Session>> {
  await sql`
    delete from sessions where id in (
      select id from sessions where expires_at < now() order by expires_at limit ${PURGED_AT_ONCE} for update skip locked)`.execute(
    tx,
  );
  const id = newUuid();
  const token = newSessionToken();
  await tx
    .insertInto("sessions")
    .values({
      id,
      digest: keyDigest(token),
      expiresAt,
      ownsKey,
      ...(caller.kind === "admin"
        ? { adminKeySha256: adminKeyDigest() }
        : { organizationId: caller.organizationId, apiKeyId: caller.apiKeyId }),
    })
    .execute();
  if (caller.kind === "admin")
    log.info({ ...describeForLog(caller, id), expiresAt }, "a session with the admin key begins");
  else await recordAudit(tx, caller, "session.created", id, { expiresAt });
  return new WithHeaders(await describe(tx, { ...caller, session: { id, expiresAt } }), {
    "Set-Cookie": cookieOf(token, expiresAt, publicUrl()),
  });
}

const expiryOf = ({ config }: SessionParts): Date =>
  new Date(sharedMs() + config.ROWMILL_SESSION_EXPIRY_HOURS * 3_600_000);

/** A session does not outlive its key. */
async function endOfKey(
  tx: Transaction,
  caller: Pick<AdminCaller, "kind"> | Pick<OrganizationCaller, "kind" | "organizationId" | "apiKeyId">,
  latest: Date,
): Promise<Date> {
  if (caller.kind === "admin") return latest;
  const { expiresAt } = await tx
    .selectFrom("apiKeys")
    .select("expiresAt")
    .where(isRow(caller, caller.apiKeyId))
    .executeTakeFirstOrThrow();
  return expiresAt !== null && expiresAt < latest ? expiresAt : latest;
}

async function describe(db: Queryable, caller: KeyCaller): Promise<Session> {
  const shared = {
    by: caller.session === null ? ("api_key" as const) : ("session" as const),
    expiresAt: caller.session?.expiresAt.toISOString() ?? null,
  };
  if (caller.kind === "admin")
    return {
      ...shared,
      kind: "admin",
      organizationId: null,
      organizationName: null,
      apiKeyId: null,
      memberId: null,
      scopes: [],
    };
  const { name } = await db
    .selectFrom("organizations")
    .select("name")
    .where("id", "=", caller.organizationId)
    .executeTakeFirstOrThrow();
  return {
    ...shared,
    kind: "organization",
    organizationId: formatId("organization", caller.organizationId),
    organizationName: name,
    apiKeyId: formatId("apiKey", caller.apiKeyId),
    memberId: formatIdOrNull("member", caller.memberId),
    scopes: [...caller.scopes],
  };
}

export const sessionOperations = {
  createSession: { prepare: prepareSession },
  getSession: describe satisfies OperationFunction<"getSession">,
  deleteSession,
};
