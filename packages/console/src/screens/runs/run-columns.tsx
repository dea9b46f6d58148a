/** The columns of a list of runs: which are shown, and how each orders the list. */
import { Link } from "@tanstack/react-router";
import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { Columns3 } from "lucide-react";
import { Menu } from "../../components/menu.tsx";
import { Meter } from "../../components/meter.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { count, duration, percent, shortCount, usd } from "../../lib/format.ts";
import { titleOf } from "../../lib/names.ts";
import { describeRows, describeScope, partsOf } from "../../lib/runs.ts";
import { durationOf } from "./search.ts";
import type { RunsSearch, SortColumn } from "./search.ts";

/** `hasSeveral`: the runs are of more than one key. */
export const shownColumns = ({ columns }: RunsSearch, hasSeveral: boolean): readonly string[] =>
  columns?.split(",") ?? defaultColumns(hasSeveral);

const COLUMN_NAMES: Readonly<Record<string, string>> = {
  state: "State",
  rows: "Rows",
  failed: "Failed",
  cost: "Cost",
  duration: "Duration",
  by: "Started by",
  created: "Created",
};
/** Without a choice in the address. */
const defaultColumns = (hasSeveral: boolean): readonly string[] => [
  "state",
  "rows",
  "cost",
  ...(hasSeveral ? ["by"] : []),
  "created",
];

export function ColumnMenu({
  shown,
  hasSeveral,
  onChange,
}: {
  shown: readonly string[];
  hasSeveral: boolean;
  onChange: (names: string) => void;
}) {
  const all = Object.keys(COLUMN_NAMES);
  return (
    <Menu
      className="inline-flex size-8 shrink-0 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
      trigger={
        <>
          <Columns3 aria-hidden size={15} />
          <span className="sr-only">Columns</span>
        </>
      }
      items={all.map((name) => ({
        label: COLUMN_NAMES[name] ?? name,
        isChecked: shown.includes(name),
        isOneOfSeveral: true,
        run: () => {
          const next = all.filter((other) => (other === name ? !shown.includes(name) : shown.includes(other)));
          onChange(next.join() === defaultColumns(hasSeveral).join() ? "" : next.join() || "name");
        },
      }))}
    />
  );
}

const SORTS: readonly string[] = ["name", "rows", "failed", "cost", "duration", "created"] satisfies SortColumn[];

/** The order in which a column begins: numbers with the largest, names with the first letter. */
export function withSort(column: Column<Run>, sort: string | undefined, onSort: (sort: string) => void): Column<Run> {
  const { id } = column;
  if (!SORTS.includes(id)) return column;
  const cycle = id === "name" ? [id, `-${id}`, ""] : [`-${id}`, id, ""];
  const at = sort === undefined ? -1 : cycle.indexOf(sort);
  return {
    ...column,
    sort: {
      direction: at === -1 ? undefined : sort?.startsWith("-") === true ? "descending" : "ascending",
      toggle: () => onSort(cycle[at + 1] ?? ""),
    },
  };
}

interface RunTexts {
  nameOf: (id: string) => string | undefined;
  starterOf: (run: Run) => string;
}

export const columnsOf = (texts: RunTexts, shown: readonly string[]): Column<Run>[] =>
  allColumns(texts).filter(({ id }) => id === "name" || shown.includes(id));

const allColumns = ({ nameOf, starterOf }: RunTexts): Column<Run>[] => [
  {
    id: "name",
    head: "Run",
    className: "w-[38%] min-w-40",
    cell: (run) => <Name run={run} title={titleOf(run, nameOf)} />,
  },
  { id: "state", head: "State", wide: true, cell: ({ state }) => <State state={state} /> },
  {
    id: "rows",
    head: "Rows",
    className: "min-w-32",
    cell: (run) => (
      <div className="flex flex-col gap-1">
        <Meter parts={partsOf(run.rows)} total={run.rows.total} label={describeRows(run.rows)} />
        <p className="text-xs text-soft">
          {isTerminal(run)
            ? shortCount(run.rows.total)
            : `${percent(run.progress.percent)} of ${shortCount(run.rows.total)}`}
          {run.rows.failed > 0 && <span className="text-bad"> · {shortCount(run.rows.failed)} failed</span>}
          {run.progress.etaSeconds !== null &&
            run.state === "running" &&
            ` · ${duration(run.progress.etaSeconds)} left`}
        </p>
      </div>
    ),
  },
  {
    id: "failed",
    head: "Failed",
    align: "right",
    wide: true,
    cell: ({ rows }) => (rows.failed === 0 ? "–" : <span className="text-bad">{count(rows.failed)}</span>),
  },
  { id: "cost", head: "Cost", align: "right", wide: true, cell: ({ usage }) => usd(usage.costUsd) },
  {
    id: "duration",
    head: "Duration",
    align: "right",
    wide: true,
    cell: (run) => {
      const seconds = durationOf(run);
      return seconds === undefined ? "–" : duration(seconds);
    },
  },
  {
    id: "by",
    head: "Started by",
    wide: "most",
    className: "max-w-44",
    cell: (run) => (
      <p className="truncate text-soft" title={starterOf(run)}>
        {starterOf(run)}
      </p>
    ),
  },
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];

function Name({ run, title }: { run: Run; title: string }) {
  return (
    <div className="min-w-0">
      <Link
        to="/runs/$runId"
        params={{ runId: run.id }}
        title={title}
        className="line-clamp-3 font-medium [overflow-wrap:anywhere] hover:underline"
      >
        {title}
      </Link>
      <p className="max-w-[52ch] truncate text-xs text-soft">{describeScope(run)}</p>
      <p className="text-xs md:hidden">
        <State state={run.state} />
      </p>
    </div>
  );
}
