/** Organizations: the tenants. Made, listed and suspended by the admin. */
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import type { Organization, OrganizationLimit } from "@rowmill/contract/organizations";
import { assignments } from "../../platform/database/assignments.ts";
import { UNIQUE_VIOLATION, pgCode, sql } from "../../platform/database/database.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import { ApiError, notFound } from "../../platform/http/errors.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { oneMore } from "../../platform/http/newest-first.ts";
import { fittedPage } from "../../platform/http/pages.ts";
import { newUuid } from "../../platform/ids.ts";
import type { DefaultLimits } from "../../services.ts";
import { recordAudit } from "../audit-events/audit-events.ts";
import { showOrganizations } from "./show-organizations.ts";
import { sharedNow } from "../../platform/shared-time.ts";

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
  return { data: await showOrganizations(db, limits, ids), next };
};

export const getOrganization: OperationFunction<"getOrganization", OrganizationParts> = (
  db,
  _caller,
  { params },
  { limits },
) => findOrganization(db, params.organizationId, limits);

async function findOrganization(db: Queryable, id: string, defaults: DefaultLimits): Promise<Organization> {
  const [organization] = await showOrganizations(db, defaults, [id]);
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
    updatedAt: sharedNow(),
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

export const organizationOperations = { createOrganization, listOrganizations, getOrganization, updateOrganization };
