/** Connections as processors ask for them: for every row, of thousands a second, and yet as they are now. */
import { setTimeout as wait } from "node:timers/promises";
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import { isRow } from "../../platform/database/row-key.ts";
import { formatId, parseId } from "../../platform/ids.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import type { Connection, Connections } from "../../processors/connection-parts.ts";
import { pricesOf } from "../model-prices/model-prices.ts";
import { openSecret } from "./connection-secrets.ts";

/** How long a result is cached: a replaced secret or a deleted connection is used no longer than that. */
const FRESH_MS = 1_000;
/** For those who must know it as it is now: hundreds of calls that are refused together share a read, which begins this long after the last one. */
const FRESHEST_EVERY_MS = 50;

/** Connections that runs work with at the same time in one process; beyond these, the oldest entry is forgotten. */
const MAX_KEPT = 1_000;

interface Kept {
  /** Shared by all callers while it is being read. */
  found: Promise<Connection | undefined>;
  askedAt: number;
  /** Begins later: for those who ask while this one is too old for them. */
  next?: Promise<Connection | undefined>;
}

/** `now` is a clock in milliseconds that never goes back. */
export function createConnections(
  tasks: Pick<Tasks, "of">,
  sealer: Sealer,
  now: () => number = () => performance.now(),
): Connections {
  const kept = new Map<string, Kept>();
  const read = (key: string, organizationId: string, connectionId: string): Promise<Connection | undefined> => {
    // The oldest stands first: what is read again goes to the end.
    kept.delete(key);
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= MAX_KEPT) kept.delete(oldest);
    const asked: Kept = {
      found: readConnection(tasks.of(organizationId), organizationId, connectionId, sealer),
      askedAt: now(),
    };
    kept.set(key, asked);
    // Waiting callers get the error; the next caller retries.
    asked.found.catch(() => kept.get(key) === asked && kept.delete(key));
    return asked.found;
  };
  return {
    find(organizationId, connectionId, { isFresh = false } = {}) {
      const key = `${organizationId} ${connectionId}`;
      const readNow = () => read(key, organizationId, connectionId);
      const known = kept.get(key);
      const ageMs = known === undefined ? Number.POSITIVE_INFINITY : now() - known.askedAt;
      if (known === undefined || ageMs >= (isFresh ? FRESHEST_EVERY_MS : FRESH_MS)) return readNow();
      if (!isFresh) return known.found;
      return (known.next ??= wait(FRESHEST_EVERY_MS - ageMs).then(readNow));
    },
  };
}

async function readConnection(
  { db }: Pick<OrganizationDatabase, "db">,
  organizationId: string,
  connectionId: string,
  sealer: Sealer,
): Promise<Connection | undefined> {
  const id = parseId("connection", connectionId);
  if (id === undefined) return undefined;
  const row = await db
    .selectFrom("connections")
    .select(["organizationId", "id", "type", "baseUrl", "secret", "requestsPerMinute", "tokensPerMinute", "prices"])
    .where(isRow({ organizationId }, id))
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return {
    id: formatId("connection", id),
    organizationId,
    type: row.type,
    baseUrl: row.baseUrl,
    ...openSecret(sealer, row),
    rateLimit: { requestsPerMinute: row.requestsPerMinute, tokensPerMinute: row.tokensPerMinute },
    prices: pricesOf(row),
  };
}
