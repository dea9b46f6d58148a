/** When a run fails because more of its rows failed than the customer allows. */
import type { RunRecord } from "./runs.ts";
import { plural } from "../../platform/plural.ts";

const DEFAULT_MIN_EVALUATED_ROWS = 100;

/** A sentence on what was exceeded. */
export function brokenPolicy(
  run: Pick<RunRecord, "failurePolicy">,
  succeeded: number,
  failed: number,
): string | undefined {
  const policy = run.failurePolicy;
  if (policy === null) return undefined;
  if (policy.maxFailedRows !== undefined && failed > policy.maxFailedRows)
    return `${plural(failed, "row")} failed, and the failure policy allows ${policy.maxFailedRows}.`;
  const evaluated = succeeded + failed;
  if (policy.maxFailedPercent === undefined || evaluated < (policy.minEvaluatedRows ?? DEFAULT_MIN_EVALUATED_ROWS))
    return undefined;
  const percent = (failed / evaluated) * 100;
  if (percent <= policy.maxFailedPercent) return undefined;
  return `${percent.toFixed(1)} % of ${plural(evaluated, "row")} failed, and the failure policy allows ${policy.maxFailedPercent} %.`;
}

export const failurePolicyError = (message: string): { code: string; message: string } => ({
  code: "failure_policy",
  message,
});
