/**
 * What events carry, one schema for each type: `data` of the envelope that webhooks, live streams and alert rules show. Ids, states and
 * counts, never contents of rows. The service records no other members (`recordEvent` is typed by these schemas), `openapi.json` has each
 * type under `webhooks`, and the client's union of events is generated from there.
 */
import { Type } from "typebox";
import type { Static, TSchema } from "typebox";
import { disabledReasons } from "./webhook-endpoints.ts";
import { alertableEventTypes, deliverableEventTypes, eventTypes } from "./events.ts";
import type { DeliverableEventType } from "./events.ts";
import { exportFormats, exportTypes } from "./exports.ts";
import { failureCodeNames } from "./failures.ts";
import { stateReasonNames } from "./run-reasons.ts";
import { terminalRunStates } from "./runs.ts";
import { Enum, Id, Integer, SafeCount, Timestamp, component } from "./schemas.ts";

/** Absolute for receivers. Stored as the path alone: the public URL of the service is added when the event is shown or delivered. */
const Url = (path: string) =>
  Type.String({
    description: "Where to read more, with an API key.",
    examples: [`https://rowmill.example.com${path}`],
  });

const exampleUrl = Url("/v1/runs/run_01jd3v8m7qe6t9yb4c2xk5w0hz");

const run = <const States extends readonly string[]>(...states: States) => ({
  object: Type.Literal("run"),
  id: Id("run"),
  url: exampleUrl,
  state: Enum(states),
});

const row = <const State extends string>(state: State) => ({
  object: Type.Literal("run_row"),
  runId: Id("run"),
  datasetRowId: Id("row"),
  index: Integer({ description: "Of the row in its dataset, from 0." }),
  state: Enum([state]),
  url: exampleUrl,
});

const RowDigest = Type.Object(
  {
    object: Type.Literal("run_row_digest"),
    runId: Id("run"),
    count: Integer({ minimum: 1, description: "How many rows this event stands for." }),
    url: exampleUrl,
  },
  { description: "Stands for many rows of one run: after the first thousand, an endpoint gets digests." },
);

/** Either, distinguished by `object`. */
const Either = <const A extends TSchema, const B extends TSchema>(a: A, b: B) =>
  Type.Unsafe<Static<A> | Static<B>>({ type: "object", anyOf: [a, b] });

const exported = <const Status extends string>(status: Status) =>
  Type.Object({
    object: Type.Literal("export"),
    id: Id("export"),
    runId: Id("run"),
    type: Enum(exportTypes),
    format: Enum(exportFormats),
    status: Enum([status]),
    url: Url("/v1/exports/exp_01jd3v8m7qe6t9yb4c2xk5w0hz"),
  });

const dataset = <const State extends string>(state: State) =>
  Type.Object({
    object: Type.Literal("dataset"),
    id: Id("dataset"),
    url: Url("/v1/datasets/ds_01jd3v8m7qe6t9yb4c2xk5w0hz"),
    state: Enum([state]),
  });

const endpoint = {
  object: Type.Literal("webhook_endpoint"),
  id: Id("webhookEndpoint"),
  url: Url("/v1/webhook-endpoints/whe_01jd3v8m7qe6t9yb4c2xk5w0hz"),
};

