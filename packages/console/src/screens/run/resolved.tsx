/** One result per row over the whole family: what the data is worth after all retries. */
import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ResolvedResult, Run } from "@rowmill/client";
import { Grid, ROW_NUMBER_WIDTH } from "../../components/grid.tsx";
import type { GridColumn } from "../../components/grid.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Preview } from "../../components/value.tsx";
import { rowmill } from "../../lib/client.ts";
import { useRowSteps } from "../../lib/row-steps.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { preview, rowNumber, words } from "../../lib/format.ts";
import { PAGE_ROWS, useRowsByCursor } from "../../lib/row-pages.ts";
import { runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { RowPanel } from "./row-panel.tsx";

const STATES = ["succeeded", "failed", "pending", "canceled", "skipped"] as const;

export function RunResolved() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const { state, row } = useSearch({ from: "/frame/runs/$runId/resolved" });
  const navigate = useNavigate();
  const mayRead = useMay("results:read");
  const { data: lineage } = useQuery({
    queryKey: ["runs", runId, "lineage"],
    queryFn: () => rowmill.runs.lineage(runId),
  });
  const rows = useResolved(runId, state, run.state, mayRead);
  if (!mayRead) return <ResultsHidden />;
  const set = (change: { state?: string | undefined; row?: string | undefined }): void =>
    void navigate({
      to: "/runs/$runId/resolved",
      params: { runId },
      search: { state, row, ...change },
      replace: true,
      resetScroll: false,
    });
  const numberOf = (id: string | null): number | undefined =>
    lineage?.runs.find((member) => member.id === id)?.retryNumber;
  const openAt = row === undefined || row === "" ? undefined : placeOf(Number(row), rows);
  const indexAfter = (at: number | undefined, step: number): number | undefined => rows.rowAt((at ?? 0) + step)?.index;
  const move = useRowSteps((now, step) => indexAfter(placeOf(now, rows), step));
  return (
    <div className="flex flex-col gap-3">
      <Head
        state={state}
        runs={lineage?.runs.filter(({ id }) => id <= runId).length}
        onState={(chosen) => set({ state: chosen })}
      />
      {rows.error !== null && <ErrorNotice error={rows.error} />}
      {rows.count === 0 && !rows.isLoading && rows.error === null ? (
        <Empty title="No results here.">No row is in this state.</Empty>
      ) : (
        <Grid
          label="Resolved results"
          count={rows.count}
          columns={columns(numberOf)}
          rowAt={rows.rowAt}
          onSight={rows.onSight}
          openAt={openAt}
          isStale={rows.isStale}
          onOpen={(at) => set({ row: String(rows.rowAt(at)?.index ?? "") })}
        />
      )}
      {row !== undefined && row !== "" && (
        <RowPanel
          run={run}
          index={Number(row)}
          onClose={() => set({ row: undefined })}
          {...(openAt !== undefined && { onMove: move, canMove: (step) => indexAfter(openAt, step) !== undefined })}
        />
      )}
    </div>
  );
}

/** Undefined where the row is not among those that were read. */
function placeOf(index: number, rows: ReturnType<typeof useResolved>): number | undefined {
  const at = Array.from({ length: rows.count }, (_, n) => rows.rowAt(n)?.index).indexOf(index);
  return at === -1 ? undefined : at;
}

function ResultsHidden() {
  return (
    <Notice tone="info" title="Results are hidden.">
      Your key lacks the scope results:read.
    </Notice>
  );
}

/** Read again when the state of the run changes. */
function useResolved(runId: string, state: string | undefined, runState: Run["state"], mayRead: boolean) {
  return useRowsByCursor<ResolvedResult>(
    ["runs", runId, "resolved", state, runState],
    async (cursor, signal) => {
      const query = { resultState: state as ResolvedResult["resultState"] | undefined, limit: PAGE_ROWS, cursor };
      const { data, nextCursor } = await rowmill.runs.resolvedResults(runId, query, {
        signal,
        parseJson: parseExactly,
      });
      return { data, nextCursor };
    },
    mayRead,
  );
}

function Head({
  state,
  runs,
  onState,
}: {
  state: string | undefined;
  /** How many the family has up to this one; undefined until that is known. */
  runs: number | undefined;
  onState: (state: string | undefined) => void;
}) {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <select
        aria-label="State of the results"
        className="input w-auto"
        value={state ?? ""}
        onChange={({ target }) => onState(target.value || undefined)}
      >
        <option value="">All states</option>
        {STATES.map((name) => (
          <option key={name} value={name}>
            {words(name)}
          </option>
        ))}
      </select>
      <p className="text-soft">
        One result for each row
        {runs === 1
          ? ""
          : `, over ${runs === undefined ? "all runs" : `the ${runs} runs`} of the family up to this one`}
        . A failure never hides an earlier success.
      </p>
    </div>
  );
}

const columns = (numberOf: (id: string | null) => number | undefined): GridColumn<ResolvedResult>[] => [
  {
    id: "index",
    card: "head",
    head: "Row",
    width: ROW_NUMBER_WIDTH,
    align: "right",
    cell: ({ index }) => <span className="text-soft">{rowNumber(index)}</span>,
  },
  {
    id: "state",
    card: "head",
    head: "State",
    width: "128px",
    cell: ({ resultState }) => <State state={resultState} />,
  },
  {
    id: "result",
    card: 2,
    head: "Result",
    width: "minmax(280px, 1fr)",
    cell: ({ output, failure }) =>
      output !== undefined ? (
        <Preview value={output.data} />
      ) : failure !== undefined ? (
        <span>
          <span className="font-medium text-bad">{words(failure.code)}</span>{" "}
          <span className="text-soft">{preview(failure.message)}</span>
        </span>
      ) : (
        <span className="text-soft">–</span>
      ),
  },
  {
    id: "run",
    card: "end",
    head: "From",
    width: "110px",
    cell: ({ runId }) => {
      const number = numberOf(runId);
      return (
        <span className="text-soft">
          {runId === null || number === undefined ? "–" : number === 0 ? "First run" : `Retry ${number}`}
        </span>
      );
    },
  },
];
