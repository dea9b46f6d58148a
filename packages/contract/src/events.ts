/** Every event type: what happened, and whether it reaches webhook endpoints and alert rules or only a run's live stream. */
interface EventTypeEntry {
  object: "run" | "run_row" | "export" | "dataset" | "test" | "webhook_endpoint" | "bulk_action";
  meaning: string;
  /** Only sent to live streams, never stored or delivered. */
  streamOnly?: true;
}

export const eventTypes = {
  "run.created": { object: "run", meaning: "A run was created and is queued." },
  "run.started": { object: "run", meaning: "The first row of a run is being processed." },
  "run.progress": { object: "run", meaning: "Counts of a running run.", streamOnly: true },
  "run.paused": { object: "run", meaning: "A run was paused; `data.reason` says why." },
  "run.resumed": { object: "run", meaning: "A paused run continues." },
  "run.succeeded": { object: "run", meaning: "A run ended and no row failed." },
  "run.partially_succeeded": { object: "run", meaning: "A run ended with succeeded and failed rows." },
  "run.failed": {
    object: "run",
    meaning: "A run ended without a succeeded row, or was ended by its failure policy or an error.",
  },
  "run.canceled": { object: "run", meaning: "A run was canceled; finished rows are kept." },
  "run.expired": { object: "run", meaning: "A run passed its deadline." },
  "run.finished": { object: "run", meaning: "A run ended, in whatever way." },
  "row.succeeded": { object: "run_row", meaning: "A row succeeded." },
  "row.failed": { object: "run_row", meaning: "A row failed; its failure is a record of the run." },
  "export.ready": { object: "export", meaning: "An export's file can be downloaded." },
  "export.failed": { object: "export", meaning: "An export could not be written." },
  "dataset.ready": { object: "dataset", meaning: "A dataset can be used." },
  "dataset.failed": { object: "dataset", meaning: "The intake of a dataset failed; its upload says why." },
  "bulk_action.finished": {
    object: "bulk_action",
    meaning: "A bulk action ended: it was completed or aborted, or it failed.",
  },
  "test.ping": { object: "test", meaning: "A test delivery was requested." },
  "webhook_endpoint.failing": {
    object: "webhook_endpoint",
    meaning: "Deliveries to an endpoint have been failing for long.",
  },
  "webhook_endpoint.disabled": { object: "webhook_endpoint", meaning: "An endpoint was disabled." },
} as const satisfies Record<string, EventTypeEntry>;

export type EventType = keyof typeof eventTypes;
export const eventTypeNames = Object.keys(eventTypes) as EventType[];
/** Types that are stored and delivered; `event-payloads.ts` has the schema of each. */
export type DeliverableEventType = {
  [T in EventType]: (typeof eventTypes)[T] extends { streamOnly: true } ? never : T;
}[EventType];
export const deliverableEventTypes = eventTypeNames.filter(
  (name): name is DeliverableEventType => !("streamOnly" in eventTypes[name]),
);
/** Types that an alert rule may name: tests go by themselves. */
export type AlertableEventType = Exclude<DeliverableEventType, "test.ping">;
export const alertableEventTypes = deliverableEventTypes.filter(
  (name): name is AlertableEventType => name !== "test.ping",
);
/** Patterns an endpoint may subscribe to beside single types: one for each first part of a type, and `*`. */
export const eventTypePatterns: readonly string[] = [
  "*",
  ...new Set(deliverableEventTypes.map((type) => `${type.slice(0, type.indexOf("."))}.*`)),
];

/** The types that a list of subscribed types and patterns stands for. */
export const matchesEventType = (subscribed: readonly string[], type: string): boolean =>
  subscribed.some((s) => s === type || s === "*" || (s.endsWith(".*") && type.startsWith(s.slice(0, -1))));
