/**
 * The limit of what an organization stores: uploads, datasets, results of runs and exports. `storage_usage` has the sum, kept by
 * triggers (migration 0023). A transaction that reserves bytes locks its row until the commit: two at once do not both take the last ones.
 */
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Statements, Transaction } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { present } from "../../platform/present.ts";
import { tooLittleRoom } from "../../platform/storage/free-space.ts";
import { limitOf } from "./organizations.ts";
import type { DefaultLimits } from "../../services.ts";

/** Refuses what would store more while the organization stores as much as it may. */
export async function checkStorageLimit(db: Queryable, organizationId: string, defaults: DefaultLimits): Promise<void> {
  const row = await db
    .selectFrom("storageUsage")
    .select("bytes")
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  requireStorage(row?.bytes ?? 0, await limitOf(db, organizationId, "storageBytes", defaults));
}

/** The same, of what was read. */
export function requireStorage(bytes: number, limit: number): void {
  if (bytes >= limit) throw storageLimitReached(bytes, limit);
}

/** Bytes to reserve: those that were asked for, or as many as there are, up to `maxBytes`. */
export async function reservableBytes(
  tx: Transaction,
  organizationId: string,
  asked: { bytes: number | undefined; maxBytes: number; param: string },
  defaults: DefaultLimits,
): Promise<number> {
  await sql`insert into storage_usage (organization_id) values (${organizationId}) on conflict do nothing`.execute(tx);
  const { bytes: used } = await tx
    .selectFrom("storageUsage")
    .select("bytes")
    .where("organizationId", "=", organizationId)
    .forUpdate()
    .executeTakeFirstOrThrow();
  const limit = await limitOf(tx, organizationId, "storageBytes", defaults);
  const left = limit - used;
  const reserved = asked.bytes ?? Math.min(asked.maxBytes, left);
  if (left <= 0 || reserved > left) throw storageLimitReached(used, limit, asked.param);
  return reserved;
}

/** One after the other, so that two at once do not both take the last bytes. */
const DECLARING_LOCK = "declared uploads";

/**
 * Refuses a session that declares more than what there is room for beside the sessions of all organizations that are still open. What
 * such a session has sent already counts twice until its content is complete. Sessions that declare nothing are stopped
 * when their bytes come.
 */
export async function checkDeclaredUploads(tx: Transaction, roomBytes: number, declaredBytes: number): Promise<void> {
  if (roomBytes === Number.POSITIVE_INFINITY) return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${DECLARING_LOCK}, 0))`.execute(tx);
  const { rows } = await sql<{ bytes: number }>`select declared_bytes_of_all() as bytes`.execute(tx);
  const leftBytes = roomBytes - (rows[0]?.bytes ?? 0);
  if (declaredBytes > leftBytes) throw tooLittleRoom(declaredBytes, leftBytes, " beside announced uploads");
}

/** For a transaction that has just stored something: it holds the sum, itself included. */
export async function isStorageExceeded(
  client: Statements,
  organizationId: string,
  defaults: DefaultLimits,
): Promise<boolean> {
  const { rows } = await client.query<{ exceeded: boolean }>({
    name: "is_storage_exceeded",
    text: `select u.bytes > coalesce((o.limits->>'storageBytes')::bigint, $2::bigint) as exceeded
      from storage_usage u join organizations o on o.id = u.organization_id where u.organization_id = $1`,
    values: [organizationId, defaults.storageBytes ?? null],
  });
  return rows[0]?.exceeded ?? false;
}

export const STORAGE_LIMIT_MESSAGE = "The organization stores as much as it may. Delete datasets, runs or exports.";

const storageLimitReached = (used: number, limit: number, param?: string): ApiError =>
  new ApiError(
    "limit_reached",
    `The organization stores ${used} bytes, open upload sessions included, and its limit is ${limit}. ` +
      "Delete datasets, runs or exports, or cancel upload sessions; a session reserves less with `source.sizeBytes`.",
    present({ param }),
  );
