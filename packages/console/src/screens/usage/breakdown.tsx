/** Usage added up by one thing, with the part that each has of the whole. */
import { Link } from "@tanstack/react-router";
import type { UsageGroup } from "@rowmill/client";
import type { ReactNode } from "react";
import { More, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import type { Column } from "../../components/table.tsx";
import { rowmill } from "../../lib/client.ts";
import { count, plural, shortCount, visible } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { shortId, useNames } from "../../lib/names.ts";
import { usePeople } from "../../lib/people.ts";
import { GROUPINGS, costOf, idOf } from "../../lib/usage.ts";
import type { Grouping, Total } from "../../lib/usage.ts";

/** The name of a group; what has none is said in words. */
export function useUsageNames(): (by: Grouping, id: string | null) => string {
  const nameOf = useNames();
  const personOf = usePeople();
  return (by, id) => {
    if (by === "day") return id ?? "";
    if (by === "model") return id ?? "No model: HTTP requests";
    if (id === null) return by === "run" ? "Tests of job specs" : "Not known";
    return (by === "api_key" ? personOf(id) : nameOf(id)) ?? shortId(id);
  };
}

type Item = UsageGroup & { id: string };

interface BreakdownProps {
  by: Grouping;
  filter: { from: string; to: string };
  total: Total;
  onFilter: (change: { jobSpecId?: string; apiKeyId?: string; by?: string }) => void;
}

export function Breakdown({ by, filter, total, onFilter }: BreakdownProps) {
  const nameOf = useUsageNames();
  const list = useList<Item>(["usage", by, filter], async (cursor) => {
    const page = await rowmill.usage({ ...filter, groupBy: by, limit: 100, cursor });
    const data = page.data.map((group) => ({ ...group, id: idOf(group, by) ?? "none" }));
    return { data, nextCursor: page.nextCursor };
  });
  const columns = columnsOf(by, total, (group) => {
    const id = idOf(group, by);
    return <GroupName by={by} id={id} name={visible(nameOf(by, id))} onFilter={onFilter} />;
  });
  return (
    <>
      <ListStatus list={list} />
      {list.items.length > 0 && (
        <Table
          label={`Usage by ${GROUPINGS[by].toLowerCase()}`}
          items={list.items}
          keyOf={({ id }) => id}
          columns={columns}
        />
      )}
      <More list={list} />
    </>
  );
}

/** A run leads to its screen; a job spec or a key to the days of it alone. */
function GroupName({
  by,
  id,
  name,
  onFilter,
}: {
  by: Grouping;
  id: string | null;
  name: string;
  onFilter: BreakdownProps["onFilter"];
}) {
  if (by === "run" && id !== null)
    return (
      <Link to="/runs/$runId" params={{ runId: id }} className="font-medium hover:underline">
        {name}
      </Link>
    );
  if ((by === "job_spec" || by === "api_key") && id !== null)
    return (
      <button
        type="button"
        title="Only this one"
        className="text-left font-medium [overflow-wrap:anywhere] hover:underline"
        onClick={() => onFilter(by === "job_spec" ? { jobSpecId: id, by: "day" } : { apiKeyId: id, by: "day" })}
      >
        {name}
      </button>
    );
  return <span className="font-medium [overflow-wrap:anywhere]">{name}</span>;
}

function columnsOf(by: Grouping, total: Total, nameCell: (group: Item) => ReactNode): Column<Item>[] {
  const share = (group: UsageGroup): number =>
    total.pricedCostUsd > 0
      ? Number(group.pricedCostUsd) / total.pricedCostUsd
      : group.requests / Math.max(1, total.requests);
  return [
    { id: "name", head: GROUPINGS[by], className: "max-w-xs", cell: nameCell },
    {
      id: "share",
      head: <span className="sr-only">Part of the whole</span>,
      wide: true,
      className: "w-40",
      cell: (group) => (
        <span aria-hidden className="block h-1.5 overflow-hidden rounded-full bg-line">
          <span
            className="block h-full rounded-full bg-bar-busy"
            style={{ width: `${Math.min(100, 100 * share(group))}%` }}
          />
        </span>
      ),
    },
    { id: "rows", head: "Rows", align: "right", wide: true, cell: ({ rows }) => count(rows) },
    { id: "calls", head: "Calls", align: "right", cell: ({ requests }) => count(requests) },
    {
      id: "tokens",
      head: "Tokens in, out",
      align: "right",
      wide: true,
      cell: ({ inputTokens, outputTokens }) => `${shortCount(inputTokens)}, ${shortCount(outputTokens)}`,
    },
    {
      id: "cost",
      head: "Cost",
      align: "right",
      cell: (group) => (
        <span
          title={
            group.unpricedRequests > 0
              ? `${plural(group.unpricedRequests, "call has", "calls have")} no known price`
              : undefined
          }
        >
          {costOf(group)}
        </span>
      ),
    },
  ];
}
