/** Usage by what it is added up by, and the days that it is about. */
import { serviceNow } from "./clock.ts";
import type { UsageGroup } from "@rowmill/client";
import { usd } from "./format.ts";

export const GROUPINGS = {
  day: "Day",
  model: "Model",
  job_spec: "Job spec",
  api_key: "Key",
  run: "Run",
} as const;
export type Grouping = keyof typeof GROUPINGS;
export const groupingOf = (text: string | undefined): Grouping =>
  (Object.keys(GROUPINGS) as Grouping[]).find((name) => name === text) ?? "day";

const DAY_MS = 86_400_000;
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
export const daysBefore = (day: string, days: number): string => dayOf(Date.parse(day) - days * DAY_MS);

export const RANGES = {
  "7": "7 days",
  "30": "30 days",
  month: "This month",
  "90": "90 days",
  "365": "A year",
} as const;

/** First and last day (UTC, as the service counts). */
export function rangeOf(range: string | undefined, now = serviceNow()): { from: string; to: string } {
  const to = dayOf(now);
  if (range === "month") return { from: `${to.slice(0, 8)}01`, to };
  const days = Number(range);
  return { from: daysBefore(to, (Number.isInteger(days) && days > 0 ? Math.min(days, 365) : 30) - 1), to };
}

export interface Total {
  /** Of the calls whose price is known. */
  pricedCostUsd: number;
  requests: number;
  rows: number;
  inputTokens: number;
  outputTokens: number;
  unpricedRequests: number;
}

export function totalOf(groups: readonly UsageGroup[]): Total {
  const total: Total = {
    pricedCostUsd: 0,
    requests: 0,
    rows: 0,
    inputTokens: 0,
    outputTokens: 0,
    unpricedRequests: 0,
  };
  for (const group of groups) {
    total.pricedCostUsd += Number(group.pricedCostUsd);
    for (const name of ["requests", "rows", "inputTokens", "outputTokens", "unpricedRequests"] as const)
      total[name] += group[name];
  }
  return total;
}

/** Where the price of a call is not known, a sum is the least that all calls have cost. */
export function costOf({
  pricedCostUsd,
  unpricedRequests,
}: Pick<UsageGroup, "unpricedRequests"> & { pricedCostUsd: string | number }): string {
  const known = usd(String(pricedCostUsd));
  if (unpricedRequests === 0) return known;
  return Number(pricedCostUsd) === 0 ? "not known" : `at least ${known}`;
}

/** Every day of the range, also those on which nothing was used. */
export function everyDay(
  groups: readonly UsageGroup[],
  from: string,
  to: string,
): { day: string; group?: UsageGroup }[] {
  const byDay = new Map(groups.map((group) => [group.day, group]));
  const days: { day: string; group?: UsageGroup }[] = [];
  for (let day = from; day <= to; day = daysBefore(day, -1)) {
    const group = byDay.get(day);
    days.push({ day, ...(group === undefined ? {} : { group }) });
  }
  return days;
}

export const idOf = (group: UsageGroup, by: Grouping): string | null =>
  ({ day: group.day, model: group.model, job_spec: group.jobSpecId, api_key: group.apiKeyId, run: group.runId })[by] ??
  null;
