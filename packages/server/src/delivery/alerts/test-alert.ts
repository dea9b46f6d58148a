/**
 * The test of a rule: one attempt now, outside any transaction, recorded as a delivery of its own. Neither filter nor trigger
 * is asked, nothing is repeated, and no cooldown begins.
 */
import type { EventEnvelope } from "@rowmill/contract/event-payloads";
import type { AlertRule } from "@rowmill/contract/alert-rules";
import { ConcurrencyGate } from "../../platform/http/concurrency-gate.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import { newUuid } from "../../platform/ids.ts";
import { recordAudit } from "../../resources/audit-events/audit-events.ts";
import { makeTestPayload } from "../webhooks/test-events.ts";
import { makeAlert } from "./alert.ts";
import { describeDelivery } from "../../resources/alert-rules/alert-deliveries.ts";
import { findRule } from "../../resources/alert-rules/alert-rules.ts";
import { attemptAlert } from "./alert-attempt.ts";
import type { AttemptParts } from "./alert-attempt.ts";
import { storableJson } from "../../platform/text.ts";
import { sharedNow } from "../../platform/shared-time.ts";

/** Of one organization, in this process: each may hold a request for 30 seconds. */
const AT_ONCE_PER_ORGANIZATION = 4;

export function createTestAlert(parts: AttemptParts): PrepareFunction<"testAlertRule"> {
  const gate = new ConcurrencyGate({
    atOnce: AT_ONCE_PER_ORGANIZATION,
    refusal: (count) => `${count} tests are under way: wait for their responses.`,
    retryAfterSeconds: 2,
  });

  return async (db, caller, { params }) => {
    const { organizationId } = caller;
    const rule = await findRule(db, caller, params.alertRuleId);
    const id = newUuid();
    const eventId = newUuid();
    const now = sharedNow();
    const type = rule.eventType as AlertRule["eventType"]; // checked when it was stored
    const payload = makeTestPayload(organizationId, newUuid(), type, eventId, now);
    const envelope = JSON.parse(payload) as EventEnvelope; // as just made
    const alert = JSON.stringify(
      makeAlert({ deliveryId: id, rule, envelope, eventCount: 1, since: now, isTest: true }),
    );
    const result = await gate.run(organizationId, () => attemptAlert(parts, { rule, alert }));
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
          updatedAt: sharedNow(),
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordAudit(tx, caller, "alert_rule.tested", rule.id, {
        outcome: record.outcome,
        responseStatus: record.responseStatus,
      });
      return describeDelivery(row);
    };
  };
}
