import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Dataset, DatasetUpload } from "@rowmill/client";
import { Button, ButtonLink } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Drop } from "./drop.tsx";
import { More, NameFilter, Newer, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { Empty, Page, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { bytes, count } from "../../lib/format.ts";
import { useList } from "../../lib/lists.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { useMay } from "../../lib/session.ts";
import { useUpload } from "../../lib/use-upload.ts";

const POLL_MS = 5000;

export function Datasets() {
  const { name } = useSearch({ from: "/frame/datasets" });
  const navigate = useNavigate();
  const mayWrite = useMay("datasets:write");
  const list = useList<Dataset>(["datasets", "list", name], (cursor) => rowmill.datasets.list({ name, cursor }), {
    pollMs: POLL_MS,
  });
  const { data: uploads = [] } = useQuery({
    queryKey: ["dataset-uploads", "open"],
    queryFn: async () =>
      (await rowmill.datasetUploads.list({ limit: 20 })).data.filter(({ state }) => state === "awaiting_content"),
    refetchInterval: () => pollEvery(POLL_MS),
  });
  const start = useUpload();
  return (
    <Page
      title="Datasets"
      tabTitle="Datasets"
      request={readRequest("v1/datasets", "datasets.list", { query: { name } })}
    >
      {mayWrite && (
        <Drop onFile={start.mutate} isBusy={start.isPending}>
          CSV, TSV, JSON Lines, JSON or Parquet, also packed with gzip or zstd. Of any size: it goes on after a lost
          network.
        </Drop>
      )}
      {start.error !== null && (
        <ErrorNotice
          error={start.error}
          actions={
            <Button look="primary" isBusy={start.isPending} onClick={() => start.mutate(start.variables)}>
              Try again
            </Button>
          }
        />
      )}
      {uploads.length > 0 && <OpenUploads uploads={uploads} />}
      {(list.items.length > 0 || name !== undefined) && (
        <NameFilter
          value={name}
          onChange={(text) =>
            void navigate({ to: "/datasets", search: text === "" ? {} : { name: text }, replace: true })
          }
        />
      )}
      <ListStatus list={list} />
      {list.items.length > 0 && <Table label="Datasets" items={list.items} keyOf={({ id }) => id} columns={COLUMNS} />}
      <Newer list={list} one="dataset" />
      {list.items.length === 0 && !list.isLoading && list.error === null && (
        <Empty title={name === undefined ? "No datasets yet." : "No dataset is called that."}>
          {name === undefined
            ? "A dataset is a table of rows that are processed one by one. Every column gets a type, and no digit is lost."
            : "Names are found by how they begin."}
        </Empty>
      )}
      <More list={list} />
    </Page>
  );
}

function OpenUploads({ uploads }: { uploads: DatasetUpload[] }) {
  return (
    <Section title="Uploads that wait for their file">
      <ul className="card divide-y divide-line">
        {uploads.slice(0, 5).map(({ id, name, state, createdAt }) => (
          <li key={id} className="flex flex-wrap items-center justify-between gap-3 px-3.5 py-2">
            <span className="min-w-0 flex-1 truncate font-medium">{name}</span>
            <State state={state} />
            <span className="text-soft">
              <Time at={createdAt} />
            </span>
            <ButtonLink to="/dataset-uploads/$datasetUploadId" params={{ datasetUploadId: id }}>
              Go on
            </ButtonLink>
          </li>
        ))}
      </ul>
    </Section>
  );
}

const COLUMNS: Column<Dataset>[] = [
  {
    id: "name",
    head: "Name",
    className: "max-w-md",
    cell: ({ id, name }) => (
      <Link
        to="/datasets/$datasetId"
        params={{ datasetId: id }}
        className="font-medium [overflow-wrap:anywhere] hover:underline"
      >
        {name}
      </Link>
    ),
  },
  {
    id: "state",
    head: "State",
    cell: ({ state, uploadId }) => (
      <span className="inline-flex flex-wrap items-center gap-x-3">
        <State state={state} />
        {state === "failed" && (
          <Link to="/dataset-uploads/$datasetUploadId" params={{ datasetUploadId: uploadId }} className="link">
            See why
          </Link>
        )}
      </span>
    ),
  },
  { id: "rows", head: "Rows", align: "right", cell: ({ rowCount }) => count(rowCount) },
  { id: "columns", head: "Columns", align: "right", wide: true, cell: ({ columns }) => count(columns.length) },
  { id: "size", head: "Size", align: "right", wide: true, cell: ({ sizeBytes }) => bytes(sizeBytes) },
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
