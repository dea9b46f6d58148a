"""Types of the API. Generated from packages/contract/openapi.json by `npm run generate`; do not edit."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class WebhookDeliveryAttemptsItem(TypedDict):
    number: int
    startedAt: str
    durationMs: int
    outcome: Literal["response", "timeout", "dns", "connect", "tls", "blocked_address", "response_too_large", "protocol", "secret_lost"]
    responseStatus: Optional[int]
    message: str


class WebhookDelivery(TypedDict):
    id: str
    webhookEndpointId: str
    eventId: str
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "test.ping", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    kind: Literal["event", "replay", "redelivery", "test"]
    status: Literal["pending", "succeeded", "failed", "canceled"]
    attempts: List[WebhookDeliveryAttemptsItem]
    nextAttemptAt: Optional[str]
    createdAt: str
    updatedAt: str


class WebhookDeliveryWithResponseAttemptsItem(TypedDict):
    number: int
    startedAt: str
    durationMs: int
    outcome: Literal["response", "timeout", "dns", "connect", "tls", "blocked_address", "response_too_large", "protocol", "secret_lost"]
    responseStatus: Optional[int]
    message: str


class WebhookDeliveryWithResponseResponse(TypedDict):
    """What the receiver responded; null where no response came: `attempts[0].message` has the reason."""

    headers: Dict[str, str]
    body: str
    isCut: bool


class WebhookDeliveryWithResponse(TypedDict):
    id: str
    webhookEndpointId: str
    eventId: str
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "test.ping", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    kind: Literal["event", "replay", "redelivery", "test"]
    status: Literal["pending", "succeeded", "failed", "canceled"]
    attempts: List[WebhookDeliveryWithResponseAttemptsItem]
    nextAttemptAt: Optional[str]
    createdAt: str
    updatedAt: str
    response: Optional[WebhookDeliveryWithResponseResponse]


class WebhookDeliveryContentAttemptsItemRequest(TypedDict):
    headers: Dict[str, str]


class WebhookDeliveryContentAttemptsItemResponse(TypedDict):
    headers: Dict[str, str]
    body: str
    isCut: bool


class WebhookDeliveryContentAttemptsItem(TypedDict):
    number: int
    request: Optional[WebhookDeliveryContentAttemptsItemRequest]
    response: Optional[WebhookDeliveryContentAttemptsItemResponse]


class WebhookDeliveryContent(TypedDict):
    body: Optional[str]
    attempts: List[WebhookDeliveryContentAttemptsItem]


class AlertDeliveryAttemptsItem(TypedDict):
    number: int
    startedAt: str
    durationMs: int
    outcome: Literal["response", "timeout", "dns", "connect", "tls", "blocked_address", "response_too_large", "protocol", "secret_lost"]
    responseStatus: Optional[int]
    message: str


class AlertDelivery(TypedDict):
    id: str
    alertRuleId: str
    eventId: str
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    eventCount: int
    test: bool
    status: Literal["pending", "succeeded", "failed", "suppressed"]
    attempts: List[AlertDeliveryAttemptsItem]
    nextAttemptAt: Optional[str]
    createdAt: str
    updatedAt: str


class AlertTriggerEach(TypedDict):
    """Every event that passes the filter."""

    type: Literal["each"]


class AlertTriggerCount(TypedDict):
    """A digest of row events counts as the rows it stands for."""

    type: Literal["count"]
    count: int
    windowSeconds: int


class AlertDestinationWebhook(TypedDict):
    """A signed POST, as webhook deliveries are."""

    type: Literal["webhook"]
    url: str


class AlertDestinationSlack(TypedDict):
    """An incoming webhook of Slack, or one that takes the same."""

    type: Literal["slack"]
    url: str


class AlertDestinationEmail(TypedDict):
    """Mail; the service needs an SMTP server for it. An alert that the server takes for one recipient at least has succeeded; its attempt names the others."""

    type: Literal["email"]
    to: List[str]


class AlertPreviewNewestItem(TypedDict):
    eventId: str
    eventCount: int
    createdAt: str
    event: Dict[str, Any]


class AlertPreview(TypedDict):
    since: str
    isCut: bool
    events: int
    matches: int
    alerts: int
    suppressed: int
    filterErrors: int
    filterError: Optional[str]
    newest: List[AlertPreviewNewestItem]
    sample: Optional[Dict[str, Any]]


class AlertRuleFilterError(TypedDict):
    message: str
    eventId: str
    at: str


class AlertRule(TypedDict):
    id: str
    name: str
    enabled: bool
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    filter: Optional[str]
    filterError: Optional[AlertRuleFilterError]
    trigger: AlertTrigger
    cooldownSeconds: int
    destination: AlertDestination
    createdAt: str
    updatedAt: str


class AlertRuleWithSecretFilterError(TypedDict):
    message: str
    eventId: str
    at: str


class _AlertRuleWithSecretRequired(TypedDict):
    id: str
    name: str
    enabled: bool
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    filter: Optional[str]
    filterError: Optional[AlertRuleWithSecretFilterError]
    trigger: AlertTrigger
    cooldownSeconds: int
    destination: AlertDestination
    createdAt: str
    updatedAt: str


class AlertRuleWithSecret(_AlertRuleWithSecretRequired, total=False):
    signingSecret: Optional[str]


class ApiKey(TypedDict):
    id: str
    organizationId: str
    name: str
    redactedKey: str
    scopes: List[Literal["datasets:read", "datasets:write", "job_specs:read", "job_specs:write", "runs:read", "runs:write", "results:read", "results:write", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "alerts:read", "alerts:write", "organization:read", "organization:write", "api_keys:read", "api_keys:write", "invitations:read", "invitations:write", "connections:read", "connections:write", "audit:read"]]
    memberId: Optional[str]
    createdByKeyId: Optional[str]
    requestsPerMinute: Optional[int]
    lastUsedAt: Optional[str]
    expiresAt: Optional[str]
    revokedAt: Optional[str]
    createdAt: str


class _CreatedApiKeyRequired(TypedDict):
    id: str
    organizationId: str
    name: str
    redactedKey: str
    scopes: List[Literal["datasets:read", "datasets:write", "job_specs:read", "job_specs:write", "runs:read", "runs:write", "results:read", "results:write", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "alerts:read", "alerts:write", "organization:read", "organization:write", "api_keys:read", "api_keys:write", "invitations:read", "invitations:write", "connections:read", "connections:write", "audit:read"]]
    memberId: Optional[str]
    createdByKeyId: Optional[str]
    requestsPerMinute: Optional[int]
    lastUsedAt: Optional[str]
    expiresAt: Optional[str]
    revokedAt: Optional[str]
    createdAt: str


class CreatedApiKey(_CreatedApiKeyRequired, total=False):
    key: str


class AuditEventTarget(TypedDict):
    type: str
    id: Optional[str]


class AuditEvent(TypedDict):
    id: str
    organizationId: str
    type: Literal["alert_rule.created", "alert_rule.deleted", "alert_rule.secret_rotated", "alert_rule.tested", "alert_rule.updated", "api_key.created", "api_key.revoked", "api_key.updated", "auth.denied", "bulk_action.aborted", "bulk_action.created", "connection.created", "connection.deleted", "connection.tested", "connection.updated", "dataset.deleted", "dataset.updated", "dataset_upload.canceled", "dataset_upload.content_received", "dataset_upload.created", "dataset_upload.expired", "export.canceled", "export.created", "export.deleted", "export.expired", "invitation.accepted", "invitation.created", "invitation.expired", "invitation.revoked", "job_spec.archived", "job_spec.created", "job_spec.updated", "job_spec.version_created", "member.created", "member.removed", "member.updated", "organization.created", "organization.suspended", "organization.updated", "run.cancel_requested", "run.created", "run.deleted", "run.paused", "run.resumed", "run.retried", "run.updated", "session.created", "session.ended", "webhook_delivery.redelivered", "webhook_endpoint.created", "webhook_endpoint.deleted", "webhook_endpoint.disabled", "webhook_endpoint.replayed", "webhook_endpoint.secret_rotated", "webhook_endpoint.tested", "webhook_endpoint.updated"]
    actorType: Literal["api_key", "admin", "member", "system"]
    actorId: Optional[str]
    apiKeyId: Optional[str]
    target: AuditEventTarget
    ip: Optional[str]
    requestId: Optional[str]
    changes: Dict[str, Any]
    createdAt: str


class _NextStepRequired(TypedDict):
    action: Literal["wait", "resume", "cancel", "raise_budget", "read_failures", "add_version", "retry", "create_again", "send_content", "upload_again", "export_again", "ask_operator"]
    description: str


class NextStep(_NextStepRequired, total=False):
    """Something that can be done now. Method and path are absent where no request does it."""

    method: Literal["GET", "POST", "PATCH", "PUT"]
    path: str


class ExportError(TypedDict):
    code: str
    message: str


class Export(TypedDict):
    id: str
    runId: str
    type: Literal["outputs", "failures", "resolved_results", "rows"]
    format: Literal["jsonl", "csv", "parquet"]
    layout: Literal["nested", "flat"]
    compression: Literal["none", "gzip", "zstd"]
    includeInput: bool
    columns: Optional[List[str]]
    delimiter: Optional[str]
    byteOrderMark: bool
    formulaGuard: bool
    status: Literal["queued", "running", "ready", "expired", "failed", "canceled"]
    statusMessage: Optional[str]
    nextSteps: List[NextStep]
    error: Optional[ExportError]
    rowCount: Optional[int]
    guardedCells: Optional[int]
    sizeBytes: Optional[int]
    sha256: Optional[str]
    downloadUrl: Optional[str]
    expiresAt: Optional[str]
    metadata: Dict[str, str]
    createdAt: str
    updatedAt: str
    finishedAt: Optional[str]


class RunScopeLimit(TypedDict):
    type: Literal["limit"]
    count: int


class RunScopeAll(TypedDict):
    type: Literal["all"]


RunScopeRange = TypedDict(
    "RunScopeRange",
    {
        "type": "Literal[\"range\"]",
        "from": "int",
        "to": "int",
    },
    total=True,
)


class RunScopeSample(TypedDict):
    type: Literal["sample"]
    count: int
    seed: int


class RunScopeRows(TypedDict):
    type: Literal["rows"]
    rowIds: List[str]


class RunScopeFilter(TypedDict):
    type: Literal["filter"]
    where: str


class RetrySelectionUnfinished(TypedDict):
    type: Literal["unfinished"]


class RetrySelectionFailures(TypedDict):
    type: Literal["failures"]


class RetrySelectionRetryableFailures(TypedDict):
    type: Literal["retryable_failures"]


class RetrySelectionRows(TypedDict):
    type: Literal["rows"]
    rowIds: List[str]


class RetrySelectionCodes(TypedDict):
    type: Literal["codes"]
    codes: List[Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]]


class RetrySelectionAll(TypedDict):
    type: Literal["all"]


class RetryPolicy(TypedDict, total=False):
    """How often a run itself tries a row again after a transient or system failure, with full jitter."""

    maxAttempts: int
    initialDelayMs: int
    multiplier: float
    maxDelayMs: int


class FailurePolicy(TypedDict, total=False):
    """Ends the run as `failed` when more rows fail than this. Without one, every row is tried."""

    maxFailedRows: int
    maxFailedPercent: float
    minEvaluatedRows: int


class _CachePolicyRequired(TypedDict):
    mode: Literal["read_write", "off"]


class CachePolicy(_CachePolicyRequired, total=False):
    """Whether an output is taken from an earlier row of the organization that asked the same: same connection, model and rendered request. Such an output has `usage.cached` and costs nothing."""

    ttlSeconds: int


class ExecutionRealtime(TypedDict):
    """A call for every row."""

    mode: Literal["realtime"]


class _ExecutionProviderBatchRequired(TypedDict):
    mode: Literal["provider_batch"]


class ExecutionProviderBatch(_ExecutionProviderBatchRequired, total=False):
    """Rows are sent to the provider in files, which it processes within a day at a lower price. For `llm` only. Rows for which the provider returns nothing, or that need another request, continue in real time."""

    maxWaitSeconds: int


class _BudgetRequired(TypedDict):
    maxCostUsd: str


class Budget(_BudgetRequired, total=False):
    """The most that a call may cost is reserved before it, and settled after it. Without `parameters.maxOutputTokens`, calls under a budget are limited to 4096 tokens of output. Needs a price for every model that may be asked; requests of `http` without a price count as free."""

    onExceeded: Literal["pause", "cancel"]


class RunRowCounts(TypedDict):
    total: int
    pending: int
    running: int
    succeeded: int
    failed: int
    canceled: int
    skipped: int


class Usage(TypedDict):
    inputTokens: int
    outputTokens: int
    requests: int
    attempts: int
    unpricedRequests: int
    costUsd: Optional[str]


class TestedCallRequest(TypedDict):
    method: str
    url: str
    headers: Dict[str, str]
    body: Optional[str]
    isCut: bool


class TestedCallResponse(TypedDict):
    status: int
    headers: Dict[str, str]
    body: Optional[str]
    isCut: bool


class TestedCallUsageTrue(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class TestedCall(TypedDict):
    """A call as it was sent, and its response, without the credentials of the connection. `usage` is as in `usage.calls` of the row."""

    request: TestedCallRequest
    response: Optional[TestedCallResponse]
    usage: Optional[TestedCallUsageTrue]


class JobSpecTestResultOutputsItemUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class JobSpecTestResultOutputsItemUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[JobSpecTestResultOutputsItemUsageTrueCallsItem]
    assumedCostUsd: str


class _JobSpecTestResultOutputsItemRequired(TypedDict):
    index: int
    durationMs: int
    usage: Optional[JobSpecTestResultOutputsItemUsageTrue]
    logs: str
    data: Any


class JobSpecTestResultOutputsItem(_JobSpecTestResultOutputsItemRequired, total=False):
    calls: List[TestedCall]


class JobSpecTestResultFailuresItemUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class JobSpecTestResultFailuresItemUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[JobSpecTestResultFailuresItemUsageTrueCallsItem]
    assumedCostUsd: str


_JobSpecTestResultFailuresItemRequired = TypedDict(
    "_JobSpecTestResultFailuresItemRequired",
    {
        "index": "int",
        "durationMs": "int",
        "usage": "Optional[JobSpecTestResultFailuresItemUsageTrue]",
        "logs": "str",
        "code": "Literal[\"provider_auth_failed\", \"model_not_found\", \"template_error\", \"secret_missing\", \"input_schema_invalid\", \"context_length_exceeded\", \"content_rejected\", \"output_schema_invalid\", \"output_not_json\", \"output_truncated\", \"refused\", \"provider_rate_limited\", \"provider_overloaded\", \"provider_error\", \"provider_timeout\", \"network_error\", \"http_4xx\", \"http_5xx\", \"egress_denied\", \"transform_error\", \"transform_memory\", \"transform_timeout\", \"schema_check_limit\", \"row_timeout\", \"budget_exhausted\", \"deadline_exceeded\", \"worker_lost\", \"poison_row\", \"internal_error\"]",
        "class": "Literal[\"configuration\", \"input\", \"output\", \"transient\", \"http\", \"transform\", \"limits\", \"system\"]",
        "retryable": "bool",
        "message": "str",
        "details": "Optional[Dict[str, Any]]",
    },
    total=True,
)


class JobSpecTestResultFailuresItem(_JobSpecTestResultFailuresItemRequired, total=False):
    calls: List[TestedCall]


class JobSpecTestResultTotals(TypedDict):
    """What the test has used."""

    inputTokens: int
    outputTokens: int
    requests: int
    unpricedRequests: int
    costUsd: Optional[str]


class JobSpecTestResult(TypedDict):
    outputs: List[JobSpecTestResultOutputsItem]
    failures: List[JobSpecTestResultFailuresItem]
    totals: JobSpecTestResultTotals


class JobSpecWarning(TypedDict):
    path: str
    code: Literal["template_without_row", "single_brace_reference"]
    message: str


class _JobSpecRequired(TypedDict):
    id: str
    name: str
    description: Optional[str]
    latestVersion: int
    processor: Dict[str, Any]
    inputSchema: Optional[Union[Dict[str, Any], bool]]
    outputSchema: Optional[Union[Dict[str, Any], bool]]
    retry: Optional[RetryPolicy]
    timeoutSeconds: Optional[int]
    concurrency: Optional[int]
    failurePolicy: Optional[FailurePolicy]
    cache: Optional[CachePolicy]
    dedupe: Literal["none", "exact"]
    execution: Optional[Execution]
    metadata: Dict[str, str]
    archivedAt: Optional[str]
    createdAt: str
    updatedAt: str


class JobSpec(_JobSpecRequired, total=False):
    """A job spec with the definition of its latest version."""

    warnings: List[JobSpecWarning]


class _JobSpecVersionRequired(TypedDict):
    id: str
    jobSpecId: str
    version: int
    processor: Dict[str, Any]
    inputSchema: Optional[Union[Dict[str, Any], bool]]
    outputSchema: Optional[Union[Dict[str, Any], bool]]
    retry: Optional[RetryPolicy]
    timeoutSeconds: Optional[int]
    concurrency: Optional[int]
    failurePolicy: Optional[FailurePolicy]
    cache: Optional[CachePolicy]
    dedupe: Literal["none", "exact"]
    execution: Optional[Execution]
    createdAt: str


class JobSpecVersion(_JobSpecVersionRequired, total=False):
    warnings: List[JobSpecWarning]


class RunEstimateEstimateRequests(TypedDict):
    """Calls to the outside; repair attempts and further attempts are in `high`, or in earlier results."""

    low: int
    expected: int
    high: int


class RunEstimateEstimateInputTokens(TypedDict):
    """Tokens sent to models."""

    low: int
    expected: int
    high: int


class RunEstimateEstimateOutputTokens(TypedDict):
    """Tokens received from models."""

    low: int
    expected: int
    high: int


class RunEstimateEstimateCostUsd(TypedDict):
    """By the prices that hold now; null when the price of the job spec's model is not known."""

    low: str
    expected: str
    high: str


