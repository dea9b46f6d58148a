/** What a test delivery looks like: the envelope of the type it imitates, about things that do not exist. */
import type { EventData } from "@rowmill/contract/event-payloads";
import type { DeliverableEventType } from "@rowmill/contract/events";
import { exampleId } from "@rowmill/contract/schemas";
import { makeEnvelope } from "../../resources/events/events.ts";
import type { NewEvent } from "../../resources/events/events.ts";
import { endpointPath } from "../../resources/webhook-endpoints/disabling.ts";
import { formatId } from "../../platform/ids.ts";

const HOUR_MS = 3_600_000;

export function makeTestPayload(
  organizationId: string,
  endpointId: string,
  type: DeliverableEventType,
  eventUuid: string,
  now: Date,
): string {
  return JSON.stringify(makeEnvelope(sampleEvent(organizationId, endpointId, type, now), eventUuid, now, true));
}

export const sampleEvent = (
  organizationId: string,
  endpointId: string,
  type: DeliverableEventType,
  now: Date,
): NewEvent => ({ organizationId, type, data: samples[type](endpointId, now) }) as NewEvent; // the sample is of this type

const runId = exampleId("run");
const run = <const State extends string>(state: State) =>
  ({ object: "run", id: runId, url: `/v1/runs/${runId}`, state }) as const;
const row = { object: "run_row", runId, datasetRowId: exampleId("row"), index: 42 } as const;
const exported = { object: "export", id: exampleId("export"), runId, type: "outputs", format: "jsonl" } as const;
const exportUrl = `/v1/exports/${exported.id}`;
const dataset = { object: "dataset", id: exampleId("dataset"), url: `/v1/datasets/${exampleId("dataset")}` } as const;
const endpoint = (id: string) =>
  ({ object: "webhook_endpoint", id: formatId("webhookEndpoint", id), url: endpointPath(id) }) as const;

/** The endpoint is the one that is tested. */
type Sample<T extends DeliverableEventType> = (endpointId: string, now: Date) => EventData<T>;

const samples: { [T in DeliverableEventType]: Sample<T> } = {
  "run.created": () => run("queued"),
  "run.started": () => run("running"),
  "run.paused": () => ({ ...run("paused"), reason: "by_user" }),
  "run.resumed": () => run("running"),
  "run.succeeded": () => run("succeeded"),
  "run.partially_succeeded": () => run("partially_succeeded"),
  "run.failed": () => run("failed"),
  "run.canceled": () => run("canceled"),
  "run.expired": () => run("expired"),
  "run.finished": () => run("succeeded"),
  "row.succeeded": () => ({
    ...row,
    state: "succeeded",
    url: `/v1/runs/${runId}/outputs?datasetRowId=${row.datasetRowId}`,
  }),
  "row.failed": () => ({
    ...row,
    state: "failed",
    code: "provider_overloaded",
    retryable: true,
    url: `/v1/runs/${runId}/failures`,
  }),
  "export.ready": () => ({ ...exported, status: "ready", url: exportUrl }),
  "export.failed": () => ({ ...exported, status: "failed", url: exportUrl }),
  "dataset.ready": () => ({ ...dataset, state: "ready" }),
  "dataset.failed": () => ({ ...dataset, state: "failed" }),
  "bulk_action.finished": () => ({
    object: "bulk_action",
    id: exampleId("bulkAction"),
    url: `/v1/bulk-actions/${exampleId("bulkAction")}`,
    state: "completed",
    done: 41,
    skipped: 1,
    failed: 0,
  }),
  "test.ping": (endpointId) => ({ object: "test", url: endpointPath(endpointId) }),
  "webhook_endpoint.failing": (endpointId, now) => ({
    ...endpoint(endpointId),
    failingSince: new Date(now.getTime() - 60 * HOUR_MS).toISOString(),
    failedDeliveries: 31,
    percentOfLimit: 50,
    disabledAtEarliest: new Date(now.getTime() + 60 * HOUR_MS).toISOString(),
  }),
  "webhook_endpoint.disabled": (endpointId) => ({
    ...endpoint(endpointId),
    enabled: false,
    disabledReason: "failing",
  }),
};
