/**
 * Why a row can fail: the one table of failure codes. `class` groups them for people and policies, `retryable` says
 * whether the same row may succeed in a retry run with nothing changed, `triedAgain` whether a run itself tries again.
 */
export const failureClasses = [
  "configuration",
  "input",
  "output",
  "transient",
  "http",
  "transform",
  "limits",
  "system",
] as const;
export type FailureClass = (typeof failureClasses)[number];

interface FailureCodeEntry {
  class: FailureClass;
  retryable: boolean;
  meaning: string;
}

export const failureCodes = {
  provider_auth_failed: { class: "configuration", retryable: false, meaning: "The provider refused the credentials." },
  model_not_found: { class: "configuration", retryable: false, meaning: "The provider does not know the model." },
  template_error: { class: "configuration", retryable: false, meaning: "A template names a field the row lacks." },
  secret_missing: { class: "configuration", retryable: false, meaning: "The connection has no usable secret." },
  input_schema_invalid: { class: "input", retryable: false, meaning: "The row does not fit the input schema." },
  context_length_exceeded: { class: "input", retryable: false, meaning: "The row is too long for the model." },
  content_rejected: { class: "input", retryable: false, meaning: "The provider refuses to process the content." },
  output_schema_invalid: {
    class: "output",
    retryable: true,
    meaning: "The output does not fit the output schema, or there is nothing at `responsePath`.",
  },
  output_not_json: { class: "output", retryable: true, meaning: "The output is not JSON." },
  output_truncated: { class: "output", retryable: true, meaning: "The output ended at a length limit." },
  refused: { class: "output", retryable: true, meaning: "The model refused to answer." },
  provider_rate_limited: { class: "transient", retryable: true, meaning: "The provider asked to slow down." },
  provider_overloaded: { class: "transient", retryable: true, meaning: "The provider is overloaded." },
  provider_error: { class: "transient", retryable: true, meaning: "The provider responded with an error of its own." },
  provider_timeout: { class: "transient", retryable: true, meaning: "The provider did not respond in time." },
  network_error: { class: "transient", retryable: true, meaning: "The connection failed." },
  http_4xx: {
    class: "http",
    retryable: false,
    meaning:
      "The service refused the request (408, 409, 425 and 429 are retryable), or responded with a redirect or an unexpected status.",
  },
  http_5xx: { class: "http", retryable: true, meaning: "The service failed." },
  egress_denied: { class: "http", retryable: false, meaning: "The address may not be called." },
  transform_error: { class: "transform", retryable: false, meaning: "The code threw, or returned no JSON value." },
  transform_memory: { class: "transform", retryable: false, meaning: "The code ran out of its memory." },
  transform_timeout: { class: "transform", retryable: true, meaning: "The code ran past its budget." },
  schema_check_limit: {
    class: "limits",
    retryable: true,
    meaning: "Checking the row or its output against a schema took too much time or memory.",
  },
  row_timeout: { class: "limits", retryable: true, meaning: "The row took longer than the job spec allows." },
  budget_exhausted: { class: "limits", retryable: true, meaning: "The run's budget was spent." },
  deadline_exceeded: {
    class: "limits",
    retryable: true,
    meaning: "The run's deadline passed while a call for the row was under way, or before its next attempt.",
  },
  worker_lost: {
    class: "system",
    retryable: true,
    meaning:
      "The service stopped before the row of a job spec's test was finished. In a run, such a row is processed again.",
  },
  poison_row: {
    class: "system",
    retryable: false,
    meaning:
      "The worker died twice while it tried this row, which began alone. Where a row takes longer than a minute, others begin beside it.",
  },
  internal_error: { class: "system", retryable: true, meaning: "An error of the service itself." },
} as const satisfies Record<string, FailureCodeEntry>;

export type FailureCode = keyof typeof failureCodes;
export const failureCodeNames = Object.keys(failureCodes) as FailureCode[];
