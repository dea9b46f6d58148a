/** Alert deliveries: one alert of a rule on its way to the rule's destination, or what a cooldown has suppressed. */
import type { Operations } from "@rowmill/contract";
import { alertDeliveryStatuses } from "@rowmill/contract/alert-deliveries";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { Input, Page, PageOf } from "@rowmill/contract/operation";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { AlertDeliveriesTable } from "../../platform/database/alert-tables.ts";
import { notFound } from "../../platform/http/errors.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";

export async function listAlertDeliveries(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  { alertRuleId, status }: Input<Operations["listAlertDeliveries"]>["filters"],
  page: Page,
): Promise<PageOf<AlertDelivery>> {
  const isFiltered = alertRuleId !== undefined || status !== undefined;
  const { rows, next } = await readNewest(
    db,
    {
      table: "alertDeliveries",
      organizationId,
      is: { alertRuleId },
      in: isFiltered ? { status: status ?? alertDeliveryStatuses } : {},
    },
    page,
  );
  return { data: rows.map(describeDelivery), next };
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
