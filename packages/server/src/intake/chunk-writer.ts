/**
 * Chunks of rows on their way into the database: copied in batches of bounded size, one on its way while the next one
 * fills. Whoever adds chunks faster than they are stored has to wait.
 */
import { finished } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { StoredChunk } from "../resources/datasets/chunk-store.ts";

/** One transaction's worth: about 32 000 ordinary rows, a tenth of a second to copy. */
const MAX_BATCH_CHUNKS = 64;
/** Of compressed bytes; two batches are in memory at a time. */
const MAX_BATCH_BYTES = 8 << 20;

export interface ChunkBatch {
  chunks: StoredChunk[];
  /** Rows up to the end of this batch. */
  rowsStored: number;
}

export class ChunkWriter {
  readonly #store: (batch: ChunkBatch) => Promise<void>;
  #chunkCount = 0;
  #rowCount = 0;
  #batch: StoredChunk[] = [];
  #batchBytes = 0;
  #storing: Promise<void> = Promise.resolve();

  /** `store` is called for one batch after the other, in order, never twice at once. */
  constructor(store: (batch: ChunkBatch) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves as soon as there is room for more. */
  async add(rowCount: number, body: Buffer): Promise<void> {
    this.#batch.push({ chunkNo: this.#chunkCount, firstRow: this.#rowCount, rowCount, body });
    this.#chunkCount++;
    this.#rowCount += rowCount;
    this.#batchBytes += body.length;
    if (this.#batch.length >= MAX_BATCH_CHUNKS || this.#batchBytes >= MAX_BATCH_BYTES) await this.#sendBatch();
  }

  /** Stores what is left. */
  async end(): Promise<{ rowCount: number; chunkCount: number }> {
    if (this.#batch.length > 0) await this.#sendBatch();
    await this.#storing;
    return { rowCount: this.#rowCount, chunkCount: this.#chunkCount };
  }

  /** Waits until nothing of it is in flight any more; what failed has been told, or is void. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#storing]);
  }

  /** Waits for the batch before, not for this one. */
  async #sendBatch(): Promise<void> {
    await this.#storing;
    const batch = { chunks: this.#batch, rowsStored: this.#rowCount };
    this.#batch = [];
    this.#batchBytes = 0;
    this.#storing = this.#store(batch);
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
  const owners = [uuidBytes(owner.organizationId), uuidBytes(owner.datasetId)];
  // As one: every part would be two writes to the socket, which cost more than the copying here.
  const rows = chunks.flatMap((chunk) => [copyRowHead(owners, chunk), chunk.body]);
  copy.end(Buffer.concat([COPY_HEADER, ...rows, COPY_TRAILER]));
  await ended;
}

function copyRowHead(owners: readonly Buffer[], chunk: StoredChunk): Buffer {
  const head = Buffer.allocUnsafe(ROW_HEAD_BYTES);
  let at = head.writeInt16BE(6, 0);
  for (const uuid of owners) {
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
