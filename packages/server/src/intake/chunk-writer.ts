/**
 * Chunks of rows on their way into the database: inserted in batches of bounded size, one on its way while the next one
 * fills. A caller that adds chunks faster than they are stored has to wait.
 */
import type { Statements } from "../platform/database/database.ts";
import type { StoredChunk } from "../resources/datasets/chunk-store.ts";

/** One transaction's worth: about 32 000 ordinary rows, a tenth of a second to insert. */
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

  /** Waits until nothing of it is in flight any more; errors have been reported, or no longer matter. */
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
    this.#storing.catch(() => {}); // Thrown by the next batch, or by `end`.
  }
}

/** One statement for any number of chunks: their bodies travel as one value, in binary. COPY is not there under row-level security. */
export async function insertChunks(
  client: Statements,
  owner: { organizationId: string; datasetId: string },
  chunks: readonly StoredChunk[],
): Promise<void> {
  const starts: number[] = [];
  let at = 1; // as PostgreSQL counts
  for (const { body } of chunks) {
    starts.push(at);
    at += body.length;
  }
  await client.query({
    name: "insert_dataset_chunks",
    text: `insert into dataset_chunks (organization_id, dataset_id, chunk_no, first_row, row_count, body)
      select $1, $2, c.chunk_no, c.first_row, c.row_count, substring($7::bytea from c.at for c.size)
      from unnest($3::int[], $4::bigint[], $5::int[], $6::int[], $8::int[]) c(chunk_no, first_row, row_count, size, at)`,
    values: [
      owner.organizationId,
      owner.datasetId,
      chunks.map(({ chunkNo }) => chunkNo),
      chunks.map(({ firstRow }) => firstRow),
      chunks.map(({ rowCount }) => rowCount),
      chunks.map(({ body }) => body.length),
      Buffer.concat(chunks.map(({ body }) => body)),
      starts,
    ],
  });
}
