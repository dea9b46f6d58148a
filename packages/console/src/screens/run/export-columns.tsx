/** Columns of the list of a run's exports. */
import type { Export } from "@rowmill/client";
import { Download } from "lucide-react";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { baseUrl } from "../../lib/client.ts";
import { bytes, count } from "../../lib/format.ts";

const TYPES: Record<Export["type"], string> = {
  outputs: "Outputs",
  failures: "Failures",
  resolved_results: "Resolved results",
  rows: "Rows",
};

const FORMATS: Record<Export["format"], string> = { csv: "CSV", jsonl: "JSON Lines", parquet: "Parquet" };
export const downloadUrl = (id: string): string => `${baseUrl}v1/exports/${id}/download`;

export const columnsOf = (mayDownload: boolean): Column<Export>[] => [
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
