/** The schemas of a job spec version, applied to rows before and to their outputs after the processor. */
import type { RowFailure, InputRow, RowOutcome } from "../../processors/processor.ts";
import type { Verdict } from "../../platform/json-schema/schema-protocol.ts";
import type { SchemaUser, Schemas } from "../../platform/json-schema/schemas.ts";
import type { Definition } from "./definition.ts";
import { checkOutput } from "./check-output.ts";
import { present } from "../../platform/present.ts";

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
  definition: Pick<Definition, "inputSchema" | "outputSchema">,
): RowChecks {
  const { inputSchema, outputSchema } = definition;
  const input = inputSchema === undefined ? undefined : schemas.createCheck(user, inputSchema);
  const output = outputSchema === undefined ? undefined : schemas.createCheck(user, outputSchema);
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
        outcomes[at] = {
          ok: false,
          failure: failureOf(verdict, "output_schema_invalid"),
          ...present({ usage }),
        };
      }
      return outcomes;
    },
  };
}

function failureOf(verdict: Verdict, code: "input_schema_invalid" | "output_schema_invalid"): RowFailure {
  if (verdict.kind === "mismatch") return { code, message: verdict.message, details: { path: verdict.path } };
  if (verdict.kind === "limit") return { code: "schema_check_limit", message: verdict.message };
  return { code: "output_not_json", message: `The output is not JSON: ${verdict.message}` };
}
