import { Link } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { shortCount } from "../../lib/format.ts";

const TABS = [
  { to: "/runs/$runId", label: "Rows" },
  { to: "/runs/$runId/failures", label: "Failures" },
  { to: "/runs/$runId/resolved", label: "Resolved" },
  { to: "/runs/$runId/exports", label: "Exports" },
  { to: "/runs/$runId/events", label: "Events" },
  { to: "/runs/$runId/lineage", label: "Lineage" },
  { to: "/runs/$runId/spec", label: "Job spec" },
] as const;

export function RunTabs({ run }: { run: Run }) {
  const counts: Record<string, number> = { Rows: run.rows.total, Failures: run.rows.failed };
  return (
    <nav aria-label="Of this run" className="-mb-2 flex gap-1 overflow-x-auto border-b border-line">
      {TABS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ runId: run.id }}
          activeOptions={{ exact: true, includeSearch: false }}
          className="-mb-px border-b-2 border-transparent px-3 py-2 whitespace-nowrap text-soft hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {label}
          {counts[label] !== undefined && (
            <span className="ml-1.5 text-xs text-soft tabular-nums">{shortCount(counts[label])}</span>
          )}
        </Link>
      ))}
    </nav>
  );
}
