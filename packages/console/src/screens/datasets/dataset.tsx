import { queryOptions, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Dataset, DatasetRow } from "@rowmill/client";
import { ChevronDown, ChevronUp, Play, Sparkles, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Confirm } from "../../components/confirm.tsx";
import { Copy } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Grid } from "../../components/grid.tsx";
import type { GridColumn } from "../../components/grid.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Value } from "../../components/value.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { bytes, count, percent, plural, preview } from "../../lib/format.ts";
import { PAGE_ROWS, useRowsByPosition } from "../../lib/row-pages.ts";
import { useMay } from "../../lib/session.ts";

export const datasetQuery = (datasetId: string) =>
  queryOptions({
    queryKey: ["datasets", datasetId],
    queryFn: () => rowmill.datasets.get(datasetId),
    refetchInterval: ({ state }) => (state.data?.state === "processing" ? 1000 : false),
  });

export function DatasetScreen() {
  const { datasetId } = useParams({ from: "/frame/datasets/$datasetId" });
  const { data: dataset } = useSuspenseQuery(datasetQuery(datasetId));
  const mayDelete = useMay("datasets:write");
  const mayRun = useMay("runs:write");
  const maySpec = useMay("job_specs:write");
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
      lead={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <State state={dataset.state} />
          <span>
            {plural(dataset.rowCount, "row")} · {plural(dataset.columns.length, "column")} · {bytes(dataset.sizeBytes)}
          </span>
          <Copy text={dataset.id} label="Copy the id">
            {dataset.id}
          </Copy>
        </div>
      }
      actions={
        <>
          {mayRun && dataset.state === "ready" && (
            <ButtonLink look="primary" icon={Play} to="/runs/new" search={{ datasetId }}>
              Start a run
            </ButtonLink>
          )}
          {maySpec && dataset.state === "ready" && (
            <ButtonLink icon={Sparkles} to="/job-specs/new" search={{ datasetId }}>
              New job spec for it
            </ButtonLink>
          )}
          {mayDelete && <Button look="quiet" icon={Trash2} label="Delete" onClick={() => setDeleting(true)} />}
        </>
      }
    >
      {dataset.state === "failed" && (
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
      )}
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
          Its {plural(dataset.rowCount, "row")} are deleted. A dataset that has runs cannot be deleted before them.
        </Confirm>
      )}
    </Page>
  );
}

const FEW_COLUMNS = 12;

