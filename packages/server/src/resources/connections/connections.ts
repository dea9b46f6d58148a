/** Connections: named credentials of a model provider or an HTTP service. The secret goes in and never comes out. */
import { ANTHROPIC_BASE_URL } from "@rowmill/contract/connections";
import { LIST_PRICES } from "@rowmill/contract/connection-prices";
import type { Connection, ConnectionType } from "@rowmill/contract/connections";
import type { ConnectionPrices } from "@rowmill/contract/connection-prices";
import type { Selectable } from "kysely";
import type { ConnectionsTable } from "../../platform/database/tables.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import type { Queue } from "../../platform/queue/queue.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { json, resource } from "../resource.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { priceListAgeDays, priceListAsOf, pricesOf, usesList } from "../model-prices/model-prices.ts";
import type { StoredPrices } from "../model-prices/model-prices.ts";
import { acceptBaseUrl, checkListed, checkPrices, checkRateLimit, checkSecretMayMove } from "./connection-rules.ts";
import { openSecret, redact, sealSecret } from "./connection-secrets.ts";
import { findUnfinishedRuns } from "./unfinished-runs.ts";
import { WAKE_QUEUE } from "./wake-rows.ts";
import type { WakeJob } from "./wake-rows.ts";
import { forgetLimiters } from "../../processors/limiter/read-limiters.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Each model of each may be limited on its own, and people choose from the list; nobody has so many providers. */
const MAX_CONNECTIONS = 200;

export type ConnectionRow = Selectable<ConnectionsTable>;

export interface ConnectionParts {
  sealer: Sealer;
  queue: Queue;
  /** Allowed by the operator. */
  allowedOrigins: ReadonlySet<string>;
}

const connections = resource("connections", {
  noun: "connection",
  deletedIn: "deletedAt",
  large: ["secret", "prices", "metadata"],
});

export const findConnection = connections.find;

