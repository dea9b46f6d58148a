/** The stored response of each Idempotency-Key: its row, its secret members, and how long they stay. */
import { sql } from "kysely";
import { inGroups } from "../database/in-groups.ts";
import { sendLater, statementsOf } from "../database/database.ts";
import type { Queryable, Transaction } from "../database/database.ts";
import { namedStatement } from "../database/named-statement.ts";
import { prepared } from "../database/prepared.ts";
import { openUnlessLost } from "../secrets/sealing.ts";
import type { Sealer } from "../secrets/sealing.ts";
import { ApiError } from "./errors.ts";
import { isMaker, withoutSecrets } from "./secret-replays.ts";
import type { SecretRules } from "./secret-replays.ts";
import { sharedMs, sharedNow } from "../shared-time.ts";

/** A repeat waits this long for the first request; longer would keep the client's connection open for nothing. */
export const REPEAT_WAIT_MS = 10_000;

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

export interface StoredResponse {
  status: number;
  location: string | null;
  /** JSON text, or null for a response without a body. */
  body: string | null;
}

interface StoredBody {
  body: string | null;
  bodyWithoutSecrets: string | null;
  madeByKeyId: string | null;
  madeByMemberId: string | null;
  secretUntil: Date | null;
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

/** Undefined where the key is new. */
export async function readResponse(
  db: Queryable,
  sealer: Sealer,
  request: IdempotentRequest,
): Promise<StoredResponse | undefined> {
  const { scopeId, method, path, key } = request;
  const [row] = await findKey(db, { scopeId, method, path, key });
  if (!row) return undefined;
  if (!row.fingerprint.equals(request.fingerprint))
    throw new ApiError(
      "idempotency_conflict",
      "This Idempotency-Key was used with another body. Use a new key for a new operation.",
      { param: "Idempotency-Key" },
    );
  if (row.status === null) throw new Error("an idempotency key was committed without its response");
  return { status: row.status, location: row.location, body: await bodyFor(db, sealer, request, row) };
}

async function bodyFor(
  db: Queryable,
  sealer: Sealer,
  request: IdempotentRequest,
  row: StoredBody,
): Promise<string | null> {
  const { secrets } = request;
  if (row.bodyWithoutSecrets === null || secrets === undefined) return row.body;
  const isOfUse = await secrets.check(db, JSON.parse(row.bodyWithoutSecrets));
  const isShown = isOfUse && isMaker(secrets, row) && (row.secretUntil === null || row.secretUntil > sharedNow());
  const { body } = row;
  const opened =
    isShown && body !== null ? openUnlessLost(() => sealer.open(body, placeOfResponse(request))) : undefined;
  return opened ?? row.bodyWithoutSecrets;
}

/** False where another request has inserted the key. One that is being inserted by another process is waited for. */
export async function insertRequest(tx: Transaction, request: IdempotentRequest): Promise<boolean> {
  const { scopeId, method, path, key, fingerprint, secrets } = request;
  const { rows } = await statementsOf(tx).query(
    insertKey({ scopeId, method, path, key, fingerprint, isSealed: secrets !== undefined }),
  );
  return rows.length > 0;
}

/** Waits for another request with this key no longer than its client may wait; the statements after it wait as long as they have to. */
const insertKey = namedStatement<
  Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key" | "fingerprint"> & { isSealed: boolean }
>(
  "insert_idempotency_key",
  `insert into idempotency_keys (scope_id, method, path, key, fingerprint, is_sealed)
    select :scopeId::uuid, :method::text, :path::text, :key::text, :fingerprint::bytea, :isSealed::boolean
    from (select set_config('lock_timeout', '${REPEAT_WAIT_MS}ms', true) as set) waiting where waiting.set is not null
    on conflict do nothing returning set_config('lock_timeout', '0', true)`,
);

export async function storeResponse(
  tx: Transaction,
  sealer: Sealer,
  request: IdempotentRequest,
  { status, location, body }: StoredResponse,
): Promise<void> {
  const { scopeId, method, path, key } = request;
  await sendLater(
    tx,
    storeStatement({ scopeId, method, path, key, status, location, ...storedBodyOf(sealer, request, body) }),
  );
}

const storeStatement = namedStatement<
  Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key"> & StoredResponse & StoredBody
>(
  "store_response",
  `update idempotency_keys set status = :status, location = :location, body = :body,
      body_without_secrets = :bodyWithoutSecrets, made_by_key_id = :madeByKeyId, made_by_member_id = :madeByMemberId,
      secret_until = :secretUntil
    where scope_id = :scopeId and key = :key and method = :method and path = :path`,
);

/** The columns of a response as they are stored. */
function storedBodyOf(sealer: Sealer, request: IdempotentRequest, body: string | null): StoredBody {
  const { secrets } = request;
  if (secrets === undefined || body === null) return { ...withoutSecret, body };
  return {
    body: sealer.seal(body, placeOfResponse(request)),
    bodyWithoutSecrets: withoutSecrets(body, secrets.members),
    madeByKeyId: secrets.madeByKeyId,
    madeByMemberId: secrets.madeByMemberId,
    secretUntil: secrets.replayableMs === undefined ? null : new Date(sharedMs() + secrets.replayableMs),
  };
}

export const placeOfResponse = (request: Pick<IdempotentRequest, "scopeId" | "method" | "path" | "key">): string =>
  ["idempotency_keys", "body", request.scopeId, request.method, request.path, request.key].join("|");

/** Rows deleted at once: a day's keys of a busy service take several statements, none of which keeps its locks for long. */
const PURGED_AT_ONCE = 10_000;

/** Forgets keys after their retention; the client that repeats a request later makes a new one. */
export async function purgeIdempotencyKeys(db: Queryable, retentionHours: number): Promise<void> {
  await inGroups(
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
