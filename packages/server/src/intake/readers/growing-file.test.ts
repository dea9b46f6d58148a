/** Files that are read while they are written. */
import { appendFile, readdir, readlink, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import { readDataset, type ReadDatasetOptions, type ReadSummary } from "./read-dataset.ts";
import type { WholeFile } from "./growing-file.ts";
import { waitFor } from "../../testing/wait.ts";
import { findReaders, readContent, roomyLimits, withDirectory } from "./readers-testing.ts";

/** Cut so that characters, quoted fields and rows are cut as well. */
const PIECE_BYTES = 140_001;

const texts = Array.from({ length: 30_000 }, (_, n) => `Zürich, "${n}"\nKyōto ${Math.sin(n)}`);
const jsonl = Buffer.from(texts.map((text, n) => JSON.stringify({ n, text })).join("\n"));
const csv = Buffer.from(`n,text\n${texts.map((text, n) => `${n},"${text.replaceAll('"', '""')}"`).join("\n")}`);
const json = Buffer.from(JSON.stringify(texts.map((text, n) => ({ n, text }))));

/** The file gets a piece whenever `mayGoOn` resolves, and another name behind the last one. */
async function readWhileWritten(
  content: Buffer,
  options: Partial<ReadDatasetOptions>,
  mayGoOn: (piece: number) => Promise<unknown>,
): Promise<{ lines: string[]; summary: ReadSummary; bytesRead: number[] }> {
  return withDirectory(async (workDirectory) => {
    const path = join(workDirectory, "growing");
    const whole = Promise.withResolvers<WholeFile>();
    const write = async () => {
      await writeFile(path, "");
      for (let start = 0; start < content.length; start += PIECE_BYTES) {
        await mayGoOn(start / PIECE_BYTES);
        await appendFile(path, content.subarray(start, start + PIECE_BYTES));
      }
      const finalPath = join(workDirectory, "whole");
      await rename(path, finalPath);
      whole.resolve({ path: finalPath, sizeBytes: content.length });
    };
    const lines: string[] = [];
    const bytesRead: number[] = [];
    const read = async () => {
      const { signal } = new AbortController();
      const fixed = { path, growth: whole.promise, workDirectory, limits: roomyLimits, signal } as const;
      const groups = readDataset({ onInvalidRow: "reject", ...options, ...fixed });
      for (;;) {
        const step = await groups.next();
        if (step.done === true) return step.value;
        bytesRead.push(step.value.bytesRead);
        if (step.value.rowCount === 0) continue;
        lines.push(...(await decodeChunk(step.value.body)));
        firstRows.resolve();
      }
    };
    const [summary] = await Promise.all([read(), write()]);
    return { lines, summary, bytesRead };
  });
}
let firstRows = Promise.withResolvers<void>();

/** Behind more bytes than are looked at first the writing waits until they are. */
async function whenOpened(piece: number): Promise<void> {
  if (piece !== 2) return;
  await waitFor(isGrowingFileOpen, { what: "the reader has the growing file open" });
}

async function isGrowingFileOpen(): Promise<boolean> {
  for (const pid of await findReaders()) {
    const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
    const targets = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
    if (targets.some((target) => target.endsWith("/growing"))) return true;
  }
  return false;
}

test.each<[string, Buffer, Partial<ReadDatasetOptions>]>([
  ["JSON lines", jsonl, { format: "jsonl" }],
  ["JSON lines whose format is to be found", jsonl, {}],
  ["a JSON array", json, { filename: "rows.json" }],
  ["a table", csv, { filename: "rows.csv" }],
  ["a packed table", gzipSync(csv, { level: 0 }), { filename: "rows.csv.gz" }],
  ["a file that is smaller than what is looked at first", jsonl.subarray(0, 1000), { onInvalidRow: "skip" }],
])("%s, written piece by piece, come to the same as when written at once", async (_what, content, options) => {
  const expected = await readContent(content, options);
  const read = await readWhileWritten(content, options, whenOpened);
  expect(read.lines).toEqual(expected.lines);
  expect(read.summary).toEqual(expected.summary);
  expect(read.bytesRead.at(-1)).toBe(content.length);
  expect(read.bytesRead).toEqual(read.bytesRead.toSorted((a, b) => a - b));
});

test("rows come before the file is whole", async () => {
  firstRows = Promise.withResolvers();
  const read = await readWhileWritten(jsonl, { format: "jsonl" }, async (piece) => {
    if (piece === 4) await firstRows.promise;
  });
  expect(read.summary.rowsAccepted).toBe(30_000);
});

test("a Parquet file is waited for, since it is read from its end", async () => {
  const content = Buffer.concat([Buffer.from("PAR1"), Buffer.alloc(400_000)]);
  // It closes the file while it waits.
  const whenItLives = () => waitFor(async () => (await findReaders()).length === 1, { what: "the reader lives" });
  await expect(readWhileWritten(content, {}, whenItLives)).rejects.toMatchObject({ code: "invalid_parquet" });
});
