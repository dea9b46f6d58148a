/** The schemas of a job spec version, applied to rows before and to their outputs after the processor. */
import type { RowFailure, InputRow, RowOutcome } from "../../processors/processor.ts";
import { traitsOf } from "../../processors/processors.ts";
import type { Verdict } from "../../platform/json-schema/schema-protocol.ts";
import type { SchemaUser, Schemas } from "../../platform/json-schema/schemas.ts";
import type { Definition } from "./definition.ts";
import { checkOutput } from "./check-output.ts";
import { present } from "../../platform/present.ts";
import { cutText } from "../../platform/text.ts";

/** As many as a failure quotes of a response that is refused by its status: enough for the sentence that most services write. */
const MAX_QUOTED_CHARACTERS = 500;

/** Both reject with the reason of the signal. */
export interface RowChecks {
  /** For each row a failed outcome if the processor must not see it. */
  checkInputs(rows: readonly InputRow[], signal?: AbortSignal): Promise<(RowOutcome | undefined)[]>;
  /** The outcomes themselves, or the failures that their outputs are. */
  checkOutputs(outcomes: readonly RowOutcome[], signal?: AbortSignal): Promise<RowOutcome[]>;
}

export function createRowChecks(
  schemas: Schemas,
  user: SchemaUser,
  definition: Pick<Definition, "inputSchema" | "outputSchema" | "processor">,
): RowChecks {
  const { inputSchema, outputSchema } = definition;
  const input = inputSchema === undefined ? undefined : schemas.createCheck(user, inputSchema);
  const output = outputSchema === undefined ? undefined : schemas.createCheck(user, outputSchema);
  // What another service responds cannot be had again: a person sees by it what does not fit. Its secrets are taken out already.
  const isQuoted = traitsOf(definition.processor).kind === "calling";
  return {
    async checkInputs(rows, signal) {
      if (input === undefined) return rows.map(() => undefined);
      const verdicts = await input(
        rows.map((row) => row.text),
        signal,
      );
      return verdicts.map((verdict) =>
        verdict === undefined ? undefined : { ok: false, failure: failureOf(verdict, "input_schema_invalid") },
      );
    },
    async checkOutputs(made, signal) {
      const outcomes = made.map(checkOutput);
      if (output === undefined) return outcomes;
      const places = [...outcomes.keys()].filter((at) => outcomes[at]?.ok === true);
      const texts = places.map((at) => {
        const outcome = outcomes[at];
        return outcome?.ok === true ? outcome.output : "";
      });
      const verdicts = await output(texts, signal);
      for (const [i, at] of places.entries()) {
        const verdict = verdicts[i];
        const usage = outcomes[at]?.usage;
        if (verdict === undefined) continue;
        const beginning = isQuoted ? cutText(texts[i] ?? "", MAX_QUOTED_CHARACTERS) : undefined;
        outcomes[at] = {
          ok: false,
          failure: withDetails(failureOf(verdict, "output_schema_invalid"), present({ answer: beginning })),
          ...present({ usage }),
        };
      }
      return outcomes;
    },
  };
}

const withDetails = (failure: RowFailure, details: Record<string, unknown>): RowFailure =>
  Object.keys(details).length === 0 ? failure : { ...failure, details: { ...failure.details, ...details } };

function failureOf(verdict: Verdict, code: "input_schema_invalid" | "output_schema_invalid"): RowFailure {
  if (verdict.kind === "mismatch") return { code, message: verdict.message, details: { path: verdict.path } };
  if (verdict.kind === "limit") return { code: "schema_check_limit", message: verdict.message };
  return { code: "output_not_json", message: `The output is not JSON: ${verdict.message}` };
}
