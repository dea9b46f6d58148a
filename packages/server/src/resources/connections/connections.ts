/** Connections: named credentials of a model provider or an HTTP service. The secret goes in and never comes out. */
import type { Operations } from "@rowmill/contract";
import { ANTHROPIC_BASE_URL, LIST_PRICES } from "@rowmill/contract/connections";
import type { Connection, ConnectionPrices, ConnectionType } from "@rowmill/contract/connections";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import { isTerminal, runStates } from "@rowmill/contract/runs";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { ConnectionsTable } from "../../platform/database/tables.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import { readPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import type { Sealer } from "../../platform/secrets/sealing.ts";
import { lockOrganization } from "../organizations/lock-organization.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { priceListAgeDays, priceListAsOf, pricesOf, usesList } from "../model-prices/model-prices.ts";
import type { StoredPrices } from "../model-prices/model-prices.ts";
import { acceptBaseUrl, checkListed, checkPrices, checkRateLimit, checkSecretMayMove } from "./connection-rules.ts";
import { redact, sealSecret } from "./connection-secrets.ts";

/** Each model of each may be limited on its own, and people choose from the list; nobody has so many providers. */
const MAX_CONNECTIONS = 200;

export type ConnectionRow = Selectable<ConnectionsTable>;

export interface ConnectionParts {
  sealer: Sealer;
  /** Admitted by the operator. */
  allowedOrigins: ReadonlySet<string>;
}

export async function createConnection(
  tx: Transaction,
  caller: OrganizationCaller,
  { sealer, allowedOrigins }: ConnectionParts,
  body: Input<Operations["createConnection"]>["body"],
): Promise<Connection> {
  const { organizationId } = caller;
  const baseUrl = acceptBaseUrl(body.baseUrl ?? ANTHROPIC_BASE_URL, allowedOrigins);
  await checkConnectionLimit(tx, organizationId);
  const id = newUuid();
  const now = new Date();
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
      prices: toJson(storedPrices(body.type, baseUrl, body.prices)),
      metadata: JSON.stringify(body.metadata ?? {}),
      createdAt: now,
      updatedAt: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { name, type, prices } = row;
  await recordAudit(tx, caller, {
    organizationId,
    type: "connection.created",
    targetType: "connection",
    targetId: formatId("connection", id),
    changes: { name, type, baseUrl, hasSecret: row.secret !== null, rateLimit, prices },
  });
  return describe(row);
}

export async function listConnections(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { type, name }: Input<Operations["listConnections"]>["filters"],
  page: Page,
): Promise<PageOf<Connection>> {
  const { rows, next } = await readPage(
    (part) =>
      db
        .selectFrom("connections")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .$if(type !== undefined, (q) => q.where("type", "in", type ?? []))
        .$if(name !== undefined, (q) => q.where("name", "=", name ?? ""))
        .$if(part.after !== undefined, (q) => q.where("id", "<", String(part.after?.[0])))
        .orderBy("id", "desc"),
    page,
    (row) => [row.id],
  );
  return { data: rows.map(describe), next };
}

export async function getConnection(db: Queryable, caller: OrganizationCaller, id: string): Promise<Connection> {
  return describe(await findConnection(db, caller.organizationId, id));
}

export async function findConnection(db: Queryable, organizationId: string, id: string): Promise<ConnectionRow> {
  const row = await connectionQuery(db, organizationId, id).executeTakeFirst();
  if (!row) throw notFound("connection");
  return row;
}

async function lockConnection(tx: Transaction, organizationId: string, id: string): Promise<ConnectionRow> {
  const row = await connectionQuery(tx, organizationId, id).forUpdate().executeTakeFirst();
  if (!row) throw notFound("connection");
  return row;
}

const connectionQuery = (db: Queryable, organizationId: string, id: string) =>
  db
    .selectFrom("connections")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .where("deletedAt", "is", null);