class RunEstimateEstimateUnpricedModelsItem(TypedDict):
    connectionId: str
    model: str


class RunEstimateEstimateDurationSeconds(TypedDict):
    """What the rate limit of the connection makes it take when nothing else uses the connection; null without a rate limit."""

    low: int
    expected: int
    high: int


class _RunEstimateEstimateRequired(TypedDict):
    basis: Literal["earlier_results", "limits", "no_calls"]
    sampledRows: int
    failingSampledRows: int
    requests: RunEstimateEstimateRequests
    inputTokens: RunEstimateEstimateInputTokens
    outputTokens: RunEstimateEstimateOutputTokens
    costUsd: Optional[RunEstimateEstimateCostUsd]
    unpricedModels: List[RunEstimateEstimateUnpricedModelsItem]
    durationSeconds: Optional[RunEstimateEstimateDurationSeconds]


class RunEstimateEstimate(_RunEstimateEstimateRequired, total=False):
    cachedSampledRows: int


class RunEstimateProblemsItem(TypedDict):
    datasetRowId: Optional[str]
    index: Optional[int]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error", "template_without_row", "single_brace_reference"]
    message: str


class RunEstimateSuggestionsItem(TypedDict):
    code: Literal["cap_output_tokens", "sample_first"]
    message: str


