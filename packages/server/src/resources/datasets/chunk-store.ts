/**
 * Rows of a dataset as they are kept: chunks of JSON lines, compressed. A chunk ends at the configured number of rows, or
 * earlier at `MAX_CHUNK_BYTES`, so that what a worker holds stays bounded whatever the rows' size.
 */
import type { Statements } from "../../platform/database/database.ts";
import { JsonLines } from "../../platform/json-bytes.ts";
import { packInThread, packSync, unpack } from "../../platform/zstd.ts";

/** Raw bytes after which a chunk ends before its full number of rows. */
export const MAX_CHUNK_BYTES = 4 * 1024 * 1024;
/** Level 9 would save 7 % and take two and a half times as long. */
const LEVEL = 3;

export interface StoredChunk {
  chunkNo: number;
  firstRow: number;
  rowCount: number;
  body: Buffer;
}

/** `text`: rows as JSON, one a line, "\n" between them. */
export const encodeChunk = (text: Buffer): Promise<Buffer> => packInThread(text, LEVEL);

/** The same where there is no event loop to hold up. */
export const encodeChunkSync = (text: Buffer): Buffer => packSync(text, LEVEL);

export async function decodeChunk(body: Buffer): Promise<string[]> {
  return (await unpack(body)).toString("utf8").split("\n");
}

/** The rows of one chunk, or undefined if there is none. */
export async function readChunk(
  client: Statements,
  datasetId: string,
  chunkNo: number,
): Promise<{ firstRow: number; lines: string[] } | undefined> {
  const chunk = await readStoredChunk(client, datasetId, chunkNo);
  return chunk === undefined ? undefined : { firstRow: chunk.firstRow, lines: await decodeChunk(chunk.body) };
}

/** The chunk that holds the row, for readers who pass rows on as bytes. */
export async function readChunkLinesAt(
  client: Statements,
  datasetId: string,
  row: number,
): Promise<{ firstRow: number; lines: JsonLines } | undefined> {
  const chunkNo = await findChunkAt(client, datasetId, row);
  const chunk = chunkNo === undefined ? undefined : await readStoredChunk(client, datasetId, chunkNo);
  if (chunk === undefined) return undefined;
  return { firstRow: chunk.firstRow, lines: new JsonLines(await unpack(chunk.body)) };
}

/** As it lies in the database, for those who have another process unpack it. */
export async function readStoredChunk(
  client: Statements,
  datasetId: string,
  chunkNo: number,
): Promise<Omit<StoredChunk, "chunkNo"> | undefined> {
  const { rows } = await client.query<{ first_row: number; row_count: number; body: Buffer }>({
    name: "read_dataset_chunk",
    text: "select first_row, row_count, body from dataset_chunks where dataset_id = $1 and chunk_no = $2",
    values: [datasetId, chunkNo],
  });
  const row = rows[0];
  return row === undefined ? undefined : { firstRow: row.first_row, rowCount: row.row_count, body: row.body };
}

/** Chunks in order from the one that holds `fromRow`, each fetched when it is asked for. */
export async function* readChunksFrom(
  client: Statements,
  datasetId: string,
  fromRow: number,
): AsyncGenerator<{ chunkNo: number; firstRow: number; lines: string[] }> {
  const first = await findChunkAt(client, datasetId, fromRow);
  if (first === undefined) return;
  for (let chunkNo = first; ; chunkNo++) {
    const chunk = await readChunk(client, datasetId, chunkNo);
    if (chunk === undefined) return;
    yield { chunkNo, ...chunk };
  }
}

async function findChunkAt(client: Statements, datasetId: string, row: number): Promise<number | undefined> {
  const { rows } = await client.query<{ chunk_no: number }>({
    name: "find_dataset_chunk",
    text: "select chunk_no from dataset_chunks where dataset_id = $1 and first_row <= $2 order by first_row desc limit 1",
    values: [datasetId, row],
  });
  return rows[0]?.chunk_no;
}

export const storedBytesOf = (chunks: readonly StoredChunk[]): number =>
  chunks.reduce((sum, { body }) => sum + body.length, 0);
