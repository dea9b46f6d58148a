/**
 * Idempotency, for every operation from one place (specification 4.1).
 *
 *   first request:  look the key up → prepare → BEGIN · insert the key row · work · store the answer · COMMIT
 *   its twin:       in this process it waits for the first one's promise; from another process its insert waits on the
 *                   unique index until the first commits (replay) or rolls back (then it does the work itself)
 *
 * Only successes are stored, and in the transaction of the work: a crash or an error leaves neither.
 */
import { sql } from "kysely";
import { inBatches } from "../database/in-batches.ts";
import { LOCK_NOT_AVAILABLE, pgCode, statementsOf } from "../database/database.ts";
import type { Queryable, OrganizationDatabase, Transaction } from "../database/database.ts";
import { namedStatement } from "../database/named-statement.ts";
import { prepared } from "../database/prepared.ts";
import type { Sealer } from "../secrets/sealing.ts";
import { ApiError } from "./errors.ts";
import { isMaker, withoutSecrets } from "./secret-replays.ts";
import type { SecretRules } from "./secret-replays.ts";

/** A twin waits this long for the first request; longer would hold the client's connection for nothing. */
const TWIN_WAIT_MS = 10_000;
const KEY_FORMAT = /^[!-~]{1,255}$/;

export interface IdempotentRequest {
  /** The organization, or the nil UUID for the admin. */
  scopeId: string;
  method: string;
  path: string;
  key: string;
  fingerprint: Buffer;
  /** For an operation whose response carries a secret. */
  secrets: SecretRules | undefined;
}

export interface StoredAnswer {
  status: number;
  location: string | null;
  /** JSON text, or null for an answer without a body. */
  body: string | null;
}

interface StoredBody {
  body: string | null;
  bodyWithoutSecrets: string | null;
  madeByKeyId: string | null;
  madeByMemberId: string | null;
  secretUntil: Date | null;
}

export type Work = (tx: Transaction) => Promise<StoredAnswer>;

export interface Idempotency {
  /** `prepare` runs outside any transaction, and only if there is no stored answer. */
  perform(
    database: OrganizationDatabase,
    request: IdempotentRequest,
    prepare: () => Promise<Work>,
  ): Promise<StoredAnswer & { isReplay: boolean }>;
}

/** Surrounding quotes are stripped, as the header's draft standard writes it as a string. Undefined when absent. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const raw = Array.isArray(header) ? header.join(",") : header;
  const key = raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  if (!KEY_FORMAT.test(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.",
      {
        param: "Idempotency-Key",
      },
    );
  return key;
}

const withoutSecret = { bodyWithoutSecrets: null, madeByKeyId: null, madeByMemberId: null, secretUntil: null };

const findKey = prepared("find_idempotency_key", ["scopeId", "method", "path", "key"], (db, at) =>
  db
    .selectFrom("idempotencyKeys")
    .select([
      "fingerprint",
      "status",
      "location",
      "body",
      "isSealed",
      "bodyWithoutSecrets",
      "madeByKeyId",
      "madeByMemberId",
      "secretUntil",
    ])
    .where("scopeId", "=", at.scopeId)
    .where("key", "=", at.key)
    .where("method", "=", at.method)
    .where("path", "=", at.path),
);

/** Waits no longer for a twin than one may; what comes after it in the transaction waits as long as it has to. */
const insertKey = namedStatement<
  Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key" | "fingerprint"> & { isSealed: boolean }
>(
  "insert_idempotency_key",
  `insert into idempotency_keys (scope_id, method, path, key, fingerprint, is_sealed)
    select :scopeId::uuid, :method::text, :path::text, :key::text, :fingerprint::bytea, :isSealed::boolean
    from (select set_config('lock_timeout', '${TWIN_WAIT_MS}ms', true) as set) waiting where waiting.set is not null
    on conflict do nothing returning set_config('lock_timeout', '0', true)`,
);

const storeAnswer = namedStatement<
  Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key"> & StoredAnswer & StoredBody
>(
  "store_answer",
  `update idempotency_keys set status = :status, location = :location, body = :body,
      body_without_secrets = :bodyWithoutSecrets, made_by_key_id = :madeByKeyId, made_by_member_id = :madeByMemberId,
      secret_until = :secretUntil
    where scope_id = :scopeId and key = :key and method = :method and path = :path`,
);

