/** The log of a run, as a list and as a stream. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { eventTypeNames } from "./events.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter } from "./pagination.ts";
import { AnyObject, Enum, Id, Integer, Timestamp, component } from "./schemas.ts";

export const RunEventSchema = component(
  "RunEvent",
  Type.Object({
    id: Id("event"),
    sequence: Integer({ minimum: 1, description: "From 1 within the run, without gaps." }),
    type: Enum(eventTypeNames),
    runId: Id("run"),
    createdAt: Timestamp(),
    data: AnyObject,
  }),
);
export type RunEvent = Static<typeof RunEventSchema>;

const params = { runId: "run" } as const;
const read = { by: "organization", scopes: ["runs:read"] } as const;

export const runEventOperations = {
  listRunEvents: operation({
    method: "GET",
    path: "/v1/runs/{runId}/events",
    tag: "Run results",
    summary: "List the events of a run",
    description: "By `sequence`. Row events are not kept here: rows are records of their own.",
    access: read,
    idempotency: "none",
    params,
    filters: { type: enumFilter(eventTypeNames, "Events of these types.") },
    response: { status: 200, schema: ListOf(RunEventSchema) },
    errors: ["not_found"],
  }),
  streamRunEvents: operation({
    method: "GET",
    path: "/v1/runs/{runId}/events/stream",
    tag: "Run results",
    summary: "Follow the events of a run as they happen",
    description:
      "Server-sent events. `id` is the event's `sequence`, and `Last-Event-ID` takes the stream up after it; `run.progress` " +
      "carries counts about once a second, has no id and is not stored. The stream ends after the run's last event.",
    access: read,
    idempotency: "none",
    params,
    plain: true,
    response: { status: 200, contentType: "text/event-stream", description: "The events." },
    errors: ["not_found"],
  }),
};
