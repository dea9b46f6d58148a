export type { Content } from "./content.ts";
export {
  DatasetIntakeError,
  ExportFailedError,
  RowmillApiError,
  RowmillConnectionError,
  RowmillError,
  RowmillIntegrityError,
  RowmillTimeoutError,
} from "./errors.ts";
export type { List, Page, RowList } from "./lists.ts";
export type { ServerSentEvent } from "./server-sent-events.ts";
export type { EventStreamConnection, EventStreamOptions, FollowOptions } from "./resources/events.ts";
export type { UploadContentOptions } from "./resources/dataset-uploads.ts";
export type { DatasetInput, UploadProgress } from "./resources/datasets.ts";
export type { Download, DownloadToFileOptions, SaveTableOptions } from "./resources/exports.ts";
export { isTerminal } from "./resources/runs.ts";
export { Rowmill } from "./rowmill.ts";
export type { RowmillOptions } from "./options.ts";
export type {
  AlertDelivery,
  AlertRule,
  AlertRuleWithSecret,
  AcceptedInvitation,
  AlertPreview,
  ApiKey,
  AuditEvent,
  BulkAction,
  BulkActionCount,
  ColumnStatistics,
  Body,
  Connection,
  ConnectionLimits,
  ConnectionTest,
  CreateOptions,
  CreatedApiKey,
  CreatedInvitation,
  Dataset,
  DatasetRow,
  DatasetUpload,
  ErrorCode,
  Export,
  Failure,
  FailureGroup,
  FailurePolicy,
  Invitation,
  JobSpec,
  JobSpecTestResult,
  JobSpecVersion,
  Lineage,
  ListQuery,
  Member,
  ModelPriceList,
  OperationId,
  Organization,
  Output,
  RequestOptions,
  ResolvedResult,
  RetryPolicy,
  Run,
  RunEstimate,
  RunEvent,
  RunMap,
  RunRow,
  ServiceHealth,
  ServiceInfo,
  Session,
  UsageGroup,
  UsageQuery,
  WebhookDelivery,
  WebhookDeliveryContent,
  WebhookDeliveryWithResponse,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
  WebhookReplay,
} from "./types.ts";
export type { SendProgress } from "./upload.ts";
export type { WaitOptions } from "./wait.ts";
export { WebhookVerificationError, verifyWebhook } from "./webhooks.ts";
export type { WebhookEvent } from "./webhooks.ts";
