/** How much of a file is sent and read. */
import type { DatasetUpload } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { mebibytes, plural } from "../frame/numbers.ts";
import { statusLine } from "../frame/status-line.ts";

export interface UploadProgressLine {
  update(bytesSent: number, upload: DatasetUpload | null): void;
  stop(): void;
}

export function uploadProgress(cli: Cli, sizeBytes: number | undefined, eventType = "progress"): UploadProgressLine {
  const line = statusLine(cli);
  return {
    update(bytesSent, upload) {
      const rowsAccepted = upload?.rowsAccepted ?? 0;
      line.update(() => {
        const of = sizeBytes === undefined ? "" : ` of ${mebibytes(sizeBytes)}`;
        const rows = rowsAccepted === 0 ? "" : `, ${plural(rowsAccepted, "row")} read`;
        return `${mebibytes(bytesSent)}${of} MiB sent${rows}`;
      }, [eventType, { bytesSent, sizeBytes: sizeBytes ?? null, rowsAccepted }]);
    },
    stop: () => line.stop(),
  };
}
