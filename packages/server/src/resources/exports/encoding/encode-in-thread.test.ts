import { describe, expect, test } from "vitest";
import { JsonSlice } from "../../../platform/json-bytes.ts";
import { OutputItem, TextItem } from "../../runs/items.ts";
import { ColumnAppearedError, ExportError } from "../formats/format.ts";
import type { Encoded, ExportItem, ExportSource } from "../formats/format.ts";
import { formats } from "../formats/formats.ts";
import { encodeInThread } from "./encode-in-thread.ts";
import { EncodeThreads } from "./encode-threads.ts";
import type { EncodedFile } from "./encode-messages.ts";
import { packPage, unpackPage } from "./packed-pages.ts";

const ROWS = 3_000;
const PAGE_ROWS = 200;
const { signal: never } = new AbortController();
const threads = new EncodeThreads();

function sourceOf(itemAt: (index: number) => ExportItem, more: Partial<ExportSource> = {}): ExportSource {
  return {
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
    mostRows: ROWS,
    looksAt: "first_page",
    async *readPages() {
      for (let at = 0; at < ROWS; at += PAGE_ROWS) yield Array.from({ length: PAGE_ROWS }, (_, i) => itemAt(at + i));
    },
    ...more,
  };
}

/** As they are stored: the outputs of a page in one buffer, every third with usage. */
function outputAt(index: number): ExportItem {
  const texts = [`{"id":${index},"text":"=é${"x".repeat(index % 90)}"}`, `{"id":null,"text":""}`];
  const bytes = Buffer.from(texts.join("\n"));
  const isFirst = index % 2 === 0;
  const end = Buffer.byteLength(texts[0] ?? "");
  return new OutputItem("row_01abc", {
    index,
    output: isFirst ? new JsonSlice(bytes, 0, end) : new JsonSlice(bytes, end + 1, bytes.length),
    attempts: 1 + (index % 3),
    finishedUs: 1_700_000_000_000_000 + index,
    usage: index % 3 === 0 ? `{"inputTokens":${index}}` : null,
  });
}

const textAt = (index: number): ExportItem =>
  new TextItem(index, JSON.stringify({ index, data: { id: index, name: `n${index}` }, usage: null }));

function withInput(item: ExportItem): ExportItem {
  item.input = JsonSlice.of(JSON.stringify({ name: `customer ${item.index}`, country: "PT" }));
  return item;
}

async function collect(pieces: AsyncIterable<Encoded>) {
  const bytes: Buffer[] = [];
  let [rowCount, guardedCells] = [0, 0];
  for await (const piece of pieces) {
    bytes.push(piece.bytes);
    rowCount += piece.rowCount;
    guardedCells += piece.guardedCells ?? 0;
  }
  return { text: Buffer.concat(bytes).toString("latin1"), rowCount, guardedCells };
}

describe("a file that is encoded in a thread is, byte by byte, the one that is encoded here", () => {
  const csv = { format: "csv", compression: "none" } as const;
  const parquet = { format: "parquet", compression: "zstd" } as const;
  const flat = { format: "jsonl", compression: "none" } as const;
  const input = { inputColumns: ["name", "country"] };
  test.each<[string, EncodedFile, ExportSource]>([
    ["outputs as CSV", csv, sourceOf(outputAt)],
    ["outputs as Parquet", parquet, sourceOf(outputAt)],
    ["outputs with input as CSV", csv, sourceOf((index) => withInput(outputAt(index)), input)],
    ["texts with input as Parquet", parquet, sourceOf((index) => withInput(textAt(index)), input)],
    ["texts as JSON Lines, all looked at", flat, sourceOf(textAt, { looksAt: "all", type: "failures" })],
    ["nothing as Parquet", parquet, sourceOf(textAt, { async *readPages() {} })],
  ])("%s", async (_name, file, source) => {
    const here = await collect(formats[file.format].encode(source, file));
    expect(here.rowCount).toBe(_name.startsWith("nothing") ? 0 : ROWS);
    expect(await collect(encodeInThread(source, file, never, threads))).toEqual(here);
  });
});

test("items keep their members and text on their way to a thread", () => {
  for (const itemAt of [outputAt, textAt]) {
    const items = [0, 1, 2, 3].map((index) => withInput(itemAt(index)));
    const unpacked = unpackPage(structuredClone(packPage(items)));
    expect(unpacked.map(({ index, text, input }) => [index, text, input?.text])).toEqual(
      items.map(({ index, text, input }) => [index, text, input?.text]),
    );
  }
});

test("errors of a format keep what they are", async () => {
  const appears = sourceOf((index) => new TextItem(index, `{"data":{"${index < 400 ? "a" : "b"}":1}}`));
  const csv = { format: "csv", compression: "none" } as const;
  await expect(collect(encodeInThread(appears, csv, never, threads))).rejects.toThrow(ColumnAppearedError);
  const unknown = sourceOf(outputAt, { columns: ["data.txet"], looksAt: "all" });
  const found = await collect(encodeInThread(unknown, csv, never, threads)).catch((error: unknown) => error);
  expect(found).toBeInstanceOf(ExportError);
  expect(found).toMatchObject({ code: "unknown_column" });
});

test("an error of the database, and one of the signal, end the thread and reach the caller", async () => {
  const csv = { format: "csv", compression: "none" } as const;
  let isClosed = false;
  const failing = sourceOf(outputAt, {
    async *readPages() {
      try {
        yield [outputAt(0)];
        throw new Error("the database is away");
      } finally {
        isClosed = true;
      }
    },
  });
  await expect(collect(encodeInThread(failing, csv, never, threads))).rejects.toThrow("the database is away");
  expect(isClosed).toBe(true);

  const abort = new AbortController();
  const endless = sourceOf(outputAt, {
    async *readPages() {
      for (let index = 0; ; index++) {
        if (index === 1_000) abort.abort(new Error("the claim was lost"));
        yield [outputAt(index)];
      }
    },
  });
  await expect(collect(encodeInThread(endless, csv, abort.signal, threads))).rejects.toThrow("the claim was lost");
});

test("a thread that has ended its file, also with an error, encodes the next one; one that was stopped does not", async () => {
  const own = new EncodeThreads();
  const csv = { format: "csv", compression: "none" } as const;
  const first = own.take();
  own.release(first);
  await collect(encodeInThread(sourceOf(outputAt), csv, never, own));
  const unknown = sourceOf(outputAt, { columns: ["data.txet"] });
  await expect(collect(encodeInThread(unknown, csv, never, own))).rejects.toThrow(ExportError);
  const again = own.take();
  expect(again).toBe(first);
  own.release(again);
  for await (const _piece of encodeInThread(sourceOf(outputAt), csv, never, own)) break;
  const next = own.take();
  expect(next).not.toBe(first);
  await next.terminate();
});

test("a reader that stops early ends the thread and the reading", async () => {
  let isClosed = false;
  const endless = sourceOf(outputAt, {
    async *readPages() {
      try {
        for (let index = 0; ; index++) yield [outputAt(index)];
      } finally {
        isClosed = true;
      }
    },
  });
  for await (const { bytes } of encodeInThread(endless, { format: "csv", compression: "none" }, never, threads)) {
    expect(bytes.length).toBeGreaterThan(0);
    break;
  }
  expect(isClosed).toBe(true);
});
