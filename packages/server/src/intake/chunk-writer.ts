/**
 * Chunks of rows on their way into the database: inserted in groups of bounded size, one on its way while the next one
 * fills. A caller that adds chunks faster than they are stored has to wait.
 */
import { toInsertSelected } from "../platform/database/insert-selected.ts";
import type { Statements } from "../platform/database/database.ts";
import type { StoredChunk } from "../resources/datasets/chunk-store.ts";

/** One transaction's worth: about 32 000 ordinary rows, a tenth of a second to insert. */
const MAX_GROUP_CHUNKS = 64;
/** Of compressed bytes; two groups are in memory at a time. */
const MAX_GROUP_BYTES = 8 << 20;

export interface ChunkGroup {
  chunks: StoredChunk[];
  /** Rows up to the end of this group. */
  rowsStored: number;
}

export class ChunkWriter {
  readonly #store: (group: ChunkGroup) => Promise<void>;
  #chunkCount = 0;
  #rowCount = 0;
  #group: StoredChunk[] = [];
  #groupBytes = 0;
  #storing: Promise<void> = Promise.resolve();

  /** `store` is called for one group after the other, in order, never twice at once. */
  constructor(store: (group: ChunkGroup) => Promise<void>) {
    this.#store = store;
  }

  /** Resolves as soon as there is room for more. */
  async add(rowCount: number, body: Buffer): Promise<void> {
    this.#group.push({ chunkNo: this.#chunkCount, firstRow: this.#rowCount, rowCount, body });
    this.#chunkCount++;
    this.#rowCount += rowCount;
    this.#groupBytes += body.length;
    if (this.#group.length >= MAX_GROUP_CHUNKS || this.#groupBytes >= MAX_GROUP_BYTES) await this.#sendGroup();
  }

  /** Stores what is left. */
  async end(): Promise<{ rowCount: number; chunkCount: number }> {
    if (this.#group.length > 0) await this.#sendGroup();
    await this.#storing;
    return { rowCount: this.#rowCount, chunkCount: this.#chunkCount };
  }

  /** Stores nothing more; what was stored stays. Throws what went wrong with it. */
  async stop(): Promise<void> {
    this.#group = [];
    await this.#storing;
  }

  /** Waits until nothing of it is in flight any more; errors have been reported, or no longer matter. */
  async settle(): Promise<void> {
    await Promise.allSettled([this.#storing]);
  }

  /** Waits for the group before, not for this one. */
  async #sendGroup(): Promise<void> {
    await this.#storing;
    const group = { chunks: this.#group, rowsStored: this.#rowCount };
    this.#group = [];
    this.#groupBytes = 0;
    this.#storing = this.#store(group);
    this.#storing.catch(() => {}); // Thrown by the next group, or by `end`.
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
      from unnest($3::int[], $4::bigint[], $5::int[], $6::int[], $8::int[]) c(chunk_no, first_row, row_count, size, at)
      ${toInsertSelected(client)}`,
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
