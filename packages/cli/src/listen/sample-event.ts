/** An event of a type, about things that do not exist: the same shape as the service's own, with `test: true`. */
import { randomBytes } from "node:crypto";
import type { WebhookEvent } from "@rowmill/client";
import { nearestOf } from "../frame/nearest.ts";
import { usageProblem } from "../frame/problem.ts";

const ID_CHARACTERS = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_LENGTH = 26;

/** Every type but that of alerts, which endpoints do not get; the compiler compares them with those of the service. */
const TYPES: Readonly<Record<Exclude<WebhookEvent["type"], "alert.triggered">, true>> = {
  "run.created": true,
  "run.started": true,
  "run.paused": true,
  "run.resumed": true,
  "run.succeeded": true,
  "run.partially_succeeded": true,
  "run.failed": true,
  "run.canceled": true,
  "run.expired": true,
  "run.finished": true,
  "row.succeeded": true,
  "row.failed": true,
  "export.ready": true,
  "export.failed": true,
  "dataset.ready": true,
  "dataset.failed": true,
  "bulk_action.finished": true,
  "test.ping": true,
  "webhook_endpoint.failing": true,
  "webhook_endpoint.disabled": true,
};

/** What `data` has beside `object`, `id` and `url`. */
const samples: Readonly<Record<string, (state: string) => Record<string, unknown>>> = {
  run: (state) => ({ object: "run", ...thing("run", "runs"), state }),
  row: (state) => {
    const run = thing("run", "runs");
    const failure = state === "failed" ? { code: "provider_overloaded", retryable: true } : {};
    return {
      object: "run_row",
      runId: run.id,
      datasetRowId: `${sampleId("row")}0000002a`,
      index: 42,
      state,
      ...failure,
      url: `${run.url}/rows`,
    };
  },
  export: (state) => ({
    object: "export",
    ...thing("exp", "exports"),
    runId: sampleId("run"),
    type: "outputs",
    format: "jsonl",
    status: state,
  }),
  dataset: (state) => ({ object: "dataset", ...thing("ds", "datasets"), state }),
  bulk_action: () => ({
    object: "bulk_action",
    ...thing("bulk", "bulk-actions"),
    state: "completed",
    done: 41,
    skipped: 1,
    failed: 0,
  }),
  webhook_endpoint: (state) => ({
    object: "webhook_endpoint",
    ...thing("whe", "webhook-endpoints"),
    enabled: state !== "disabled",
  }),
  test: () => ({ object: "test", url: thing("whe", "webhook-endpoints").url }),
};

export function sampleEvent(type: string): { id: string; type: string } & Record<string, unknown> {
  const [first = "", state = ""] = type.split(".", 2);
  const make = samples[first];
  if (make === undefined || !Object.hasOwn(TYPES, type))
    throw usageProblem(
      `There is no event type "${type}".`,
      `The nearest are ${nearestOf(type, Object.keys(TYPES), 3).join(", ")}.`,
    );
  return {
    id: sampleId("evt"),
    type,
    apiVersion: "v1",
    createdAt: new Date().toISOString(),
    organizationId: sampleId("org"),
    test: true,
    data: make(state),
  };
}

function thing(prefix: string, path: string): { id: string; url: string } {
  const id = sampleId(prefix);
  return { id, url: `http://127.0.0.1:8080/v1/${path}/${id}` };
}

const sampleId = (prefix: string): string =>
  `${prefix}_0${Array.from(randomBytes(ID_LENGTH - 1), (byte) => ID_CHARACTERS[byte % ID_CHARACTERS.length]).join("")}`;
