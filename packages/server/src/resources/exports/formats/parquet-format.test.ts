/** What another reader, DuckDB, finds in files of every shape. */
import { expect, test } from "vitest";
import type { ExportCompression } from "@rowmill/contract/exports";
import { TextItem } from "../../runs/items.ts";
import { readParquetTable } from "../exports-testing.ts";
import { ColumnAppearedError } from "./format.ts";
import type { ExportSource } from "./format.ts";
import { parquet } from "./parquet-format.ts";

/** Outputs as the column `data`, or its members. */
function sourceOf(outputs: readonly unknown[], options: Partial<ExportSource> = {}): ExportSource {
  return {
    type: "outputs",
    layout: "nested",
    columns: ["data"],
    delimiter: ",",
    byteOrderMark: false,
    formulaGuard: true,
    inputColumns: null,
    isInputComplete: true,
    outputSchema: undefined,
    hasOneOutputSchema: true,
    mostRows: 0,
    looksAt: "first_page",
    async *readPages() {
      for (let at = 0; at < outputs.length; at += 500)
        yield outputs.slice(at, at + 500).map((data, i) => new TextItem(at + i, JSON.stringify({ data })));
    },
    ...options,
  };
}

async function encode(source: ExportSource, compression: ExportCompression = "none"): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const { bytes } of parquet.encode(source, { compression })) pieces.push(bytes);
  return Buffer.concat(pieces);
}

async function valuesOf(outputs: readonly unknown[], options: Partial<ExportSource> = {}): Promise<unknown[]> {
  return (await readParquetTable(await encode(sourceOf(outputs, options)))).rows.map(([value]) => value);
}

const countTo = (count: number): number[] => Array.from({ length: count }, (_unused, n) => n);

test.for<[string, readonly unknown[]]>([
  ["texts of which few differ", countTo(5_000).map((n) => `value ${n % 7}`)],
  ["texts of which each repeats some time", countTo(20_000).map((n) => `value ${(n * 7_919) % 3_001}`)],
  ["one text", countTo(3_000).map(() => "the same")],
  ["texts that all differ", countTo(5_000).map((n) => `value ${n}`)],
  [
    "texts that differ in their middle alone",
    countTo(6_000).map((n) => `${"a".repeat(40)}${n % 900}${"b".repeat(40)}`),
  ],
  ["texts of pages", countTo(40).map((n) => String.fromCharCode(97 + n).repeat(100_000))],
  ["empty texts", ["", "", "a", ""]],
  ["escapes", ['"', "\\", "\n", "\u0001", "é\u{1F600}", `${"long ".repeat(40)}"`]],
  ["nothing", [null, null, null]],
  ["a value, then none for long", [1.5, ...countTo(3_000).map(() => null)]],
  ["none for long, then a value", [...countTo(3_000).map(() => null), "late"]],
  ["every second value", countTo(3_000).map((n) => (n % 2 === 0 ? `v${n}` : null))],
  ["runs of values", countTo(3_000).map((n) => (n % 500 < 100 ? n + 0.25 : null))],
  ["texts of pages with gaps", countTo(60).map((n) => (n % 3 === 0 ? null : String(n).repeat(60_000)))],
  ["truths", countTo(1_003).map((n) => (n % 5 === 0 ? null : n % 3 === 0))],
  ["doubles", [0, 0.1, -2.5, 1e300, 5e-324, 1.7976931348623157e308, 0.000001, 123456.789, 100_000_000_000.5]],
])("%s come back", async ([, outputs]) => {
  expect(await valuesOf(outputs)).toEqual(outputs);
});

test("whole numbers come back, up to the largest", async () => {
  const numbers = [
    0, 1, -1, 4_294_967_295, 4_294_967_296, -4_294_967_297, 9_007_199_254_740_991, -9_007_199_254_740_991,
  ];
  expect(await valuesOf(numbers)).toEqual(numbers.map(String));
});

test("bounds and counts of a column stand at the end of the file, for readers that skip row groups", async () => {
  const bytes = await encode(
    sourceOf(
      [
        { n: -3, t: "b" },
        { n: 12, t: "a" },
        { n: null, t: "é" },
      ],
      { columns: ["data.n", "data.t"] },
    ),
  );
  const { metadata } = await readParquetTable(bytes);
  expect(metadata).toEqual([
    ["data.n", "3", "-3", "12", "1"],
    ["data.t", "3", "a", "é", "0"],
  ]);
});

const LARGE = "x".repeat(4 << 20);

test("row groups end by their size, and a type that a later one changes begins the file again", async () => {
  const outputs = countTo(9).map((n) => ({ n: n < 8 ? n : 0.5, text: LARGE }));
  const options = { columns: ["data.n", "data.text"] };
  await expect(encode(sourceOf(outputs, options))).rejects.toThrow(ColumnAppearedError);
  const bytes = await encode(sourceOf(outputs, { ...options, looksAt: "all" }), "zstd");
  const table = await readParquetTable(bytes);
  expect(table.types).toEqual({ "data.n": "DOUBLE", "data.text": "VARCHAR" });
  expect(table.rows.map(([n]) => n)).toEqual(outputs.map(({ n }) => n));
  expect(table.metadata.filter(([name]) => name === "data.n").map(([, rows]) => rows)).toEqual(["8", "1"]);
});

test.for(["none", "gzip", "zstd"] as const)(
  "compression %s gives the same values, and the same bytes each time",
  async (compression) => {
    const outputs = countTo(2_000).map((n) => `text ${n % 300}`);
    const bytes = await encode(sourceOf(outputs), compression);
    expect((await readParquetTable(bytes)).rows.map(([value]) => value)).toEqual(outputs);
    expect(bytes.equals(await encode(sourceOf(outputs), compression))).toBe(true);
  },
);
