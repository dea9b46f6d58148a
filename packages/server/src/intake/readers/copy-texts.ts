/**
 * The texts of a column as bytes. DuckDB's own reader of texts makes a buffer and a string of each, which takes longer than all
 * that DuckDB does to print a row.
 *
 * In a vector a text is 16 bytes: the length, then the text itself if it has at most 12 bytes, else its first four and the
 * address of all. Texts that lie behind each other in memory are copied at once.
 */
import type { DuckDBDataChunk } from "@duckdb/node-api";
import duckdb from "@duckdb/node-bindings";

/** Texts from `starts[i]` to `ends[i]`; there may be something between two of them. */
export interface RowTexts {
  bytes: Buffer;
  count: number;
  starts: ArrayLike<number>;
  ends: ArrayLike<number>;
}

const ENTRY_BYTES = 16;
const LENGTH_BYTES = 4;
const ADDRESS_AT = 8;
const MAX_INLINED_BYTES = 12;
/** DuckDB begins each text at the next multiple of eight. */
const MAX_GAP_BYTES = 7;

/** Of a column without nulls. The bytes belong to the caller: those of the chunk end with it. */
export function copyTexts(chunk: DuckDBDataChunk, columnIndex: number): RowTexts {
  const count = chunk.rowCount;
  const entries = duckdb.vector_get_data(duckdb.data_chunk_get_vector(chunk.chunk, columnIndex), count * ENTRY_BYTES);
  const view = new DataView(entries.buffer, entries.byteOffset, entries.byteLength);
  const lengthAt = (index: number) => view.getUint32(index * ENTRY_BYTES, true);
  const addressAt = (index: number) => Number(view.getBigUint64(index * ENTRY_BYTES + ADDRESS_AT, true));

  const starts = new Uint32Array(count);
  const ends = new Uint32Array(count);
  const parts: Uint8Array[] = [];
  let size = 0;
  // Asked again and again, so that the chunk is not freed before the last of it is copied.
  for (let first = 0; first < chunk.rowCount;) {
    let next = first + 1;
    if (lengthAt(first) <= MAX_INLINED_BYTES) {
      while (next < count && lengthAt(next) <= MAX_INLINED_BYTES) next++;
      for (let index = first; index < next; index++) {
        starts[index] = size + (index - first) * ENTRY_BYTES + LENGTH_BYTES;
        ends[index] = (starts[index] ?? 0) + lengthAt(index);
      }
      parts.push(entries.slice(first * ENTRY_BYTES, next * ENTRY_BYTES));
    } else {
      const from = addressAt(first);
      let end = from;
      for (let index = first; index < count; index++, next = index) {
        const address = index === first ? from : addressAt(index);
        const length = lengthAt(index);
        // A gap this small is within memory that one of its two neighbors has.
        if (length <= MAX_INLINED_BYTES || address < end || address - end > MAX_GAP_BYTES) break;
        starts[index] = size + address - from;
        end = address + length;
        ends[index] = size + end - from;
      }
      const text = duckdb.get_data_from_pointer(
        entries.buffer as ArrayBuffer, // DuckDB's memory is never shared
        entries.byteOffset + first * ENTRY_BYTES + ADDRESS_AT,
        end - from,
      );
      parts.push(text.slice());
    }
    size += parts.at(-1)?.length ?? 0;
    first = next;
  }
  return { bytes: Buffer.concat(parts, size), count, starts, ends };
}