class RunEstimate(TypedDict):
    """`low` and `high` contain the error of the sample (95 %) and what is unknown about outputs. What the cache has of the sampled rows is taken off; what equal rows save is not."""

    dryRun: Literal[True]
    rows: int
    estimate: RunEstimateEstimate
    problems: List[RunEstimateProblemsItem]
    suggestions: List[RunEstimateSuggestionsItem]


class RunExecutionProblem(TypedDict):
    """The last thing that was wrong with batches. `unsupported`: the provider has none, and the run continues in real time. `refused`: it refuses them, and the run is paused (`stateReason: batch_refused`). `deadline_near`: the rest of the time is kept for real time."""

    code: Literal["unsupported", "refused", "deadline_near"]
    message: str


class RunExecution(TypedDict):
    """How the rows are brought to the model."""

    mode: Literal["realtime", "provider_batch"]
    maxWaitSeconds: Optional[int]
    realTimeSince: Optional[str]
    problem: Optional[RunExecutionProblem]


class RunError(TypedDict):
    """Why the service has paused the run, or ended it before all rows were tried. Of a run that its breaker has paused, the message quotes one of the failures."""

    code: str
    message: str


class RunProgress(TypedDict):
    percent: float
    rowsPerSecond: Optional[float]
    etaSeconds: Optional[int]


class Run(TypedDict):
    id: str
    name: Optional[str]
    state: Literal["queued", "running", "paused", "canceling", "succeeded", "partially_succeeded", "failed", "canceled", "expired"]
    stateReason: Optional[Literal["waiting_for_capacity", "by_user", "budget_exhausted", "breaker_open", "batch_refused", "organization_suspended", "storage_limit_reached", "insufficient_storage"]]
    stateReasonMessage: Optional[str]
    error: Optional[RunError]
    nextSteps: List[NextStep]
    datasetId: str
    jobSpecId: str
    jobSpecVersion: int
    scope: RunScope
    priority: int
    concurrency: Optional[int]
    failurePolicy: Optional[FailurePolicy]
    budget: Optional[Budget]
    execution: RunExecution
    deadlineAt: Optional[str]
    rows: RunRowCounts
    progress: RunProgress
    usage: Usage
    parentRunId: Optional[str]
    rootRunId: str
    retryNumber: int
    selection: Optional[RetrySelection]
    apiKeyId: Optional[str]
    metadata: Dict[str, str]
    createdAt: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    updatedAt: str


class BulkActionFilter(TypedDict, total=False):
    """The filters of the list of these things, with several values as an array; all of them must hold. At least one: an empty filter is refused, so that nobody deletes everything by a mistake."""

    state: List[Literal["queued", "running", "paused", "canceling", "succeeded", "partially_succeeded", "failed", "canceled", "expired"]]
    datasetId: str
    jobSpecId: str
    apiKeyId: str
    name: str
    metadata: Dict[str, str]
    createdAfter: str
    createdBefore: str
    runId: str
    status: List[Literal["queued", "running", "ready", "expired", "failed", "canceled"]]
    type: List[Literal["outputs", "failures", "resolved_results", "rows"]]
    format: List[Literal["jsonl", "csv", "parquet"]]


class BulkActionReasonsItem(TypedDict):
    outcome: Literal["skipped", "failed"]
    code: str
    message: str
    count: int
    ids: List[str]


class BulkActionError(TypedDict):
    """Why the action ended early (`failed`)."""

    code: str
    message: str


class BulkAction(TypedDict):
    id: str
    resource: Literal["runs", "datasets", "exports"]
    action: Literal["cancel", "pause", "resume", "retry", "delete"]
    filter: Optional[BulkActionFilter]
    state: Literal["queued", "running", "completed", "aborted", "failed"]
    total: int
    done: int
    skipped: int
    failed: int
    reasons: List[BulkActionReasonsItem]
    error: Optional[BulkActionError]
    apiKeyId: str
    createdAt: str
    startedAt: Optional[str]
    finishedAt: Optional[str]
    updatedAt: str


class BulkActionCountStatesItem(TypedDict):
    state: str
    count: int


class BulkActionCount(TypedDict):
    resource: Literal["runs", "datasets", "exports"]
    action: Literal["cancel", "pause", "resume", "retry", "delete"]
    total: int
    states: List[BulkActionCountStatesItem]


class _ColumnRequired(TypedDict):
    name: str
    type: Literal["integer", "number", "decimal", "boolean", "date", "timestamp", "string", "object", "array", "mixed"]
    nullCount: int


class Column(_ColumnRequired, total=False):
    min: Union[float, str]
    max: Union[float, str]


class Dataset(TypedDict):
    id: str
    name: str
    description: Optional[str]
    state: Literal["processing", "ready", "failed"]
    rowCount: int
    sizeBytes: int
    columns: List[Column]
    contentSha256: Optional[str]
    uploadId: str
    metadata: Dict[str, str]
    createdAt: str
    updatedAt: str


class DatasetRow(TypedDict):
    id: str
    index: int
    data: Dict[str, Any]


ColumnStatisticsColumnsItemHistogramItem = TypedDict(
    "ColumnStatisticsColumnsItemHistogramItem",
    {
        "from": "Union[float, str]",
        "to": "Union[float, str]",
        "count": "int",
    },
    total=True,
)


class ColumnStatisticsColumnsItemFrequentValuesItem(TypedDict):
    value: str
    count: int


class ColumnStatisticsColumnsItem(TypedDict):
    name: str
    type: Literal["integer", "number", "decimal", "boolean", "date", "timestamp", "string", "object", "array", "mixed"]
    nullCount: int
    histogram: Optional[List[ColumnStatisticsColumnsItemHistogramItem]]
    frequentValues: Optional[List[ColumnStatisticsColumnsItemFrequentValuesItem]]
    distinctValues: Optional[int]


class ColumnStatistics(TypedDict):
    """How the values of columns are distributed."""

    examinedRows: int
    isComplete: bool
    columns: List[ColumnStatisticsColumnsItem]


class ConnectionLimitsModelsItem(TypedDict):
    model: str
    learnedRequestsPerMinute: Optional[int]
    learnedTokensPerMinute: Optional[int]
    requestsPerMinute: Optional[int]
    refusals: int
    pausedSeconds: float
    waitSeconds: float
    slowedAt: Optional[str]
    lastUsedAt: str


class ConnectionLimits(TypedDict):
    """What all workers together know of a connection's limits."""

    connectionId: str
    models: List[ConnectionLimitsModelsItem]


class ConnectionRateLimit(TypedDict):
    requestsPerMinute: Optional[int]
    tokensPerMinute: Optional[int]


class _ConnectionPricesModelsValueRequired(TypedDict):
    inputUsdPerMillionTokens: str
    outputUsdPerMillionTokens: str


class ConnectionPricesModelsValue(_ConnectionPricesModelsValueRequired, total=False):
    batchDiscountPercent: int


class ConnectionPrices(TypedDict, total=False):
    models: Dict[str, ConnectionPricesModelsValue]
    requestUsd: str


class ConnectionPriceList(TypedDict):
    asOf: str
    ageDays: int


class Connection(TypedDict):
    id: str
    name: str
    type: Literal["openai_compatible", "anthropic", "http"]
    baseUrl: str
    hasSecret: bool
    redactedSecret: Optional[str]
    rateLimit: ConnectionRateLimit
    prices: Optional[ConnectionPrices]
    priceList: Optional[ConnectionPriceList]
    metadata: Dict[str, str]
    createdAt: str
    updatedAt: str


class _ConnectionTestRequired(TypedDict):
    ok: bool
    status: Optional[int]
    durationMs: int
    message: str


class ConnectionTest(_ConnectionTestRequired, total=False):
    models: List[str]


class DatasetUploadErrorsItem(TypedDict):
    line: Optional[int]
    code: Literal["empty_file", "encoding_error", "invalid_json_line", "invalid_csv", "invalid_parquet", "row_too_large", "too_many_columns", "checksum_mismatch", "download_failed", "decompression_limit", "storage_limit_reached", "unsupported_format", "internal_error"]
    message: str
    text: Optional[str]


class DatasetUploadProgress(TypedDict):
    percent: float


class _DatasetUploadUploadRequired(TypedDict):
    method: Literal["PUT"]
    url: str
    expiresAt: str


class DatasetUploadUpload(_DatasetUploadUploadRequired, total=False):
    """Where to send the content; only while it is awaited."""

    resumableUrl: str