function Columns({ dataset }: { dataset: Dataset }) {
  const [isWhole, setWhole] = useState(false);
  const visibleColumns = isWhole ? dataset.columns : dataset.columns.slice(0, FEW_COLUMNS);
  return (
    <Section title="Columns">
      <ul className="grid gap-2 [grid-template-columns:repeat(auto-fill,minmax(210px,1fr))]">
        {visibleColumns.map(({ name, type, nullCount, min, max }) => (
          <li key={name} className="card flex flex-col gap-0.5 px-3.5 py-2.5">
            <p className="flex items-baseline justify-between gap-2">
              <span className="truncate font-medium" title={name}>
                {preview(name, 60)}
              </span>
              <span className="shrink-0 text-xs text-soft">{type}</span>
            </p>
            {min !== undefined && max !== undefined && (
              <p className="truncate text-xs text-soft tabular-nums" title={`${min} to ${max}`}>
                {min === max ? preview(min, 30) : `${shown(min)} to ${shown(max)}`}
              </p>
            )}
            <p className={`text-xs tabular-nums ${nullCount > 0 ? "text-warn" : "text-soft"}`}>
              {nullCount === 0
                ? "always there"
                : `missing in ${count(nullCount)} (${percent((100 * nullCount) / Math.max(1, dataset.rowCount))})`}
            </p>
          </li>
        ))}
      </ul>
      {dataset.columns.length > FEW_COLUMNS && (
        <Button look="quiet" className="self-start" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${count(dataset.columns.length)} columns`}
        </Button>
      )}
    </Section>
  );
}

/** Of a point in time, the day is enough here. */
const shown = (value: string | number): string =>
  typeof value === "string" && /^\d{4}-\d{2}-\d{2}T/.test(value) ? value.slice(0, 10) : preview(value, 24);

/** Columns of the grid; the row's panel has all of them. */
const GRID_COLUMNS = 40;

function Rows({ dataset }: { dataset: Dataset }) {
  const { from, row } = useSearch({ from: "/frame/datasets/$datasetId" });
  const navigate = useNavigate();
  const [goTo, setGoTo] = useState(from ?? "");
  const rows = useRowsByPosition<DatasetRow>(
    ["datasets", dataset.id, "rows"],
    dataset.rowCount,
    async (page) => (await rowmill.datasets.rows(dataset.id, { fromIndex: page * PAGE_ROWS, limit: PAGE_ROWS })).data,
  );
  const set = (change: { from?: string | undefined; row?: string | undefined }): void =>
    void navigate({
      to: "/datasets/$datasetId",
      params: { datasetId: dataset.id },
      search: { from, row, ...change },
      replace: true,
      resetScroll: false,
    });
  const columns: GridColumn<DatasetRow>[] = [
    {
      id: "",
      head: "Row",
      width: "84px",
      align: "right",
      cell: ({ index }) => <span className="text-soft">{count(index)}</span>,
    },
    ...dataset.columns.slice(0, GRID_COLUMNS).map(({ name, type }): GridColumn<DatasetRow> => ({
      id: name,
      head: <span title={name}>{preview(name, 60)}</span>,
      width:
        type === "string" || type === "object" || type === "array" || type === "mixed"
          ? "minmax(180px, 1fr)"
          : type === "timestamp"
            ? "200px"
            : "minmax(110px, 150px)",
      ...(["integer", "number", "decimal"].includes(type) ? { align: "right" as const } : {}),
      cell: ({ data }) => {
        const value = data[name];
        return value === null || value === undefined ? (
          <span className="text-soft">–</span>
        ) : (
          <bdi>{preview(value)}</bdi>
        );
      },
    })),
  ];
  const openAt = row === undefined || row === "" ? undefined : Number(row);
  const minWidth = 84 + columns.slice(1).reduce((sum, { width }) => sum + (width.includes("1fr") ? 180 : 130), 0);
  return (
    <Section
      title="Rows"
      actions={
        <form
          className="flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            set({ from: /^\d{1,9}$/.test(goTo) ? String(Math.min(Number(goTo), dataset.rowCount - 1)) : undefined });
          }}
        >
          <input
            aria-label="Go to row"
            className="input w-32!"
            inputMode="numeric"
            placeholder="Go to row"
            value={goTo}
            onChange={({ target }) => setGoTo(target.value)}
          />
          <Button type="submit">Go</Button>
        </form>
      }
    >
      {rows.error !== null && <ErrorNotice error={rows.error} />}
      <Grid
        label="Rows of the dataset"
        count={rows.count}
        columns={columns}
        rowAt={rows.rowAt}
        onSight={rows.onSight}
        startAt={from === undefined ? 0 : Number(from)}
        openAt={openAt}
        onOpen={(at) => set({ row: String(at) })}
        minWidth={minWidth}
      />
      {openAt !== undefined && (
        <DatasetRowPanel
          dataset={dataset}
          index={openAt}
          onClose={() => set({ row: undefined })}
          onMove={(index) => set({ row: String(index) })}
        />
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
  onMove: (index: number) => void;
}) {
  const { data } = useQuery({
    queryKey: ["datasets", dataset.id, "row", index],
    queryFn: async () => (await rowmill.datasets.rows(dataset.id, { fromIndex: index, limit: 1 })).data[0] ?? null,
    staleTime: Infinity,
  });
  return (
    <Dialog
      side
      width="max-w-lg"
      title={`Row ${count(index)}`}
      onClose={onClose}
      footer={
        <>
          <Button icon={ChevronUp} label="Previous row" disabled={index === 0} onClick={() => onMove(index - 1)} />
          <Button
            icon={ChevronDown}
            label="Next row"
            disabled={index >= dataset.rowCount - 1}
            onClick={() => onMove(index + 1)}
          />
        </>
      }
    >
      {data !== undefined && data !== null && <Value value={data.data} label="Row" />}
    </Dialog>
  );
}
