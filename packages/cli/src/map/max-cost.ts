/** What --max-cost leaves for the run over everything: the first rows, which a run of their own has processed, are taken off. */
import type { Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { usd } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import type { RunPlan, RunSettings } from "./things.ts";
import { findTrials } from "./trial.ts";

/** The plan of the run over everything, with what the first rows have left of --max-cost. */
export async function withinMaxCost(cli: Pick<Cli, "signal">, rowmill: Rowmill, plan: RunPlan): Promise<RunPlan> {
  const { maxCostUsd } = plan.settings;
  if (maxCostUsd === undefined) return plan;
  const costs = (await findTrials(cli, rowmill, plan)).map(({ usage }) => usage.costUsd ?? "0");
  const left = subtractUsd(maxCostUsd, costs);
  if (left !== undefined) return { ...plan, settings: { ...plan.settings, maxCostUsd: left } };
  throw new Problem(
    `The first rows have used up --max-cost: they cost ${usd(costs.reduce((sum, cost) => sum + Number(cost), 0))} of ${usd(maxCostUsd)}.`,
    "Repeat the command with a larger --max-cost: they are not paid for again.",
    { exit: "no_consent", code: "budget_exhausted" },
  );
}

/** As the option that it was. */
export const maxCostOf = ({ maxCostUsd }: RunSettings): { maxCost?: string } =>
  maxCostUsd === undefined ? {} : { maxCost: maxCostUsd };

/** Digits behind the point of an amount of the API. */
const USD_DIGITS = 12;

/** Exactly; undefined where nothing is left. */
export function subtractUsd(amount: string, costs: readonly string[]): string | undefined {
  const units = (text: string): bigint => {
    const [whole = "", fraction = ""] = text.split(".");
    return BigInt(whole + fraction.padEnd(USD_DIGITS, "0"));
  };
  const left = costs.reduce((rest, cost) => rest - units(cost), units(amount));
  if (left <= 0n) return undefined;
  if (costs.every((cost) => units(cost) === 0n)) return amount;
  const digits = left.toString().padStart(USD_DIGITS + 1, "0");
  return `${digits.slice(0, -USD_DIGITS)}.${digits.slice(-USD_DIGITS)}`.replace(/\.?0+$/, "");
}
