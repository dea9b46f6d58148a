/** A thread that encodes files of exports, one after the other: it asks for pages of items and gives pieces of the file. */
import { parentPort } from "node:worker_threads";
import { ColumnAppearedError, ExportError } from "../formats/format.ts";
import type { ExportItem } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import type { EncodeFailure, EncodeJob, FromEncoder, ToEncoder } from "./encode-messages.ts";
import { unpackPage } from "./packed-pages.ts";
import type { PackedPage } from "./packed-pages.ts";

/** The service reads one while the thread works on another. */
const PAGES_ASKED = 2;
/** The service writes one while the thread works on another; of Parquet each is a row group. */
const PIECES_BEFORE_TAKEN = 2;

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread");

let reading = 0;
let pages: (PackedPage | undefined)[] = [];
const untaken = { pieces: 0 };
let wake = (): void => {};
const post = (message: FromEncoder, transferred: ArrayBuffer[] = []): void => port.postMessage(message, transferred);
/** Until the next message. */
const message = async (): Promise<void> => new Promise((resolve) => (wake = resolve));

port.on("message", (received: ToEncoder) => {
  if (received.type === "job") void perform(received.job);
  else if (received.type === "taken") untaken.pieces--;
  // Pages of an earlier reading come late.
  else if (received.reading === reading) pages.push(received.page);
  wake();
});

async function* readPages(): AsyncGenerator<readonly ExportItem[]> {
  reading++;
  pages = [];
  post({ type: "read", reading });
  for (let asked = 0; asked < PAGES_ASKED; asked++) post({ type: "next", reading });
  for (;;) {
    while (pages.length === 0) await message();
    const page = pages.shift();
    if (page === undefined) return;
    post({ type: "next", reading });
    yield unpackPage(page);
  }
}

async function perform(job: EncodeJob): Promise<void> {
  untaken.pieces = 0;
  try {
    await encode(job);
  } catch (error) {
    post({ type: "failed", failure: failureOf(error) });
  }
}

async function encode({ source, file }: EncodeJob): Promise<void> {
  let [rowCount, guardedCells] = [0, 0];
  const pieces = formats[file.format].encode({ ...source, readPages }, { compression: file.compression });
  for await (const piece of pieces) {
    rowCount += piece.rowCount;
    guardedCells += piece.guardedCells ?? 0;
    if (piece.bytes.length === 0) continue;
    const bytes = ownBytes(piece.bytes);
    post({ type: "piece", bytes, rowCount, guardedCells }, [bytes.buffer]);
    [rowCount, guardedCells] = [0, 0];
    untaken.pieces++;
    while (untaken.pieces >= PIECES_BEFORE_TAKEN) await message();
  }
  post({ type: "ended", rowCount, guardedCells });
}

/** A small buffer is a part of one that others use. */
function ownBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.buffer instanceof ArrayBuffer && bytes.length * 2 > bytes.buffer.byteLength;
  return isAlone ? (bytes as Buffer<ArrayBuffer>) : new Uint8Array(bytes);
}

function failureOf(error: unknown): EncodeFailure {
  if (error instanceof ColumnAppearedError) return { kind: "column_appeared", message: error.message };
  if (error instanceof ExportError) return { kind: "export", code: error.code, message: error.message };
  return { kind: "other", error };
}
