import { serviceNow } from "../lib/clock.ts";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { ListChecks, ListPlus, Play } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../components/button.tsx";
import { readRequest } from "../lib/request.ts";
import { ListStatus } from "../components/loading.tsx";
import { Empty, Page } from "../components/page.tsx";
import { Table } from "../components/table.tsx";
import { rowmill } from "../lib/client.ts";
import { count, plural } from "../lib/format.ts";
import { isEmpty, useList } from "../lib/lists.ts";
import type { Listed } from "../lib/lists.ts";
import { pollEvery } from "../lib/live/live.ts";
import { useNames } from "../lib/names.ts";
import { useStarters } from "../lib/people.ts";
import { useMay } from "../lib/session.ts";
import { bind, screens } from "../lib/screen-keys.ts";
import { useShortcuts } from "../lib/shortcuts.ts";
import { ACTIONS, BulkDialog } from "./runs/bulk-dialog.tsx";
import { BulkMeter, BulkProgress } from "./runs/bulk-progress.tsx";
import { ColumnMenu, columnsOf, shownColumns, withSort } from "./runs/run-columns.tsx";
import { RunFilters } from "./runs/filters.tsx";
import { SavedViews } from "./runs/saved-views.tsx";
import { filterOf, listQueryOf, sorted } from "./runs/search.ts";
import type { RunsFilter, RunsSearch } from "./runs/search.ts";

const { keys } = screens.runs;
const POLL_MS = 3_000;
const PAGE = 50;
const NO_FILTER = { state: "", name: "", datasetId: "", jobSpecId: "", apiKeyId: "", since: "" };
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
  const { filter, list, isSorted, wanted } = useRunList(search);
  const isFiltered = Object.keys(filter).length > 0;
  const isNew = isNothing(list, isFiltered);
  const set = (change: RunsSearch): void => void navigate({ search: { ...search, ...change }, replace: true });
  const runs = sorted(list.items, search.sort, nameOf).slice(0, isSorted ? wanted * PAGE : undefined);
  const openBulk = (): void => setBulk(true);
  useShortcuts([
    ...(mayWrite ? [bind(keys.start, () => void navigate({ to: "/runs/new" }))] : []),
    ...(mayWrite && isFiltered ? [bind(keys.bulk, openBulk)] : []),
    ...(list.newCount > 0 ? [bind(keys.showNew, list.showNew)] : []),
  ]);
  const { hasSeveral, starterOf } = useStarters(list.items, search.columns?.split(",").includes("by"));
  const shown = shownColumns(search, hasSeveral);
  const columns = columnsOf({ nameOf, starterOf }, shown).map((column) =>
    withSort(column, search.sort, (sort) => set({ sort })),
  );
  return (
    <Page
      title="Runs"
      tabTitle="Runs"
      request={readRequest("v1/runs", "runs.list", { query: listQueryOf(filter) })}
      actions={mayWrite && !isNew && <StartRun />}
    >
      <Toolbar
        search={search}
        list={list}
        columns={<ColumnMenu shown={shown} hasSeveral={hasSeveral} onChange={(names) => set({ columns: names })} />}
        isFiltered={isFiltered}
        onSearch={set}
        onView={(view) => void navigate({ search: view })}
        onBulk={mayWrite && isFiltered ? openBulk : undefined}
      />
      <OpenBulkActions onOpen={(bulk) => set({ bulk })} />
      <ListStatus list={list} />
      {isSorted && list.hasMore && <SortedAmong list={list} isFiltered={isFiltered} />}
      {runs.length > 0 && <Table label="Runs" items={runs} keyOf={({ id }) => id} columns={columns} />}
      {isEmpty(list) && (
        <NoRuns isFiltered={isFiltered} name={search.name} actions={mayWrite && isNew && <StartRun />} />
      )}
      <MoreRuns
        list={list}
        isSorted={isSorted}
        shown={runs.length}
        onPages={(pages) => set({ pages: String(pages) })}
      />
      {isBulk && <NewBulkAction filter={filter} onClose={() => setBulk(false)} onCreated={(bulk) => set({ bulk })} />}
      {search.bulk !== undefined && <BulkProgress id={search.bulk} onClose={() => set({ bulk: "" })} />}
    </Page>
  );
}

