/** Files of a run: one click for the table that people want, and everything else behind it. */
import { useMutation, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Body, Export, Run } from "@rowmill/client";
import { FileSpreadsheet, Plus, Table2 } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "../../components/button.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { ActionError, Hidden } from "../../components/notice.tsx";
import { Empty } from "../../components/page.tsx";
import { Table } from "../../components/table.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { duration, plural } from "../../lib/format.ts";
import { runQuery } from "../../lib/runs.ts";
import { serviceQuery } from "../../lib/service.ts";
import { useMay } from "../../lib/session.ts";
import { columnsOf, downloadUrl } from "./export-columns.tsx";
import { ExportDialog } from "./export-dialog.tsx";

const POLL_MS = 1000;
/** What one press asks for. */
const FLAT = {
  csv: { type: "resolved_results", layout: "flat", format: "csv" },
  parquet: { type: "resolved_results", layout: "flat", format: "parquet" },
} as const satisfies Record<string, Body<"createExport">>;
type FlatFormat = keyof typeof FLAT;
const isPending = ({ status }: Export): boolean => status === "queued" || status === "running";

export function RunExports() {
  const { runId } = useParams({ from: "/frame/runs/$runId" });
  const { data: run } = useSuspenseQuery(runQuery(runId));
  const mayWrite = useMay("exports:write");
  const mayRead = useMay("exports:read");
  const mayDownload = useMay("results:read");
  const [isChoosing, setChoosing] = useState(false);
  const key = ["runs", runId, "exports"];
  const {
    data: list,
    error,
    refetch,
  } = useQuery({
    queryKey: key,
    queryFn: async () => (await rowmill.exports.listForRun(runId)).data,
    refetchInterval: ({ state }) => (state.data?.some(isPending) === true ? POLL_MS : false),
    enabled: mayRead,
  });
  const downloadWhenReady = useDownload(list);
  const once = useOnce();
  const create = useMutation({
    mutationFn: (body: Body<"createExport">) => once(body, (options) => rowmill.exports.create(runId, body, options)),
    onSuccess: ({ id }, { layout }) => {
      // A person who asks for a table wants the file, and not a line in a list.
      if (layout === "flat" && mayDownload) downloadWhenReady(id);
      return queries.invalidateQueries({ queryKey: key });
    },
    // It may be made all the same, and is in the list then.
    onError: () => void queries.invalidateQueries({ queryKey: key }),
  });
  // What the dialog has asked for is shown there.
  const asked = Object.keys(FLAT).find((format) => FLAT[format as FlatFormat] === create.variables); // its keys
  if (!mayRead) return <Hidden what="Exports are" scope="exports:read" />;
  return (
    <div className="flex flex-col gap-4">
      {mayWrite && (
        <FlatTable
          run={run}
          pending={create.isPending ? asked : undefined}
          onCreate={(format) => create.mutate(FLAT[format])}
          onOther={() => setChoosing(true)}
        />
      )}
      {asked !== undefined && create.error !== null && <ActionError error={create.error} />}
      <ListStatus list={{ isLoading: list === undefined, error, tryAgain: () => void refetch() }} />
      {list !== undefined && list.length === 0 && <NoFiles />}
      {list !== undefined && list.length > 0 && (
        <Table label="Exports" items={list} keyOf={({ id }) => id} columns={columnsOf(mayDownload)} />
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
  pending,
  onCreate,
  onOther,
}: {
  run: Run;
  /** What was pressed, while it is asked for. The other one waits: only the last file that was asked for is downloaded by itself. */
  pending: string | undefined;
  onCreate: (format: FlatFormat) => void;
  onOther: () => void;
}) {
  const press = (format: FlatFormat) => ({
    isBusy: pending === format,
    "aria-disabled": pending !== undefined,
    onClick: () => {
      if (pending === undefined) onCreate(format);
    },
  });
  return (
    <div className="card flex flex-wrap items-center justify-between gap-3 px-5 py-4">
      <div className="min-w-0 flex-1 basis-72">
        <p className="font-semibold">One table with everything</p>
        <p className="text-soft">
          The columns of the input, the fields of the output, and the state of each row
          {run.parentRunId === null
            ? `: ${plural(run.rows.total, "line")}`
            : ", over all runs up to this one: a line for each row of the first run"}
          .
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" icon={FileSpreadsheet} {...press("csv")}>
          Flat CSV
        </Button>
        <Button icon={Table2} {...press("parquet")}>
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
