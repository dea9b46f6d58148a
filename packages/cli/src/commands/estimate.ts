import { Command } from "@commander-js/extra-typings";
import type { RunEstimate } from "@rowmill/client";
import type { CommandFile } from "../frame/command.ts";
import { findDatasetAndSpec } from "../frame/find.ts";
import { count, durationRange, plural, usdRange } from "../frame/numbers.ts";
import { scopeOf } from "../map/scope.ts";
import { limitOption, sampleOption, seedOption } from "../runs/run-options.ts";

export const estimate: CommandFile = {
  examples: [
    ["rowmill estimate customers.csv Industries", "what every row would cost and take; nothing is called"],
    ["rowmill estimate @last spec_01jd3w --limit 1000 --json", "of the first rows, for programs"],
  ],
  create: (cli) =>
    new Command("estimate")
      .description("Estimate the cost and time of a run. Nothing is called or paid.")
      .argument("<dataset>", "id, beginning of it, name, or @last")
      .argument("<spec>", "id, beginning of it, name, or @last")
      .addOption(limitOption())
      .addOption(sampleOption())
      .addOption(seedOption())
      .action(async (dataset, spec, options) => {
        const scope = scopeOf(options);
        const rowmill = await cli.client();
        const ids = await findDatasetAndSpec(rowmill, dataset, spec);
        const estimated = await rowmill.runs.estimate({ ...ids, scope }, { signal: cli.signal });
        cli.output.result(estimated, () => describeEstimate(estimated));
      }),
};

const bases: Record<RunEstimate["estimate"]["basis"], string> = {
  earlier_results: "from earlier results of the same job spec",
  limits: "from the limits of the job spec alone: run it on a few rows for a better one",
  no_calls: "nothing is called",
};

function describeEstimate({ rows, estimate: { basis, ...estimated }, problems, suggestions }: RunEstimate): string {
  const { cachedSampledRows, costUsd, durationSeconds, inputTokens, outputTokens, requests, sampledRows } = estimated;
  const cost =
    costUsd === null ? "unknown: the model has no price" : usdRange(Number(costUsd.low), Number(costUsd.high));
  const lines = [
    `rows      ${count(rows)}`,
    ...(basis === "no_calls"
      ? []
      : [
          `cost      ${cost}`,
          `requests  about ${count(requests.expected)}`,
          `tokens    about ${count(inputTokens.expected)} in, ${count(outputTokens.expected)} out`,
        ]),
    ...(durationSeconds === null ? [] : [`time      ${durationRange(durationSeconds.low, durationSeconds.high)}`]),
    ...(cachedSampledRows === undefined
      ? []
      : [`cache     has ${count(cachedSampledRows)} of ${plural(sampledRows, "row")} that were looked up`]),
    `basis     ${bases[basis]}`,
  ];
  if (problems.length > 0) lines.push("", `${plural(problems.length, "problem")}:`, ...problems.map(messageOf));
  if (suggestions.length > 0) lines.push("", "Suggestions:", ...suggestions.map(messageOf));
  return lines.join("\n");
}

const messageOf = ({ message }: { message: string }): string => `  ${message}`;
