/**
 * The structures of a Parquet file (version 1 of its pages, which every reader takes): a header in front of each page, and behind all
 * pages what the columns are and where they lie. The numbers are those of the format's own `parquet.thrift`.
 */
import { Buffer } from "node:buffer";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { ExportCompression } from "@rowmill/contract/exports";
import { packInThread } from "../../../platform/zstd.ts";
import type { EncodedColumn, Page } from "./parquet-column.ts";
import { binary, bool, encodeThrift, i32, i64, list, struct } from "./parquet-thrift.ts";
import type { ThriftStruct, ThriftValue } from "./parquet-thrift.ts";
import type { ParquetType } from "./parquet-types.ts";

export const MAGIC = Buffer.from("PAR1");

const gzipped = promisify(gzip);
const ZSTD_LEVEL = 3;
const GZIP_LEVEL = 6;

const codecs: Record<ExportCompression, { id: number; compress: (bytes: Buffer) => Promise<Buffer> }> = {
  none: { id: 0, compress: (bytes) => Promise.resolve(bytes) },
  gzip: { id: 2, compress: (bytes) => gzipped(bytes, { level: GZIP_LEVEL }) },
  zstd: { id: 6, compress: (bytes) => packInThread(bytes, ZSTD_LEVEL) },
};

const PLAIN = 0;
const RLE = 3;
const RLE_DICTIONARY = 8;
const DATA_PAGE = 0;
const DICTIONARY_PAGE = 2;
const OPTIONAL = 1;
const UTF8 = 0;
const TIMESTAMP_MICROS = 10;

/** The physical type, and what readers are to make of it: by the old name and the new one. */
const types: Record<ParquetType, { physical: number; converted?: number; logical?: ThriftValue }> = {
  BOOLEAN: { physical: 0 },
  INTEGER: { physical: 1 },
  BIGINT: { physical: 2 },
  DOUBLE: { physical: 5 },
  TIMESTAMPTZ: {
    physical: 2,
    converted: TIMESTAMP_MICROS,
    // In UTC, of microseconds.
    logical: struct([8, struct([1, bool(true)], [2, struct([2, struct()])])]),
  },
  VARCHAR: { physical: 6, converted: UTF8, logical: struct([1, struct()]) },
};

export interface ParquetColumn {
  name: string;
  type: ParquetType;
}

interface RowGroup {
  metadata: ThriftStruct;
  rowCount: number;
}

/** The pages of a column as they are stored. */
export interface StoredColumn {
  column: EncodedColumn;
  pages: { kind: Page["kind"]; header: Buffer; body: Buffer; size: number }[];
}

export async function compressColumn(column: EncodedColumn, compression: ExportCompression): Promise<StoredColumn> {
  const pages = await Promise.all(
    column.pages.map(async (page) => {
      const body = await codecs[compression].compress(page.bytes);
      return { kind: page.kind, header: headerOf(page, body.length), body, size: page.bytes.length };
    }),
  );
  return { column, pages };
}

function headerOf({ kind, encoding, count, bytes }: Page, compressedSize: number): Buffer {
  const data = struct(
    [1, i32(count)],
    [2, i32(encoding === "plain" ? PLAIN : RLE_DICTIONARY)],
    [3, i32(RLE)],
    [4, i32(RLE)],
  );
  const dictionary = struct([1, i32(count)], [2, i32(PLAIN)]);
  return encodeThrift([
    [1, i32(kind === "data" ? DATA_PAGE : DICTIONARY_PAGE)],
    [2, i32(bytes.length)],
    [3, i32(compressedSize)],
    [5, kind === "data" ? data : undefined],
    [7, kind === "dictionary" ? dictionary : undefined],
  ]);
}

/** Knows where in the file what has been written lies. */
export class ParquetLayout {
  readonly #columns: readonly ParquetColumn[];
  readonly #compression: ExportCompression;
  readonly #rowGroups: RowGroup[] = [];
  #offset = MAGIC.length;

