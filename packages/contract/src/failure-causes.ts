/** What usually stands behind a failure of a row: for people who read the table of failure codes. */
import type { FailureCode } from "./failures.ts";

export const failureCauses: Readonly<Record<FailureCode, string>> = {
  provider_auth_failed:
    "The secret of the connection is wrong or revoked, or lacks a right (401, 403), or the account has no credit left (402). After a lack of credit the row is retryable.",
  model_not_found: "The name of the model is misspelled, or the account may not use it.",
  template_error: "A column is misspelled, or some rows do not have the field. `null` is a value and no error.",
  secret_missing: "The connection was deleted, or its secret was removed, and the request needs it.",
  input_schema_invalid: "A member of the row is missing or has another type. `details.path` names it.",
  context_length_exceeded: "A long text in the row, or many messages or images in one request.",
  content_rejected: "A policy of the provider, or an image that it cannot read.",
  output_schema_invalid:
    "The model left out a member or used another type, also after its repair attempts; or `responsePath` names nothing.",
  output_not_json: "The model wrote text around the JSON; or an HTTP service responded with HTML or broken JSON.",
  output_truncated: "The completion reached `maxOutputTokens`, or the response `maxResponseBytes`.",
  refused: "The model, or a filter of its provider, declined the request.",
  provider_rate_limited: "The provider responded 429 at every attempt. Other programs may use the same account.",
  provider_overloaded: "The provider responded 503 or 529 at every attempt.",
  provider_error:
    "The provider responded 5xx, or with something that is not a completion. A request that it refused with another 4xx has this code, too, and is not retryable.",
  provider_timeout: "The provider did not respond within its time limit, or responded 408 or 504.",
  network_error: "The name could not be resolved, or the connection, TLS or HTTP failed.",
  http_4xx:
    "The URL, the body or the credentials do not fit the service, or the service does not know the thing. A redirect (3xx) is not followed.",
  http_5xx: "The service is down or has a defect.",
  egress_denied:
    "The URL leads to a private address, another port or plain HTTP, and the operator has not allowed its origin.",
  schema_check_limit: "A schema with many alternatives or patterns meets a large value.",
  transform_error: "The code met a value that it does not expect, or returned a promise, a function or nothing.",
  transform_memory: "The code builds large texts or lists.",
  transform_timeout: "A loop that does not end, a slow pattern, or much computation for one row.",
  row_timeout: "Slow calls and several attempts together took longer than `timeoutSeconds`.",
  budget_exhausted:
    "After a call for the row was paid for, its repair or fallback cost more than was left. Rows between two attempts wait instead.",
  deadline_exceeded: "`deadlineAt` came before the row was finished.",
  worker_lost: "The process that ran the test was stopped or killed.",
  poison_row: "The row makes the process run out of memory or crash.",
  internal_error: "A defect of the service. Its log has the cause.",
};
