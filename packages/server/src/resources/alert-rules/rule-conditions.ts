/** Which events a rule is about: their type, and the filter that they pass. */
import { alertableEventTypes } from "@rowmill/contract/events";
import { MAX_SOURCE_BYTES } from "../../platform/conditions/condition-limits.ts";
import type { Conditions } from "../../platform/conditions/conditions.ts";
import { ApiError } from "../../platform/http/errors.ts";
import { didYouMean } from "../../platform/nearest-name.ts";

export function checkEventType(type: string): void {
  if (alertableEventTypes.some((known) => known === type)) return;
  throw new ApiError(
    "event_type_unknown",
    `There is no event type ${JSON.stringify(type)} for alert rules.${didYouMean(type, alertableEventTypes)} Types are ${alertableEventTypes.join(", ")}.`,
    { param: "eventType" },
  );
}

export async function checkFilter(
  conditions: Conditions,
  organizationId: string,
  filter: string | null | undefined,
): Promise<void> {
  if (filter === undefined || filter === null) return;
  const problem =
    // Not even sent to the thread.
    filter.length > MAX_SOURCE_BYTES
      ? `The expression is longer than ${MAX_SOURCE_BYTES} bytes.`
      : await conditions.check({ source: filter, variable: "event" }, { organizationId, ownerId: "alert rules" });
  if (problem !== undefined) throw new ApiError("condition_invalid", problem, { param: "filter" });
}