class _DatasetUploadRequired(TypedDict):
    id: str
    name: str
    state: Literal["awaiting_content", "processing", "completed", "failed", "expired", "canceled"]
    stateMessage: Optional[str]
    nextSteps: List[NextStep]
    sourceType: Literal["inline", "upload", "url"]
    format: Optional[Literal["jsonl", "json", "csv", "tsv", "parquet"]]
    onInvalidRow: Literal["reject", "skip"]
    datasetId: Optional[str]
    bytesReceived: int
    rowsAccepted: int
    rowsRejected: int
    errors: List[DatasetUploadErrorsItem]
    skippable: bool
    progress: DatasetUploadProgress
    metadata: Dict[str, str]
    createdAt: str
    updatedAt: str
    finishedAt: Optional[str]


class DatasetUpload(_DatasetUploadRequired, total=False):
    upload: DatasetUploadUpload


class Member(TypedDict):
    id: str
    organizationId: str
    name: str
    email: str
    role: Literal["owner", "developer", "operator", "viewer"]
    invitationId: str
    createdAt: str


class Invitation(TypedDict):
    id: str
    organizationId: str
    email: str
    role: Literal["owner", "developer", "operator", "viewer"]
    state: Literal["pending", "accepted", "revoked", "expired"]
    memberId: Optional[str]
    createdByKeyId: Optional[str]
    expiresAt: str
    createdAt: str
    updatedAt: str


class _CreatedInvitationRequired(TypedDict):
    id: str
    organizationId: str
    email: str
    role: Literal["owner", "developer", "operator", "viewer"]
    state: Literal["pending", "accepted", "revoked", "expired"]
    memberId: Optional[str]
    createdByKeyId: Optional[str]
    expiresAt: str
    createdAt: str
    updatedAt: str


class CreatedInvitation(_CreatedInvitationRequired, total=False):
    inviteUrl: str


class AcceptedInvitation(TypedDict):
    member: Member
    apiKey: CreatedApiKey


class ModelListPrice(TypedDict):
    provider: str
    model: str
    inputUsdPerMillionTokens: str
    outputUsdPerMillionTokens: str
    cachedInputUsdPerMillionTokens: Optional[str]
    batchDiscountPercent: Optional[int]
    sourceDate: str


class ModelPriceListProvidersItem(TypedDict):
    provider: str
    connectionType: Literal["openai_compatible", "anthropic", "http"]
    host: str
    source: str


class ModelPriceList(TypedDict):
    asOf: str
    ageDays: int
    note: str
    providers: List[ModelPriceListProvidersItem]
    data: List[ModelListPrice]


class OrganizationUsageThisMonth(TypedDict):
    """What its runs have used since the first of the month (UTC); more is at `GET /v1/usage`."""

    requests: int
    inputTokens: int
    outputTokens: int
    costUsd: Optional[str]


class OrganizationUsage(TypedDict):
    runsInProgress: int
    webhookEndpoints: int
    apiKeys: int
    datasets: int
    storageBytes: int
    thisMonth: OrganizationUsageThisMonth


class Organization(TypedDict):
    id: str
    name: str
    slug: Optional[str]
    state: Literal["active", "suspended"]
    limits: Dict[str, Optional[int]]
    usage: OrganizationUsage
    metadata: Dict[str, str]
    createdAt: str
    updatedAt: str


class LineageRunsItem(TypedDict):
    id: str
    parentRunId: Optional[str]
    retryNumber: int
    selection: Optional[RetrySelection]
    state: Literal["queued", "running", "paused", "canceling", "succeeded", "partially_succeeded", "failed", "canceled", "expired"]
    rows: RunRowCounts
    apiKeyId: Optional[str]


class Lineage(TypedDict):
    rootRunId: str
    runs: List[LineageRunsItem]


class RunEvent(TypedDict):
    id: str
    sequence: int
    type: Literal["run.created", "run.started", "run.progress", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "test.ping", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    runId: str
    createdAt: str
    data: Dict[str, Any]


class FailureGroupSample(TypedDict):
    """One of the failures."""

    datasetRowId: str
    index: int
    message: str
    failedAt: str


FailureGroup = TypedDict(
    "FailureGroup",
    {
        "code": "Literal[\"provider_auth_failed\", \"model_not_found\", \"template_error\", \"secret_missing\", \"input_schema_invalid\", \"context_length_exceeded\", \"content_rejected\", \"output_schema_invalid\", \"output_not_json\", \"output_truncated\", \"refused\", \"provider_rate_limited\", \"provider_overloaded\", \"provider_error\", \"provider_timeout\", \"network_error\", \"http_4xx\", \"http_5xx\", \"egress_denied\", \"transform_error\", \"transform_memory\", \"transform_timeout\", \"schema_check_limit\", \"row_timeout\", \"budget_exhausted\", \"deadline_exceeded\", \"worker_lost\", \"poison_row\", \"internal_error\"]",
        "class": "Literal[\"configuration\", \"input\", \"output\", \"transient\", \"http\", \"transform\", \"limits\", \"system\"]",
        "retryable": "bool",
        "path": "Optional[str]",
        "count": "int",
        "sample": "FailureGroupSample",
    },
    total=True,
)


class RunRowError(TypedDict):
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]
    message: str


class RunRow(TypedDict):
    datasetRowId: str
    index: int
    state: Literal["pending", "running", "succeeded", "failed", "canceled", "skipped"]
    attempts: int
    startedAt: Optional[str]
    finishedAt: Optional[str]
    durationMs: Optional[int]
    error: Optional[RunRowError]


class OutputUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class OutputUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[OutputUsageTrueCallsItem]
    assumedCostUsd: str


class Output(TypedDict):
    datasetRowId: str
    index: int
    data: Any
    attempts: int
    usage: Optional[OutputUsageTrue]
    producedAt: str


class FailureUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class FailureUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[FailureUsageTrueCallsItem]
    assumedCostUsd: str


Failure = TypedDict(
    "Failure",
    {
        "datasetRowId": "str",
        "index": "int",
        "code": "Literal[\"provider_auth_failed\", \"model_not_found\", \"template_error\", \"secret_missing\", \"input_schema_invalid\", \"context_length_exceeded\", \"content_rejected\", \"output_schema_invalid\", \"output_not_json\", \"output_truncated\", \"refused\", \"provider_rate_limited\", \"provider_overloaded\", \"provider_error\", \"provider_timeout\", \"network_error\", \"http_4xx\", \"http_5xx\", \"egress_denied\", \"transform_error\", \"transform_memory\", \"transform_timeout\", \"schema_check_limit\", \"row_timeout\", \"budget_exhausted\", \"deadline_exceeded\", \"worker_lost\", \"poison_row\", \"internal_error\"]",
        "class": "Literal[\"configuration\", \"input\", \"output\", \"transient\", \"http\", \"transform\", \"limits\", \"system\"]",
        "retryable": "bool",
        "message": "str",
        "details": "Optional[Dict[str, Any]]",
        "attempts": "int",
        "usage": "Optional[FailureUsageTrue]",
        "failedAt": "str",
    },
    total=True,
)


class ResolvedResultOutputUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class ResolvedResultOutputUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[ResolvedResultOutputUsageTrueCallsItem]
    assumedCostUsd: str


class ResolvedResultOutput(TypedDict):
    data: Any
    attempts: int
    usage: Optional[ResolvedResultOutputUsageTrue]
    producedAt: str


class ResolvedResultFailureUsageTrueCallsItem(TypedDict, total=False):
    """One call to the outside, whatever came of it."""

    connectionId: str
    model: str
    reportedModel: str
    requestId: str
    inputTokens: int
    outputTokens: int
    costUsd: str
    costAssumed: Literal[True]
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]


class ResolvedResultFailureUsageTrue(TypedDict, total=False):
    inputTokens: int
    outputTokens: int
    requests: int
    costUsd: str
    unpricedRequests: int
    cached: Literal[True]
    calls: List[ResolvedResultFailureUsageTrueCallsItem]
    assumedCostUsd: str


ResolvedResultFailure = TypedDict(
    "ResolvedResultFailure",
    {
        "code": "Literal[\"provider_auth_failed\", \"model_not_found\", \"template_error\", \"secret_missing\", \"input_schema_invalid\", \"context_length_exceeded\", \"content_rejected\", \"output_schema_invalid\", \"output_not_json\", \"output_truncated\", \"refused\", \"provider_rate_limited\", \"provider_overloaded\", \"provider_error\", \"provider_timeout\", \"network_error\", \"http_4xx\", \"http_5xx\", \"egress_denied\", \"transform_error\", \"transform_memory\", \"transform_timeout\", \"schema_check_limit\", \"row_timeout\", \"budget_exhausted\", \"deadline_exceeded\", \"worker_lost\", \"poison_row\", \"internal_error\"]",
        "class": "Literal[\"configuration\", \"input\", \"output\", \"transient\", \"http\", \"transform\", \"limits\", \"system\"]",
        "retryable": "bool",
        "message": "str",
        "details": "Optional[Dict[str, Any]]",
        "attempts": "int",
        "usage": "Optional[ResolvedResultFailureUsageTrue]",
        "failedAt": "str",
    },
    total=True,
)


class _ResolvedResultRequired(TypedDict):
    datasetRowId: str
    index: int
    resultState: Literal["succeeded", "failed", "canceled", "skipped", "pending"]
    runId: Optional[str]


class ResolvedResult(_ResolvedResultRequired, total=False):
    output: ResolvedResultOutput
    failure: ResolvedResultFailure


class RunMapCellsItem(TypedDict):
    firstIndex: int
    lastIndex: int
    chunks: int
    runningChunks: int
    rows: int
    succeeded: int
    failed: int


