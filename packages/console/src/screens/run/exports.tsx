/** Files of a run: one click for the table that people want, and everything else behind it. */
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Body, Export, Run } from "@rowmill/client";
import { Download, FileSpreadsheet, Plus, Table2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { ErrorNotice, Hidden, readError } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import { Table } from "../../components/table.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { baseUrl, queries, rowmill } from "../../lib/client.ts";
import { bytes, count, duration, plural } from "../../lib/format.ts";
import { runQuery } from "../../lib/runs.ts";
import { serviceQuery } from "../../lib/service.ts";
import { useMay } from "../../lib/session.ts";
import { ExportDialog } from "./export-dialog.tsx";

const POLL_MS = 1000;
const isPending = ({ status }: Export): boolean => status === "queued" || status === "running";

export function RunExports() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const mayWrite = useMay("exports:write");
  const mayRead = useMay("exports:read");
  const mayDownload = useMay("results:read");
  const [isChoosing, setChoosing] = useState(false);
  const key = ["runs", runId, "exports"];
  const { data: list, error } = useQuery({
    queryKey: key,
    queryFn: async () => (await rowmill.exports.listForRun(runId)).data,
    refetchInterval: ({ state }) => (state.data?.some(isPending) === true ? POLL_MS : false),
    enabled: mayRead,
  });
  const downloadWhenReady = useDownload(list);
  const create = useMutation({
    mutationFn: (body: Body<"createExport">) => rowmill.exports.create(runId, body),
    onSuccess: ({ id }, { layout }) => {
      // A person who asks for a table wants the file, and not a line in a list.
      if (layout === "flat" && mayDownload) downloadWhenReady(id);
      return queries.invalidateQueries({ queryKey: key });
    },
    onError: (problem) => toast(readError(problem).title, "bad"),
  });
  if (!mayRead) return <Hidden what="Exports are" scope="exports:read" />;
  return (
    <div className="flex flex-col gap-4">
      {mayWrite && (
        <FlatTable run={run} isBusy={create.isPending} onCreate={create.mutate} onOther={() => setChoosing(true)} />
      )}
      {error !== null && <ErrorNotice error={error} />}
      {list !== undefined && list.length === 0 && <NoFiles />}
      {list !== undefined && list.length > 0 && (
        <Table label="Exports" items={list} keyOf={({ id }) => id} columns={columns(mayDownload)} />
      )}
      {isChoosing && <ExportDialog onClose={() => setChoosing(false)} onCreate={(body) => create.mutateAsync(body)} />}
    </div>
  );
}

/** Downloads the file that was asked for as soon as it is written. */
function useDownload(list: readonly Export[] | undefined): (id: string) => void {
  const [awaited, setAwaited] = useState<string | null>(null);
  const isWritten = list?.some(({ id, status }) => id === awaited && status === "ready") === true;
  useEffect(() => {
    if (awaited === null || !isWritten) return;
    setAwaited(null);
    const link = document.createElement("a");
    link.href = downloadUrl(awaited);
    link.download = "";
    link.click();
  }, [awaited, isWritten]);
  return setAwaited;
}

function FlatTable({
  run,
  isBusy,
  onCreate,
  onOther,
}: {
  run: Run;
  isBusy: boolean;
  onCreate: (body: Body<"createExport">) => void;
  onOther: () => void;
}) {
  const flat = (format: "csv" | "parquet") => () => onCreate({ type: "resolved_results", layout: "flat", format });
  return (
    <div className="card flex flex-wrap items-center justify-between gap-3 px-5 py-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-semibold">One table with everything</p>
        <p className="text-soft">
          The columns of the input, the fields of the output, and the state of each row, over all retries:{" "}
          {run.parentRunId === null ? plural(run.rows.total, "line") : "a line for each row of the first run"}.
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon={FileSpreadsheet} isBusy={isBusy} onClick={flat("csv")}>
          Flat CSV
        </Button>
        <Button icon={Table2} isBusy={isBusy} onClick={flat("parquet")}>
          Flat Parquet
        </Button>
        <Button look="quiet" icon={Plus} onClick={onOther}>
          Other files
        </Button>
      </div>
    </div>
  );
}

function NoFiles() {
  const { data: service } = useQuery(serviceQuery);
  return (
    <Empty title="No files yet.">
      A file is written in the background
      {service === undefined ? "" : ` and kept for ${duration(service.retention.exportHours * 3600)}`}. It can be
      downloaded here as often as needed.
    </Empty>
  );
}

const TYPES: Record<Export["type"], string> = {
  outputs: "Outputs",
  failures: "Failures",
  resolved_results: "Resolved results",
  rows: "Rows",
};

const FORMATS: Record<Export["format"], string> = { csv: "CSV", jsonl: "JSON Lines", parquet: "Parquet" };
const downloadUrl = (id: string): string => `${baseUrl}v1/exports/${id}/download`;

const columns = (mayDownload: boolean): Column<Export>[] => [
  {
    id: "what",
    head: "File",
    cell: (file) => <FileName file={file} />,
  },
  {
    id: "state",
    head: "State",
    cell: ({ status, error }) => (
      <>
        <State state={status} />
        {error !== null && <p className="text-xs text-soft">{error.message}</p>}
      </>
    ),
  },
  {
    id: "rows",
    head: "Rows",
    align: "right",
    wide: true,
    cell: ({ rowCount }) => (rowCount === null ? "–" : count(rowCount)),
  },
  {
    id: "size",
    head: "Size",
    align: "right",
    wide: true,
    cell: ({ sizeBytes }) => (sizeBytes === null ? "–" : bytes(sizeBytes)),
  },
  { id: "created", head: "Created", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
  {
    id: "download",
    head: <span className="sr-only">Download</span>,
    align: "right",
    cell: ({ id, status }) =>
      status === "ready" &&
      mayDownload && (
        <a
          className="inline-flex min-h-8 items-center gap-1.5 rounded-md border border-edge bg-surface px-3 font-medium hover:bg-raised"
          href={downloadUrl(id)}
          download
        >
          <Download aria-hidden size={15} />
          Download
        </a>
      ),
  },
];

function FileName({ file: { type, format, compression, layout, sizeBytes, createdAt } }: { file: Export }) {
  return (
    <>
      <span className="font-medium">{layout === "flat" ? "Flat table" : TYPES[type]}</span>
      <span className="text-soft">
        {" "}
        {FORMATS[format]}
        {compression === "none" ? "" : `, ${compression}`}
      </span>
      {/* A phone has no room for their columns, and several files may have one name. */}
      <p className="text-xs text-soft md:hidden">
        {sizeBytes !== null && `${bytes(sizeBytes)} · `}
        <Time at={createdAt} />
      </p>
    </>
  );
}
