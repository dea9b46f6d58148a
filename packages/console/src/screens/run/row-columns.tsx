/** Columns of the list of a run's rows. */
import { ROW_NUMBER_WIDTH } from "../../components/grid.tsx";
import type { GridColumn } from "../../components/grid.tsx";
import { State } from "../../components/state.tsx";
import { Preview } from "../../components/value.tsx";
import { duration, rowNumber, words } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { FarInput } from "./far-input.tsx";
import type { RunRowView } from "./read-rows.ts";

/** As narrow as a tablet needs for the attempts and the time to be in sight. */
const WIDTH = "minmax(136px, 1fr)";

export const columnsOf = (datasetId: string, names: readonly string[] | undefined): GridColumn<RunRowView>[] => [
  {
    id: "index",
    card: "head",
    head: "Row",
    width: ROW_NUMBER_WIDTH,
    align: "right",
    cell: ({ row }) => <span className="text-soft">{rowNumber(row.index)}</span>,
  },
  { id: "state", card: "head", head: "State", width: "128px", cell: ({ row }) => <State state={row.state} /> },
  {
    id: "input",
    card: 2,
    head: "Input",
    width: WIDTH,
    cell: ({ row, input }) =>
      input === undefined ? (
        <FarInput key={row.index} datasetId={datasetId} index={row.index} order={names} />
      ) : (
        <Preview value={input} order={names} />
      ),
  },
  { id: "output", card: 2, head: "Output", width: WIDTH, cell: (view) => <Result view={view} /> },
  {
    id: "attempts",
    head: "Attempts",
    width: "84px",
    align: "right",
    cell: ({ row }) => (row.attempts === 0 ? "–" : row.attempts),
  },
  {
    id: "time",
    card: "end",
    head: "Time",
    width: "88px",
    align: "right",
    cell: ({ row }) => (row.durationMs === null ? "–" : duration(row.durationMs / 1000)),
  },
];

function Result({ view: { row, output, failure } }: { view: RunRowView }) {
  const mayRead = useMay("results:read");
  if (output !== undefined) return <Preview value={output.data} />;
  const error = failure ?? row.error;
  if (error === null)
    return <span className="text-soft">{row.state === "succeeded" && !mayRead ? "hidden" : "–"}</span>;
  return (
    <span>
      <span className="font-medium text-bad">{words(error.code)}</span>{" "}
      <span className="text-soft">{error.message}</span>
    </span>
  );
}
