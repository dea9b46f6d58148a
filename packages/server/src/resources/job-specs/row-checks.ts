/** The schemas of a job spec version, applied to a row before and to its output after the processor. */
import type { RowInHand, RowOutcome } from "../../processors/processor.ts";
import { compileSchema } from "../../platform/json-schema.ts";
import type { Definition } from "./definition.ts";
import { judgeOutput } from "./judge-output.ts";

export interface RowChecks {
  /** A failed outcome for a row that the processor must not see. */
  checkInput(row: RowInHand): RowOutcome | undefined;
  /** The outcome itself, or the failure that its output is. */
  checkOutput(outcome: RowOutcome): RowOutcome;
}

export function createRowChecks(definition: Pick<Definition, "inputSchema" | "outputSchema">): RowChecks {
  const input = definition.inputSchema === undefined ? undefined : compileSchema(definition.inputSchema);
  const output = definition.outputSchema === undefined ? undefined : compileSchema(definition.outputSchema);
  return {
    checkInput(row) {
      if (input === undefined) return undefined;
      const problem = input(JSON.parse(row.text));
      if (problem === undefined) return undefined;
      return {
        ok: false,
        failure: { code: "input_schema_invalid", message: problem.message, details: { path: problem.path } },
      };
    },
    checkOutput(made) {
      const outcome = judgeOutput(made);
      if (output === undefined || !outcome.ok) return outcome;
      const usage = outcome.usage === undefined ? {} : { usage: outcome.usage };
      let value: unknown;
      try {
        value = JSON.parse(outcome.output);
      } catch (error) {
        const message = `The output is not JSON: ${error instanceof Error ? error.message : String(error)}`;
        return { ok: false, failure: { code: "output_not_json", message }, ...usage };
      }
      const problem = output(value);
      if (problem === undefined) return outcome;
      return {
        ok: false,
        failure: { code: "output_schema_invalid", message: problem.message, details: { path: problem.path } },
        ...usage,
      };
    },
  };
}
