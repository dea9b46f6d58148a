import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Dataset, DatasetRow } from "@rowmill/client";
import { ChevronDown, ChevronUp, Play, Sparkles, Trash2 } from "lucide-react";
import { useRef, useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { MoreMenu } from "../../components/menu.tsx";
import { Confirm, Dialog } from "../../components/dialog.tsx";
import { Copy } from "../../components/copy.tsx";
import { GoToRow } from "../../components/go-to-row.tsx";
import { Grid, ROW_NUMBER_WIDTH } from "../../components/grid.tsx";
import type { GridColumn } from "../../components/grid.tsx";
import { Loading } from "../../components/loading.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Value } from "../../components/value.tsx";
import { useJobSpecChoice } from "../../lib/choices.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { useRowSteps } from "../../lib/row-steps.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { bytes, count, plural, preview, rowNumber, textOf } from "../../lib/format.ts";
import { PAGE_ROWS, useRowsByPosition } from "../../lib/row-pages.ts";
import { rowQuery } from "../../lib/row-query.ts";
import { useMay } from "../../lib/session.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { Columns } from "./columns.tsx";

const { keys } = screens.dataset;

export const datasetQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ["datasets", datasetId],
    queryFn: () => rowmill.datasets.get(datasetId),
    refetchInterval: ({ state }) => (state.data?.state === "processing" ? 1000 : false),
  });

export function DatasetScreen() {
  const { datasetId } = useParams({ from: "/frame/datasets/$datasetId" });
  const { data: dataset } = useSuspenseQuery(datasetQuery(datasetId));
  const navigate = useNavigate();
  const [isDeleting, setDeleting] = useState(false);
  return (
    <Page
      trail={
        <Link to="/datasets" className="link">
          Datasets
        </Link>
      }
      title={dataset.name}
      tabTitle={dataset.name}
      lead={<Lead dataset={dataset} />}
      actions={<Actions dataset={dataset} onDelete={() => setDeleting(true)} />}
    >
      {dataset.state === "failed" && <NotRead dataset={dataset} />}
      {dataset.state === "ready" && (
        <>
          <Columns dataset={dataset} />
          <Rows dataset={dataset} />
        </>
      )}
      {isDeleting && (
        <Confirm
          title="Delete this dataset?"
          action="Delete the dataset"
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await rowmill.datasets.delete(datasetId);
            await queries.invalidateQueries({ queryKey: ["datasets", "list"] });
            void navigate({ to: "/datasets" });
          }}
        >
          Its {plural(dataset.rowCount, "row")} will be deleted. A dataset that has runs cannot be deleted before them.
        </Confirm>
      )}
    </Page>
  );
}

function Lead({ dataset }: { dataset: Dataset }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <State state={dataset.state} />
      <span>
        {plural(dataset.rowCount, "row")} · {plural(dataset.columns.length, "column")} · {bytes(dataset.sizeBytes)}
      </span>
      <Copy text={dataset.id} label="Copy the id">
        {dataset.id}
      </Copy>
    </div>
  );
}

function Actions({ dataset, onDelete }: { dataset: Dataset; onDelete: () => void }) {
  const datasetId = dataset.id;
  const navigate = useNavigate();
  const mayDelete = useMay("datasets:write");
  const mayRun = useMay("runs:write");
  const maySpec = useMay("job_specs:write");
  const isReady = dataset.state === "ready";
  // There is nothing yet that a run could apply: what somebody does first is offered first.
  const needsSpec = useJobSpecChoice()?.length === 0;
  useShortcuts([
    ...(mayRun && isReady ? [bind(keys.run, () => void navigate({ to: "/runs/new", search: { datasetId } }))] : []),
    ...(maySpec && isReady
      ? [bind(keys.jobSpec, () => void navigate({ to: "/job-specs/new", search: { datasetId } }))]
      : []),
    ...(mayDelete ? [{ keys: "", label: "Delete the dataset", run: onDelete }] : []),
  ]);
  return (
    <>
      {mayRun && isReady && !needsSpec && (
        <ButtonLink look="primary" icon={Play} to="/runs/new" search={{ datasetId }}>
          Start a run
        </ButtonLink>
      )}
      {maySpec && isReady && (
        <ButtonLink look={needsSpec ? "primary" : "plain"} icon={Sparkles} to="/job-specs/new" search={{ datasetId }}>
          New job spec for it
        </ButtonLink>
      )}
      <MoreMenu
        id={dataset.id}
        items={mayDelete ? [{ label: "Delete", icon: Trash2, isDanger: true, run: onDelete }] : []}
        request={{
          method: "GET",
          path: `v1/datasets/${dataset.id}/rows`,
          typescript: `for await (const row of rowmill.datasets.rows("${dataset.id}").stream()) console.log(row.data);`,
        }}
      />
    </>
  );
}

function NotRead({ dataset }: { dataset: Dataset }) {
  return (
    <Notice
      tone="bad"
      title="The file did not become a dataset."
      actions={
        <ButtonLink
          look="primary"
          to="/dataset-uploads/$datasetUploadId"
          params={{ datasetUploadId: dataset.uploadId }}
        >
          See why
        </ButtonLink>
      }
    >
      Nothing was kept of it: it has no rows.
    </Notice>
  );
}

/** Columns of the grid; the row's panel has all of them. */
const GRID_COLUMNS = 40;
/** Columns of a row's card on a phone. */
const CARD_COLUMNS = 4;
/** The least width of a column of short texts, and of others. */
const NARROW_PX = 96;
const WIDE_PX = 140;
/** Of a column of numbers: thirty digits and more are read in the row's panel. */
const MOST_NUMBER_PX = 260;
const DIGIT_PX = 9.5;
const CELL_EDGES_PX = 24;
/** Rows that say how long the texts of a column are. */
const MEASURED_ROWS = 20;
/** Characters that one share of the width shows. */
const SHARE_CHARACTERS = 16;
const MOST_SHARES = 5;

