import type { Run } from "@rowmill/client";
import { Tabs } from "../../components/page.tsx";

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
    <Tabs
      label="Of this run"
      tabs={TABS.map(({ to, label }) => ({ label, count: counts[label], link: { to, params: { runId: run.id } } }))}
    />
  );
}
