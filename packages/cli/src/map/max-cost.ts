/** What --max-cost leaves for a run: the first rows, which runs of their own have processed, are taken off. */
import type { Run } from "@rowmill/client";
import { usd } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import type { RunSettings } from "./things.ts";

/** What `trials` have left of `maxCostUsd`. Throws where that is nothing, after `stop`, whose sentence is said, too. */
export async function leftOfMaxCost(
  maxCostUsd: string,
  trials: readonly Run[],
  stop?: () => Promise<string>,
): Promise<string> {
  const costs = trials.map(({ usage }) => usage.costUsd ?? "0");
  const left = subtractUsd(maxCostUsd, costs);
  if (left !== undefined) return left;
  const stopped = stop === undefined ? "" : ` ${await stop()}`;
  const spent = costs.reduce((sum, cost) => sum + Number(cost), 0);
  throw new Problem(
    `The first rows have used up --max-cost: they cost ${usd(spent)} of ${usd(maxCostUsd)}.${stopped}`,
    "Repeat the command with a larger --max-cost: those that succeeded are not paid for again.",
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
