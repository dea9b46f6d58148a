/**
 * Requests that may stay open for long (event streams, NDJSON, downloads, uploads, waiting reads), and whether their keys still
 * allow them. A key is looked at when its request begins; while requests are open, all their keys are looked at again, twice a
 * second and in one statement for the whole process. What a key no longer allows is broken off: the client comes again, and is
 * sent the reason. A request that has just begun is left to its own first statement, which has the reason for a response.
 */
import type { Scope } from "@rowmill/contract/scopes";
import { expandScopes } from "@rowmill/contract/scopes";
import { isUnavailable, sql } from "../database/database.ts";
import type { Database } from "../database/database.ts";
import { ConcurrencyGate } from "./concurrency-gate.ts";
import type { Log } from "../log.ts";
import type { KeyIdentity } from "../auth/caller.ts";
import { sharedMs, sharedNow } from "../shared-time.ts";

/** A revoked key's streams end within a second of the revocation: a request is looked at when it has been open for as long. */
const LOOK_EVERY_MS = 500;
/**
 * Streams of one key in one process. A person has a few windows open and a program needs one for each run that it follows at
 * once; each stream costs memory, and a share of what all streams read.
 */
export const MAX_STREAMS_PER_KEY = 20;
/** A caller that is refused may have closed one by then. */
const RETRY_AFTER_SECONDS = 5;

export interface OpenRequest {
  key: KeyIdentity;
  /** Of a browser: the request ends with it. */
  sessionId: string | null;
  requiredScopes: () => readonly Scope[];
  /** Live events or NDJSON, of which a key has a limited number. */
  isStream: boolean;
  /** Breaks the request off. */
  breakOff: () => void;
}

export interface OpenRequests {
  /** Throws `rate_limited` when the key has as many streams as it may have. Returns what is to be called at the request's end. */
  open(request: OpenRequest): () => void;
  stop(): void;
}

export function createOpenRequests({ db }: Pick<Database, "db">, log: Log): OpenRequests {
  /** With the time of their beginning. */
  const open = new Map<OpenRequest, number>();
  const streams = new ConcurrencyGate({
    atOnce: MAX_STREAMS_PER_KEY,
    refusal: (count) =>
      `The API key has ${count} streams open (events or NDJSON), and may have ${MAX_STREAMS_PER_KEY} at once: ` +
      "close some, use another key, or register a webhook to follow many runs.",
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
  let timer: NodeJS.Timeout | undefined;

  async function look(): Promise<void> {
    const latest = performance.now() - LOOK_EVERY_MS;
    const asked = [...open].flatMap(([request, beganAt]) => (beganAt <= latest ? request : []));
    const allowed = await readScopes(db, new Map(asked.map(({ key }) => [key.apiKeyId, key.organizationId])));
    const sessions = await readSessions(db, new Set(asked.flatMap(({ sessionId }) => sessionId ?? [])));
    for (const request of asked) {
      const scopes = allowed.get(request.key.apiKeyId);
      const isSignedIn = request.sessionId === null || sessions.has(request.sessionId);
      if (isSignedIn && scopes !== undefined && request.requiredScopes().every((scope) => scopes.has(scope))) continue;
      log.info({ ...request.key }, "a request was broken off: its key no longer allows it, or its session has ended");
      open.delete(request);
      request.breakOff();
    }
  }

  function lookLater(): void {
    timer ??= setTimeout(() => {
      look()
        .catch((error: unknown) => {
          // Nobody can be revoked while the database is away.
          if (!isUnavailable(error)) log.error({ err: error }, "could not look at the keys of open requests");
        })
        .finally(() => {
          timer = undefined;
          if (open.size > 0) lookLater();
        });
    }, LOOK_EVERY_MS);
    timer.unref();
  }

  return {
    open(request) {
      const leave = request.isStream ? streams.enter(request.key.apiKeyId) : undefined;
      open.set(request, performance.now());
      lookLater();
      return () => {
        open.delete(request);
        leave?.();
      };
    },
    stop: () => clearTimeout(timer),
  };
}

/** Those of the sessions that have not ended. */
async function readSessions(db: Database["db"], ids: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (ids.size === 0) return ids;
  const rows = await db
    .selectFrom("sessions")
    .select("id")
    .where("id", "in", [...ids])
    .where("expiresAt", ">", sharedNow())
    .execute();
  return new Set(rows.map(({ id }) => id));
}

interface OpenKey {
  id: string;
  scopes: string[];
  expiresAt: Date | null;
  revokedAt: Date | null;
  state: string;
}

/** The scopes of those of the keys (key → its organization) that may be used now. */
export async function readScopes(
  db: Database["db"],
  organizations: ReadonlyMap<string, string>,
): Promise<Map<string, ReadonlySet<Scope>>> {
  if (organizations.size === 0) return new Map();
  // Each as a range of one id, in the order of the ids: without statistics, any other form may read all keys of an organization.
  const { rows } = await sql<OpenKey>`
    select k.* from unnest(${[...organizations.values()]}::uuid[], ${[...organizations.keys()]}::uuid[]) w(organization_id, id)
    cross join lateral (
      select k.id, k.scopes, k.expires_at as "expiresAt", k.revoked_at as "revokedAt",
        (select o.state from organizations o where o.id = w.organization_id) as state
      from api_keys k where k.organization_id = w.organization_id and k.id between w.id and w.id order by k.id limit 1) k`.execute(
    db,
  );
  const usable = rows.filter(
    ({ expiresAt, revokedAt, state }) =>
      (expiresAt === null || expiresAt.getTime() > sharedMs()) && revokedAt === null && state === "active",
  );
  return new Map(usable.map(({ id, scopes }) => [id, expandScopes(scopes)]));
}