/** Members of `rateLimit` that are left out stay as they are. */
export async function updateConnection(
  tx: Transaction,
  caller: OrganizationCaller,
  { sealer, allowedOrigins }: ConnectionParts,
  id: string,
  body: Input<Operations["updateConnection"]>["body"],
): Promise<Connection> {
  const { organizationId } = caller;
  const { name, rateLimit, prices, metadata, secret } = body;
  const baseUrl = body.baseUrl === undefined ? undefined : acceptBaseUrl(body.baseUrl, allowedOrigins);
  const before = await lockConnection(tx, organizationId, id);
  checkRateLimit(before.type, rateLimit);
  const ownPrices = prices === LIST_PRICES ? undefined : prices;
  checkPrices(before.type, ownPrices);
  // A new address is one of another provider, perhaps.
  const isListed = prices === LIST_PRICES || (prices === undefined && usesList(before.prices));
  if (isListed) checkListed(before.type, baseUrl ?? before.baseUrl);
  if (baseUrl !== undefined && secret === undefined) checkSecretMayMove(before, baseUrl);
  const row = await tx
    .updateTable("connections")
    .set({
      ...(name === undefined ? {} : { name }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(secret === undefined ? {} : secretColumns(sealer, organizationId, id, secret)),
      ...rateLimit,
      ...(prices === undefined ? {} : { prices: toJson(prices === LIST_PRICES ? { list: true } : prices) }),
      ...(metadata === undefined ? {} : { metadata: JSON.stringify(metadata) }),
      updatedAt: new Date(),
    })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirstOrThrow();
  const { secret: _secret, ...shown } = body;
  await recordAudit(tx, caller, {
    organizationId,
    type: "connection.updated",
    targetType: "connection",
    targetId: formatId("connection", id),
    changes: {
      ...shown,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(secret === undefined ? {} : { hasSecret: secret !== null }),
    },
  });
  return describe(row);
}

/** The row stays, for the sake of what was paid through it; the secret does not. */
export async function deleteConnection(tx: Transaction, caller: OrganizationCaller, id: string): Promise<undefined> {
  const { organizationId } = caller;
  await lockConnection(tx, organizationId, id);
  const run = await findUnfinishedRun(tx, organizationId, id);
  if (run !== undefined)
    throw new ApiError(
      "resource_in_use",
      `The run ${formatId("run", run.id)} has not ended and needs this connection: cancel it, or wait for its end.`,
    );
  await tx
    .updateTable("connections")
    .set({ deletedAt: new Date(), secret: null, redactedSecret: null })
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .execute();
  await recordAudit(tx, caller, {
    organizationId,
    type: "connection.deleted",
    targetType: "connection",
    targetId: formatId("connection", id),
  });
  return undefined;
}

const UNFINISHED = runStates.filter((state) => !isTerminal(state));

/** One whose version of its job spec may call the connection. */
async function findUnfinishedRun(
  tx: Transaction,
  organizationId: string,
  id: string,
): Promise<{ id: string } | undefined> {
  const { rows } = await sql<{ id: string }>`
    select r.id from runs r
    join job_spec_versions v
      on (v.organization_id, v.job_spec_id, v.version) = (r.organization_id, r.job_spec_id, r.job_spec_version)
    where r.organization_id = ${organizationId} and r.deleted_at is null and r.state = any(${UNFINISHED})
      and ${formatId("connection", id)} = any(v.connection_ids)
    limit 1`.execute(tx);
  return rows[0];
}

async function checkConnectionLimit(tx: Transaction, organizationId: string): Promise<void> {
  await lockOrganization(tx, organizationId);
  const { count } = await tx
    .selectFrom("connections")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .executeTakeFirstOrThrow();
  if (count >= MAX_CONNECTIONS)
    throw new ApiError(
      "limit_reached",
      `The organization has ${count} connections, and no more than ${MAX_CONNECTIONS} are possible. Delete one.`,
    );
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

const toJson = (value: object | null | undefined): string | null =>
  value === null || value === undefined ? null : JSON.stringify(value);

const describe = (row: ConnectionRow): Connection => ({
  id: formatId("connection", row.id),
  name: row.name,
  type: row.type,
  baseUrl: row.baseUrl,
  hasSecret: row.secret !== null,
  redactedSecret: row.redactedSecret,
  rateLimit: { requestsPerMinute: row.requestsPerMinute, tokensPerMinute: row.tokensPerMinute },
  prices: pricesOf(row),
  priceList: usesList(row.prices) ? { asOf: priceListAsOf, ageDays: priceListAgeDays(new Date()) } : null,
  metadata: row.metadata,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
