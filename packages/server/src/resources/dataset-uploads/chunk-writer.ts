/**
 * From batches of rows to chunks in the database: compressed a few at a time, copied in batches of bounded size. Reading,
 * compressing and copying go on side by side; whoever adds rows faster than they are stored has to wait.
 */
import { createHash } from "node:crypto";
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { MAX_CHUNK_BYTES, encodeChunk } from "../datasets/chunk-store.ts";
import type { StoredChunk } from "../datasets/chunk-store.ts";

/** One transaction's worth: about 32 000 ordinary rows, a tenth of a second to copy. */
const MAX_BATCH_CHUNKS = 64;
/** Of compressed bytes; two batches are in memory at a time, one filling and one on its way. */
const MAX_BATCH_BYTES = 8 << 20;
/** zlib works on the four threads of Node's pool; more in flight would only hold memory. */
const COMPRESSIONS_AT_ONCE = 4;

const NEWLINE = Buffer.from("\n");

export interface Rows {
  /** JSON objects, one a line, "\n" between them. */
  text: Buffer;
  rowCount: number;
}

export interface ChunkBatch {
  chunks: StoredChunk[];
  /** Rows up to the end of this batch. */
  rowsStored: number;
}

export interface WrittenRows {
  rowCount: number;
  chunkCount: number;
  /** Of the rows as JSON lines, each ended by LF. */
  sizeBytes: number;
  sha256: string;
}

export class ChunkWriter {
  readonly #maxRows: number;
  readonly #store: (batch: ChunkBatch) => Promise<void>;
  readonly #hash = createHash("sha256");
  #sizeBytes = 0;
  /** Of the chunk that is filling. */
  #parts: Buffer[] = [];
  #partBytes = 0;
  #partRows = 0;
  #chunkCount = 0;
  #rowCount = 0;
  #compressing: Promise<StoredChunk>[] = [];
  #batch: StoredChunk[] = [];
  #batchBytes = 0;
  #storing: Promise<void> = Promise.resolve();

  /** `store` is called for one batch after the other, in order, never twice at once. */
  constructor(maxRows: number, store: (batch: ChunkBatch) => Promise<void>) {
    this.#maxRows = maxRows;
    this.#store = store;
  }

  /** At most `maxRows` rows. Resolves as soon as there is room for more. */
  async add(rows: Rows): Promise<void> {
    if (rows.rowCount === 0) return;
    if (rows.rowCount > this.#maxRows) throw new RangeError("a batch of rows does not fit into a chunk");
    const bytes = rows.text.length + 1;
    const isFull = this.#partRows + rows.rowCount > this.#maxRows || this.#partBytes + bytes > MAX_CHUNK_BYTES;
    if (this.#partRows > 0 && isFull) await this.#endChunk();
    this.#hash.update(rows.text).update(NEWLINE);
    this.#sizeBytes += bytes;
    if (this.#parts.length > 0) this.#parts.push(NEWLINE);
    this.#parts.push(rows.text);
    this.#partBytes += bytes;
    this.#partRows += rows.rowCount;
    if (this.#partRows === this.#maxRows) await this.#endChunk();
  }

  /** Stores what is left. */
  async end(): Promise<WrittenRows> {
    if (this.#partRows > 0) await this.#endChunk();
    while (this.#compressing.length > 0) await this.#takeCompressed();
    if (this.#batch.length > 0) await this.#sendBatch();
    await this.#storing;
    const { rowCount, chunkCount, sizeBytes } = {
      rowCount: this.#rowCount,
      chunkCount: this.#chunkCount,
      sizeBytes: this.#sizeBytes,
    };
    return { rowCount, chunkCount, sizeBytes, sha256: this.#hash.digest("hex") };
  }

  /** Waits until nothing of it is in flight any more; what failed has been told, or is void. */
  async settle(): Promise<void> {
    await Promise.allSettled([...this.#compressing, this.#storing]);
  }

  async #endChunk(): Promise<void> {
    const [only] = this.#parts;
    const text = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    const place = { chunkNo: this.#chunkCount, firstRow: this.#rowCount, rowCount: this.#partRows };
    this.#chunkCount++;
    this.#rowCount += this.#partRows;
    this.#parts = [];
    this.#partBytes = 0;
    this.#partRows = 0;
    const compressing = encodeChunk(text).then((body) => ({ ...place, body }));
    compressing.catch(() => {}); // Told where it is taken, or by `settle`.
    this.#compressing.push(compressing);
    if (this.#compressing.length >= COMPRESSIONS_AT_ONCE) await this.#takeCompressed();
  }

  async #takeCompressed(): Promise<void> {
    const chunk = await this.#compressing.shift();
    if (chunk === undefined) return;
    this.#batch.push(chunk);
    this.#batchBytes += chunk.body.length;
    if (this.#batch.length >= MAX_BATCH_CHUNKS || this.#batchBytes >= MAX_BATCH_BYTES) await this.#sendBatch();
  }

  /** Waits for the batch before, not for this one. */
  async #sendBatch(): Promise<void> {
    await this.#storing;
    const chunks = this.#batch;
    const last = chunks.at(-1);
    const rowsStored = last === undefined ? 0 : last.firstRow + last.rowCount;
    this.#batch = [];
    this.#batchBytes = 0;
    this.#storing = this.#store({ chunks, rowsStored });
    this.#storing.catch(() => {}); // Told by the next batch, or by `end`.
  }
}

/** How COPY's binary format begins: its signature, no flags, no extension. */
const COPY_HEADER = Buffer.from("PGCOPY\n\u00FF\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const COPY_TRAILER = Buffer.from([0xff, 0xff]);
/** Field count, lengths and values of a row of `dataset_chunks`, up to its body. */
const ROW_HEAD_BYTES = 2 + (4 + 16) * 2 + (4 + 4) + (4 + 8) + (4 + 4) + 4;

export async function copyChunks(
  client: pg.ClientBase,
  owner: { organizationId: string; datasetId: string },
  chunks: readonly StoredChunk[],
): Promise<void> {
  const columns = "organization_id, dataset_id, chunk_no, first_row, row_count, body";
  const copy = client.query(copyFrom(`copy dataset_chunks (${columns}) from stdin with (format binary)`));
  const ended = finished(copy);
  copy.write(COPY_HEADER);
  for (const chunk of chunks) {
    copy.write(copyRowHead(uuidBytes(owner.organizationId), uuidBytes(owner.datasetId), chunk));
    copy.write(chunk.body); // The batch is in memory anyway: nothing is gained by waiting for the socket.
  }
  copy.end(COPY_TRAILER);
  await ended;
}

function copyRowHead(organizationId: Buffer, datasetId: Buffer, chunk: StoredChunk): Buffer {
  const head = Buffer.allocUnsafe(ROW_HEAD_BYTES);
  let at = head.writeInt16BE(6, 0);
  for (const uuid of [organizationId, datasetId]) {
    at = head.writeInt32BE(16, at);
    at += uuid.copy(head, at);
  }
  at = head.writeInt32BE(4, at);
  at = head.writeInt32BE(chunk.chunkNo, at);
  at = head.writeInt32BE(8, at);
  at = head.writeBigInt64BE(BigInt(chunk.firstRow), at);
  at = head.writeInt32BE(4, at);
  at = head.writeInt32BE(chunk.rowCount, at);
  head.writeInt32BE(chunk.body.length, at);
  return head;
}

const uuidBytes = (uuid: string): Buffer => Buffer.from(uuid.replaceAll("-", ""), "hex");
