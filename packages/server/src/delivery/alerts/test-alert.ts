/**
 * The test of a rule: one attempt now, outside any transaction, recorded as a delivery of its own. Neither filter nor trigger
 * is asked, nothing is repeated, and no cooldown begins.
 */
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import type { AlertRule } from "@rowmill/contract/alert-rules";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable, Transaction } from "../../platform/database/database.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { newUuid } from "../../platform/ids.ts";
import { recordAudit } from "../../resources/audit-events/audit-events.ts";
import { makeTestPayload } from "../webhooks/test-events.ts";
import { makeAlert } from "./alert.ts";
import { describeDelivery } from "../../resources/alert-rules/alert-deliveries.ts";
import { findRule } from "../../resources/alert-rules/alert-rules.ts";
import { attemptAlert } from "./alert-attempt.ts";
import type { AttemptTools } from "./alert-attempt.ts";
import { storableJson } from "../../platform/text.ts";

/** Of one organization, in this process: each may hold a request for 30 seconds. */
const AT_ONCE_PER_ORGANIZATION = 4;

export type TestAlert = (
  db: Queryable,
  caller: OrganizationCaller,
  ruleId: string,
) => Promise<(tx: Transaction) => Promise<AlertDelivery>>;

export function createTestAlert(tools: AttemptTools): TestAlert {
  const inFlight = new Map<string, number>();

  return async (db, caller, ruleId) => {
    const { organizationId } = caller;
    const rule = await findRule(db, organizationId, ruleId);
    const count = inFlight.get(organizationId) ?? 0;
    if (count >= AT_ONCE_PER_ORGANIZATION)
      throw new ApiError("rate_limited", `${count} tests are under way: wait for their responses.`, {
        retryAfterSeconds: 2,
      });
    const id = newUuid();
    const eventId = newUuid();
    const now = new Date();
    const type = rule.eventType as AlertRule["eventType"]; // checked when it was stored
    const payload = makeTestPayload(organizationId, newUuid(), type, eventId, now);
    const envelope = JSON.parse(payload) as EventEnvelope; // as just made
    const alert = JSON.stringify(
      makeAlert({ deliveryId: id, rule, envelope, eventCount: 1, since: now, isTest: true }),
    );
    inFlight.set(organizationId, count + 1);
    const result = await attemptAlert(tools, { rule, alert }).finally(() => {
      const left = (inFlight.get(organizationId) ?? 1) - 1;
      if (left === 0) inFlight.delete(organizationId);
      else inFlight.set(organizationId, left);
    });
    if (result === undefined)
      throw new ApiError("service_unavailable", "The service is stopping.", { retryAfterSeconds: 2 });
    const { record, isSuccess } = result;
    return async (tx) => {
      const row = await tx
        .insertInto("alertDeliveries")
        .values({
          organizationId,
          id,
          alertRuleId: rule.id,
          eventId,
          eventType: type,
          isTest: true,
          alert,
          status: isSuccess ? "succeeded" : "failed",
          attempts: storableJson([{ number: 1, ...record }]),
          attemptsMade: 1,
          createdAt: now,
          updatedAt: new Date(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordAudit(
        tx,
        caller,
        "alert_rule.tested",
        { organizationId, id: rule.id },
        { outcome: record.outcome, responseStatus: record.responseStatus },
      );
      return describeDelivery(row);
    };
  };
}