  constructor(columns: readonly ParquetColumn[], compression: ExportCompression) {
    this.#columns = columns;
    this.#compression = compression;
  }

  /** The bytes of one row group, which follow those before. */
  addRowGroup(stored: readonly StoredColumn[], rowCount: number): Buffer[] {
    const bytes: Buffer[] = [];
    const columns: ThriftStruct[] = [];
    const startedAt = this.#offset;
    let size = 0;
    for (const [position, { column, pages }] of stored.entries()) {
      let [dictionaryAt, dataAt]: (number | undefined)[] = [undefined, undefined];
      const columnAt = this.#offset;
      let columnSize = 0;
      for (const { kind, header, body, size: pageSize } of pages) {
        if (kind === "dictionary") dictionaryAt = this.#offset;
        else dataAt ??= this.#offset;
        bytes.push(header, body);
        this.#offset += header.length + body.length;
        columnSize += header.length + pageSize;
      }
      size += columnSize;
      columns.push([
        [2, i64(columnAt)],
        [
          3,
          this.#columnMetadata(position, column, columnSize, this.#offset - columnAt, dataAt ?? columnAt, dictionaryAt),
        ],
      ]);
    }
    this.#rowGroups.push({
      rowCount,
      metadata: [
        [1, list("struct", columns)],
        [2, i64(size)],
        [3, i64(rowCount)],
        [5, i64(startedAt)],
        [6, i64(this.#offset - startedAt)],
      ],
    });
    return bytes;
  }

  /** What stands behind all row groups. */
  end(): Buffer {
    const root: ThriftStruct = [
      [4, binary("rows")],
      [5, i32(this.#columns.length)],
    ];
    const schema = this.#columns.map(({ name, type }): ThriftStruct => {
      const { physical, converted, logical } = types[type];
      return [
        [1, i32(physical)],
        [3, i32(OPTIONAL)],
        [4, binary(name)],
        [6, converted === undefined ? undefined : i32(converted)],
        [10, logical],
      ];
    });
    const metadata = encodeThrift([
      [1, i32(1)],
      [2, list("struct", [root, ...schema])],
      [3, i64(this.#rowGroups.reduce((sum, { rowCount }) => sum + rowCount, 0))],
      [
        4,
        list(
          "struct",
          this.#rowGroups.map((group) => group.metadata),
        ),
      ],
      [6, binary("Rowmill")],
      // The bounds of each column are in the order of its type.
      [
        7,
        list(
          "struct",
          this.#columns.map((): ThriftStruct => [[1, struct()]]),
        ),
      ],
    ]);
    const length = Buffer.alloc(4);
    length.writeUInt32LE(metadata.length);
    return Buffer.concat([metadata, length, MAGIC]);
  }

  #columnMetadata(
    position: number,
    { pages, rowCount, nullCount, bounds }: EncodedColumn,
    size: number,
    compressedSize: number,
    dataAt: number,
    dictionaryAt: number | undefined,
  ): ThriftValue {
    const { name, type } = this.#columns[position] ?? { name: "", type: "VARCHAR" as const };
    const encodings = pages.some(({ encoding }) => encoding === "dictionary")
      ? [PLAIN, RLE, RLE_DICTIONARY]
      : [PLAIN, RLE];
    return struct(
      [1, i32(types[type].physical)],
      [2, list("i32", encodings)],
      [3, list("binary", [name])],
      [4, i32(codecs[this.#compression].id)],
      [5, i64(rowCount)],
      [6, i64(size)],
      [7, i64(compressedSize)],
      [9, i64(dataAt)],
      [11, dictionaryAt === undefined ? undefined : i64(dictionaryAt)],
      [
        12,
        struct(
          [3, i64(nullCount)],
          [5, bounds === undefined ? undefined : binary(bounds.most)],
          [6, bounds === undefined ? undefined : binary(bounds.least)],
        ),
      ],
    );
  }
}
