import { describe, expect, test } from "vitest";
import type { ExportFormat } from "@rowmill/contract/exports";
import type { EncodeOptions, ExportItem, ExportSource } from "./format.ts";
import { JsonSlice } from "../../../platform/json-bytes.ts";
import { TextItem } from "../../runs/items.ts";
import { formats } from "./formats.ts";
import { unknownColumn } from "./unknown-columns.ts";

interface SourceOptions extends Partial<Omit<ExportSource, "readPages">> {
  pageSize?: number;
}

function sourceOf(items: readonly ExportItem[], { pageSize = 2, ...options }: SourceOptions = {}): ExportSource {
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
    mostRows: 0,
    looksAt: "all_unless_known",
    ...options,
    async *readPages() {
      for (let at = 0; at < items.length; at += pageSize) yield items.slice(at, at + pageSize);
    },
  };
}

const options: EncodeOptions = {
  compression: "none",
};

async function write(format: ExportFormat, source: ExportSource): Promise<{ text: string; rowCount: number }> {
  let rowCount = 0;
  const pieces: Buffer[] = [];
  for await (const encoded of formats[format].encode(source, options)) {
    pieces.push(encoded.bytes);
    rowCount += encoded.rowCount;
  }
  return { text: Buffer.concat(pieces).toString(), rowCount };
}

const linesOf = async (source: ExportSource): Promise<string[]> => {
  const { text } = await write("csv", source);
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
};

const output = (index: number, data: unknown, input?: string): ExportItem =>
  itemOf(
    index,
    JSON.stringify({ datasetRowId: `row_${index}`, index, data, attempts: 1, usage: null, producedAt: "T" }),
    input,
  );

function itemOf(index: number, text: string, input?: string): ExportItem {
  const item: ExportItem = new TextItem(index, text);
  if (input !== undefined) item.input = JsonSlice.of(input);
  return item;
}

const USAGE =
  '"usage.inputTokens","usage.outputTokens","usage.requests","usage.costUsd","usage.unpricedRequests","usage.cached","usage.calls","usage.assumedCostUsd"';

describe("jsonl", () => {
  test("passes items on as they are, a line each", async () => {
    const items = [output(0, { a: 1 }), output(1, "x"), output(5, null)];
    expect(await write("jsonl", sourceOf(items))).toEqual({
      text: items.map((item) => `${item.text}\n`).join(""),
      rowCount: 3,
    });
  });

  test("writes the input behind the other members, byte for byte", async () => {
    const { text } = await write("jsonl", sourceOf([itemOf(0, '{"index":0}', '{"n":1.10,"2":1}')]));
    expect(text).toBe('{"index":0,"input":{"n":1.10,"2":1}}\n');
  });

  test("is an empty file when there is nothing", async () => {
    expect(await write("jsonl", sourceOf([]))).toEqual({ text: "", rowCount: 0 });
  });
});

