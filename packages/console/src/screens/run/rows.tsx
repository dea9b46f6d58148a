import { useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Run, RunRow } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { Button } from "../../components/button.tsx";
import { GoToRow } from "../../components/go-to-row.tsx";
import { Grid } from "../../components/grid.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { rowmill } from "../../lib/client.ts";
import { useRowSteps } from "../../lib/row-steps.ts";
import { useColumnNames } from "../../lib/columns.ts";
import { count, rowNumber, words } from "../../lib/format.ts";
import { PAGE_ROWS, useRowsByCursor, useRowsByPosition } from "../../lib/row-pages.ts";
import { isMoving, rangeOf, runQuery } from "../../lib/runs.ts";
import { useSession } from "../../lib/session.ts";
import { readPage, withContents } from "./read-rows.ts";
import type { RunRowView } from "./read-rows.ts";
import { columnsOf } from "./row-columns.tsx";
import { RowPanel } from "./row-panel.tsx";

const STATES = ["succeeded", "failed", "running", "pending", "canceled", "skipped"] as const;
const POLL_MS = 2500;

export function RunRows() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const search = useSearch({ from: "/frame/runs/$runId/" });
  const navigate = useNavigate();
  const set = (change: Partial<typeof search>): void =>
    void navigate({
      to: "/runs/$runId",
      params: { runId },
      search: { ...search, ...change },
      replace: true,
      resetScroll: false,
    });
  const columnNames = useColumnNames(run.datasetId);
  const range = rangeOf(run);
  const isByPosition = range !== undefined && search.state === undefined && search.code === undefined;
  const from = Number(search.from ?? range?.from ?? 0);
  const byPosition = usePositions(run, isByPosition ? range : undefined);
  const byCursor = useCursors(run, search.state, search.code, from, !isByPosition);
  const rows = isByPosition ? byPosition : byCursor;
  const openIndex = search.row === undefined ? undefined : Number(search.row);
  const placeOf = (index: number): number | undefined => (isByPosition ? index - range.from : findAt(rows, index));
  const openAt = openIndex === undefined ? undefined : placeOf(openIndex);
  const indexAt = (at: number): number | undefined => (isByPosition ? range.from + at : rows.rowAt(at)?.row.index);
  const isPlace = (at: number): boolean => at >= 0 && at < rows.count;
  const canMove = (step: number): boolean => isPlace((openAt ?? 0) + step);
  const move = useRowSteps((row, step) => {
    const at = (placeOf(row) ?? 0) + step;
    return isPlace(at) ? indexAt(at) : undefined;
  });
  return (
    <div className="flex flex-col gap-3">
      <Filters run={run} state={search.state} code={search.code} from={search.from} onChange={set} />
      {rows.error !== null && <ErrorNotice error={rows.error} />}
      {rows.count === 0 && !rows.isLoading && rows.error === null ? (
        <NoRows isFiltered={!isByPosition} from={search.from} onChange={set} />
      ) : (
        <Grid
          label="Rows of the run"
          count={rows.count}
          columns={columnsOf(run.datasetId, columnNames)}
          rowAt={rows.rowAt}
          onSight={rows.onSight}
          startAt={isByPosition ? Math.min(Math.max(0, from - range.from), Math.max(0, rows.count - 1)) : 0}
          openAt={openAt}
          isStale={rows.isStale}
          onOpen={(at) => set({ row: indexAt(at)?.toString() })}
        />
      )}
      {openIndex !== undefined && (
        <RowPanel
          run={run}
          index={openIndex}
          onClose={() => set({ row: undefined })}
          {...(openAt !== undefined && { onMove: move, canMove })}
        />
      )}
    </div>
  );
}

interface Change {
  state?: string | undefined;
  code?: undefined;
  from?: string | undefined;
}

function Filters({
  run,
  state,
  code,
  from,
  onChange,
}: {
  run: Run;
  state: string | undefined;
  code: string | undefined;
  from: string | undefined;
  onChange: (change: Change) => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      <StateField run={run} state={state} onChange={(chosen) => onChange({ state: chosen, from: undefined })} />
      {code !== undefined && (
        <Button look="quiet" onClick={() => onChange({ code: undefined })}>
          Code {code} ✕
        </Button>
      )}
      <GoToRow key={from} from={from} onGo={(index) => onChange({ from: index })} />
    </div>
  );
}

function StateField({
  run,
  state: chosen,
  onChange,
}: {
  run: Run;
  state: string | undefined;
  onChange: (state: string | undefined) => void;
}) {
  return (
    <select
      aria-label="State of the rows"
      className="input w-auto"
      value={chosen ?? ""}
      onChange={({ target }) => onChange(target.value || undefined)}
    >
      <option value="">All states</option>
      {STATES.map((state) => (
        <option key={state} value={state}>
          {words(state)} ({count(run.rows[state])})
        </option>
      ))}
    </select>
  );
}

interface NoRowsProps {
  isFiltered: boolean;
  from: string | undefined;
  onChange: (change: Change) => void;
}

function NoRows({ isFiltered, from, onChange }: NoRowsProps) {
  if (!isFiltered) return <Empty title="No rows here.">The run has no rows.</Empty>;
  if (from === undefined) return <Empty title="No rows here.">No row of the run is in this state.</Empty>;
  return (
    <Empty
      title="No rows here."
      actions={<Button onClick={() => onChange({ from: undefined })}>Show from the first row</Button>}
    >
      No row from {rowNumber(Number(from))} on is in this state.
    </Empty>
  );
}

function usePositions(run: Run, range: { from: number; count: number } | undefined) {
  const { scopes } = useSession();
  return useRowsByPosition<RunRowView>(
    ["runs", run.id, "rows", isTerminal(run)],
    range?.count ?? 0,
    (page, signal) => readPage(run, (range?.from ?? 0) + page * PAGE_ROWS, PAGE_ROWS, scopes, signal),
    isMoving(run) ? POLL_MS : false,
  );
}

function useCursors(run: Run, state: string | undefined, code: string | undefined, from: number, isEnabled: boolean) {
  const { scopes } = useSession();
  return useRowsByCursor<RunRowView>(
    ["runs", run.id, "rows", state, code, from, isTerminal(run)],
    async (cursor, signal) => {
      const query = { state: state as RunRow["state"] | undefined, code, fromIndex: from, limit: PAGE_ROWS, cursor };
      const { data, nextCursor } = await rowmill.runs.rows(run.id, query, { signal });
      return { data: await withContents(run, data, scopes, signal), nextCursor };
    },
    isEnabled,
  );
}

function findAt(
  rows: { count: number; rowAt: (at: number) => RunRowView | undefined },
  index: number,
): number | undefined {
  for (let at = 0; at < rows.count; at++) if (rows.rowAt(at)?.row.index === index) return at;
  return undefined;
}
