/** What to do about an estimate that says little, because nothing limits the outputs and none has been seen. */
import type { RunEstimate } from "@rowmill/contract/run-estimates";

/** This many rows show the length of outputs to a few percent, and cost little. */
const SAMPLE_ROWS = 100;
/** Beyond this, the range is no help in deciding whether to run. */
const WIDE_RANGE = 10;

export function suggestionsFor(
  missingOutputLimit: string | undefined,
  rows: number,
  estimate: RunEstimate["estimate"],
): RunEstimate["suggestions"] {
  if (estimate.basis !== "limits") return [];
  const suggestions: RunEstimate["suggestions"] = [];
  const { low, high } = estimate.outputTokens;
  // Where no row makes a call, there are problems to read instead.
  if (missingOutputLimit !== undefined && high > 0)
    suggestions.push({
      code: "cap_output_tokens",
      message:
        `Outputs have no limit, so the run may take up to ${high} output tokens. Set \`${missingOutputLimit}\` in a new version ` +
        "of the job spec to a little more than the longest output that you expect.",
    });
  const isWide = high > WIDE_RANGE * Math.max(1, low);
  if (rows > SAMPLE_ROWS && (isWide || estimate.requests.high > WIDE_RANGE * estimate.requests.low))
    suggestions.push({
      code: "sample_first",
      message:
        `Run ${SAMPLE_ROWS} rows first (\`"scope": {"type": "sample", "count": ${SAMPLE_ROWS}, "seed": 1}\`): ` +
        "the next dry run takes their outputs as its basis and is far closer.",
    });
  return suggestions;
}
