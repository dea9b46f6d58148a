import { serviceNow } from "../lib/clock.ts";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { Columns3, ListChecks, ListPlus, Play } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Button, ButtonLink } from "../components/button.tsx";
import { readRequest } from "../lib/request.ts";
import { Menu } from "../components/menu.tsx";
import { Meter } from "../components/meter.tsx";
import { ListStatus } from "../components/loading.tsx";
import { Empty, Page } from "../components/page.tsx";
import { State } from "../components/state.tsx";
import { Table } from "../components/table.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { rowmill } from "../lib/client.ts";
import { count, duration, percent, plural, shortCount, usd } from "../lib/format.ts";
import { useList } from "../lib/lists.ts";
import { pollEvery } from "../lib/live/live.ts";
import { titleOf, useNames } from "../lib/names.ts";
import { describeRows, describeScope, partsOf } from "../lib/runs.ts";
import { useMay } from "../lib/session.ts";
import { bind, screens } from "../lib/screen-keys.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { ACTIONS, BulkDialog, BulkMeter, BulkProgress } from "./runs/bulk-dialog.tsx";
import { RunFilters } from "./runs/filters.tsx";
import { SavedViews } from "./runs/saved-views.tsx";
import { durationOf, filterOf, listQueryOf, sorted } from "./runs/search.ts";
import type { RunsSearch, SortColumn } from "./runs/search.ts";

const { keys } = screens.runs;
const POLL_MS = 3_000;
const PAGE = 50;
/** An address may ask for so many pages; the rest comes by "Show more". */
const MAX_PAGES = 20;
/** The service lists runs newest first. Another order needs all of them here: as many as one request returns. */
const SORTED_AT_ONCE = 1_000;

export function Runs() {
  const search: RunsSearch = useSearch({ from: "/frame/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const nameOf = useNames();
  const mayWrite = useMay("runs:write");
  const [isBulk, setBulk] = useState(false);
  const { since } = search;
  // Fixed for as long as the span is: a page must not move under its cursor.
  const now = useMemo(() => (since === undefined ? 0 : serviceNow()), [since]);
  const filter = filterOf(search, now);
  const query = listQueryOf(filter);
  const isSorted = search.sort !== undefined;
  const list = useList<Run>(
    isSorted ? ["runs", "list", "sorted", filter] : ["runs", "list", filter],
    (cursor) => rowmill.runs.list({ ...query, cursor, limit: isSorted ? SORTED_AT_ONCE : PAGE }),
    { pollMs: POLL_MS, fetchNewest: () => rowmill.runs.list({ ...query, limit: PAGE }) },
  );
  const isFiltered = Object.keys(filter).length > 0;
  const isEmpty = list.items.length === 0 && !list.isLoading && list.error === null;
  // There is nothing to filter yet.
  const isNew = isEmpty && !isFiltered && list.newCount === 0;
  const set = (change: RunsSearch): void => void navigate({ search: { ...search, ...change }, replace: true });
  const filterBy = (change: RunsSearch): void => set({ ...change, pages: "" });
  const wanted = Math.min(MAX_PAGES, Number(search.pages ?? 1) || 1);
  const { pageCount, hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (!isSorted && pageCount > 0 && pageCount < wanted && hasMore && !isLoadingMore) loadMore();
  }, [isSorted, pageCount, wanted, hasMore, isLoadingMore, loadMore]);
  const runs = sorted(list.items, search.sort, nameOf).slice(0, isSorted ? wanted * PAGE : undefined);
  const shownPages = Math.ceil(runs.length / PAGE);
  const openBulk = (): void => setBulk(true);
  useShortcuts([
    ...(mayWrite ? [bind(keys.start, () => void navigate({ to: "/runs/new" }))] : []),
    ...(mayWrite && isFiltered ? [bind(keys.bulk, openBulk)] : []),
    ...(list.newCount > 0 ? [bind(keys.showNew, list.showNew)] : []),
  ]);
  const shown = search.columns?.split(",") ?? DEFAULT_COLUMNS;
  const columns = columnsOf(nameOf, shown).map((column) => withSort(column, search.sort, (sort) => set({ sort })));
  return (
    <Page
      title="Runs"
      tabTitle="Runs"
      request={readRequest("v1/runs", "runs.list", { query: listQueryOf(filter) })}
      actions={
        mayWrite && (
          <ButtonLink look="primary" icon={Play} to="/runs/new">
            Start a run
          </ButtonLink>
        )
      }
    >
      <div className={`flex-wrap items-center gap-2 ${isNew ? "hidden" : "flex"}`}>
        <RunFilters search={search} onChange={filterBy} />
        {isFiltered && (
          <Button
            look="quiet"
            onClick={() => filterBy({ state: "", name: "", datasetId: "", jobSpecId: "", since: "" })}
          >
            Clear
          </Button>
        )}
        <SavedViews search={search} onChoose={(view) => void navigate({ search: view })} />
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {list.newCount > 0 && (
            <Button icon={ListPlus} onClick={list.showNew}>
              {plural(list.newCount, "new run")}
            </Button>
          )}
          {mayWrite && isFiltered && list.items.length > 0 && (
            <Button icon={ListChecks} onClick={openBulk}>
              Act on all that match
            </Button>
          )}
          {/* A phone has room for none of those that can be chosen. */}
          <span className="max-md:hidden">
            <ColumnMenu shown={shown} onChange={(names) => set({ columns: names })} />
          </span>
        </span>
      </div>
      <OpenBulkActions onOpen={(bulk) => set({ bulk })} />
      <ListStatus list={list} />
      {isSorted && hasMore && (
        <p className="flex flex-wrap items-center gap-x-3 text-soft">
          Sorted among the {count(list.items.length)} newest runs{isFiltered && " that match"}. A filter makes them
          fewer.
          <Button look="quiet" isBusy={isLoadingMore} onClick={loadMore}>
            Sort {count(SORTED_AT_ONCE)} more
          </Button>
        </p>
      )}
      {runs.length > 0 && <Table label="Runs" items={runs} keyOf={({ id }) => id} columns={columns} />}
      {isEmpty && (
        <Empty title={isFiltered ? "No run matches." : "No runs yet."}>
          {isFiltered
            ? `Change the filter, or clear it.${search.name === undefined ? "" : " A run that was given no name is found by its job spec and its dataset."}`
            : "A run applies a job spec to the rows of a dataset. Every row ends with an output or with a failure that can be retried."}
        </Empty>
      )}
      {(isSorted ? runs.length < list.items.length && shownPages < MAX_PAGES : hasMore) && (
        <Button
          className="self-center"
          isBusy={!isSorted && isLoadingMore}
          onClick={() => {
            const pages = isSorted ? shownPages : pageCount;
            if (pages < MAX_PAGES) set({ pages: String(pages + 1) });
            else loadMore();
          }}
        >
          Show more
        </Button>
      )}
      {isBulk && (
        <BulkDialog
          filter={filter}
          onClose={() => setBulk(false)}
          onCreated={(bulk) => {
            setBulk(false);
            set({ bulk });
          }}
        />
      )}
      {search.bulk !== undefined && <BulkProgress id={search.bulk} onClose={() => set({ bulk: "" })} />}
    </Page>
  );
}

/** Actions on many runs that are under way, no matter who began them. */
function OpenBulkActions({ onOpen }: { onOpen: (id: string) => void }) {
  const { data: open = [] } = useQuery({
    queryKey: ["bulk-actions", "open"],
    queryFn: async () => (await rowmill.bulkActions.list({ state: ["queued", "running"], resource: "runs" })).data,
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? 1_500 : pollEvery(10_000)),
  });
  if (open.length === 0) return null;
  return (
    <ul className="card divide-y divide-line" aria-label="Bulk actions under way">
      {open.map((bulk) => (
        <li key={bulk.id} className="grid grid-cols-[auto_1fr_auto] items-center gap-4 px-4 py-2">
          <span className="font-medium tabular-nums">
            {ACTIONS[bulk.action].label} {plural(bulk.total, "run")}
          </span>
          <BulkMeter bulk={bulk} />
          <Button look="quiet" onClick={() => onOpen(bulk.id)}>
            Details
          </Button>
        </li>
      ))}
    </ul>
  );
}

