import { serviceNow } from "../lib/clock.ts";
import type { UsageGroup } from "@rowmill/client";
import { plural } from "../lib/format.ts";
import { costOf } from "../lib/usage.ts";

const SHOWN_DAYS = 30;
const NOTHING = { pricedCostUsd: 0, unpricedRequests: 0 };
const DAY_MS = 86_400_000;

/** Cost by day; where nothing has a price, calls by day. */
export function DayBars({ days, height }: { days: readonly UsageGroup[]; height: number }) {
  const byDay = new Map(days.map((group) => [group.day, group]));
  const isPriced = days.some(({ pricedCostUsd }) => Number(pricedCostUsd) > 0);
  const valueOf = (group: UsageGroup | undefined): number =>
    group === undefined ? 0 : isPriced ? Number(group.pricedCostUsd) : group.requests;
  const shown = Array.from({ length: SHOWN_DAYS }, (_, i) =>
    new Date(serviceNow() - (SHOWN_DAYS - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  );
  const most = Math.max(...shown.map((day) => valueOf(byDay.get(day))), 1e-9);
  const describe = (day: string): string =>
    `${day}: ${isPriced ? costOf(byDay.get(day) ?? NOTHING) : plural(byDay.get(day)?.requests ?? 0, "call")}`;
  return (
    <div
      role="img"
      aria-label={`By day. ${shown
        .filter((day) => byDay.has(day))
        .map(describe)
        .join("; ")}`}
      className="flex items-end gap-[3px]"
      style={{ height }}
    >
      {shown.map((day) => {
        const share = valueOf(byDay.get(day)) / most;
        return (
          <span key={day} title={describe(day)} className="flex h-full min-w-0 flex-1 items-end">
            <span
              className={`w-full rounded-[2px] ${share > 0 ? "bg-bar-busy" : "bg-line"}`}
              style={{ height: Math.max(2, share * height) }}
            />
          </span>
        );
      })}
    </div>
  );
}