export function createIdempotency(sealer: Sealer): Idempotency {
  const inProgress = new Map<string, Promise<unknown>>();

  async function readAnswer(db: Queryable, request: IdempotentRequest): Promise<StoredAnswer | undefined> {
    const { scopeId, method, path, key } = request;
    const [row] = await findKey(db, { scopeId, method, path, key });
    if (!row) return undefined;
    if (!row.fingerprint.equals(request.fingerprint))
      throw new ApiError(
        "idempotency_conflict",
        "This Idempotency-Key was used with another body. Use a new key for a new operation.",
        { param: "Idempotency-Key" },
      );
    if (row.status === null) throw new Error("an idempotency key was committed without its answer");
    return { status: row.status, location: row.location, body: await bodyFor(db, request, row) };
  }

  async function bodyFor(db: Queryable, request: IdempotentRequest, row: StoredBody): Promise<string | null> {
    const { secrets } = request;
    if (row.bodyWithoutSecrets === null || secrets === undefined) return row.body;
    const isOfUse = await secrets.check(db, JSON.parse(row.bodyWithoutSecrets));
    const isShown = isOfUse && isMaker(secrets, row) && (row.secretUntil === null || row.secretUntil > new Date());
    return isShown && row.body !== null ? sealer.open(row.body, placeOfAnswer(request)) : row.bodyWithoutSecrets;
  }

  /** The columns of a response as they are stored. */
  function storedBodyOf(request: IdempotentRequest, body: string | null) {
    const { secrets } = request;
    if (secrets === undefined || body === null) return { ...withoutSecret, body };
    return {
      body: sealer.seal(body, placeOfAnswer(request)),
      bodyWithoutSecrets: withoutSecrets(body, secrets.members),
      madeByKeyId: secrets.madeByKeyId,
      madeByMemberId: secrets.madeByMemberId,
      secretUntil: secrets.replayableMs === undefined ? null : new Date(Date.now() + secrets.replayableMs),
    };
  }

  async function performFirst(
    database: OrganizationDatabase,
    request: IdempotentRequest,
    prepare: () => Promise<Work>,
  ) {
    const stored = await readAnswer(database.db, request);
    if (stored) return { ...stored, isReplay: true };
    const work = await prepare();
    try {
      return await database.transaction(async (tx) => {
        const { scopeId, method, path, key, fingerprint, secrets } = request;
        const statements = statementsOf(tx);
        // A twin in another process waits here until the first one commits or rolls back.
        const { rows: inserted } = await statements.query(
          insertKey({ scopeId, method, path, key, fingerprint, isSealed: secrets !== undefined }),
        );
        if (inserted.length === 0) {
          const twin = await readAnswer(tx, request);
          if (!twin) throw inProgressError();
          return { ...twin, isReplay: true };
        }
        const answer = await work(tx);
        const { status, location } = answer;
        await statements.query(
          storeAnswer({ scopeId, method, path, key, status, location, ...storedBodyOf(request, answer.body) }),
        );
        return { ...answer, isReplay: false };
      });
    } catch (error) {
      throw pgCode(error) === LOCK_NOT_AVAILABLE ? inProgressError() : error;
    }
  }

  return {
    async perform(database, request, prepare) {
      const name = JSON.stringify([request.scopeId, request.method, request.path, request.key]);
      const deadline = Date.now() + TWIN_WAIT_MS;
      for (let first = inProgress.get(name); first !== undefined; first = inProgress.get(name)) {
        if (!(await settlesBy(first, deadline))) throw inProgressError();
      }
      const attempt = performFirst(database, request, prepare);
      inProgress.set(name, attempt);
      try {
        return await attempt;
      } finally {
        if (inProgress.get(name) === attempt) inProgress.delete(name);
      }
    },
  };
}

/** Rows deleted at once: a day's keys of a busy service take several turns, none of which holds locks for long. */
const PURGED_AT_ONCE = 10_000;

/** Forgets keys after their retention; the client that repeats a request later makes a new one. */
export async function purgeIdempotencyKeys(db: Queryable, retentionHours: number): Promise<void> {
  await inBatches(
    db,
    PURGED_AT_ONCE,
    sql`
      delete from idempotency_keys where ctid = any(array(
        select ctid from idempotency_keys
        where created_at < now() - make_interval(hours => ${retentionHours}) order by created_at limit ${PURGED_AT_ONCE}))`,
  );
}

/** Deletes the secrets of stored responses whose time is over; repeats get the response without them. */
export async function purgeReplayableSecrets(db: Queryable): Promise<void> {
  await db
    .updateTable("idempotencyKeys")
    .set({ body: null, isSealed: false, secretUntil: null })
    .where("secretUntil", "<=", sql<Date>`now()`)
    .execute();
}

export const placeOfAnswer = (request: Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key">): string =>
  ["idempotency_keys", "body", request.scopeId, request.method, request.path, request.key].join("|");

const inProgressError = (): ApiError =>
  new ApiError("idempotency_in_progress", "The first request with this Idempotency-Key is still being worked on.", {
    param: "Idempotency-Key",
    retryAfterSeconds: 1,
  });

async function settlesBy(promise: Promise<unknown>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, deadline - Date.now()));
  });
  // However the first one ended, this request looks for itself what is stored.
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, timeout]).finally(() => clearTimeout(timer));
}
