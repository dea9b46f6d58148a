/** Every operation of the contract and the function that is its handler: the map from the API to the code. */
import type { EventFeeds } from "./delivery/streams/event-feed.ts";
import { createEventStream } from "./delivery/streams/event-stream.ts";
import { createDeliveryHandlers } from "./delivery/delivery-handlers.ts";
import { prepareDatasetUpload } from "./intake/create-upload.ts";
import { createIntakePlainHandlers } from "./intake/intake-handlers.ts";
import type { IntakeParts } from "./intake/intake-parts.ts";
import type { Authenticate } from "./platform/auth/caller.ts";
import { giveParts } from "./platform/http/handlers.ts";
import type { Handlers, PlainHandlers, ReplayChecks } from "./platform/http/handlers.ts";
import type { WaitingReads } from "./platform/http/waiting-reads.ts";
import { alertDeliveryOperations } from "./resources/alert-rules/alert-deliveries.ts";
import { alertRuleOperations } from "./resources/alert-rules/alert-rules.ts";
import { alertRuleReplays } from "./resources/alert-rules/rule-replays.ts";
import { apiKeyOperations, apiKeyReplays } from "./resources/api-keys/api-keys.ts";
import { listAuditEvents } from "./resources/audit-events/audit-events.ts";
import { bulkActionOperations } from "./resources/bulk-actions/bulk-actions.ts";
import { getConnectionLimits } from "./resources/connections/connection-limits.ts";
import { connectionOperations } from "./resources/connections/connections.ts";
import { testConnection } from "./resources/connections/test-connection.ts";
import { datasetUploadOperations } from "./resources/dataset-uploads/dataset-uploads.ts";
import { getColumnStatistics } from "./resources/datasets/column-statistics.ts";
import { datasetRowOperations } from "./resources/datasets/dataset-rows.ts";
import { datasetOperations } from "./resources/datasets/datasets.ts";
import { createDownload } from "./resources/exports/download.ts";
import { exportOperations } from "./resources/exports/exports.ts";
import { invitationReplays } from "./resources/invitations/invitation-replays.ts";
import { invitationOperations } from "./resources/invitations/invitations.ts";
import { memberOperations } from "./resources/invitations/members.ts";
import { revokeInvitation, revokeInvitationsMadeWith } from "./resources/invitations/revoke-invitations.ts";
import { jobSpecOperations } from "./resources/job-specs/job-specs.ts";
import { testJobSpec } from "./resources/job-specs/test-job-spec.ts";
import { listModelPrices } from "./resources/model-prices/model-prices.ts";
import { organizationOperations } from "./resources/organizations/organizations.ts";
import { createReferenceHandlers } from "./resources/reference/reference-handlers.ts";
import type { RunFeeds } from "./resources/runs/run-feed.ts";
import type { EndedRuns } from "./resources/runs/ended-runs.ts";
import { runOperations } from "./resources/runs/run-operations.ts";
import { createRunStream } from "./resources/runs/run-stream.ts";
import { sessionOperations } from "./resources/sessions/sessions.ts";
import { listUsage } from "./resources/usage/usage.ts";
import { webhookDeliveryOperations } from "./resources/webhook-deliveries/webhook-deliveries.ts";
import { webhookEndpointOperations, webhookEndpointReplays } from "./resources/webhook-endpoints/webhook-endpoints.ts";
import type { EndFeeds } from "./resources/wait-for-end.ts";
import { createServiceHandlers } from "./service-state.ts";
import type { Services } from "./services.ts";

export type AppServices = Services &
  Pick<IntakeParts, "readAhead" | "spareReaders"> & {
    /** Of the limits by address; the process' own if absent. */
    clockOfAddresses?: (() => number) | undefined;
  };

interface HandlerParts extends AppServices {
  authenticate: Authenticate;
  /** Aborts when the service stops. */
  closing: AbortSignal;
  waitingReads: WaitingReads;
  endedRuns: EndedRuns;
  runFeeds: RunFeeds;
  endFeeds: EndFeeds;
  eventFeeds: EventFeeds;
}

/** A missing handler, or one of an unknown operation, does not compile. */
export function createHandlers(parts: HandlerParts): {
  handlers: Handlers;
  plainHandlers: PlainHandlers;
  replayChecks: ReplayChecks;
} {
  return {
    handlers: {
      ...giveParts(
        { ...parts, revokeMadeWith: revokeInvitationsMadeWith },
        {
          ...organizationOperations,
          ...apiKeyOperations,
          ...sessionOperations,
          ...invitationOperations,
          revokeInvitation,
          ...memberOperations,
          listAuditEvents,
          createDatasetUpload: { prepare: prepareDatasetUpload },
          ...datasetUploadOperations,
          ...datasetOperations,
          ...datasetRowOperations,
          getColumnStatistics,
          ...connectionOperations,
          getConnectionLimits,
          testConnection: { prepare: testConnection },
          listModelPrices,
          ...jobSpecOperations,
          testJobSpec: { prepare: testJobSpec },
          ...runOperations,
          ...exportOperations,
          ...bulkActionOperations,
          listUsage,
          ...webhookEndpointOperations,
          ...webhookDeliveryOperations,
          ...alertRuleOperations,
          ...alertDeliveryOperations,
        },
      ),
      ...createDeliveryHandlers(parts),
      ...createReferenceHandlers(parts.publicUrl),
      ...createServiceHandlers(parts),
    },
    plainHandlers: {
      ...createIntakePlainHandlers(parts),
      downloadExport: createDownload(parts),
      streamRunEvents: createRunStream(parts),
      streamEvents: createEventStream(parts),
    },
    replayChecks: { ...apiKeyReplays, ...invitationReplays, ...webhookEndpointReplays, ...alertRuleReplays },
  };
}