export const createConnection: OperationFunction<"createConnection", ConnectionParts> = async (
  tx,
  caller,
  { body },
  { sealer, allowedOrigins },
) => {
  const { organizationId } = caller;
  const baseUrl = acceptBaseUrl(body.baseUrl ?? ANTHROPIC_BASE_URL, allowedOrigins);
  await connections.takePlace(
    tx,
    caller,
    MAX_CONNECTIONS,
    (count) =>
      `The organization has ${count} connections, and no more than ${MAX_CONNECTIONS} are possible. Delete one.`,
  );
  const id = newUuid();
  const now = sharedNow();
  const rateLimit = { requestsPerMinute: null, tokensPerMinute: null, ...body.rateLimit };
  const row = await tx
    .insertInto("connections")
    .values({
      organizationId,
      id,
      name: body.name,
      type: body.type,
      baseUrl,
      ...secretColumns(sealer, organizationId, id, body.secret ?? null),
      ...rateLimit,
      prices: json(storedPrices(body.type, baseUrl, body.prices)) ?? null,
      metadata: JSON.stringify(body.metadata ?? {}),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { name, type, prices } = row;
  const changes = { name, type, baseUrl, hasSecret: row.secret !== null, rateLimit, prices };
  await recordAudit(tx, caller, "connection.created", id, changes);
  return describe(row);
};

export const listConnections: OperationFunction<"listConnections"> = async (db, caller, { filters, page }) => {
  const { rows, next } = await connections.list(db, caller, page, filters);
  return { data: rows.map(describe), next };
};

export const getConnection: OperationFunction<"getConnection"> = async (db, caller, { params }) =>
  describe(await findConnection(db, caller, params.connectionId));

/** Members of `rateLimit` that are left out stay as they are. */
export const updateConnection: OperationFunction<"updateConnection", ConnectionParts> = async (
  tx,
  caller,
  { params, body },
  { sealer, queue, allowedOrigins },
) => {
  const { organizationId } = caller;
  const id = params.connectionId;
  const { name, rateLimit, prices, metadata, secret } = body;
  const baseUrl = body.baseUrl === undefined ? undefined : acceptBaseUrl(body.baseUrl, allowedOrigins);
  const before = await connections.lock(tx, caller, id);
  checkRateLimit(before.type, rateLimit);
  const ownPrices = prices === LIST_PRICES ? undefined : prices;
  checkPrices(before.type, ownPrices);
  // A new address is one of another provider, perhaps.
  const isListed = prices === LIST_PRICES || (prices === undefined && usesList(before.prices));
  if (isListed) checkListed(before.type, baseUrl ?? before.baseUrl);
  if (baseUrl !== undefined && secret === undefined) checkSecretMayMove(before, baseUrl);
  const row = await connections.update(tx, caller, id, {
    name,
    baseUrl,
    ...(secret === undefined ? {} : secretColumns(sealer, organizationId, id, secret)),
    ...rateLimit,
    prices: json(prices === LIST_PRICES ? { list: true } : prices),
    metadata: json(metadata),
  });
  if (isOther(sealer, before, secret, baseUrl)) {
    await forgetLimiters(tx, organizationId, id);
    const job: WakeJob = { organizationId, connectionId: id };
    await queue.enqueue(tx, WAKE_QUEUE, job);
  }
  const { secret: _secret, ...shown } = body;
  const address = baseUrl === undefined ? {} : { baseUrl };
  const hasSecret = secret === undefined ? {} : { hasSecret: secret !== null };
  await recordAudit(tx, caller, "connection.updated", id, { ...shown, ...address, ...hasSecret });
  return describe(row);
};

/** The row stays, for the sake of what was paid through it; the secret does not. */
export const deleteConnection: OperationFunction<"deleteConnection"> = async (tx, caller, { params }) => {
  const { organizationId } = caller;
  const id = params.connectionId;
  await connections.lock(tx, caller, id);
  const [runId] = await findUnfinishedRuns(tx, organizationId, id, 1);
  if (runId !== undefined)
    throw new ApiError(
      "resource_in_use",
      `The run ${formatId("run", runId)} has not ended and needs this connection: cancel it, or wait for its end.`,
    );
  await connections.update(tx, caller, id, { deletedAt: sharedNow(), secret: null, redactedSecret: null });
  await recordAudit(tx, caller, "connection.deleted", id);
  return undefined;
};

/** The same secret or address, sent again, changes nothing that was said of it. A lost secret is another one. */
function isOther(
  sealer: Sealer,
  before: ConnectionRow,
  secret: string | null | undefined,
  baseUrl: string | undefined,
): boolean {
  if (baseUrl !== undefined && baseUrl !== before.baseUrl) return true;
  if (secret === undefined) return false;
  const known = openSecret(sealer, before);
  return known.isSecretLost === true || known.secret !== secret;
}

const secretColumns = (sealer: Sealer, organizationId: string, id: string, secret: string | null) =>
  secret === null
    ? { secret: null, redactedSecret: null }
    : { secret: sealSecret(sealer, organizationId, id, secret), redactedSecret: redact(secret) };

function storedPrices(
  type: ConnectionType,
  baseUrl: string,
  prices: ConnectionPrices | typeof LIST_PRICES | null | undefined,
): StoredPrices | null | undefined {
  if (prices !== LIST_PRICES) return prices;
  checkListed(type, baseUrl);
  return { list: true };
}

const describe = (row: ConnectionRow): Connection => ({
  id: formatId("connection", row.id),
  name: row.name,
  type: row.type,
  baseUrl: row.baseUrl,
  hasSecret: row.secret !== null,
  redactedSecret: row.redactedSecret,
  rateLimit: { requestsPerMinute: row.requestsPerMinute, tokensPerMinute: row.tokensPerMinute },
  prices: pricesOf(row),
  priceList: usesList(row.prices) ? { asOf: priceListAsOf, ageDays: priceListAgeDays(sharedNow()) } : null,
  metadata: row.metadata,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

export const connectionOperations = {
  createConnection,
  listConnections,
  getConnection,
  updateConnection,
  deleteConnection,
};
