/** Alert rules as the console shows them. */
import { queryOptions } from "@tanstack/react-query";
import type { AlertRule, Body } from "@rowmill/client";
import { rowmill } from "./client.ts";
import { duration, plural } from "./format.ts";

export type RuleBody = Body<"createAlertRule">;
export type Trigger = AlertRule["trigger"];
export type Destination = AlertRule["destination"];

export const ruleQuery = (id: string) =>
  queryOptions({ queryKey: ["alerts", id], queryFn: () => rowmill.alertRules.get(id) });

/** Types that alerts are about most often; any other is in the list, too. */
export const COMMON_TYPES = [
  "run.failed",
  "run.partially_succeeded",
  "run.paused",
  "row.failed",
  "webhook_endpoint.failing",
];

export const describeTrigger = (trigger: Trigger): string =>
  trigger.type === "each"
    ? "at each event"
    : `at ${plural(trigger.count, "event")} within ${duration(trigger.windowSeconds)}`;

const PLACES: Record<Destination["type"], string> = { webhook: "Webhook", slack: "Slack", email: "E-mail" };
export const destinationTypes = Object.keys(PLACES) as Destination["type"][];
export const placeName = (type: Destination["type"]): string => PLACES[type];
export const describeDestination = (destination: Destination): string =>
  destination.type === "email" ? destination.to.join(", ") : destination.url;
