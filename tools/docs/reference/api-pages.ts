/** The pages of the API's reference: one for each resource, with its operations in the order in which somebody uses them. */
import type { OperationId } from "@rowmill/contract";

export interface ApiPage {
  /** Without `.md`. */
  file: string;
  title: string;
  intro: string;
  operations: readonly OperationId[];
  /** Components that are described at the end of this page; every other page links here. */
  objects: readonly string[];
}

export const apiPages: readonly ApiPage[] = [
  {
    file: "uploads",
    title: "Dataset uploads",
    intro:
      "An upload brings rows into the service and ends as a [dataset](datasets.md). Create it, send the file, and read it until its state is " +
      "`completed` or `failed`. Rows of the request itself, and a file at a URL, need no second request. [Formats](../data-types.md) says how values are read.",
    operations: [
      "createDatasetUpload",
      "putDatasetUploadContent",
      "getDatasetUpload",
      "listDatasetUploads",
      "cancelDatasetUpload",
      "getResumableUploadSupport",
      "beginResumableContent",
      "getResumableContentOffset",
      "appendResumableContent",
    ],
    objects: ["DatasetUpload", "NextStep"],
  },
  {
    file: "datasets",
    title: "Datasets",
    intro:
      "A dataset is an ordered set of rows that never changes. Each row is a JSON object with a position (`index`, from 0) and an id. Datasets are made by [uploads](uploads.md).",
    operations: [
      "listDatasets",
      "getDataset",
      "updateDataset",
      "deleteDataset",
      "listDatasetRows",
      "getDatasetRow",
      "getColumnStatistics",
    ],
    objects: ["Dataset", "Column", "DatasetRow", "ColumnStatistics"],
  },
  {
    file: "job-specs",
    title: "Job specs",
    intro:
      "A job spec says what happens to each row: a processor (`llm`, `http`, `transform` or `mock`), schemas, retries and limits. It has numbered versions that never change; a run uses one of them.",
    operations: [
      "createJobSpec",
      "testJobSpec",
      "createJobSpecVersion",
      "listJobSpecs",
      "getJobSpec",
      "updateJobSpec",
      "archiveJobSpec",
      "listJobSpecVersions",
      "getJobSpecVersion",
    ],
    objects: [
      "JobSpec",
      "Processor",
      "JobSpecVersion",
      "JobSpecTestResult",
      "RetryPolicy",
      "FailurePolicy",
      "CachePolicy",
      "Execution",
      "JobSpecWarning",
    ],
  },
  {
    file: "runs",
    title: "Runs",
    intro:
      "A run applies one version of a job spec to the rows of a dataset. It works in the background: `queued`, `running`, perhaps `paused`, and then ended as " +
      "`succeeded`, `partially_succeeded`, `failed`, `canceled` or `expired`. What became of the rows is at [results](results.md).",
    operations: [
      "createRun",
      "getRun",
      "listRuns",
      "updateRun",
      "pauseRun",
      "resumeRun",
      "cancelRun",
      "retryRun",
      "getRunLineage",
      "getRunMap",
      "deleteRun",
    ],
    objects: [
      "Run",
      "RunRowCounts",
      "Usage",
      "RunExecution",
      "RunScope",
      "RetrySelection",
      "Budget",
      "RunEstimate",
      "Lineage",
      "RunMap",
    ],
  },
  {
    file: "results",
    title: "Results",
    intro:
      "Each row of a run ends as an output or a failure. Resolved results add up a run and its retry runs: one result for each row. All lists of rows stream as NDJSON, too, see [paging](../api.md#paging).",
    operations: [
      "listOutputs",
      "listFailures",
      "listFailureGroups",
      "listResolvedResults",
      "listRunRows",
      "listRunEvents",
      "streamRunEvents",
    ],
    objects: ["Output", "Failure", "FailureGroup", "ResolvedResult", "RunRow", "RunEvent"],
  },
  {
    file: "exports",
    title: "Exports",
    intro:
      "An export writes the results of a run into a file: CSV, JSONL or Parquet. It works in the background; download the file when its status is `ready`. [Formats](../data-types.md) says how values are written.",
    operations: ["createExport", "getExport", "listRunExports", "listExports", "downloadExport", "cancelExport"],
    objects: ["Export"],
  },
  {
    file: "bulk-actions",
    title: "Bulk actions",
    intro: "One action on many runs, datasets or exports: everything that matches a filter, or a list of ids.",
    operations: ["createBulkAction", "getBulkAction", "listBulkActions", "abortBulkAction"],
    objects: ["BulkAction", "BulkActionFilter", "BulkActionCount"],
  },
  {
    file: "connections",
    title: "Connections",
    intro:
      "A connection holds the address and the secret of a model provider or an HTTP service, with its rate limits and prices. Job specs name it by its id. The secret is stored encrypted and never returned.",
    operations: [
      "createConnection",
      "testConnection",
      "listConnections",
      "getConnection",
      "updateConnection",
      "deleteConnection",
      "getConnectionLimits",
      "listModelPrices",
    ],
    objects: ["Connection", "ConnectionTest", "ConnectionLimits", "ModelPriceList", "ModelListPrice"],
  },
  {
    file: "webhooks",
    title: "Webhooks",
    intro:
      "A webhook endpoint receives [events](../events.md) as signed POST requests. Each event to each endpoint is a delivery, with its attempts. [Webhooks](../../webhooks.md) says how to receive and verify them.",
    operations: [
      "createWebhookEndpoint",
      "testWebhookEndpoint",
      "listWebhookEndpoints",
      "getWebhookEndpoint",
      "updateWebhookEndpoint",
      "deleteWebhookEndpoint",
      "rotateWebhookEndpointSecret",
      "replayWebhookEndpoint",
      "listWebhookDeliveries",
      "getWebhookDelivery",
      "getWebhookDeliveryContent",
      "redeliverWebhook",
    ],
    objects: [
      "WebhookEndpoint",
      "WebhookEndpointWithSecret",
      "WebhookDelivery",
      "WebhookDeliveryContent",
      "WebhookReplay",
    ],
  },
  {
    file: "alerts",
    title: "Alerts",
    intro:
      "An alert rule watches [events](../events.md) of one type, and notifies a webhook, Slack or people by e-mail. Its filter is an [expression](../expressions.md).",
    operations: [
      "createAlertRule",
      "previewAlertRule",
      "testAlertRule",
      "listAlertRules",
      "getAlertRule",
      "updateAlertRule",
      "deleteAlertRule",
      "rotateAlertRuleSecret",
      "listAlertDeliveries",
      "getAlertDelivery",
    ],
    objects: ["AlertRule", "AlertRuleWithSecret", "AlertDestination", "AlertTrigger", "AlertPreview", "AlertDelivery"],
  },
  {
    file: "event-stream",
    title: "Event stream",
    intro:
      "The [events](../events.md) that webhooks deliver, over a connection that the client opens: no public address is needed. The stream of one run is at [results](results.md#follow-the-events-of-a-run-as-they-happen).",
    operations: ["streamEvents"],
    objects: [],
  },
  {
    file: "organizations",
    title: "Organizations",
    intro:
      "An organization is a tenant: it has its own keys, data, limits and usage, and sees nothing of another. The admin key creates organizations.",
    operations: ["createOrganization", "listOrganizations", "getOrganization", "updateOrganization"],
    objects: ["Organization"],
  },
  {
    file: "api-keys",
    title: "API keys",
    intro:
      "A key belongs to one organization and has scopes. [Authentication](../api.md#authentication) says how to send it.",
    operations: ["createApiKey", "listApiKeys", "getApiKey", "revokeApiKey"],
    objects: ["ApiKey", "CreatedApiKey"],
  },
  {
    file: "members",
    title: "Invitations and members",
    intro:
      "An invitation gives a person a role in an organization. A person who accepts it becomes a member and gets a key with the scopes of the role.",
    operations: [
      "createInvitation",
      "acceptInvitation",
      "listInvitations",
      "getInvitation",
      "revokeInvitation",
      "listMembers",
      "getMember",
      "updateMember",
      "removeMember",
    ],
    objects: ["Invitation", "CreatedInvitation", "Member", "AcceptedInvitation"],
  },
  {
    file: "audit-events",
    title: "Audit events",
    intro:
      "The record of every change and every denied attempt: who did what to which thing. Nobody can change or delete one.",
    operations: ["listAuditEvents"],
    objects: ["AuditEvent"],
  },
  {
    file: "usage",
    title: "Usage",
    intro: "What the rows of runs and tests have used, and what it cost by the prices of their connections.",
    operations: ["listUsage"],
    objects: ["UsageGroup"],
  },
  {
    file: "sessions",
    title: "Sessions",
    intro:
      "How the console signs in: a browser exchanges a key for a cookie that scripts cannot read. Programs send their key with each request instead.",
    operations: ["createSession", "getSession", "deleteSession"],
    objects: ["Session"],
  },
  {
    file: "service",
    title: "The service itself",
    intro: "What the key is, what the service is, and the codes, types and description of this interface for programs.",
    operations: ["getMe", "getServiceInfo", "getServiceHealth", "listErrorCodes", "listEventTypes", "getOpenApi"],
    objects: ["ServiceInfo", "ServiceHealth"],
  },
];
