/** How much of a file is sent and read: a line on stderr that is drawn again where somebody watches, else one every few seconds. */
import type { DatasetUpload } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { count, mebibytes } from "../frame/numbers.ts";

const DRAW_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
/** To the start of the line, and clear it. */
const CLEAR_LINE = "\r\u001b[2K";

export interface UploadProgressLine {
  update(bytesSent: number, upload: DatasetUpload | null): void;
  stop(): void;
}

export function uploadProgress(cli: Cli, sizeBytes: number | undefined): UploadProgressLine {
  const isShown = cli.common.quiet !== true && cli.output.mode === "text";
  const isDrawn = isShown && cli.terminal.isWatched;
  let nextAt = Date.now() + (isDrawn ? DRAW_INTERVAL_MS : LINE_INTERVAL_MS);
  let hasDrawn = false;
  return {
    update(bytesSent, upload) {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + (isDrawn ? DRAW_INTERVAL_MS : LINE_INTERVAL_MS);
      cli.output.event("progress", {
        bytesSent,
        sizeBytes: sizeBytes ?? null,
        rowsAccepted: upload?.rowsAccepted ?? 0,
      });
      if (!isShown) return;
      const of = sizeBytes === undefined ? "" : ` of ${mebibytes(sizeBytes)}`;
      const rows = upload === null || upload.rowsAccepted === 0 ? "" : `, ${count(upload.rowsAccepted)} rows read`;
      const line = `${mebibytes(bytesSent)}${of} MiB sent${rows}`;
      if (isDrawn) cli.terminal.stderr.write(`${CLEAR_LINE}${line}`);
      else cli.output.note(line);
      hasDrawn = isDrawn;
    },
    stop() {
      if (hasDrawn) cli.terminal.stderr.write(CLEAR_LINE);
    },
  };
}
