/** What to do about rows that have failed: for people who read the table of failure codes. */
import type { FailureCode } from "./failures.ts";

export const failureActions: Readonly<Record<FailureCode, string>> = {
  provider_auth_failed: "Correct the secret of the connection, then retry.",
  model_not_found: "Correct the name of the model in a new version of the job spec, then retry with it.",
  template_error: "Correct the template, or make it tolerate rows without the field, in a new version of the job spec.",
  secret_missing: "Give the connection a secret, then retry.",
  input_schema_invalid: "Correct the row in a new dataset, or the input schema in a new version of the job spec.",
  context_length_exceeded: "Shorten the row or the prompt, or use a model with a longer context.",
  content_rejected: "Leave the row out, or use another model as a fallback.",
  output_schema_invalid: "Retry, or make the schema or the instructions clearer in a new version of the job spec.",
  output_not_json: "Retry, or ask for JSON with an output schema.",
  output_truncated: "Raise `parameters.maxOutputTokens` in a new version of the job spec, then retry.",
  refused: "Retry, rephrase the instructions, or give a fallback model.",
  provider_rate_limited: "Retry later, or lower the rate limit of the connection.",
  provider_overloaded: "Retry later, or give a fallback model.",
  provider_error: "Retry later; `details` have the response of the provider.",
  provider_timeout: "Retry, or raise `timeoutSeconds` of the job spec.",
  network_error: "Retry; check that the service can be reached.",
  http_4xx:
    "Correct the request of the job spec; `details` have the response of the service, and where a redirect leads (`details.location`).",
  http_5xx: "Retry later; `details` have the response of the service.",
  egress_denied:
    "Use a public HTTPS URL, or ask the operator to allow the origin with `ROWMILL_CONNECTION_ALLOWED_ORIGINS`.",
  schema_check_limit: "Simplify the schema, or shorten the value that took too long to check.",
  transform_error: "Correct the code in a new version of the job spec; test it on the row first.",
  transform_memory: "Let the code keep less at once.",
  transform_timeout: "Make the code faster, or retry if it was close to the limit.",
  row_timeout: "Retry, or raise `timeoutSeconds` of the job spec.",
  budget_exhausted: "Retry with a higher `budget.maxCostUsd`.",
  deadline_exceeded: "Retry with a later `deadlineAt`, or none.",
  worker_lost: "Repeat the test; in a run, such a row is processed again.",
  poison_row: "Look at the row: processing it seems to end the worker. Retry it alone, or report it to the operator.",
  internal_error: "Retry. If it happens again, send the run and the row to the operator.",
};
