/** Limits of runs, results and deliveries. */
import { delayBeforeAttempt } from "@rowmill/server/engine/rows/retry-delay";
import type { LimitGroup } from "./limit-table.ts";

const S = "server/src/";
const C = "contract/src/";

/** After so many attempts, a run does not try a row again that may pass by itself. */
const MOST_ATTEMPTS = 20;
const defaultAttempts =
  Array.from({ length: MOST_ATTEMPTS }, (_, n) => n + 1).find(
    (made) => delayBeforeAttempt({}, { code: "provider_overloaded", message: "" }, made, 0) === undefined,
  ) ?? MOST_ATTEMPTS;

export const limitsOfWork: readonly LimitGroup[] = [
  {
    title: "Runs and rows",
    limits: [
      {
        what: "Runs in progress of an organization",
        value: "ROWMILL_MAX_RUNS_IN_PROGRESS",
        unit: "count",
        why: "Further ones wait as `queued`.",
        beyond: "`stateReason: waiting_for_capacity`",
      },
      {
        what: "Row ids in a scope or selection",
        value: [`${C}run-rows.ts`, "MAX_ROW_IDS"],
        unit: "count",
        why: "The body is held in memory. A filter has no such limit.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "Default attempts at a row, `retry.maxAttempts`",
        value: defaultAttempts,
        unit: "count",
        why: "What fails four times rarely passes by itself.",
        beyond: "The row has the failure of its last attempt",
      },
      {
        what: "Longest `Retry-After` of a provider that is obeyed within a run",
        value: [`${S}engine/rows/retry-delay.ts`, "LONGEST_RETRY_AFTER_MS"],
        unit: "milliseconds",
        why: "The run should not stand still.",
        beyond: "A retryable failure",
      },
      {
        what: "Rendered text of one template",
        value: [`${S}processors/templates/templates.ts`, "MAX_RENDERED_CHARACTERS"],
        unit: "count",
        why: "More than any model reads.",
        beyond: "failure `template_error`",
      },
      {
        what: "One call of `llm`",
        value: [`${S}processors/llm/transport.ts`, "CALL_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "A provider that is silent for so long is not responding.",
        beyond: "failure `provider_timeout`",
      },
      {
        what: "A response of `llm`",
        value: [`${S}processors/llm/transport.ts`, "MOST_ANSWER_BYTES"],
        unit: "bytes",
        why: "It is held in memory.",
        beyond: "failure `provider_error`",
      },
      {
        what: "Default time of an `http` request (`timeoutMs`)",
        value: [`${S}processors/http/http-limits.ts`, "DEFAULT_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "Settable up to ten minutes.",
        beyond: "failure `provider_timeout`",
      },
      {
        what: "Default size of an `http` response (`maxResponseBytes`)",
        value: [`${S}processors/http/http-limits.ts`, "DEFAULT_MAX_RESPONSE_BYTES"],
        unit: "bytes",
        why: "Settable up to 8 MiB.",
        beyond: "failure `output_truncated`",
      },
      {
        what: "Processor time of `transform` for a row",
        value: [`${S}processors/transform/transform-limits.ts`, "MAX_CPU_MS"],
        unit: "milliseconds",
        why: "All organizations share the threads. See [the sandbox](transform.md).",
        beyond: "failure `transform_timeout`",
      },
      {
        what: "Output of `transform`",
        value: [`${S}processors/transform/transform-limits.ts`, "MAX_OUTPUT_BYTES"],
        unit: "bytes",
        why: "A page of results must hold many.",
        beyond: "failure `transform_error`",
      },
      {
        what: "Any output",
        value: [`${S}resources/job-specs/check-output.ts`, "MAX_OUTPUT_BYTES"],
        unit: "bytes",
        why: "It is held in memory.",
        beyond: "a failure of class `output`",
      },
      {
        what: "Output kept in the cache",
        value: [`${S}engine/chunks/row-cache.ts`, "MAX_CACHED_CHARACTERS"],
        unit: "count",
        why: "The cache is a table of the database.",
        beyond: "It is not kept",
      },
      {
        what: "Requests of one provider batch",
        value: [`${S}processors/llm/batches/batch.ts`, "MAX_BATCH_REQUESTS"],
        unit: "count",
        why: "Below the limits of providers.",
        beyond: "Another batch",
      },
      {
        what: "Targets of a bulk action",
        value: [`${C}bulk-actions.ts`, "MAX_BULK_TARGETS"],
        unit: "count",
        why: "They are written in one transaction.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Ids of a bulk action",
        value: [`${C}bulk-actions.ts`, "MAX_BULK_IDS"],
        unit: "count",
        why: "The body is held in memory. Use a filter.",
        beyond: "400 `invalid_request`",
      },
    ],
  },
  {
    title: "Results and exports",
    limits: [
      {
        what: "Characters of a page of rows",
        value: [`${S}platform/http/pages.ts`, "MAX_PAGE_CHARACTERS"],
        unit: "count",
        why: "A page of large rows ends early.",
        beyond: "Fewer items, and `nextCursor`",
      },
      {
        what: "Life of an export's file",
        value: "ROWMILL_EXPORT_RETENTION_HOURS",
        unit: "hours",
        why: "Disk. An export can be created again.",
        beyond: "410 `export_expired`",
      },
      {
        what: "Stored bytes of an organization",
        value: "ROWMILL_MAX_STORAGE_BYTES",
        unit: "bytes",
        why: "Disk. The admin can set another value for each organization.",
        beyond: "409 `limit_reached`; runs pause",
      },
      {
        what: "Free space of the service",
        value: "ROWMILL_MIN_FREE_BYTES",
        unit: "bytes",
        why: "PostgreSQL needs it to stay up.",
        beyond: "507 `insufficient_storage`; runs pause",
      },
      {
        what: "Days of a usage report",
        value: [`${C}usage.ts`, "MAX_USAGE_DAYS"],
        unit: "count",
        why: "They are added up for each request.",
        beyond: "400 `invalid_parameter`",
      },
    ],
  },
  {
    title: "Webhooks, alerts and people",
    limits: [
      {
        what: "Webhook endpoints of an organization",
        value: "ROWMILL_MAX_WEBHOOK_ENDPOINTS",
        unit: "count",
        why: "Each event is delivered to each.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Time of one delivery",
        value: [`${S}delivery/webhooks/webhook-attempt.ts`, "ATTEMPT_TIMEOUT_MS"],
        unit: "milliseconds",
        why: "A slow receiver must not delay others.",
        beyond: "The attempt fails and is repeated",
      },
      {
        what: "Single row events of a run for an endpoint",
        value: [`${S}resources/runs/run-events.ts`, "MAX_SINGLE_ROW_EVENTS"],
        unit: "count",
        why: "A million requests help nobody.",
        beyond: "Digests with a count",
      },
      {
        what: "Time without a success until an endpoint is disabled",
        value: [`${S}delivery/webhooks/health.ts`, "FAILING_LIMIT_MS"],
        unit: "milliseconds",
        why: "The receiver is gone.",
        beyond: "`webhook_endpoint.disabled`",
      },
      {
        what: "Life of webhook deliveries and events",
        value: "ROWMILL_WEBHOOK_RETENTION_DAYS",
        unit: "days",
        why: "Disk.",
        beyond: "They cannot be replayed",
      },
      {
        what: "Life of alert deliveries",
        value: "ROWMILL_ALERT_RETENTION_DAYS",
        unit: "days",
        why: "Disk.",
        beyond: "They cannot be read",
      },
      {
        what: "Alert rules of an organization",
        value: [`${S}resources/alert-rules/alert-rules.ts`, "MAX_RULES"],
        unit: "count",
        why: "Each event is evaluated by each.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Recipients of an alert",
        value: [`${C}alert-rules.ts`, "MAX_RECIPIENTS"],
        unit: "count",
        why: "More people are a mailing list.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "API keys of an organization",
        value: "ROWMILL_MAX_API_KEYS",
        unit: "count",
        why: "Each is looked up with requests.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Pending invitations",
        value: [`${S}resources/invitations/invitations.ts`, "MAX_PENDING"],
        unit: "count",
        why: "Each sends an e-mail.",
        beyond: "409 `limit_reached`",
      },
      {
        what: "Life of an invitation",
        value: "ROWMILL_INVITATION_EXPIRY_HOURS",
        unit: "hours",
        why: "A link should not work for ever.",
        beyond: "404 `not_found`",
      },
    ],
  },
];
