/** Alert deliveries: one alert of a rule on its way to the rule's destination, or what a cooldown has suppressed. */
import type { Operations } from "@rowmill/contract";
import { alertDeliveryStatuses } from "@rowmill/contract/alert-deliveries";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { sql } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { AlertDeliveriesTable } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/http/errors.ts";
import { cutPage } from "../../platform/http/pages.ts";
import { formatId } from "../../platform/ids.ts";

/**
 * Newest first. A filter is spelled out into the single ranges of an index that it means, each of which is in the order of the
 * list; so a page costs the same however rare what it looks for is.
 */
export async function listAlertDeliveries(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { alertRuleId, status }: Input<Operations["listAlertDeliveries"]>["filters"],
  page: Page,
): Promise<PageOf<AlertDelivery>> {
  const after = page.after === undefined ? sql`true` : sql`d.id < ${String(page.after[0])}`;
  const limit = page.limit + 1;
  const ofRule = alertRuleId === undefined ? sql`true` : sql`d.alert_rule_id = ${alertRuleId}`;
  const ids = sql`select d.id from alert_deliveries d where d.organization_id = ${organizationId} and ${ofRule}`;
  const newest = sql`and ${after} order by d.id desc limit ${limit}`;
  const ranges =
    status === undefined && alertRuleId === undefined
      ? sql`${ids} ${newest}`
      : sql`select r.id from unnest(${status ?? alertDeliveryStatuses}::text[]) as s (status)
          cross join lateral (${ids} and d.status = s.status ${newest}) r`;
  const { rows } = await sql<Selectable<AlertDeliveriesTable>>`
    select * from alert_deliveries where organization_id = ${organizationId} and id in (
      select id from (${ranges}) found order by id desc limit ${limit})
    order by id desc`.execute(db);
  const cut = cutPage(rows, page, (row) => [row.id]);
  return { data: cut.rows.map(describeDelivery), next: cut.next };
}

export async function getAlertDelivery(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  id: string,
): Promise<AlertDelivery> {
  const row = await db
    .selectFrom("alertDeliveries")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!row) throw notFound("alert delivery");
  return describeDelivery(row);
}

export const describeDelivery = (row: Selectable<AlertDeliveriesTable>): AlertDelivery => ({
  id: formatId("alertDelivery", row.id),
  alertRuleId: formatId("alertRule", row.alertRuleId),
  eventId: formatId("event", row.eventId),
  eventType: row.eventType as AlertDelivery["eventType"], // rules are on no others
  eventCount: row.eventCount,
  test: row.isTest,
  status: row.status,
  attempts: row.attempts,
  nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
