/** How often a delimited file is read, seen from inside of the reader: whether a void is sent as well depends on the time. */
import { closeSync, openSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Column } from "../../resources/datasets/dataset-columns.ts";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import { FirstReading } from "./csv-first-reading.ts";
import { UNQUOTED } from "./csv-scanner.ts";
import type { CsvRecord } from "./csv-scanner.ts";
import { readCsv } from "./csv.ts";
import { decodeFrames } from "./frames.ts";
import { RowErrors } from "./intake-rejected.ts";
import { roomyLimits, withDirectory } from "./readers-testing.ts";
import { RowWriter } from "./row-writer.ts";
import { openSourceFile } from "./source-file.ts";

const limits = { ...roomyLimits, maxRowBytes: 1 << 20, chunkRows: 2 };

interface Reading {
  columns: Column[];
  rows: unknown[];
  summary: { sizeBytes: number; sha256: string };
  readings: number;
  /** How often the rows so far were discarded. */
  voids: number;
}

async function read(content: string): Promise<Reading> {
  return withDirectory(async (workDirectory) => {
    const path = join(workDirectory, "staged");
    await writeFile(path, content);
    const source = await openSourceFile(path, limits.maxBytes);
    const blocks = vi.spyOn(source, "blocks");
    await source.readHead();
    const ofHead = blocks.mock.calls.length;
    return withWriter(workDirectory, async (writer, voids, rowsSent) => {
      const job = { path, onInvalidRow: "reject", workDirectory, isGrowing: false, limits } as const;
      const columns = await readCsv({ job, source, writer, errors: new RowErrors("reject") });
      const summary = await writer.end(0);
      // The head is read once more for the delimiter and the types.
      const readings = blocks.mock.calls.length - 2 * ofHead;
      return { columns, rows: await rowsSent(), summary, readings, voids: voids() };
    });
  });
}

async function withWriter<T>(
  directory: string,
  use: (writer: RowWriter, voids: () => number, rowsSent: () => Promise<unknown[]>) => Promise<T>,
): Promise<T> {
  const path = join(directory, "frames");
  const output = openSync(path, "w");
  try {
    const writer = new RowWriter(output, limits);
    const voidRows = vi.spyOn(writer, "voidRows");
    return await use(
      writer,
      () => voidRows.mock.calls.length,
      () => rowsOf(path),
    );
  } finally {
    closeSync(output);
  }
}

/** What counts of the frames. */
async function rowsOf(path: string): Promise<unknown[]> {
  const frames = await readFile(path);
  const rows: unknown[] = [];
  async function* chunks() {
    yield frames;
  }
  for await (const frame of decodeFrames(chunks())) {
    if (frame.type === "void") rows.length = 0;
    if (frame.rowCount === 0) continue;
    for (const line of await decodeChunk(frame.payload)) rows.push(JSON.parse(line));
  }
  return rows;
}

test.each<[string, string[], string]>([
  ["prices of which one keeps its digits", ["19.99", "5.00", "3.10"], "decimal"],
  ["ids that begin with a number", ["12", "A7"], "string"],
  ["ratings with a gap", ["5", "4.5", "n/a"], "string"],
  ["booleans and other words", ["true", "yes"], "string"],
  ["numbers and an empty text", ["1", '""'], "string"],
  ["empty cells and then a mix", ["", "7", "x"], "string"],
  ["integers and fractions", ["1", "2.5"], "number"],
  ["nothing at all", ["", ""], "string"],
])("a column of %s is read once, with the result of two readings", async (_what, cells, type) => {
  const lines = ["n,v", ...cells.map((cell, n) => `${n},${cell}`)];
  const once = await read(`${lines.join("\n")}\n`);
  expect([once.readings, once.voids]).toEqual([1, 0]);
  expect(once.columns.map((column) => column.type)).toEqual(["integer", type]);
  // Of lines that end with CR alone nothing is expected.
  const twice = await read(`${lines.join("\r")}\r`);
  expect([twice.readings, twice.voids]).toEqual([2, 0]);
  expect({ ...once, readings: 2 }).toEqual(twice);
  expect(once.rows).toHaveLength(cells.length);
});

test.each<[string, string, string]>([
  ["a text behind numbers", "7", "x"],
  ["digits to keep behind numbers", "7", "5.00"],
  ["a number behind empty cells", "", "7"],
])("%s is the reason for a second reading, if it is behind the beginning", async (_what, early, late) => {
  const filler = `${early},${"f".repeat(1_000)}\n`.repeat(400);
  const { readings, voids, rows, columns, summary } = await read(`v,f\n${filler}${late},g\n`);
  expect([readings, voids]).toEqual([2, 1]);
  expect(rows).toHaveLength(401);
  const value = columns[0]?.type === "integer" ? 7 : late;
  expect(rows.at(-1)).toEqual({ v: value, f: "g" });
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  expect(summary.sizeBytes).toBe(Buffer.byteLength(text));
});

test("two byte order marks are no reason to expect other columns than there are", async () => {
  const { rows, columns, readings, voids } = await read('\uFEFF\uFEFF"a,b",c\n1,2,3\n4,5,6\n');
  expect([readings, voids]).toEqual([1, 0]);
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual(['\uFEFF"a integer', 'b" integer', "c integer"]);
  expect(rows[0]).toEqual({ '\uFEFF"a': 1, 'b"': 2, c: 3 });
});

/** Of one cell. */
const recordOf = (cell: string): CsvRecord => ({
  bytes: Buffer.from(cell),
  line: 2,
  sizeBytes: cell.length,
  fieldCount: 1,
  starts: Int32Array.of(0),
  ends: Int32Array.of(cell.length),
  quotings: Uint8Array.of(UNQUOTED),
  problem: undefined,
  from: 0,
  to: cell.length,
  beginning: undefined,
});

test("rows that were written as text and turn out to be numbers are void at the end", async () => {
  await withDirectory(async (directory) => {
    await withWriter(directory, async (writer, voids) => {
      const first = new FirstReading(writer, ["text"]);
      first.setNames(["v"]);
      first.addRow(recordOf("7"));
      expect([first.isWriting, voids()]).toEqual([true, 0]);
      first.end();
      expect([first.isWriting, voids(), writer.rowsWritten]).toEqual([false, 1, 0]);
      await writer.end(0);
    });
  });
});
