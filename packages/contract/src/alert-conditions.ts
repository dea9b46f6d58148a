/** When an alert rule sends an alert: its type of event, filter, trigger and cooldown. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { alertableEventTypes } from "./events.ts";
import { Closed, OneOf, component } from "./schemas.ts";

/** A string, not an enum: an unknown type has an error of its own (422 `event_type_unknown`). */
export const alertedEventType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: `One of: ${alertableEventTypes.join(", ")}.`,
  examples: ["run.failed"],
});
/** Any length: the expression's rules decide, with an error of their own (422 `condition_invalid`). */
export const alertFilter = Type.String({
  description:
    "A CEL expression over `event`, the envelope: only events for which it is true count. Numbers are doubles; one that cannot be evaluated is not true, and `filterError` says why.",
  examples: ["event.data.state == 'failed'"],
});
export const alertCooldownSeconds = Type.Integer({
  minimum: 0,
  maximum: 7 * 86_400,
  description: "After an alert, further ones are suppressed for this many seconds (300).",
});

export const AlertTriggerSchema = component(
  "AlertTrigger",
  OneOf("type", [
    Closed({ type: Type.Literal("each") }, { description: "Every event that passes the filter." }),
    Closed(
      {
        type: Type.Literal("count"),
        count: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "So many events …" }),
        windowSeconds: Type.Integer({
          minimum: 1,
          maximum: 86_400,
          description: "… within this many seconds. Then counting starts again.",
        }),
      },
      { description: "A digest of row events counts as the rows it stands for." },
    ),
  ]),
);
export type AlertTrigger = Static<typeof AlertTriggerSchema>;
