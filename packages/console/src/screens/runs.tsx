import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { ListPlus } from "lucide-react";
import { Button } from "../components/button.tsx";
import { Meter } from "../components/meter.tsx";
import { ErrorNotice } from "../components/notice.tsx";
import { Empty, Page } from "../components/page.tsx";
import { State } from "../components/state.tsx";
import { Table } from "../components/table.tsx";
import type { Column } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { rowmill } from "../lib/client.ts";
import { duration, percent, plural, shortCount, usd } from "../lib/format.ts";
import { useList } from "../lib/lists.ts";
import { titleOf, useNames } from "../lib/names.ts";
import { describeRows, describeScope, partsOf } from "../lib/runs.ts";

const STATES = {
  "": "All",
  "running,queued,canceling": "In progress",
  paused: "Paused",
  "partially_succeeded,failed": "With failures",
  succeeded: "Succeeded",
  "canceled,expired": "Canceled",
} as const;
const POLL_MS = 3_000;

export function Runs() {
  const search = useSearch({ from: "/frame/runs" });
  const navigate = useNavigate({ from: "/runs" });
  const nameOf = useNames();
  const { state, name, datasetId, jobSpecId } = search;
  const list = useList<Run>(
    ["runs", "list", state, name, datasetId, jobSpecId],
    (cursor) =>
      rowmill.runs.list({
        state: state === undefined ? undefined : (state.split(",") as Run["state"][]),
        name,
        datasetId,
        jobSpecId,
        cursor,
      }),
    { pollMs: POLL_MS },
  );
  const isFiltered = Object.values(search).some((value) => value !== undefined && value !== "");
  const set = (change: typeof search): void => void navigate({ search: { ...search, ...change }, replace: true });
  return (
    <Page title="Runs" tabTitle="Runs">
      <div className="flex flex-wrap items-center gap-2">
        <select
          aria-label="State"
          className="input w-auto"
          value={state ?? ""}
          onChange={(event) => set({ state: event.target.value })}
        >
          {Object.entries(STATES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <input
          aria-label="Name begins with"
          type="search"
          className="input w-56!"
          placeholder="Name begins with…"
          value={name ?? ""}
          onChange={(event) => set({ name: event.target.value })}
        />
        {isFiltered && (
          <Button look="quiet" onClick={() => void navigate({ search: {}, replace: true })}>
            Clear
          </Button>
        )}
        {list.newCount > 0 && (
          <Button icon={ListPlus} onClick={list.showNew} className="ml-auto">
            {plural(list.newCount, "new run")}
          </Button>
        )}
      </div>
      {list.error !== null && <ErrorNotice error={list.error} />}
      {list.items.length > 0 && (
        <Table label="Runs" items={list.items} keyOf={({ id }) => id} columns={columnsOf(nameOf)} />
      )}
      {list.items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title={isFiltered ? "No run matches." : "No runs yet."}>
          {isFiltered
            ? "Change the filter, or clear it."
            : "A run applies a job spec to the rows of a dataset. Every row ends with an output or with a failure that can be retried."}
        </Empty>
      )}
      {list.hasMore && (
        <Button className="self-center" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          Show more
        </Button>
      )}
    </Page>
  );
}

export const columnsOf = (nameOf: (id: string) => string | undefined): Column<Run>[] => [
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
  { id: "cost", head: "Cost", align: "right", wide: true, cell: ({ usage }) => usd(usage.costUsd) },
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
