/** Budgets of runs that have not ended: the most that is spent before somebody raises one. */
import { useQuery } from "@tanstack/react-query";
import { rowmill } from "./client.ts";
import { pollEvery } from "./live/live.ts";
import { useMay } from "./session.ts";

const POLL_MS = 30_000;
/** More runs than are ever open in an organization at once, by default. */
const MOST = 200;

export interface Budgets {
  runs: number;
  maxUsd: number;
  spentUsd: number;
  leftUsd: number;
}

export function useBudgets(): Budgets {
  const { data = [] } = useQuery({
    queryKey: ["runs", "budgets"],
    queryFn: async () =>
      (await rowmill.runs.list({ state: ["running", "queued", "paused", "canceling"], limit: MOST })).data,
    refetchInterval: () => pollEvery(POLL_MS),
    enabled: useMay("runs:read"),
  });
  const found: Budgets = { runs: 0, maxUsd: 0, spentUsd: 0, leftUsd: 0 };
  for (const { budget, usage } of data) {
    if (budget === null) continue;
    const [max, spent] = [Number(budget.maxCostUsd), Number(usage.costUsd ?? 0)];
    found.runs += 1;
    found.maxUsd += max;
    found.spentUsd += spent;
    found.leftUsd += Math.max(0, max - spent);
  }
  return found;
}
