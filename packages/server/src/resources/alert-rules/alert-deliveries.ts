/** Alert deliveries: one alert of a rule on its way to the rule's destination, or what a cooldown has suppressed. */
import { alertDeliveryStatuses } from "@rowmill/contract/alert-deliveries";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { Selectable } from "kysely";
import type { AlertDeliveriesTable } from "../../platform/database/alert-tables.ts";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { readNewest } from "../../platform/http/newest-first.ts";
import { formatId } from "../../platform/ids.ts";
import { resource } from "../resource.ts";

/** What was sent, and what came back. */
const large = ["alert", "attempts"] as const;

const deliveries = resource("alertDeliveries", { noun: "alert delivery", large });

export const listAlertDeliveries: OperationFunction<"listAlertDeliveries"> = async (
  db,
  { organizationId },
  { filters: { alertRuleId, status }, page },
) => {
  const isFiltered = alertRuleId !== undefined || status !== undefined;
  const { rows, next } = await readNewest(
    db,
    {
      table: "alertDeliveries",
      organizationId,
      large,
      is: { alertRuleId },
      in: isFiltered ? { status: status ?? alertDeliveryStatuses } : {},
    },
    page,
  );
  return { data: rows.map(describeDelivery), next };
};

export const getAlertDelivery: OperationFunction<"getAlertDelivery"> = async (db, caller, { params }) =>
  describeDelivery(await deliveries.find(db, caller, params.alertDeliveryId));

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

export const alertDeliveryOperations = { listAlertDeliveries, getAlertDelivery };
