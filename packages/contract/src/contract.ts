/** The whole API in one table: operation id → operation. */
import { alertDeliveryOperations } from "./alert-deliveries.ts";
import { alertRuleOperations } from "./alert-rules.ts";
import { apiKeyOperations } from "./api-keys.ts";
import { auditEventOperations } from "./audit-events.ts";
import { bulkActionOperations } from "./bulk-actions.ts";
import { columnStatisticsOperations } from "./column-statistics.ts";
import { connectionLimitOperations } from "./connection-limits.ts";
import { connectionOperations } from "./connections.ts";
import { datasetUploadOperations } from "./dataset-uploads.ts";
import { datasetOperations } from "./datasets.ts";
import { eventStreamOperations } from "./event-stream.ts";
import { exportOperations } from "./exports.ts";
import { invitationOperations } from "./invitations.ts";
import { jobSpecOperations } from "./job-specs.ts";
import { memberOperations } from "./members.ts";
import type { Operation } from "./operation.ts";
import { modelPriceOperations } from "./model-prices.ts";
import { organizationOperations } from "./organizations.ts";
import { referenceOperations } from "./reference.ts";
import { runActionOperations } from "./run-actions.ts";
import { runEventOperations } from "./run-events.ts";
import { failureGroupOperations } from "./run-failure-groups.ts";
import { runResultOperations } from "./run-results.ts";
import { runOperations } from "./runs.ts";
import { runMapOperations } from "./run-map.ts";
import { serviceOperations } from "./service.ts";
import { sessionOperations } from "./sessions.ts";
import { usageOperations } from "./usage.ts";
import { webhookDeliveryOperations } from "./webhook-deliveries.ts";
import { webhookEndpointOperations } from "./webhook-endpoints.ts";

export const operations = {
  ...datasetUploadOperations,
  ...datasetOperations,
  ...columnStatisticsOperations,
  ...jobSpecOperations,
  ...runOperations,
  ...runActionOperations,
  ...runEventOperations,
  ...runMapOperations,
  ...runResultOperations,
  ...failureGroupOperations,
  ...exportOperations,
  ...bulkActionOperations,
  ...eventStreamOperations,
  ...connectionOperations,
  ...connectionLimitOperations,
  ...modelPriceOperations,
  ...webhookEndpointOperations,
  ...webhookDeliveryOperations,
  ...alertRuleOperations,
  ...alertDeliveryOperations,
  ...organizationOperations,
  ...apiKeyOperations,
  ...invitationOperations,
  ...memberOperations,
  ...auditEventOperations,
  ...usageOperations,
  ...serviceOperations,
  ...sessionOperations,
  ...referenceOperations,
} satisfies Record<string, Operation>;

export type Operations = typeof operations;
export type OperationId = keyof Operations;
export const operationIds = Object.keys(operations) as OperationId[];
