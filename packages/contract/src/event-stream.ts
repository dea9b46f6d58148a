/** The live events of an organization, in one stream. */
import { Type } from "typebox";
import { alertableEventTypes, eventTypePatterns, eventTypes } from "./events.ts";
import type { EventType } from "./events.ts";
import { operation } from "./operation.ts";
import { Closed } from "./schemas.ts";
import type { Scope } from "./scopes.ts";

/** What a stream may ask for: types and patterns as webhook endpoints have them, and the counts of running runs. */
export const streamableEventTypes: readonly string[] = [...alertableEventTypes, "run.progress"];
export const streamablePatterns = eventTypePatterns.filter((pattern) => pattern !== "test.*");
/** Without `type`. Row events are written for those only who ask for them. */
export const defaultStreamPatterns = streamablePatterns.filter((pattern) => pattern !== "*" && pattern !== "row.*");

/** What a key needs to see events of these objects. */
const scopeOfObject = {
  run: "runs:read",
  run_row: "runs:read",
  export: "exports:read",
  dataset: "datasets:read",
  webhook_endpoint: "webhooks:read",
  bulk_action: "runs:read",
  test: "webhooks:read",
} as const satisfies Record<(typeof eventTypes)[EventType]["object"], Scope>;

export const scopeOfEventType = (type: EventType): Scope => scopeOfObject[eventTypes[type].object];

export const eventStreamOperations = {
  streamEvents: operation({
    method: "GET",
    path: "/v1/events/stream",
    tag: "Events",
    summary: "Follow the events of the organization as they happen",
    description:
      "Server-sent events. `data` is the envelope that webhooks deliver, byte for byte; `event` is its type, and `id` its position " +
      "in the organization's log. Without `Last-Event-ID` the stream begins with the next event; with the last `id` it goes on " +
      "after that one, without a gap, on any process; with `0` it begins with the oldest event that is stored. A heartbeat comes " +
      "every 15 seconds, may move `id` on, and has no data. Events that were asked for and are no longer stored are reported by a " +
      "message `stream.gap` with `data.missedFrom`, `data.missedTo` and `data.missed`: positions, some of which may have been of other types. The stream ends " +
      "after 30 minutes, when the service stops, and when its key is revoked or loses a scope: come again with `Last-Event-ID`. " +
      "A key sees the events of what it may read: `runs:read` for runs, rows and bulk actions, `exports:read`, `datasets:read`, `webhooks:read`; a type that " +
      "is named and may not be read is refused (403). `run.progress` has no `id` and is not stored: name it to get the counts of " +
      "runs in progress about once a second.",
    access: { by: "organization", scopes: [] },
    idempotency: "none",
    query: Closed({
      type: Type.Optional(
        Type.String({
          maxLength: 1000,
          description:
            "Types and patterns (`run.*`, `*`) as webhook endpoints have them, separated by commas. Without it: everything that the key " +
            "may read, but events of rows and `run.progress`.",
          examples: ["run.*,export.ready"],
        }),
      ),
      follow: Type.Optional(
        Type.Boolean({ description: "`false`: ends with the newest event there is, and waits for none." }),
      ),
    }),
    plain: true,
    response: { status: 200, contentType: "text/event-stream", description: "The events." },
    errors: [],
  }),
};