export const eventPayloads = {
  "run.created": Type.Object(run("queued")),
  "run.started": Type.Object(run("running")),
  "run.paused": Type.Object({
    ...run("paused"),
    reason: Enum(stateReasonNames, { description: "Why, as the run's `stateReason`. Others may come." }),
  }),
  "run.resumed": Type.Object(run("running", "queued")),
  "run.succeeded": Type.Object(run("succeeded")),
  "run.partially_succeeded": Type.Object(run("partially_succeeded")),
  "run.failed": Type.Object(run("failed")),
  "run.canceled": Type.Object(run("canceled")),
  "run.expired": Type.Object(run("expired")),
  "run.finished": Type.Object(run(...terminalRunStates)),
  "row.succeeded": Either(Type.Object(row("succeeded")), RowDigest),
  "row.failed": Either(
    Type.Object({
      ...row("failed"),
      code: Enum(failureCodeNames, { description: "Of the row's failure. Others may come." }),
      retryable: Type.Boolean({ description: "Whether the same attempt may succeed later." }),
    }),
    RowDigest,
  ),
  "export.ready": exported("ready"),
  "export.failed": exported("failed"),
  "dataset.ready": dataset("ready"),
  "dataset.failed": dataset("failed"),
  "bulk_action.finished": Type.Object({
    object: Type.Literal("bulk_action"),
    id: Id("bulkAction"),
    url: Url("/v1/bulk-actions/bulk_01jd3v8m7qe6t9yb4c2xk5w0hz"),
    state: Enum(["completed", "aborted", "failed"]),
    done: SafeCount("Targets that the action was applied to."),
    skipped: SafeCount("Targets to which it did not apply."),
    failed: SafeCount("Targets that it failed for."),
  }),
  "test.ping": Type.Object({ object: Type.Literal("test"), url: endpoint.url }),
  "webhook_endpoint.failing": Type.Object({
    ...endpoint,
    failingSince: Timestamp("Every delivery since then has failed."),
    failedDeliveries: SafeCount("Deliveries that have failed since then; retries of one delivery count once."),
    percentOfLimit: Integer({ description: "50, 70 or 90: the share of the time after which it is disabled." }),
    disabledAtEarliest: Timestamp("When that time is over."),
  }),
  "webhook_endpoint.disabled": Type.Object({
    ...endpoint,
    enabled: Type.Literal(false),
    disabledReason: Enum(disabledReasons, { description: "Others may come." }),
  }),
} as const satisfies Record<DeliverableEventType, TSchema>;

/** What events of these types carry. */
export type EventData<T extends DeliverableEventType = DeliverableEventType> = {
  [K in T]: Static<(typeof eventPayloads)[K]>;
}[T];

interface EnvelopeOf<T extends DeliverableEventType> {
  /** `evt_…`: the same on every attempt and replay. */
  id: string;
  type: T;
  apiVersion: "v1";
  createdAt: string;
  organizationId: string;
  /** True for events of the test routes. */
  test: boolean;
  data: EventData<T>;
}

/** An event as it is delivered: `type` decides which members `data` has. */
export type EventEnvelope<T extends DeliverableEventType = DeliverableEventType> = {
  [K in T]: EnvelopeOf<K>;
}[T];

const envelope = {
  apiVersion: Type.Literal("v1"),
  createdAt: Timestamp(),
  organizationId: Id("organization"),
  test: Type.Boolean({ description: "True for events of the test routes: their ids belong to nothing." }),
};

/** `run.partially_succeeded` is RunPartiallySucceededEvent. */
const componentName = (type: DeliverableEventType): string =>
  `${type.replaceAll(/(?:^|[._])([a-z])/g, (_match, letter: string) => letter.toUpperCase())}Event`;

/** The whole body of a delivery, by type. */
export const eventSchemas = deliverableEventTypes.map((type) => ({
  type,
  schema: component(
    componentName(type),
    Type.Object(
      { id: Id("event"), type: Type.Literal(type), ...envelope, data: eventPayloads[type] },
      { description: eventTypes[type].meaning },
    ),
  ),
}));

/** What a webhook destination of an alert rule gets. */
export const AlertSchema = component(
  "AlertTriggeredEvent",
  Type.Object(
    {
      id: Id("alertDelivery", "The same on every attempt."),
      type: Type.Literal("alert.triggered"),
      ...envelope,
      data: Type.Object({
        object: Type.Literal("alert"),
        alertRuleId: Id("alertRule"),
        alertRuleName: Type.String(),
        title: Type.String({ description: "What happened, in a few words." }),
        eventType: Enum(alertableEventTypes),
        eventCount: Integer({ minimum: 1 }),
        since: Timestamp("Of the first of the events."),
        url: exampleUrl,
        event: Type.Unsafe<EventEnvelope>({
          description: "The event that made the rule fire; of several, the last.",
          oneOf: eventSchemas.map(({ schema }) => schema),
        }),
      }),
    },
    { description: "An alert rule fired." },
  ),
);
export type Alert = Static<typeof AlertSchema>;
