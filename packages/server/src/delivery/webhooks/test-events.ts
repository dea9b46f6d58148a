/** What a test delivery looks like: the envelope of the type it imitates, about things that do not exist. */
import { eventTypes } from "@rowmill/contract/events";
import type { EventType } from "@rowmill/contract/events";
import { exampleId } from "@rowmill/contract/schemas";
import { formatId } from "../../platform/ids.ts";
import { makeEnvelope } from "../../resources/events/events.ts";
import type { EventData } from "../../resources/events/events.ts";

const HOUR_MS = 3_600_000;

export function makeTestPayload(
  publicUrl: string,
  organizationId: string,
  endpointId: string,
  type: EventType,
  eventUuid: string,
  now: Date,
): string {
  const data = testData(publicUrl, type, formatId("webhookEndpoint", endpointId), now);
  return JSON.stringify(makeEnvelope({ organizationId, type, data }, eventUuid, now, true));
}

function testData(publicUrl: string, type: EventType, endpointId: string, now: Date): EventData {
  // `run.succeeded` imitates a run in the state `succeeded`, and so on.
  const state = type.slice(type.indexOf(".") + 1);
  const runId = exampleId("run");
  switch (eventTypes[type].object) {
    case "run": {
      const run = { object: "run", id: runId, url: `${publicUrl}/v1/runs/${runId}`, state };
      return type === "run.paused" ? { ...run, reason: "by_user" } : run;
    }
    case "run_row": {
      const datasetRowId = exampleId("row");
      const row = {
        object: "run_row",
        runId,
        datasetRowId,
        index: 42,
        state,
        url: `${publicUrl}/v1/runs/${runId}/rows`,
      };
      return state === "failed" ? { ...row, code: "provider_overloaded", retryable: true } : row;
    }
    case "export": {
      const id = exampleId("export");
      const common = { type: "outputs", format: "jsonl", status: state, url: `${publicUrl}/v1/exports/${id}` };
      return { object: "export", id, runId, ...common };
    }
    case "dataset": {
      const id = exampleId("dataset");
      return { object: "dataset", id, url: `${publicUrl}/v1/datasets/${id}`, state };
    }
    case "bulk_action": {
      const id = exampleId("bulkAction");
      const counts = { done: 41, skipped: 1, failed: 0 };
      return { object: "bulk_action", id, url: `${publicUrl}/v1/bulk-actions/${id}`, state: "completed", ...counts };
    }
    case "test":
      return { object: "test", url: `${publicUrl}/v1/webhook-endpoints/${endpointId}` };
    case "webhook_endpoint": {
      const url = `${publicUrl}/v1/webhook-endpoints/${endpointId}`;
      const endpoint = { object: "webhook_endpoint", id: endpointId, url };
      return type === "webhook_endpoint.disabled"
        ? { ...endpoint, enabled: false, disabledReason: "failing" }
        : {
            ...endpoint,
            failingSince: new Date(now.getTime() - 60 * HOUR_MS).toISOString(),
            failedDeliveries: 31,
            percentOfLimit: 50,
            disabledAtEarliest: new Date(now.getTime() + 60 * HOUR_MS).toISOString(),
          };
    }
  }
}
