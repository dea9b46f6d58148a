/** The benchmarks' rows as files of the three large formats. */
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { DuckDBInstance } from "@duckdb/node-api";
import { benchRow } from "./rows.ts";

export const rowFormats = ["csv", "jsonl", "parquet"] as const;
export type RowFormat = (typeof rowFormats)[number];

/** Writes the same rows once in each format. Returns where the file of a format is. */
export async function writeRowFiles(folder: string, rows: number): Promise<(format: RowFormat) => string> {
  const pathOf = (format: RowFormat): string => join(folder, `rows-${rows}.${format}`);
  for (const format of ["csv", "jsonl"] as const)
    await pipeline(Readable.from(fileText(format, rows)), createWriteStream(pathOf(format)));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    `copy (select * from read_json('${pathOf("jsonl")}')) to '${pathOf("parquet")}' (format parquet, compression zstd)`,
  );
  connection.closeSync();
  return pathOf;
}

function* fileText(format: "csv" | "jsonl", rows: number): Generator<string> {
  const ROWS_PER_PIECE = 500;
  if (format === "csv") yield `${Object.keys(benchRow(0)).join(",")}\n`;
  for (let from = 0; from < rows; from += ROWS_PER_PIECE) {
    let text = "";
    for (let id = from; id < Math.min(rows, from + ROWS_PER_PIECE); id++) {
      const row = benchRow(id);
      const cells = Object.values(row).map((value) => (typeof value === "string" ? `"${value}"` : String(value)));
      text += format === "csv" ? `${cells.join(",")}\n` : `${JSON.stringify(row)}\n`;
    }
    yield text;
  }
}
