import type { Failure, FailureGroup, Run } from "@rowmill/client";
import { useState } from "react";
import { Grid, ROW_NUMBER_WIDTH } from "../../components/grid.tsx";
import type { GridColumn } from "../../components/grid.tsx";
import { Preview } from "../../components/value.tsx";
import { rowmill } from "../../lib/client.ts";
import { useColumnNames } from "../../lib/columns.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { preview, rowNumber } from "../../lib/format.ts";
import { PAGE_ROWS, useRowsByCursor } from "../../lib/row-pages.ts";
import { useSession } from "../../lib/session.ts";
import { FarInput } from "./far-input.tsx";
import { RowPanel } from "./row-panel.tsx";

interface FailedRow extends Failure {
  input?: Record<string, unknown>;
}
/** Rows that lie farther apart are read one by one when they are opened. */
const MAX_SPAN = 1000;

/** The rows of one cause. */
export function FailureRows({ run, code }: { run: Run; code: FailureGroup["code"] }) {
  const { scopes } = useSession();
  const [open, setOpen] = useState<number | null>(null);
  const columnNames = useColumnNames(run.datasetId);
  const rows = useRowsByCursor<FailedRow>(
    ["runs", run.id, "failures", code],
    async (cursor, signal) => {
      const query = { code, limit: PAGE_ROWS, cursor };
      const { data, nextCursor } = await rowmill.runs.failures(run.id, query, { signal });
      const [first, last] = [data[0]?.index ?? 0, data.at(-1)?.index ?? 0];
      const span = last - first + 1;
      const inputs =
        scopes.includes("datasets:read") && span <= MAX_SPAN
          ? (
              await rowmill.datasets.rows(
                run.datasetId,
                { fromIndex: first, limit: span },
                { signal, parseJson: parseExactly },
              )
            ).data
          : [];
      const inputAt = new Map(inputs.map(({ index, data }) => [index, data]));
      return {
        data: data.map((failure) => ({
          ...failure,
          ...(inputAt.has(failure.index) && { input: inputAt.get(failure.index) ?? {} }),
        })),
        nextCursor,
      };
    },
    true,
  );
  const indexAt = (at: number): number | undefined => rows.rowAt(at)?.index;
  const openAt =
    open === null ? undefined : Array.from({ length: rows.count }, (_, at) => at).find((at) => indexAt(at) === open);
  return (
    <div className="border-t border-line p-2">
      <Grid
        label={`Rows that failed with ${code}`}
        count={rows.count}
        columns={columnsFor(run.datasetId, columnNames)}
        rowAt={rows.rowAt}
        onSight={rows.onSight}
        openAt={openAt}
        onOpen={(at) => setOpen(indexAt(at) ?? null)}
      />
      {open !== null && (
        <RowPanel
          run={run}
          index={open}
          onClose={() => setOpen(null)}
          onMove={(step) => setOpen((openAt === undefined ? undefined : indexAt(openAt + step)) ?? open)}
          canMove={(step) => openAt !== undefined && indexAt(openAt + step) !== undefined}
        />
      )}
    </div>
  );
}

const columnsFor = (datasetId: string, names: readonly string[] | undefined): GridColumn<FailedRow>[] => [
  {
    id: "index",
    card: "head",
    head: "Row",
    width: ROW_NUMBER_WIDTH,
    align: "right",
    cell: ({ index }) => <span className="text-soft">{rowNumber(index)}</span>,
  },
  {
    id: "input",
    card: 2,
    head: "Input",
    width: "minmax(200px, 1fr)",
    cell: ({ index, input }) =>
      input === undefined ? (
        <FarInput key={index} datasetId={datasetId} index={index} order={names} />
      ) : (
        <Preview value={input} order={names} />
      ),
  },
  {
    id: "message",
    card: 2,
    head: "Message",
    width: "minmax(240px, 1.2fr)",
    cell: ({ message }) => preview(message),
  },
  { id: "attempts", card: "end", head: "Attempts", width: "84px", align: "right", cell: ({ attempts }) => attempts },
];