describe("csv", () => {
  test("has a column for each member, and opens objects one level", async () => {
    const source = sourceOf([
      output(0, { label: "a", tags: ["x"], more: { deep: null } }),
      output(7, { label: "b,c", score: 0.5 }),
    ]);
    expect(await linesOf(source)).toEqual([
      `"datasetRowId","index","data.label","data.tags","data.more","data.score","attempts",${USAGE},"producedAt"`,
      `"row_0",0,"a","[""x""]","{""deep"":null}",,1,,,,,,,,,"T"`,
      `"row_7",7,"b,c",,,0.5,1,,,,,,,,,"T"`,
    ]);
    expect((await write("csv", source)).rowCount).toBe(2);
  });

  test("finds columns that appear on the last row only", async () => {
    const items = Array.from({ length: 50 }, (_, index) => output(index, index === 49 ? { late: 1 } : { a: 1 }));
    const [header] = await linesOf(sourceOf(items, { pageSize: 7 }));
    expect(header).toContain('"data.a","data.late"');
  });

  test("gives values that are no objects a column of their own beside the opened ones", async () => {
    expect(await linesOf(sourceOf([output(0, "text"), output(1, { a: 1 }), output(2, [1]), output(3, null)]))).toEqual([
      `"datasetRowId","index","data","data.a","attempts",${USAGE},"producedAt"`,
      `"row_0",0,"text",,1,,,,,,,,,"T"`,
      `"row_1",1,,1,1,,,,,,,,,"T"`,
      `"row_2",2,"[1]",,1,,,,,,,,,"T"`,
      `"row_3",3,,,1,,,,,,,,,"T"`,
    ]);
  });

  test("puts the columns of the output schema first, in its order, and those that rows have beyond it behind them", async () => {
    const outputSchema = { type: "object", properties: { score: {}, label: {} } };
    const [header] = await linesOf(sourceOf([output(0, { extra: 1, label: "a" })], { outputSchema }));
    expect(header).toContain('"data.score","data.label","data.extra"');
  });

  test("reads the rows once when a closed output schema names every column", async () => {
    let reads = 0;
    const outputSchema = { type: "object", properties: { label: {} }, additionalProperties: false };
    const base = sourceOf([output(0, { label: "a" })], { outputSchema });
    const source: ExportSource = {
      ...base,
      readPages: () => {
        reads += 1;
        return base.readPages();
      },
    };
    expect((await linesOf(source))[0]).toContain('"index","data.label","attempts"');
    expect(reads).toBe(1);
  });

  test("refuses to leave out a column that appears while it writes, and finds it when it looks at all rows", async () => {
    const outputSchema = { type: "object", properties: { label: {} }, additionalProperties: false };
    const items = [output(0, { label: "a", other: 1 })];
    await expect(write("csv", sourceOf(items, { outputSchema }))).rejects.toThrow("data.other was not there before");
    expect((await linesOf(sourceOf(items, { outputSchema, looksAt: "all" })))[1]).toContain('"a",1');
  });

  test("has the dataset's columns as input.*, and keeps their numerals", async () => {
    const items = [output(0, { a: 1 }, '{"city":"Ulm","big":12345678901234567890,"nested":{"x":1}}')];
    const lines = await linesOf(sourceOf(items, { inputColumns: ["city", "zip", "big", "nested"] }));
    expect(lines[0]).toMatch(/"producedAt","input\.city","input\.zip","input\.big","input\.nested"$/);
    expect(lines[1]).toMatch(/"T","Ulm",,12345678901234567890,"\{""x"":1\}"$/);
  });

  test("writes chosen columns in the order asked for; an object chosen whole is JSON text", async () => {
    const columns = ["index", "data.b", "data", "input.x.y", "input.=1", "data.=2"];
    const lines = await linesOf(
      sourceOf([output(0, { b: 2, c: 3, "=2": 4 }, '{"x.y":5,"=1":1}')], { columns, inputColumns: ["x.y", "=1"] }),
    );
    expect(lines).toEqual([
      `"index","data.b","data","input.x.y","input.=1","data.=2"`,
      `0,2,"{""b"":2,""c"":3,""=2"":4}",5,1,4`,
    ]);
  });

  test("refuses a chosen column that no row has, by name, with the nearest one", async () => {
    const items = Array.from({ length: 5 }, (_, index) => output(index, index === 4 ? { late: 1 } : { label: "a" }));
    const choose = (...columns: string[]): Promise<string[]> => linesOf(sourceOf(items, { columns }));
    expect(await choose("data.late")).toEqual(['"data.late"', '""', '""', '""', '""', "1"]);
    await expect(choose("data.label", "data.lable")).rejects.toMatchObject({
      code: "unknown_column",
      message: "There is no column `data.lable`. Did you mean `data.label`?",
    });
    await expect(choose("data.nothing")).rejects.toMatchObject({
      message: expect.stringContaining("The columns are `datasetRowId`, `index`, `data.label`, `data.late`") as unknown,
    });
  });

  test("names the prefixed column where an output field has the name of an input column", () => {
    const names = ["Label", "output_label", "row_state"];
    expect(unknownColumn("label", names)).toBe("There is no column `label`. Did you mean `output_label`?");
  });

  test("reads no more pages than it takes to see that the chosen columns exist", async () => {
    const items = Array.from({ length: 10 }, (_, index) => output(index, { label: "a" }));
    const base = sourceOf(items, { columns: ["data.label"] });
    let pages = 0;
    const source: ExportSource = {
      ...base,
      async *readPages() {
        for await (const page of base.readPages()) {
          pages += 1;
          yield page;
        }
      },
    };
    await linesOf(source);
    expect(pages).toBe(1 + 5);
  });

  test("leaves a chosen column empty when no row has an object in its place", async () => {
    expect(await linesOf(sourceOf([], { columns: ["index", "data.label"] }))).toEqual(['"index","data.label"']);
    const columns = ["index", "output.data.label"];
    const failed = itemOf(3, '{"index":3,"resultState":"failed","failure":{"code":"refused"}}');
    expect(await linesOf(sourceOf([failed], { type: "resolved_results", columns }))).toEqual([
      '"index","output.data.label"',
      "3,",
    ]);
  });

  test("keeps a row whose only cell is empty", async () => {
    expect(await linesOf(sourceOf([output(0, { a: null }), output(1, { a: "" })], { columns: ["data.a"] }))).toEqual([
      '"data.a"',
      '""',
      '""',
    ]);
  });

  test("distinguishes null and the empty text", async () => {
    expect(await linesOf(sourceOf([output(0, { a: null, b: "" })], { columns: ["data.a", "data.b"] }))).toEqual([
      '"data.a","data.b"',
      ',""',
    ]);
  });

  test("is a header with the known columns when there is nothing", async () => {
    const outputSchema = { type: "object", properties: { label: {} } };
    expect(await linesOf(sourceOf([], { outputSchema, inputColumns: ["city"] }))).toEqual([
      `"datasetRowId","index","data.label","attempts",${USAGE},"producedAt","input.city"`,
    ]);
  });

  test("opens what failures, resolved results and run rows have by contract, without a look at the rows", async () => {
    const headerOf = async (type: ExportSource["type"]): Promise<string | undefined> =>
      (await linesOf(sourceOf([], { type })))[0];
    expect(await headerOf("failures")).toBe(
      `"datasetRowId","index","code","class","retryable","message","attempts",${USAGE},"failedAt"`,
    );
    expect(await headerOf("rows")).toBe(
      '"datasetRowId","index","state","attempts","startedAt","finishedAt","durationMs","error.code","error.message"',
    );
    expect(await headerOf("resolved_results")).toBe(
      '"datasetRowId","index","resultState","runId","output.attempts",' +
        `${USAGE.replaceAll("usage.", "output.usage.")},"output.producedAt",` +
        '"failure.code","failure.class","failure.retryable","failure.message","failure.details","failure.attempts",' +
        `${USAGE.replaceAll("usage.", "failure.usage.")},"failure.failedAt"`,
    );
  });

  test("members named like those of every object are columns like others", async () => {
    const item = itemOf(0, '{"index":0,"data":{"__proto__":1,"constructor":2,"toString":3}}');
    const lines = await linesOf(sourceOf([item]));
    expect(lines[0]).toContain('"data.__proto__","data.constructor","data.toString"');
    expect(lines[1]).toContain(",1,2,3,");
  });

  test("ends with a sentence when rows have thousands of columns, or names of megabytes", async () => {
    const wide = Array.from({ length: 3 }, (_, page) =>
      output(page, Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`c${page}_${i}`, 1]))),
    );
    await expect(write("csv", sourceOf(wide))).rejects.toMatchObject({ code: "too_many_columns" });
    expect((await linesOf(sourceOf(wide.slice(0, 2)))).length).toBe(3);
    const long = [output(0, { ["n".repeat(1_000_001)]: 1 })];
    await expect(write("csv", sourceOf(long))).rejects.toMatchObject({ code: "too_many_columns" });
  });

  test("gives the same bytes whatever the pages", async () => {
    const items = Array.from({ length: 40 }, (_, index) => output(index, { a: index, [`k${index % 5}`]: "=1" }));
    const texts = await Promise.all([1, 3, 40].map((pageSize) => write("csv", sourceOf(items, { pageSize }))));
    expect(new Set(texts.map(({ text }) => text)).size).toBe(1);
  });
});
