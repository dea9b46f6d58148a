import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Dataset } from "@rowmill/client";
import { useRef, useState } from "react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Drop } from "./drop.tsx";
import { ReadingOptions } from "./reading-options.tsx";
import { More, NameFilter, Newer, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Empty, Page, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { rowmill } from "../../lib/client.ts";
import { bytes, count, visible } from "../../lib/format.ts";
import { isEmpty, useList } from "../../lib/lists.ts";
import { pollEvery } from "../../lib/live/live.ts";
import { useIsAway } from "../../lib/reachable.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useMay } from "../../lib/session.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { useTransfers } from "../../lib/uploads.ts";
import type { Reading } from "../../lib/uploads.ts";
import { useUpload } from "../../lib/use-upload.ts";

const POLL_MS = 5000;

export function Datasets() {
  const { name } = useSearch({ from: "/frame/datasets" });
  const navigate = useNavigate();
  const mayWrite = useMay("datasets:write");
  const list = useList<Dataset>(["datasets", "list", name], (cursor) => rowmill.datasets.list({ name, cursor }), {
    pollMs: POLL_MS,
  });
  const [reading, setReading] = useState<Reading>({});
  const start = useUpload(reading);
  const fileInput = useRef<HTMLInputElement>(null);
  useShortcuts(mayWrite ? [bind(screens.datasets.keys.upload, () => fileInput.current?.click())] : []);
  return (
    <Page
      title="Datasets"
      tabTitle="Datasets"
      request={readRequest("v1/datasets", "datasets.list", { query: { name } })}
    >
      {mayWrite && (
        <>
          <Drop onFile={start.mutate} isBusy={start.isPending} inputRef={fileInput}>
            CSV, TSV, JSON Lines, JSON or Parquet, also packed with gzip or zstd. Of any size: it goes on after a lost
            network.
          </Drop>
          <ReadingOptions value={reading} onChange={setReading} />
        </>
      )}
      <StartStatus start={start} />
      <OpenUploads />
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
      {isEmpty(list) && <NoDatasets isFiltered={name !== undefined} />}
      <More list={list} />
    </Page>
  );
}

/** Why an upload has not begun. */
function StartStatus({ start }: { start: ReturnType<typeof useUpload> }) {
  const isAway = useIsAway();
  return (
    <>
      {start.isPending && isAway && (
        <Notice tone="info" title="The upload begins when the service can be reached.">
          Leave this tab open.
        </Notice>
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
    </>
  );
}

const NoDatasets = ({ isFiltered }: { isFiltered: boolean }) => (
  <Empty title={isFiltered ? "No dataset is called that." : "No datasets yet."}>
    {isFiltered
      ? "Names are found by how they begin."
      : "A dataset is a table of rows that are processed one by one. Every column gets a type, and no digit is lost."}
  </Empty>
);

const SHOWN_UPLOADS = 5;

/** Those that this tab sends are known to it, also while the service cannot be reached. */
function OpenUploads() {
  const { data: uploads = [] } = useQuery({
    queryKey: ["dataset-uploads", "open"],
    queryFn: async () =>
      (await rowmill.datasetUploads.list({ limit: 20 })).data.filter(({ state }) => state === "awaiting_content"),
    refetchInterval: () => pollEvery(POLL_MS),
  });
  const sending = [...useTransfers()].filter(([, { isSending }]) => isSending);
  const waiting = uploads.filter(({ id }) => !sending.some(([sent]) => sent === id)).slice(0, SHOWN_UPLOADS);
  if (sending.length + waiting.length === 0) return null;
  return (
    <Section title="Uploads that are not complete">
      <ul className="card divide-y divide-line">
        {sending.map(([id, { file, bytesSent, isCut }]) => (
          <OpenUpload key={id} id={id} name={file.name} action="Show">
            {isCut ? (
              <span className="text-warn">The connection is lost: waiting</span>
            ) : (
              <span className="text-soft tabular-nums">
                {bytes(bytesSent)} of {bytes(file.size)} sent
              </span>
            )}
          </OpenUpload>
        ))}
        {waiting.map(({ id, name, state, createdAt }) => (
          <OpenUpload key={id} id={id} name={name} action="Go on">
            <State state={state} />
            <span className="text-soft">
              <Time at={createdAt} />
            </span>
          </OpenUpload>
        ))}
      </ul>
    </Section>
  );
}

function OpenUpload({ id, name, action, children }: { id: string; name: string; action: string; children: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1 px-3.5 py-2">
      <span className="min-w-0 flex-1 truncate font-medium">{visible(name)}</span>
      {children}
      <ButtonLink to="/dataset-uploads/$datasetUploadId" params={{ datasetUploadId: id }}>
        {action}
      </ButtonLink>
    </li>
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
        {visible(name)}
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
