/** What the tests of alerts share. */
import { expect } from "vitest";
import type { AlertDelivery } from "@rowmill/contract/alert-deliveries";
import type { AlertRule, AlertRuleWithSecret } from "@rowmill/contract/alert-rules";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { waitFor } from "../../testing/wait.ts";

/** On `run.succeeded`, which the events of `recordTestEvents` are, and without a cooldown. */
export async function newRule(
  api: Api,
  destination: AlertRule["destination"],
  more: Record<string, unknown> = {},
): Promise<AlertRuleWithSecret> {
  const created = await api<AlertRuleWithSecret>("POST", "/v1/alert-rules", {
    body: { name: "Night shift", eventType: "run.succeeded", destination, cooldownSeconds: 0, ...more },
  });
  expectStatus(created, 201);
  return created.body;
}

/** All of the rule, oldest first. */
export async function alertsOf(api: Api, ruleId: string, query = ""): Promise<AlertDelivery[]> {
  const response = await api<{ data: AlertDelivery[] }>(
    "GET",
    `/v1/alert-deliveries?alertRuleId=${ruleId}&limit=1000${query}`,
  );
  expectStatus(response, 200);
  return response.body.data.toReversed();
}

/** Waits until the rule has so many deliveries and none of them is pending. */
export async function endedAlerts(api: Api, ruleId: string, count: number): Promise<AlertDelivery[]> {
  return waitFor(async () => {
    const alerts = await alertsOf(api, ruleId);
    expect(alerts).toHaveLength(count);
    expect(alerts.filter(({ status }) => status === "pending")).toEqual([]);
    return alerts;
  });
}
