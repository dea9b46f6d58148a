import { Command, Option } from "@commander-js/extra-typings";
import type { UsageGroup } from "@rowmill/client";
import type { CommandFile } from "../frame/command.ts";
import { printList } from "../frame/lists.ts";
import type { Column } from "../frame/lists.ts";
import { count, usd } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import { shownOption } from "../runs/run-options.ts";

const GROUPS = { day: "day", run: "run", key: "api_key", spec: "job_spec", model: "model" } as const;
type Group = keyof typeof GROUPS;

const firsts: Record<Group, Column<UsageGroup>> = {
  day: ["day", ({ day }) => day],
  run: ["run", ({ runId }) => runId],
  key: ["key", ({ apiKeyId }) => apiKeyId],
  spec: ["job spec", ({ jobSpecId }) => jobSpecId],
  model: ["model", ({ model }) => model],
};

/** Of calls without a price only their number is known: what the others have cost is the least. */
const costOf = ({ costUsd, pricedCostUsd }: UsageGroup): string => {
  if (costUsd !== null) return usd(costUsd);
  return Number(pricedCostUsd) === 0 ? "?" : `${usd(pricedCostUsd)} or more`;
};

export const usage: CommandFile = {
  examples: [
    ["rowmill usage", "rows, requests, tokens and cost by day"],
    ["rowmill usage --by spec --from 2026-11-01 --to 2026-12-01", "by job spec, of a month"],
    ["rowmill usage --by model", "by model: which one costs most"],
    ["rowmill usage --json | jq '[.data[].pricedCostUsd | tonumber] | add'", "a sum of what has a price, for programs"],
  ],
  create: (cli) =>
    new Command("usage")
      .description("Show what runs have used and what it cost.")
      .addOption(
        new Option("--by <what>", "by day, run, key, spec or model")
          .choices(["day", "run", "key", "spec", "model"] as const)
          .default("day" as const),
      )
      .addOption(new Option("--from <day>", "first day, such as 2026-11-20 (UTC)").argParser(day))
      .addOption(new Option("--to <day>", "the day after the last one").argParser(day))
      .addOption(shownOption())
      .action(async ({ by, from, to, limit }) => {
        const rowmill = await cli.client();
        await printList(cli, rowmill.usage({ groupBy: GROUPS[by], from, to }, { signal: cli.signal }), {
          limit,
          empty: "Nothing has been used.",
          columns: [
            firsts[by],
            ["rows", ({ rows }) => count(rows)],
            ["requests", ({ requests }) => count(requests)],
            ["tokens in", ({ inputTokens }) => count(inputTokens)],
            ["tokens out", ({ outputTokens }) => count(outputTokens)],
            ["cost", costOf],
          ],
        });
      }),
};

function day(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw usageProblem(`"${text}" is not a day.`, "Write it as 2026-11-20.");
}