const COLUMN_NAMES: Readonly<Record<string, string>> = {
  state: "State",
  rows: "Rows",
  failed: "Failed",
  cost: "Cost",
  duration: "Duration",
  created: "Created",
};
const DEFAULT_COLUMNS: readonly string[] = ["state", "rows", "cost", "created"];

function ColumnMenu({ shown, onChange }: { shown: readonly string[]; onChange: (names: string) => void }) {
  const all = Object.keys(COLUMN_NAMES);
  return (
    <Menu
      className="inline-flex size-8 items-center justify-center rounded-md border border-edge bg-surface hover:bg-raised"
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
          onChange(next.join() === DEFAULT_COLUMNS.join() ? "" : next.join() || "name");
        },
      }))}
    />
  );
}

const SORTS: readonly string[] = ["name", "rows", "failed", "cost", "duration", "created"] satisfies SortColumn[];

/** The order in which a column begins: numbers with the largest, names with the first letter. */
function withSort(column: Column<Run>, sort: string | undefined, onSort: (sort: string) => void): Column<Run> {
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

export const columnsOf = (nameOf: (id: string) => string | undefined, shown = DEFAULT_COLUMNS): Column<Run>[] =>
  allColumns(nameOf).filter(({ id }) => id === "name" || shown.includes(id));

const allColumns = (nameOf: (id: string) => string | undefined): Column<Run>[] => [
  {
    id: "name",
    head: "Run",
    className: "w-[38%] min-w-40",
    cell: (run) => (
      <div className="min-w-0">
        <Link to="/runs/$runId" params={{ runId: run.id }} className="font-medium hover:underline">
          {titleOf(run, nameOf)}
        </Link>
        <p className="max-w-[52ch] truncate text-xs text-soft">{describeScope(run)}</p>
        <p className="text-xs md:hidden">
          <State state={run.state} />
        </p>
      </div>
    ),
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
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
