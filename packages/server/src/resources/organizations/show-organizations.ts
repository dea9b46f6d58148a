/** What the API shows of organizations: their limits, and what they use of them. */
import type { Organization, OrganizationLimit } from "@rowmill/contract/organizations";
import { organizationLimits } from "@rowmill/contract/organizations";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { indexName } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";
import { showUsd } from "../../platform/usd.ts";
import type { DefaultLimits } from "../../services.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** As the API shows them, newest first. */
export async function showOrganizations(
  db: Queryable,
  defaults: DefaultLimits,
  ids: string[],
): Promise<Organization[]> {
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
        .where((w) => w.or([w("k.expiresAt", "is", null), w("k.expiresAt", ">", sharedNow())]))
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
