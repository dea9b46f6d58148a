/** Organizations: the tenants. Made, listed and suspended by the admin. */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import type { Organization, OrganizationLimit } from "@rowmill/contract/organizations";
import { organizationLimits } from "@rowmill/contract/organizations";
import { assignments } from "../../platform/database/assignments.ts";
import { UNIQUE_VIOLATION, pgCode, sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { indexName, oneMore } from "../../platform/http/newest-first.ts";
import { fittedPage } from "../../platform/http/pages.ts";
import { formatId, newUuid } from "../../platform/ids.ts";
import { showUsd } from "../../platform/usd.ts";
import type { DefaultLimits } from "../../services.ts";
import { recordAudit } from "../audit-events/audit-events.ts";

interface OrganizationParts {
  limits: DefaultLimits;
}

export const createOrganization: OperationFunction<"createOrganization", OrganizationParts> = (
  tx,
  caller,
  { body },
  parts,
) => insertOrganization(tx, caller, body, parts);

export async function insertOrganization(
  tx: Transaction,
  caller: Caller,
  body: Input<Operations["createOrganization"]>["body"],
  { limits }: OrganizationParts,
): Promise<Organization> {
  const id = newUuid();
  try {
    await tx
      .insertInto("organizations")
      .values({ id, name: body.name, slug: body.slug ?? null, metadata: JSON.stringify(body.metadata ?? {}) })
      .execute();
  } catch (error) {
    if (pgCode(error) !== UNIQUE_VIOLATION) throw error;
    throw new ApiError("already_exists", `There is an organization with the slug "${body.slug}".`, { param: "slug" });
  }
  await recordAudit(
    tx,
    caller,
    "organization.created",
    { organizationId: id, id },
    { name: body.name, slug: body.slug ?? null },
  );
  return findOrganization(tx, id, limits);
}

export const listOrganizations: OperationFunction<"listOrganizations", OrganizationParts> = async (
  db,
  _caller,
  { page },
  { limits },
) => {
  const { limit, after } = oneMore(page);
  const found = await db
    .selectFrom("organizations")
    .select("id")
    .$if(after !== undefined, (q) => q.where("id", "<", String(after?.[0])))
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  const { rows, next } = fittedPage(found, page, (row) => [row.id]);
  const ids = rows.map(({ id }) => id);
  return { data: await describe(db, limits, ids), next };
};

export const getOrganization: OperationFunction<"getOrganization", OrganizationParts> = (
  db,
  _caller,
  { params },
  { limits },
) => findOrganization(db, params.organizationId, limits);

async function findOrganization(db: Queryable, id: string, defaults: DefaultLimits): Promise<Organization> {
  const [organization] = await describe(db, defaults, [id]);
  if (!organization) throw notFound("organization");
  return organization;
}

export const updateOrganization: OperationFunction<"updateOrganization", OrganizationParts> = async (
  tx,
  caller,
  { params, body },
  { limits },
) => {
  const id = params.organizationId;
  const ofAdmin = (["state", "limits"] as const).find((name) => body[name] !== undefined);
  if (caller.kind === "organization" && ofAdmin !== undefined)
    throw new ApiError("admin_required", `Only the admin key may change \`${ofAdmin}\`.`, { param: ofAdmin });
  const changes = {
    name: body.name,
    state: body.state,
    limits: body.limits === undefined ? undefined : sql`limits || ${JSON.stringify(body.limits)}::jsonb`,
    metadata: body.metadata === undefined ? undefined : JSON.stringify(body.metadata),
    updatedAt: new Date(),
  };
  const updated = await sql`update organizations set ${assignments(changes)} where id = ${id}`.execute(tx);
  if (updated.numAffectedRows === 0n) throw notFound("organization");
  await recordAudit(
    tx,
    caller,
    body.state === "suspended" ? "organization.suspended" : "organization.updated",
    { organizationId: id, id },
    body,
  );
  return findOrganization(tx, id, limits);
};

/** The organization's own limit, or the service's. */
export async function limitOf(
  db: Queryable,
  organizationId: string,
  name: OrganizationLimit,
  defaults: DefaultLimits,
): Promise<number> {
  const row = await db.selectFrom("organizations").select("limits").where("id", "=", organizationId).executeTakeFirst();
  return row?.limits[name] ?? defaults[name] ?? Number.POSITIVE_INFINITY;
}

async function describe(db: Queryable, defaults: DefaultLimits, ids: string[]): Promise<Organization[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom("organizations as o")
    .selectAll("o")
    .select((eb) => [
      // In the order of one index: others have the unfinished runs of all organizations.
      sql<number>`(select count(*) from (
        select from runs where organization_id = o.id and finished_at is null order by ${indexName("runs", ["unfinished"])}) r)`.as(
        "runsInProgress",
      ),
      eb
        .selectFrom("apiKeys as k")
        .whereRef("k.organizationId", "=", "o.id")
        .where("k.revokedAt", "is", null)
        .where((w) => w.or([w("k.expiresAt", "is", null), w("k.expiresAt", ">", new Date())]))
        .select(eb.fn.countAll<number>().as("n"))
        .as("apiKeys"),
      eb.selectFrom("datasetCounts as d").whereRef("d.organizationId", "=", "o.id").select("d.datasets").as("datasets"),
      eb
        .selectFrom("webhookEndpoints as w")
        .whereRef("w.organizationId", "=", "o.id")
        .where("w.deletedAt", "is", null)
        .select(eb.fn.countAll<number>().as("n"))
        .as("webhookEndpoints"),
      eb.selectFrom("storageUsage as u").whereRef("u.organizationId", "=", "o.id").select("u.bytes").as("storageBytes"),
    ])
    .where("o.id", "in", ids)
    .orderBy("o.id", "desc")
    .execute();
  const usedThisMonth = await addUpThisMonth(db, ids);
  return rows.map((row) => ({
    id: formatId("organization", row.id),
    name: row.name,
    slug: row.slug,
    state: row.state,
    limits: Object.fromEntries(
      (Object.keys(organizationLimits) as OrganizationLimit[]).map((name) => [
        name,
        row.limits[name] ?? defaults[name] ?? null,
      ]),
    ),
    usage: {
      runsInProgress: row.runsInProgress ?? 0,
      webhookEndpoints: row.webhookEndpoints ?? 0,
      apiKeys: row.apiKeys ?? 0,
      datasets: row.datasets ?? 0,
      storageBytes: Math.max(0, row.storageBytes ?? 0),
      thisMonth: usedThisMonth.get(row.id) ?? { requests: 0, inputTokens: 0, outputTokens: 0, costUsd: showUsd("0") },
    },
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }));
}

type MonthUsage = Organization["usage"]["thisMonth"];

async function addUpThisMonth(db: Queryable, ids: string[]): Promise<Map<string, MonthUsage>> {
  const { rows } = await sql<
    Omit<MonthUsage, "costUsd"> & { organizationId: string; unpriced: number; costUsd: string }
  >`
    select organization_id, sum(requests)::bigint as requests, sum(input_tokens)::bigint as input_tokens,
      sum(output_tokens)::bigint as output_tokens, sum(unpriced_requests)::bigint as unpriced, sum(cost_usd)::text as cost_usd
    from usage_days
    where organization_id = any(${ids}) and day >= date_trunc('month', now() at time zone 'UTC')::date
    group by organization_id`.execute(db);
  return new Map(
    rows.map(({ organizationId, unpriced, costUsd, ...sums }) => [
      organizationId,
      // A part of the costs would pass for all of them.
      { ...sums, costUsd: unpriced > 0 ? null : showUsd(costUsd) },
    ]),
  );
}

export const organizationOperations = { createOrganization, listOrganizations, getOrganization, updateOrganization };
