/** Limits of runs and their rows. */
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
        why: "Further ones wait as `queued`. A paused run that has begun keeps its place.",
        beyond: "`stateReason: waiting_for_capacity`",
      },
      {
        what: "Row ids in a scope or selection",
        value: [`${C}run-rows.ts`, "MAX_ROW_IDS"],
        unit: "count",
        why: "The body is kept in memory. A filter has no such limit.",
        beyond: "400 `invalid_request`",
      },
      {
        what: "Rows that an estimate renders",
        value: [`${C}run-estimates.ts`, "MAX_SAMPLED_ROWS"],
        unit: "count",
        why: "A mean of so many is known to a few percent.",
        beyond: "The others are estimated from them",
      },
      {
        what: "First rows after which wrong settings pause a run",
        value: [`${S}engine/policies/run-policies.ts`, "MOST_ROWS_BEFORE_BREAKER"],
        unit: "count",
        why: "Paying for the rest would be a waste.",
        beyond: "`stateReason: breaker_open`",
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
        unit: "characters",
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
        value: [`${S}processors/llm/transport.ts`, "MOST_RESPONSE_BYTES"],
        unit: "bytes",
        why: "It is kept in memory.",
        beyond: "failure `provider_error`",
      },
      {
        what: "Default `maxOutputTokens` of an `anthropic` connection",
        value: [`${S}processors/llm/models.ts`, "DEFAULT_MAX_OUTPUT_TOKENS"],
        unit: "count",
        why: "Its API requires a value.",
        beyond: "failure `output_truncated`",
      },
      {
        what: "URL of an image",
        value: [`${S}processors/llm/images.ts`, "MAX_URL_CHARACTERS"],
        unit: "characters",
        why: "Longer ones are data. Images as base64 have no such limit.",
        beyond: "failure `content_rejected`",
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
        what: "Rendered URL of an `http` request",
        value: [`${S}processors/http/http-limits.ts`, "MAX_URL_CHARACTERS"],
        unit: "characters",
        why: "What servers commonly take. Put long values into the body.",
        beyond: "failure `template_error`",
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
        why: "It is kept in memory.",
        beyond: "a failure of class `output`",
      },
      {
        what: "Depth of any output",
        value: [`${S}resources/job-specs/check-output.ts`, "MAX_OUTPUT_DEPTH"],
        unit: "count",
        why: "Readers of JSON overflow on deeper text.",
        beyond: "a failure of class `output`",
      },
      {
        what: "Steps of validating one value against a schema",
        value: [`${S}platform/json-schema/compile-schema.ts`, "MAX_STEPS"],
        unit: "count",
        why: "At worst a second.",
        beyond: "failure `schema_check_limit`",
      },
      {
        what: "Message of a failure",
        value: [`${S}engine/chunks/chunk-results.ts`, "MAX_MESSAGE_LENGTH"],
        unit: "characters",
        why: "Lists of failures stay readable.",
        beyond: "It is cut",
      },
      {
        what: "Output kept in the cache",
        value: [`${S}engine/chunks/row-cache.ts`, "MAX_CACHED_CHARACTERS"],
        unit: "characters",
        why: "The cache is a table of the database.",
        beyond: "It is not kept",
      },
      {
        what: "Requests of one provider batch",
        value: [`${S}processors/provider-batches.ts`, "MAX_BATCH_REQUESTS"],
        unit: "count",
        why: "Below the limits of providers.",
        beyond: "Another batch",
      },
      {
        what: "Bytes of one provider batch",
        value: [`${S}processors/provider-batches.ts`, "MAX_BATCH_BYTES"],
        unit: "bytes",
        why: "As above.",
        beyond: "Another batch",
      },
      {
        what: "Provider batches of a run at once",
        value: [`${S}engine/lanes/open-batches.ts`, "MAX_OPEN_BATCHES"],
        unit: "count",
        why: "Providers limit what waits with them.",
        beyond: "Further rows wait",
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
        why: "The body is kept in memory. Use a filter.",
        beyond: "400 `invalid_request`",
      },
    ],
  },
];