class RunMap(TypedDict):
    """Neighboring chunks share a cell where a run has more chunks than cells were asked for."""

    chunks: int
    cells: List[RunMapCellsItem]


class ServiceInfoRetention(TypedDict):
    """How long the service keeps what it deletes by itself. Datasets and runs stay until they are deleted."""

    webhookDeliveryDays: int
    alertDeliveryDays: int
    exportHours: int
    idempotencyKeyHours: int


class ServiceInfo(TypedDict):
    version: str
    publicUrl: str
    webhookHeaderPrefix: str
    sendsMail: bool
    retention: ServiceInfoRetention
    invitationExpiryHours: int
    sessionExpiryHours: int


class ServiceHealthChecksItem(TypedDict):
    name: Literal["database", "store", "disk", "encryption_key", "egress"]
    ok: bool
    durationMs: int
    message: str


class ServiceHealthRunsItem(TypedDict):
    state: str
    count: int


class ServiceHealthJobsItem(TypedDict):
    queue: str
    count: int


class ServiceHealth(TypedDict):
    isHealthy: bool
    checks: List[ServiceHealthChecksItem]
    organizations: int
    runs: List[ServiceHealthRunsItem]
    jobs: List[ServiceHealthJobsItem]
    pendingWebhookDeliveries: int
    oldestEventSeconds: Optional[int]


class Session(TypedDict):
    """Who makes the request."""

    by: Literal["api_key", "session"]
    kind: Literal["admin", "organization"]
    organizationId: Optional[str]
    organizationName: Optional[str]
    apiKeyId: Optional[str]
    memberId: Optional[str]
    scopes: List[Literal["datasets:read", "datasets:write", "job_specs:read", "job_specs:write", "runs:read", "runs:write", "results:read", "results:write", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "alerts:read", "alerts:write", "organization:read", "organization:write", "api_keys:read", "api_keys:write", "invitations:read", "invitations:write", "connections:read", "connections:write", "audit:read"]]
    expiresAt: Optional[str]


class UsageGroupTests(TypedDict):
    """The part that tests of job specs have used; it is contained in the other members."""

    requests: int
    costUsd: Optional[str]


class _UsageGroupRequired(TypedDict):
    rows: int
    attempts: int
    requests: int
    inputTokens: int
    outputTokens: int
    unpricedRequests: int
    costUsd: Optional[str]
    pricedCostUsd: str
    tests: UsageGroupTests


class UsageGroup(_UsageGroupRequired, total=False):
    day: str
    runId: Optional[str]
    apiKeyId: Optional[str]
    jobSpecId: str
    model: Optional[str]


class WebhookEndpoint(TypedDict):
    id: str
    url: str
    eventTypes: List[str]
    description: Optional[str]
    enabled: bool
    disabledReason: Optional[Literal["by_user", "receiver_gone", "failing"]]
    failingSince: Optional[str]
    lastSuccessAt: Optional[str]
    createdAt: str
    updatedAt: str


class _WebhookEndpointWithSecretRequired(TypedDict):
    id: str
    url: str
    eventTypes: List[str]
    description: Optional[str]
    enabled: bool
    disabledReason: Optional[Literal["by_user", "receiver_gone", "failing"]]
    failingSince: Optional[str]
    lastSuccessAt: Optional[str]
    createdAt: str
    updatedAt: str


class WebhookEndpointWithSecret(_WebhookEndpointWithSecretRequired, total=False):
    signingSecret: str


class WebhookReplay(TypedDict):
    dryRun: bool
    deliveries: int


class RunCreatedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["queued"]


