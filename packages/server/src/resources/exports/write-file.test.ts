import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFileStore } from "../../platform/storage/file-store.ts";
import type { ObjectStore } from "../../platform/storage/storage.ts";
import { TextItem } from "../runs/items.ts";
import { EncodeThreads } from "./encoding/encode-threads.ts";
import type { ExportSource } from "./formats/format.ts";
import { writeFile } from "./write-file.ts";

let directory: string;
let store: ObjectStore;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "rowmill-write-file-"));
  store = await openFileStore(directory);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Each on a page of its own. */
function sourceOf(
  outputs: readonly unknown[],
  looksAt: ExportSource["looksAt"],
): { source: ExportSource; reads: () => number } {
  let reads = 0;
  const source: ExportSource = {
    type: "outputs",
    layout: "nested",
    columns: null,
    delimiter: ",",
    byteOrderMark: false,
    formulaGuard: true,
    inputColumns: null,
    isInputComplete: true,
    outputSchema: undefined,
    hasOneOutputSchema: true,
    mostRows: 0,
    looksAt,
    async *readPages() {
      reads++;
      for (const [index, data] of outputs.entries()) yield [new TextItem(index, JSON.stringify({ index, data }))];
    },
  };
  return { source, reads: () => reads };
}

const { signal } = new AbortController();
const threads = new EncodeThreads();

test("a file is begun with the columns of the first page, and written again where others appear", async () => {
  const alike = [{ a: 1 }, { a: 2 }];
  const unlike = [{ a: 1 }, { b: "=2" }, { a: 3 }];
  for (const [outputs, readsWanted] of [
    [alike, 2],
    [unlike, 4],
  ] as const)
    for (const compression of ["none", "gzip"] as const) {
      const file = { format: "csv", compression } as const;
      const { source, reads } = sourceOf(outputs, "first_page");
      const written = await writeFile(store, "first", file, source, signal, threads);
      expect(reads()).toBe(readsWanted);
      expect(written).toMatchObject({ rowCount: outputs.length, guardedCells: outputs === unlike ? 1 : 0 });
      expect(written).toEqual(await writeFile(store, "all", file, sourceOf(outputs, "all").source, signal, threads));
    }
  const zipped = await (await store.get("first")).toArray();
  const [header] = gunzipSync(Buffer.concat(zipped as Buffer[]))
    .toString()
    .split("\n");
  expect(header).toContain('"data.a","data.b"');
  expect(await readdir(join(directory, ".incoming"))).toEqual([]);
});

test("a column that appears after a look at all rows is an error, and nothing is stored", async () => {
  const { source } = sourceOf([{ a: 1 }, { b: 2 }], "all");
  let isFirst = true;
  const changing: ExportSource = {
    ...source,
    async *readPages() {
      for await (const page of source.readPages()) {
        yield page;
        if (isFirst) break;
      }
      isFirst = false;
    },
  };
  const file = { format: "csv", compression: "none" } as const;
  await expect(writeFile(store, "none", file, changing, signal, threads)).rejects.toThrow(
    "data.b was not there before",
  );
  expect(await store.head("none")).toBeUndefined();
  expect(await text(await store.get("all"))).not.toBe("");
});

test("the rows that are encoded so far are known while a file is written", async () => {
  const progress = { rowCount: 0 };
  const seen: number[] = [];
  const { source } = sourceOf([], "first_page");
  // More than waits in memory between a page that was read and the file.
  const [pages, data] = [200, "x".repeat(100_000)];
  const readPages: ExportSource["readPages"] = async function* () {
    for (let index = 0; index < pages; index++) {
      seen.push(progress.rowCount);
      yield [new TextItem(index, JSON.stringify({ index, data }))];
    }
  };
  const file = { format: "jsonl", compression: "none" } as const;
  await writeFile(store, "progress", file, { ...source, readPages }, signal, threads, progress);
  expect(progress.rowCount).toBe(pages);
  expect(seen.at(-1)).toBeGreaterThan(0);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
});