/** A column of long texts gets more of the width than one of countries. Measured once: scrolling moves no column. */
function useShares(rowAt: (at: number) => DatasetRow | undefined): (name: string) => number {
  const measured = useRef(new Map<string, number>());
  return (name) => {
    const known = measured.current.get(name);
    if (known !== undefined || rowAt(0) === undefined) return known ?? 1;
    const lengths = Array.from({ length: MEASURED_ROWS }, (_, at) => preview(rowAt(at)?.data[name] ?? "").length);
    const share = Math.min(MOST_SHARES, Math.max(1, Math.ceil(Math.max(...lengths) / SHARE_CHARACTERS)));
    measured.current.set(name, share);
    return share;
  };
}

/** A number whose last digits are cut off is another number. */
function numberWidth(min: unknown, max: unknown): string {
  const characters = Math.max(textOf(min).length, textOf(max).length);
  const px = Math.min(MOST_NUMBER_PX, Math.max(NARROW_PX, Math.ceil(characters * DIGIT_PX) + CELL_EDGES_PX));
  return `minmax(${px}px, ${px + 14}px)`;
}

const columnsOf = (dataset: Dataset, shareOf: (name: string) => number): GridColumn<DatasetRow>[] => [
  {
    id: "",
    card: "head",
    head: "Row",
    width: ROW_NUMBER_WIDTH,
    align: "right",
    cell: ({ index }) => <span className="text-soft">{rowNumber(index)}</span>,
  },
  ...dataset.columns.slice(0, GRID_COLUMNS).map(({ name, type, min, max }, at): GridColumn<DatasetRow> => ({
    id: name,
    ...(at < CARD_COLUMNS && { card: 1 }),
    head: <span title={name}>{preview(name, 60)}</span>,
    width:
      type === "string" || type === "object" || type === "array" || type === "mixed"
        ? `minmax(${shareOf(name) === 1 ? NARROW_PX : WIDE_PX}px, ${shareOf(name)}fr)`
        : type === "timestamp"
          ? "200px"
          : numberWidth(min, max),
    ...(["integer", "number", "decimal"].includes(type) ? { align: "right" as const } : {}),
    cell: ({ data }) => {
      const value = data[name];
      return value === null || value === undefined ? <span className="text-soft">–</span> : <bdi>{preview(value)}</bdi>;
    },
  })),
];

function Rows({ dataset }: { dataset: Dataset }) {
  const { from, row } = useSearch({ from: "/frame/datasets/$datasetId" });
  const navigate = useNavigate();
  const rows = useRowsByPosition<DatasetRow>(
    ["datasets", dataset.id, "rows"],
    dataset.rowCount,
    async (page, signal) => {
      const query = { fromIndex: page * PAGE_ROWS, limit: PAGE_ROWS };
      return (await rowmill.datasets.rows(dataset.id, query, { signal, parseJson: parseExactly })).data;
    },
  );
  const set = (change: { from?: string | undefined; row?: string | undefined }): void =>
    void navigate({
      to: "/datasets/$datasetId",
      params: { datasetId: dataset.id },
      search: { from, row, ...change },
      replace: true,
      resetScroll: false,
    });
  const move = useRowSteps((now, step) => (now + step >= 0 && now + step < dataset.rowCount ? now + step : undefined));
  const columns = columnsOf(dataset, useShares(rows.rowAt));
  const openAt = row === undefined || row === "" ? undefined : Number(row);
  return (
    <Section
      title="Rows"
      actions={
        <GoToRow
          from={from}
          onGo={(index) =>
            set({ from: index === undefined ? undefined : String(Math.min(Number(index), dataset.rowCount - 1)) })
          }
        />
      }
    >
      {rows.error !== null && <ErrorNotice error={rows.error} />}
      <Grid
        label="Rows of the dataset"
        count={rows.count}
        columns={columns}
        rowAt={rows.rowAt}
        onSight={rows.onSight}
        startAt={Math.min(Number(from ?? 0), Math.max(0, dataset.rowCount - 1))}
        openAt={openAt}
        onOpen={(at) => set({ row: String(at) })}
      />
      {openAt !== undefined && (
        <DatasetRowPanel dataset={dataset} index={openAt} onClose={() => set({ row: undefined })} onMove={move} />
      )}
    </Section>
  );
}

function DatasetRowPanel({
  dataset,
  index,
  onClose,
  onMove,
}: {
  dataset: Dataset;
  index: number;
  onClose: () => void;
  onMove: (step: number) => void;
}) {
  const { data, error } = useQuery(rowQuery(dataset.id, index));
  const isRow = (at: number): boolean => at >= 0 && at < dataset.rowCount;
  return (
    <Dialog
      side
      width="max-w-lg"
      title={`Row ${rowNumber(index)}`}
      onClose={onClose}
      onMove={onMove}
      footer={
        <>
          <Button icon={ChevronUp} label="Previous row" aria-disabled={!isRow(index - 1)} onClick={() => onMove(-1)} />
          <Button icon={ChevronDown} label="Next row" aria-disabled={!isRow(index + 1)} onClick={() => onMove(1)} />
        </>
      }
    >
      {error !== null && <ErrorNotice error={error} />}
      {data === undefined && error === null && <Loading />}
      {data === null && <p className="text-soft">The dataset ends with row {count(dataset.rowCount)}.</p>}
      {data !== undefined && data !== null && (
        <Value value={data.data} label="Row" order={dataset.columns.map(({ name }) => name)} />
      )}
    </Dialog>
  );
}