class RunCreatedEvent(TypedDict):
    """A run was created and is queued."""

    id: str
    type: Literal["run.created"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunCreatedEventData


class RunStartedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["running"]


class RunStartedEvent(TypedDict):
    """The first row of a run is being processed."""

    id: str
    type: Literal["run.started"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunStartedEventData


class RunPausedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["paused"]
    reason: Literal["waiting_for_capacity", "by_user", "budget_exhausted", "breaker_open", "batch_refused", "organization_suspended", "storage_limit_reached", "insufficient_storage"]


class RunPausedEvent(TypedDict):
    """A run was paused; `data.reason` says why."""

    id: str
    type: Literal["run.paused"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunPausedEventData


class RunResumedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["running", "queued"]


class RunResumedEvent(TypedDict):
    """A paused run continues."""

    id: str
    type: Literal["run.resumed"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunResumedEventData


class RunSucceededEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["succeeded"]


class RunSucceededEvent(TypedDict):
    """A run ended and no row failed."""

    id: str
    type: Literal["run.succeeded"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunSucceededEventData


class RunPartiallySucceededEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["partially_succeeded"]


class RunPartiallySucceededEvent(TypedDict):
    """A run ended with succeeded and failed rows."""

    id: str
    type: Literal["run.partially_succeeded"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunPartiallySucceededEventData


class RunFailedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["failed"]


class RunFailedEvent(TypedDict):
    """A run ended without a succeeded row, or was ended by its failure policy or an error."""

    id: str
    type: Literal["run.failed"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunFailedEventData


class RunCanceledEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["canceled"]


class RunCanceledEvent(TypedDict):
    """A run was canceled; finished rows are kept."""

    id: str
    type: Literal["run.canceled"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunCanceledEventData


class RunExpiredEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["expired"]


class RunExpiredEvent(TypedDict):
    """A run passed its deadline."""

    id: str
    type: Literal["run.expired"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunExpiredEventData


class RunFinishedEventData(TypedDict):
    object: Literal["run"]
    id: str
    url: str
    state: Literal["succeeded", "partially_succeeded", "failed", "canceled", "expired"]


class RunFinishedEvent(TypedDict):
    """A run ended, in whatever way."""

    id: str
    type: Literal["run.finished"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: RunFinishedEventData


class RowSucceededEventDataRunRow(TypedDict):
    object: Literal["run_row"]
    runId: str
    datasetRowId: str
    index: int
    state: Literal["succeeded"]
    url: str


class RowSucceededEventDataRunRowDigest(TypedDict):
    """Stands for many rows of one run: after the first thousand, an endpoint gets digests."""

    object: Literal["run_row_digest"]
    runId: str
    count: int
    url: str


class RowSucceededEvent(TypedDict):
    """A row succeeded."""

    id: str
    type: Literal["row.succeeded"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: Union[RowSucceededEventDataRunRow, RowSucceededEventDataRunRowDigest]


class RowFailedEventDataRunRow(TypedDict):
    object: Literal["run_row"]
    runId: str
    datasetRowId: str
    index: int
    state: Literal["failed"]
    url: str
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]
    retryable: bool


class RowFailedEventDataRunRowDigest(TypedDict):
    """Stands for many rows of one run: after the first thousand, an endpoint gets digests."""

    object: Literal["run_row_digest"]
    runId: str
    count: int
    url: str


class RowFailedEvent(TypedDict):
    """A row failed; its failure is a record of the run."""

    id: str
    type: Literal["row.failed"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: Union[RowFailedEventDataRunRow, RowFailedEventDataRunRowDigest]


class ExportReadyEventData(TypedDict):
    object: Literal["export"]
    id: str
    runId: str
    type: Literal["outputs", "failures", "resolved_results", "rows"]
    format: Literal["jsonl", "csv", "parquet"]
    status: Literal["ready"]
    url: str


class ExportReadyEvent(TypedDict):
    """An export's file can be downloaded."""

    id: str
    type: Literal["export.ready"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: ExportReadyEventData


class ExportFailedEventData(TypedDict):
    object: Literal["export"]
    id: str
    runId: str
    type: Literal["outputs", "failures", "resolved_results", "rows"]
    format: Literal["jsonl", "csv", "parquet"]
    status: Literal["failed"]
    url: str


class ExportFailedEvent(TypedDict):
    """An export could not be written."""

    id: str
    type: Literal["export.failed"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: ExportFailedEventData


class DatasetReadyEventData(TypedDict):
    object: Literal["dataset"]
    id: str
    url: str
    state: Literal["ready"]


class DatasetReadyEvent(TypedDict):
    """A dataset can be used."""

    id: str
    type: Literal["dataset.ready"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: DatasetReadyEventData


class DatasetFailedEventData(TypedDict):
    object: Literal["dataset"]
    id: str
    url: str
    state: Literal["failed"]


class DatasetFailedEvent(TypedDict):
    """The intake of a dataset failed; its upload says why."""

    id: str
    type: Literal["dataset.failed"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: DatasetFailedEventData


class BulkActionFinishedEventData(TypedDict):
    object: Literal["bulk_action"]
    id: str
    url: str
    state: Literal["completed", "aborted", "failed"]
    done: int
    skipped: int
    failed: int


class BulkActionFinishedEvent(TypedDict):
    """A bulk action ended: it was completed or aborted, or it failed."""

    id: str
    type: Literal["bulk_action.finished"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: BulkActionFinishedEventData


class TestPingEventData(TypedDict):
    object: Literal["test"]
    url: str


class TestPingEvent(TypedDict):
    """A test delivery was requested."""

    id: str
    type: Literal["test.ping"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: TestPingEventData


class WebhookEndpointFailingEventData(TypedDict):
    object: Literal["webhook_endpoint"]
    id: str
    url: str
    failingSince: str
    failedDeliveries: int
    percentOfLimit: int
    disabledAtEarliest: str


class WebhookEndpointFailingEvent(TypedDict):
    """Deliveries to an endpoint have been failing for long."""

    id: str
    type: Literal["webhook_endpoint.failing"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: WebhookEndpointFailingEventData


class WebhookEndpointDisabledEventData(TypedDict):
    object: Literal["webhook_endpoint"]
    id: str
    url: str
    enabled: Literal[False]
    disabledReason: Literal["by_user", "receiver_gone", "failing"]


class WebhookEndpointDisabledEvent(TypedDict):
    """An endpoint was disabled."""

    id: str
    type: Literal["webhook_endpoint.disabled"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: WebhookEndpointDisabledEventData


class AlertTriggeredEventData(TypedDict):
    object: Literal["alert"]
    alertRuleId: str
    alertRuleName: str
    title: str
    eventType: Literal["run.created", "run.started", "run.paused", "run.resumed", "run.succeeded", "run.partially_succeeded", "run.failed", "run.canceled", "run.expired", "run.finished", "row.succeeded", "row.failed", "export.ready", "export.failed", "dataset.ready", "dataset.failed", "bulk_action.finished", "webhook_endpoint.failing", "webhook_endpoint.disabled"]
    eventCount: int
    since: str
    url: str
    event: Union[RunCreatedEvent, RunStartedEvent, RunPausedEvent, RunResumedEvent, RunSucceededEvent, RunPartiallySucceededEvent, RunFailedEvent, RunCanceledEvent, RunExpiredEvent, RunFinishedEvent, RowSucceededEvent, RowFailedEvent, ExportReadyEvent, ExportFailedEvent, DatasetReadyEvent, DatasetFailedEvent, BulkActionFinishedEvent, TestPingEvent, WebhookEndpointFailingEvent, WebhookEndpointDisabledEvent]


class AlertTriggeredEvent(TypedDict):
    """An alert rule fired."""

    id: str
    type: Literal["alert.triggered"]
    apiVersion: Literal["v1"]
    createdAt: str
    organizationId: str
    test: bool
    data: AlertTriggeredEventData


class ErrorErrorDetailsItem(TypedDict):
    path: str
    code: str
    message: str


class ErrorError(TypedDict):
    code: Literal["invalid_request", "invalid_json", "unknown_field", "invalid_parameter", "invalid_limit", "invalid_cursor", "idempotency_key_required", "idempotency_key_invalid", "authentication_required", "invalid_api_key", "api_key_expired", "api_key_revoked", "budget_exceeded", "session_ended", "login_link_invalid", "origin_not_allowed", "insufficient_scope", "admin_required", "organization_key_required", "organization_suspended", "not_found", "method_not_allowed", "not_acceptable", "idempotency_conflict", "idempotency_in_progress", "invalid_state", "already_exists", "dataset_not_ready", "resource_in_use", "limit_reached", "upload_offset_mismatch", "export_expired", "precondition_failed", "payload_too_large", "unsupported_media_type", "range_not_satisfiable", "webhook_url_not_allowed", "source_url_not_allowed", "connection_url_not_allowed", "job_spec_invalid", "schema_invalid", "scope_invalid", "nothing_to_retry", "event_type_unknown", "condition_invalid", "upload_in_progress", "rate_limited", "internal_error", "service_unavailable", "insufficient_storage"]
    message: str
    param: Optional[str]
    details: List[ErrorErrorDetailsItem]
    retryable: bool
    requestId: str
    docUrl: str


class Error(TypedDict):
    error: ErrorError


class ListDatasetUploadsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class CreateDatasetUploadBodySourceInline(TypedDict):
    type: Literal["inline"]
    rows: List[Dict[str, Any]]


class _CreateDatasetUploadBodySourceUploadRequired(TypedDict):
    type: Literal["upload"]


class CreateDatasetUploadBodySourceUpload(_CreateDatasetUploadBodySourceUploadRequired, total=False):
    filename: str
    sizeBytes: int
    sha256: str


class CreateDatasetUploadBodySourceUrl(TypedDict):
    type: Literal["url"]
    url: str


class CreateDatasetUploadBodyCsv(TypedDict, total=False):
    delimiter: str
    header: bool
    encoding: Literal["utf-8", "windows-1252", "iso-8859-1", "utf-16"]


class _CreateDatasetUploadBodyRequired(TypedDict):
    name: str
    source: Union[CreateDatasetUploadBodySourceInline, CreateDatasetUploadBodySourceUpload, CreateDatasetUploadBodySourceUrl]


class CreateDatasetUploadBody(_CreateDatasetUploadBodyRequired, total=False):
    format: Literal["jsonl", "json", "csv", "tsv", "parquet"]
    csv: CreateDatasetUploadBodyCsv
    onInvalidRow: Literal["reject", "skip"]
    metadata: Dict[str, str]


class GetDatasetUploadQuery(TypedDict, total=False):
    waitSeconds: int


class ListDatasetsQuery(TypedDict, total=False):
    name: str
    metadata: Dict[str, str]
    limit: int
    cursor: str


class UpdateDatasetBody(TypedDict, total=False):
    name: str
    description: Optional[str]
    metadata: Dict[str, str]


class ListDatasetRowsQuery(TypedDict, total=False):
    fromIndex: int
    limit: int
    cursor: str


class GetColumnStatisticsQuery(TypedDict, total=False):
    fromColumn: int


class ListJobSpecsQuery(TypedDict, total=False):
    name: str
    metadata: Dict[str, str]
    limit: int
    cursor: str


class _CreateJobSpecBodyProcessorTransformRequired(TypedDict):
    type: Literal["transform"]
    code: str


class CreateJobSpecBodyProcessorTransform(_CreateJobSpecBodyProcessorTransformRequired, total=False):
    language: Literal["javascript"]


class CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemText(TypedDict):
    type: Literal["text"]
    text: str


class _CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemImageRequired(TypedDict):
    type: Literal["image"]


class CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemImage(_CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemImageRequired, total=False):
    url: str
    base64: str
    mediaType: str


class CreateJobSpecBodyProcessorLlmMessagesItem(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: Union[str, List[Union[CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemText, CreateJobSpecBodyProcessorLlmMessagesItemContentVariant2ItemImage]]]


class CreateJobSpecBodyProcessorLlmParameters(TypedDict, total=False):
    maxOutputTokens: int
    temperature: float
    topP: float
    topK: int
    presencePenalty: float
    frequencyPenalty: float
    seed: int
    stopSequences: List[str]


class _CreateJobSpecBodyProcessorLlmFallbacksItemRequired(TypedDict):
    model: str


class CreateJobSpecBodyProcessorLlmFallbacksItem(_CreateJobSpecBodyProcessorLlmFallbacksItemRequired, total=False):
    connection: str


class _CreateJobSpecBodyProcessorLlmRequired(TypedDict):
    type: Literal["llm"]
    connection: str
    model: str
    messages: List[CreateJobSpecBodyProcessorLlmMessagesItem]


class CreateJobSpecBodyProcessorLlm(_CreateJobSpecBodyProcessorLlmRequired, total=False):
    """A chat completion. Without `outputSchema` the output is `{"text": …}`; with it, the JSON value that fits it."""

    parameters: CreateJobSpecBodyProcessorLlmParameters
    outputSchema: Union[Dict[str, Any], bool]
    repairAttempts: int
    fallbacks: List[CreateJobSpecBodyProcessorLlmFallbacksItem]


class CreateJobSpecBodyProcessorHttpExpect(TypedDict):
    status: List[int]


class _CreateJobSpecBodyProcessorHttpRequired(TypedDict):
    type: Literal["http"]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str


class CreateJobSpecBodyProcessorHttp(_CreateJobSpecBodyProcessorHttpRequired, total=False):
    """One HTTP request per row, whose response is the output. It carries an `Idempotency-Key` that is the same for every attempt at the row in its run and its retry runs. Redirects are not followed."""

    connection: str
    headers: Dict[str, str]
    body: Any
    expect: CreateJobSpecBodyProcessorHttpExpect
    responsePath: str
    timeoutMs: int
    maxResponseBytes: int


class _CreateJobSpecBodyProcessorMockRequired(TypedDict):
    type: Literal["mock"]


class CreateJobSpecBodyProcessorMock(_CreateJobSpecBodyProcessorMockRequired, total=False):
    """Echoes each row under `echo`; for rehearsals, demos and load tests."""

    failEvery: int
    failUntilRetry: int
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]
    delayMs: int


class _CreateJobSpecBodyRequired(TypedDict):
    name: str
    processor: Union[CreateJobSpecBodyProcessorTransform, CreateJobSpecBodyProcessorLlm, CreateJobSpecBodyProcessorHttp, CreateJobSpecBodyProcessorMock]


class CreateJobSpecBody(_CreateJobSpecBodyRequired, total=False):
    description: str
    inputSchema: Union[Dict[str, Any], bool]
    outputSchema: Union[Dict[str, Any], bool]
    retry: RetryPolicy
    timeoutSeconds: int
    concurrency: int
    failurePolicy: FailurePolicy
    cache: CachePolicy
    dedupe: Literal["none", "exact"]
    execution: Execution
    metadata: Dict[str, str]


class UpdateJobSpecBody(TypedDict, total=False):
    name: str
    description: Optional[str]
    metadata: Dict[str, str]


class ListJobSpecVersionsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class _CreateJobSpecVersionBodyProcessorTransformRequired(TypedDict):
    type: Literal["transform"]
    code: str


class CreateJobSpecVersionBodyProcessorTransform(_CreateJobSpecVersionBodyProcessorTransformRequired, total=False):
    language: Literal["javascript"]


class CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemText(TypedDict):
    type: Literal["text"]
    text: str


class _CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemImageRequired(TypedDict):
    type: Literal["image"]


class CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemImage(_CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemImageRequired, total=False):
    url: str
    base64: str
    mediaType: str


class CreateJobSpecVersionBodyProcessorLlmMessagesItem(TypedDict):
    role: Literal["system", "user", "assistant"]
    content: Union[str, List[Union[CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemText, CreateJobSpecVersionBodyProcessorLlmMessagesItemContentVariant2ItemImage]]]


class CreateJobSpecVersionBodyProcessorLlmParameters(TypedDict, total=False):
    maxOutputTokens: int
    temperature: float
    topP: float
    topK: int
    presencePenalty: float
    frequencyPenalty: float
    seed: int
    stopSequences: List[str]


class _CreateJobSpecVersionBodyProcessorLlmFallbacksItemRequired(TypedDict):
    model: str


class CreateJobSpecVersionBodyProcessorLlmFallbacksItem(_CreateJobSpecVersionBodyProcessorLlmFallbacksItemRequired, total=False):
    connection: str


class _CreateJobSpecVersionBodyProcessorLlmRequired(TypedDict):
    type: Literal["llm"]
    connection: str
    model: str
    messages: List[CreateJobSpecVersionBodyProcessorLlmMessagesItem]


class CreateJobSpecVersionBodyProcessorLlm(_CreateJobSpecVersionBodyProcessorLlmRequired, total=False):
    """A chat completion. Without `outputSchema` the output is `{"text": …}`; with it, the JSON value that fits it."""

    parameters: CreateJobSpecVersionBodyProcessorLlmParameters
    outputSchema: Union[Dict[str, Any], bool]
    repairAttempts: int
    fallbacks: List[CreateJobSpecVersionBodyProcessorLlmFallbacksItem]


class CreateJobSpecVersionBodyProcessorHttpExpect(TypedDict):
    status: List[int]


class _CreateJobSpecVersionBodyProcessorHttpRequired(TypedDict):
    type: Literal["http"]
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    url: str


class CreateJobSpecVersionBodyProcessorHttp(_CreateJobSpecVersionBodyProcessorHttpRequired, total=False):
    """One HTTP request per row, whose response is the output. It carries an `Idempotency-Key` that is the same for every attempt at the row in its run and its retry runs. Redirects are not followed."""

    connection: str
    headers: Dict[str, str]
    body: Any
    expect: CreateJobSpecVersionBodyProcessorHttpExpect
    responsePath: str
    timeoutMs: int
    maxResponseBytes: int


class _CreateJobSpecVersionBodyProcessorMockRequired(TypedDict):
    type: Literal["mock"]


class CreateJobSpecVersionBodyProcessorMock(_CreateJobSpecVersionBodyProcessorMockRequired, total=False):
    """Echoes each row under `echo`; for rehearsals, demos and load tests."""

    failEvery: int
    failUntilRetry: int
    code: Literal["provider_auth_failed", "model_not_found", "template_error", "secret_missing", "input_schema_invalid", "context_length_exceeded", "content_rejected", "output_schema_invalid", "output_not_json", "output_truncated", "refused", "provider_rate_limited", "provider_overloaded", "provider_error", "provider_timeout", "network_error", "http_4xx", "http_5xx", "egress_denied", "transform_error", "transform_memory", "transform_timeout", "schema_check_limit", "row_timeout", "budget_exhausted", "deadline_exceeded", "worker_lost", "poison_row", "internal_error"]
    delayMs: int


class _CreateJobSpecVersionBodyRequired(TypedDict):
    processor: Union[CreateJobSpecVersionBodyProcessorTransform, CreateJobSpecVersionBodyProcessorLlm, CreateJobSpecVersionBodyProcessorHttp, CreateJobSpecVersionBodyProcessorMock]


class CreateJobSpecVersionBody(_CreateJobSpecVersionBodyRequired, total=False):
    inputSchema: Union[Dict[str, Any], bool]
    outputSchema: Union[Dict[str, Any], bool]
    retry: RetryPolicy
    timeoutSeconds: int
    concurrency: int
    failurePolicy: FailurePolicy
    cache: CachePolicy
    dedupe: Literal["none", "exact"]
    execution: Execution


class TestJobSpecBody(TypedDict, total=False):
    rows: List[Dict[str, Any]]
    datasetId: str
    count: int
    jobSpecVersion: int
    details: bool


class ListRunsQuery(TypedDict, total=False):
    state: Union[str, List[str]]
    datasetId: str
    jobSpecId: str
    apiKeyId: str
    name: str
    metadata: Dict[str, str]
    createdAfter: str
    createdBefore: str
    limit: int
    cursor: str


class _CreateRunBodyRequired(TypedDict):
    datasetId: str
    jobSpecId: str
    scope: RunScope


class CreateRunBody(_CreateRunBodyRequired, total=False):
    jobSpecVersion: int
    name: str
    priority: int
    concurrency: int
    failurePolicy: FailurePolicy
    budget: Budget
    execution: Execution
    deadlineAt: str
    metadata: Dict[str, str]
    dryRun: bool


class GetRunQuery(TypedDict, total=False):
    waitSeconds: int


class UpdateRunBody(TypedDict, total=False):
    name: Optional[str]
    metadata: Dict[str, str]
    priority: int
    concurrency: int
    failurePolicy: Optional[FailurePolicy]
    budget: Optional[Budget]


class RetryRunBody(TypedDict, total=False):
    selection: RetrySelection
    jobSpecVersion: int
    name: str
    priority: int
    concurrency: int
    failurePolicy: FailurePolicy
    budget: Budget
    execution: Execution
    deadlineAt: str
    metadata: Dict[str, str]
    dryRun: bool


class ListRunEventsQuery(TypedDict, total=False):
    type: Union[str, List[str]]
    limit: int
    cursor: str


class GetRunMapQuery(TypedDict, total=False):
    cells: int


class ListRunRowsQuery(TypedDict, total=False):
    state: Union[str, List[str]]
    code: Union[str, List[str]]
    fromIndex: int
    limit: int
    cursor: str


class ListOutputsQuery(TypedDict, total=False):
    datasetRowId: str
    fromIndex: int
    limit: int
    cursor: str


class ListFailuresQuery(TypedDict, total=False):
    code: Union[str, List[str]]
    retryable: Literal["true", "false"]
    fromIndex: int
    limit: int
    cursor: str


class ListResolvedResultsQuery(TypedDict, total=False):
    resultState: Union[str, List[str]]
    fromIndex: int
    limit: int
    cursor: str


class ListFailureGroupsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class ListRunExportsQuery(TypedDict, total=False):
    status: Union[str, List[str]]
    type: Union[str, List[str]]
    format: Union[str, List[str]]
    limit: int
    cursor: str


class _CreateExportBodyRequired(TypedDict):
    type: Literal["outputs", "failures", "resolved_results", "rows"]
    format: Literal["jsonl", "csv", "parquet"]


class CreateExportBody(_CreateExportBodyRequired, total=False):
    compression: Literal["none", "gzip", "zstd"]
    layout: Literal["nested", "flat"]
    includeInput: bool
    columns: List[str]
    delimiter: str
    byteOrderMark: bool
    formulaGuard: bool
    spreadsheet: bool
    metadata: Dict[str, str]


class ListExportsQuery(TypedDict, total=False):
    runId: str
    status: Union[str, List[str]]
    type: Union[str, List[str]]
    format: Union[str, List[str]]
    limit: int
    cursor: str


class GetExportQuery(TypedDict, total=False):
    waitSeconds: int


class ListBulkActionsQuery(TypedDict, total=False):
    resource: Union[str, List[str]]
    state: Union[str, List[str]]
    limit: int
    cursor: str


class CreateBulkActionBodyRetry(TypedDict, total=False):
    """Of `action: retry`: what each retry run gets, as in `POST /v1/runs/{runId}/retry`."""

    selection: RetrySelection
    name: str
    priority: int
    concurrency: int
    failurePolicy: FailurePolicy
    budget: Budget
    execution: Execution
    deadlineAt: str
    metadata: Dict[str, str]


class _CreateBulkActionBodyRequired(TypedDict):
    action: Literal["cancel", "pause", "resume", "retry", "delete"]


class CreateBulkActionBody(_CreateBulkActionBodyRequired, total=False):
    resource: Literal["runs", "datasets", "exports"]
    filter: BulkActionFilter
    ids: List[str]
    retry: CreateBulkActionBodyRetry
    dryRun: bool


class GetBulkActionQuery(TypedDict, total=False):
    waitSeconds: int


class StreamEventsQuery(TypedDict, total=False):
    type: str
    follow: bool


class ListConnectionsQuery(TypedDict, total=False):
    type: Union[str, List[str]]
    name: str
    limit: int
    cursor: str


class CreateConnectionBodyOpenaiCompatibleRateLimit(TypedDict, total=False):
    requestsPerMinute: Optional[int]
    tokensPerMinute: Optional[int]


class _CreateConnectionBodyOpenaiCompatiblePricesModelsValueRequired(TypedDict):
    inputUsdPerMillionTokens: str
    outputUsdPerMillionTokens: str


class CreateConnectionBodyOpenaiCompatiblePricesModelsValue(_CreateConnectionBodyOpenaiCompatiblePricesModelsValueRequired, total=False):
    batchDiscountPercent: int


class CreateConnectionBodyOpenaiCompatiblePrices(TypedDict):
    models: Dict[str, CreateConnectionBodyOpenaiCompatiblePricesModelsValue]


class _CreateConnectionBodyOpenaiCompatibleRequired(TypedDict):
    type: Literal["openai_compatible"]
    name: str
    baseUrl: str


class CreateConnectionBodyOpenaiCompatible(_CreateConnectionBodyOpenaiCompatibleRequired, total=False):
    secret: str
    rateLimit: CreateConnectionBodyOpenaiCompatibleRateLimit
    prices: Optional[Union[CreateConnectionBodyOpenaiCompatiblePrices, Literal["list"]]]
    metadata: Dict[str, str]


class CreateConnectionBodyAnthropicRateLimit(TypedDict, total=False):
    requestsPerMinute: Optional[int]
    tokensPerMinute: Optional[int]


class _CreateConnectionBodyAnthropicPricesModelsValueRequired(TypedDict):
    inputUsdPerMillionTokens: str
    outputUsdPerMillionTokens: str


class CreateConnectionBodyAnthropicPricesModelsValue(_CreateConnectionBodyAnthropicPricesModelsValueRequired, total=False):
    batchDiscountPercent: int


class CreateConnectionBodyAnthropicPrices(TypedDict):
    models: Dict[str, CreateConnectionBodyAnthropicPricesModelsValue]


class _CreateConnectionBodyAnthropicRequired(TypedDict):
    type: Literal["anthropic"]
    name: str


class CreateConnectionBodyAnthropic(_CreateConnectionBodyAnthropicRequired, total=False):
    secret: str
    baseUrl: str
    rateLimit: CreateConnectionBodyAnthropicRateLimit
    prices: Optional[Union[CreateConnectionBodyAnthropicPrices, Literal["list"]]]
    metadata: Dict[str, str]


class CreateConnectionBodyHttpRateLimit(TypedDict, total=False):
    requestsPerMinute: Optional[int]


class CreateConnectionBodyHttpPrices(TypedDict):
    requestUsd: str


class _CreateConnectionBodyHttpRequired(TypedDict):
    type: Literal["http"]
    name: str
    baseUrl: str


class CreateConnectionBodyHttp(_CreateConnectionBodyHttpRequired, total=False):
    secret: str
    rateLimit: CreateConnectionBodyHttpRateLimit
    prices: Optional[CreateConnectionBodyHttpPrices]
    metadata: Dict[str, str]


class UpdateConnectionBodyRateLimit(TypedDict, total=False):
    requestsPerMinute: Optional[int]
    tokensPerMinute: Optional[int]


class _UpdateConnectionBodyPricesModelsValueRequired(TypedDict):
    inputUsdPerMillionTokens: str
    outputUsdPerMillionTokens: str


class UpdateConnectionBodyPricesModelsValue(_UpdateConnectionBodyPricesModelsValueRequired, total=False):
    batchDiscountPercent: int


class UpdateConnectionBodyPrices(TypedDict, total=False):
    models: Dict[str, UpdateConnectionBodyPricesModelsValue]
    requestUsd: str


class UpdateConnectionBody(TypedDict, total=False):
    name: str
    baseUrl: str
    secret: Optional[str]
    rateLimit: UpdateConnectionBodyRateLimit
    prices: Optional[Union[UpdateConnectionBodyPrices, Literal["list"]]]
    metadata: Dict[str, str]


class ListWebhookEndpointsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class _CreateWebhookEndpointBodyRequired(TypedDict):
    url: str
    eventTypes: List[str]


class CreateWebhookEndpointBody(_CreateWebhookEndpointBodyRequired, total=False):
    description: str
    enabled: bool


class UpdateWebhookEndpointBody(TypedDict, total=False):
    url: str
    eventTypes: List[str]
    description: Optional[str]
    enabled: bool


class TestWebhookEndpointBody(TypedDict, total=False):
    eventType: str


class _ReplayWebhookEndpointBodyRequired(TypedDict):
    since: str


class ReplayWebhookEndpointBody(_ReplayWebhookEndpointBodyRequired, total=False):
    until: str
    statuses: List[Literal["missed", "succeeded", "failed", "canceled"]]
    eventTypes: List[str]
    dryRun: bool


class ListWebhookDeliveriesQuery(TypedDict, total=False):
    webhookEndpointId: str
    status: Union[str, List[str]]
    eventType: Union[str, List[str]]
    limit: int
    cursor: str


class ListAlertRulesQuery(TypedDict, total=False):
    enabled: Literal["true", "false"]
    eventType: Union[str, List[str]]
    limit: int
    cursor: str


class _CreateAlertRuleBodyRequired(TypedDict):
    name: str
    eventType: str
    destination: AlertDestination


class CreateAlertRuleBody(_CreateAlertRuleBodyRequired, total=False):
    enabled: bool
    filter: Optional[str]
    trigger: AlertTrigger
    cooldownSeconds: int


class _PreviewAlertRuleBodyRequired(TypedDict):
    eventType: str


class PreviewAlertRuleBody(_PreviewAlertRuleBodyRequired, total=False):
    filter: Optional[str]
    trigger: AlertTrigger
    cooldownSeconds: int
    days: int


class UpdateAlertRuleBody(TypedDict, total=False):
    name: str
    eventType: str
    destination: AlertDestination
    enabled: bool
    filter: Optional[str]
    trigger: AlertTrigger
    cooldownSeconds: int


class ListAlertDeliveriesQuery(TypedDict, total=False):
    alertRuleId: str
    status: Union[str, List[str]]
    limit: int
    cursor: str


class ListOrganizationsQuery(TypedDict, total=False):
    limit: int
    cursor: str


class _CreateOrganizationBodyRequired(TypedDict):
    name: str


class CreateOrganizationBody(_CreateOrganizationBodyRequired, total=False):
    slug: str
    metadata: Dict[str, str]


class UpdateOrganizationBodyLimits(TypedDict, total=False):
    """Limits of this organization; null or absent means the service's default."""

    rowsPerRun: Optional[int]
    runsInProgress: Optional[int]
    webhookEndpoints: Optional[int]
    apiKeys: Optional[int]
    requestsPerMinute: Optional[int]
    storageBytes: Optional[int]


class UpdateOrganizationBody(TypedDict, total=False):
    name: str
    state: Literal["active", "suspended"]
    limits: UpdateOrganizationBodyLimits
    metadata: Dict[str, str]


class ListApiKeysQuery(TypedDict, total=False):
    limit: int
    cursor: str


class _CreateApiKeyBodyRequired(TypedDict):
    name: str


class CreateApiKeyBody(_CreateApiKeyBodyRequired, total=False):
    scopes: List[Literal["*", "datasets:read", "datasets:write", "job_specs:read", "job_specs:write", "runs:read", "runs:write", "results:read", "results:write", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "alerts:read", "alerts:write", "organization:read", "organization:write", "api_keys:read", "api_keys:write", "invitations:read", "invitations:write", "connections:read", "connections:write", "audit:read"]]
    expiresAt: str
    requestsPerMinute: int


class RevokeApiKeyQuery(TypedDict, total=False):
    cascade: bool


class ListInvitationsQuery(TypedDict, total=False):
    state: Union[str, List[str]]
    limit: int
    cursor: str


class CreateInvitationBody(TypedDict):
    email: str
    role: Literal["owner", "developer", "operator", "viewer"]


class AcceptInvitationBody(TypedDict):
    token: str
    name: str


class ListMembersQuery(TypedDict, total=False):
    limit: int
    cursor: str


class UpdateMemberBody(TypedDict):
    role: Literal["owner", "developer", "operator", "viewer"]


class ListAuditEventsQuery(TypedDict, total=False):
    type: Union[str, List[str]]
    actorType: Union[str, List[str]]
    apiKeyId: str
    createdAfter: str
    createdBefore: str
    limit: int
    cursor: str


ListUsageQuery = TypedDict(
    "ListUsageQuery",
    {
        "from": "str",
        "to": "str",
        "groupBy": "Literal[\"day\", \"run\", \"api_key\", \"job_spec\", \"model\"]",
        "runId": "str",
        "apiKeyId": "str",
        "jobSpecId": "str",
        "limit": "int",
        "cursor": "str",
    },
    total=False,
)


class CreateSessionBodyApiKey(TypedDict):
    by: Literal["api_key"]
    apiKey: str


class CreateSessionBodyLoginLink(TypedDict):
    by: Literal["login_link"]
    token: str


AlertTrigger = Union["AlertTriggerEach", "AlertTriggerCount"]


AlertDestination = Union["AlertDestinationWebhook", "AlertDestinationSlack", "AlertDestinationEmail"]


RunScope = Union["RunScopeLimit", "RunScopeAll", "RunScopeRange", "RunScopeSample", "RunScopeRows", "RunScopeFilter"]


RetrySelection = Union["RetrySelectionUnfinished", "RetrySelectionFailures", "RetrySelectionRetryableFailures", "RetrySelectionRows", "RetrySelectionCodes", "RetrySelectionAll"]


Execution = Union["ExecutionRealtime", "ExecutionProviderBatch"]


CreateConnectionBody = Union["CreateConnectionBodyOpenaiCompatible", "CreateConnectionBodyAnthropic", "CreateConnectionBodyHttp"]


CreateSessionBody = Union["CreateSessionBodyApiKey", "CreateSessionBodyLoginLink"]