/** The runs of the address: its filter, its order and its pages. */
function useRunList(search: RunsSearch) {
  const { since } = search;
  // Fixed for as long as the span is: a page must not move under its cursor.
  const now = useMemo(() => (since === undefined ? 0 : serviceNow()), [since]);
  const filter = filterOf(search, now);
  const query = listQueryOf(filter);
  // By when they were created, the newest first: as the service lists them.
  const isSorted = search.sort !== undefined && search.sort !== "-created";
  const list = useList<Run>(
    isSorted ? ["runs", "list", "sorted", filter] : ["runs", "list", filter],
    (cursor) => rowmill.runs.list({ ...query, cursor, limit: isSorted ? SORTED_AT_ONCE : PAGE }),
    { pollMs: POLL_MS, fetchNewest: () => rowmill.runs.list({ ...query, limit: PAGE }) },
  );
  const wanted = Math.min(MAX_PAGES, Number(search.pages ?? 1) || 1);
  const { pageCount, hasMore, isLoadingMore, loadMore } = list;
  useEffect(() => {
    if (!isSorted && pageCount > 0 && pageCount < wanted && hasMore && !isLoadingMore) loadMore();
  }, [isSorted, pageCount, wanted, hasMore, isLoadingMore, loadMore]);
  return { filter, list, isSorted, wanted };
}

function NewBulkAction({
  filter,
  onClose,
  onCreated,
}: {
  filter: RunsFilter;
  onClose: () => void;
  onCreated: (id: string) => void;
}) {
  return (
    <BulkDialog
      filter={filter}
      onClose={onClose}
      onCreated={(id) => {
        onClose();
        onCreated(id);
      }}
    />
  );
}

/** Of a sorted list more of what is here already, up to the pages that an address may ask for. */
function MoreRuns({
  list,
  isSorted,
  shown,
  onPages,
}: {
  list: Listed<Run>;
  isSorted: boolean;
  shown: number;
  onPages: (pages: number) => void;
}) {
  const pages = isSorted ? Math.ceil(shown / PAGE) : list.pageCount;
  const hasMore = isSorted ? shown < list.items.length && pages < MAX_PAGES : list.hasMore;
  if (!hasMore) return null;
  return (
    <Button
      className="self-center"
      isBusy={!isSorted && list.isLoadingMore}
      onClick={() => {
        if (pages < MAX_PAGES) onPages(pages + 1);
        else list.loadMore();
      }}
    >
      Show more
    </Button>
  );
}

/** There is nothing to filter yet. */
const isNothing = (list: Listed<Run>, isFiltered: boolean): boolean =>
  isEmpty(list) && !isFiltered && list.newCount === 0;

/** Filters, saved views, and what is done with what they show. */
function Toolbar({
  search,
  list,
  columns,
  isFiltered,
  onSearch,
  onView,
  onBulk,
}: {
  search: RunsSearch;
  list: Listed<Run>;
  columns: ReactNode;
  isFiltered: boolean;
  onSearch: (change: RunsSearch) => void;
  onView: (search: RunsSearch) => void;
  onBulk: (() => void) | undefined;
}) {
  const isNew = isNothing(list, isFiltered);
  const filterBy = (change: RunsSearch): void => onSearch({ ...change, pages: "" });
  return (
    <div className={`flex-wrap items-center gap-2 ${isNew ? "hidden" : "flex"}`}>
      <RunFilters search={search} onChange={filterBy} />
      {isFiltered && (
        <Button look="quiet" onClick={() => filterBy(NO_FILTER)}>
          Clear
        </Button>
      )}
      <SavedViews search={search} onChoose={onView} />
      <span className="ml-auto flex flex-wrap items-center gap-2">
        {list.newCount > 0 && (
          <Button icon={ListPlus} onClick={list.showNew}>
            {plural(list.newCount, "new run")}
          </Button>
        )}
        {onBulk !== undefined && list.items.length > 0 && (
          <Button icon={ListChecks} onClick={onBulk}>
            Act on all that match
          </Button>
        )}
        {/* A phone has room for none of those that can be chosen. */}
        <span className="max-md:hidden">{columns}</span>
      </span>
    </div>
  );
}

function SortedAmong({
  list: { items, isLoadingMore, loadMore },
  isFiltered,
}: {
  list: Listed<Run>;
  isFiltered: boolean;
}) {
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-soft">
      Sorted among the {count(items.length)} newest runs{isFiltered && " that match"}. A filter makes them fewer.
      <Button look="quiet" isBusy={isLoadingMore} onClick={loadMore}>
        Sort {count(SORTED_AT_ONCE)} more
      </Button>
    </p>
  );
}

const StartRun = () => (
  <ButtonLink look="primary" icon={Play} to="/runs/new">
    Start a run
  </ButtonLink>
);

function NoRuns({ isFiltered, name, actions }: { isFiltered: boolean; name: string | undefined; actions: ReactNode }) {
  return (
    <Empty title={isFiltered ? "No run matches." : "No runs yet."} actions={actions}>
      {isFiltered
        ? `Change the filter, or clear it.${name === undefined ? "" : " A run that was given no name is found by its job spec and its dataset."}`
        : "A run applies a job spec to the rows of a dataset. Every row ends with an output or with a failure that can be retried."}
    </Empty>
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
