/** What has to change before rows that have failed can succeed: a retry alone would fail again, and be paid for again. */
import type { FailureGroup } from "@rowmill/client";

export interface Cure {
  advice: string;
  /** What changes: the name of the model, the job (prompt, code, request, schema or rows), or something that the job does not say. */
  changes: "model" | "job" | "elsewhere";
}

/** Causes that usually are the same for every row, so that no further row is worth its price. */
const configuration: Readonly<Record<string, Cure>> = {
  provider_auth_failed: {
    advice: "Check the key of the provider, or use another connection.",
    changes: "elsewhere",
  },
  model_not_found: { advice: "Check the name of the model.", changes: "model" },
  secret_missing: { advice: "Give the connection a key, or use another one.", changes: "elsewhere" },
  network_error: { advice: "Check the network, and the address that is called.", changes: "elsewhere" },
  egress_denied: {
    advice: "The service may not call this address: its operator can allow it.",
    changes: "elsewhere",
  },
};

/** Causes of a row, where the service says that the same row fails again. */
const ofRow: Readonly<Record<string, Cure>> = {
  content_rejected: { advice: "Use another model, change the prompt, or leave the row out.", changes: "model" },
  context_length_exceeded: {
    advice: "Use a model with a longer context, or shorten the prompt or the row.",
    changes: "model",
  },
  template_error: { advice: "Correct the name in the template, or the rows that lack the field.", changes: "job" },
  input_schema_invalid: { advice: "Correct the rows, or the input schema.", changes: "job" },
  provider_error: {
    advice: "The provider refuses the request: correct what its message names, such as the output schema.",
    changes: "job",
  },
  transform_error: { advice: "Correct the code.", changes: "job" },
  transform_memory: { advice: "Let the code keep less at once.", changes: "job" },
  http_4xx: { advice: "Correct the request, or what the other service has.", changes: "elsewhere" },
  poison_row: {
    advice: "Processing the row seems to end the worker: look at the row, or report it to the operator.",
    changes: "elsewhere",
  },
};

/** Undefined where the cause may differ from row to row. */
export const configurationAdvice = (code: string): string | undefined => configuration[code]?.advice;

/** Undefined where a retry may help with nothing changed. */
export function cureOf({ code, retryable }: Pick<FailureGroup, "code" | "retryable">): Cure | undefined {
  const general = configuration[code];
  if (general !== undefined || retryable) return general;
  return (
    ofRow[code] ?? {
      advice: `The same row fails again with nothing changed: \`rowmill docs ${code}\` says what to change.`,
      changes: "elsewhere",
    }
  );
}

/**
 * Where no row has succeeded without a model, and most outputs do not fit: what the same request or code gives does not fit the next
 * time either. A model may write another output.
 */
export const WRONG_SCHEMA: Cure = {
  advice: "Correct the output schema, or the request or code whose output does not fit it.",
  changes: "job",
};
