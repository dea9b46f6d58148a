import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { readDataset } from "./read-dataset.ts";
import type { Collected } from "./readers-testing.ts";
import { placesOf, readContent, readPath, rejectionOf, roomyLimits, withDirectory } from "./readers-testing.ts";

const parquet = { format: "parquet" } as const;

/** The bytes of a Parquet file with the rows of a query. */
async function makeParquet(query: string): Promise<Buffer> {
  return withDirectory(async (directory) => {
    const path = join(directory, "table.parquet");
    const connection = await (await DuckDBInstance.create()).connect();
    await connection.run(`copy (${query}) to '${path}' (format parquet)`);
    connection.closeSync();
    return readFile(path);
  });
}

/** Name, expression in SQL, what it becomes in JSON, and what the column is. */
const VALUES: [string, string, unknown, object][] = [
  ["small integers", "42::integer", 42, { type: "integer", min: 42, max: 42 }],
  ["64-bit integers", "9007199254740991::bigint", 9007199254740991, { type: "integer", max: 9007199254740991 }],
  [
    "integers beyond 2^53",
    "9007199254740993::bigint",
    "9007199254740993",
    { type: "decimal", max: "9007199254740993" },
  ],
  ["negative ones", "-9007199254740993::bigint", "-9007199254740993", { type: "decimal", min: "-9007199254740993" }],
  ["unsigned ones", "18446744073709551615::ubigint", "18446744073709551615", { type: "decimal" }],
  ["decimals", "1.10::decimal(10, 2)", "1.10", { type: "decimal", min: "1.10", max: "1.10" }],
  [
    "long decimals",
    "12345678901234567890123456789.123456789::decimal(38, 9)",
    "12345678901234567890123456789.123456789",
    { type: "decimal" },
  ],
  ["doubles", "0.1::double", 0.1, { type: "number", min: 0.1, max: 0.1 }],
  ["large doubles", "1e300::double", 1e300, { type: "number", max: 1e300 }],
  ["floats", "0.1::float", 0.1, { type: "number" }],
  ["NaN", "'nan'::double", null, { type: "number", nullCount: 1 }],
  ["infinity", "'-inf'::double", "-Infinity", { type: "mixed", nullCount: 0 }],
  ["booleans", "true", true, { type: "boolean" }],
  ["texts", `'a"\n\\ü' || chr(1)`, 'a"\n\\ü\u0001', { type: "string" }],
  ["nulls", "null::varchar", null, { type: "string", nullCount: 1 }],
  ["dates", "date '2024-02-29'", "2024-02-29", { type: "date", min: "2024-02-29" }],
  [
    "timestamps",
    "timestamp '2024-01-01 10:00:00.120'",
    "2024-01-01T10:00:00.12Z",
    { type: "timestamp", min: "2024-01-01T10:00:00.12Z" },
  ],
  [
    "timestamps with a zone",
    "timestamptz '2024-01-01 10:00:00+02'",
    "2024-01-01T08:00:00Z",
    { type: "timestamp", max: "2024-01-01T08:00:00Z" },
  ],
  [
    "nanoseconds",
    "timestamp_ns '2024-01-01 10:00:00.123456789'",
    "2024-01-01T10:00:00.123456789Z",
    { type: "timestamp" },
  ],
  ["bytes", "'\\x00\\xff'::blob", "AP8=", { type: "string" }],
  ["times", "time '10:00:00'", "10:00:00", { type: "string" }],
  ["lists", "[9007199254740993::bigint, 1, null]", ["9007199254740993", 1, null], { type: "array" }],
  ["lists of floats", "['nan'::double, 'inf'::double, 1.5]", [null, "Infinity", 1.5], { type: "array" }],
  ["lists of lists", "[[1], [], null]", [[1], [], null], { type: "array" }],
  [
    "objects",
    `{'X': 1.10::decimal(3,2), 'it''s "it"': {'at': timestamp '2024-01-01 00:00:00'}}`,
    { X: "1.10", 'it\'s "it"': { at: "2024-01-01T00:00:00Z" } },
    { type: "object" },
  ],
  ["maps", "map {'k': ['nan'::float, 2]}", { k: [null, 2] }, { type: "object" }],
];

describe("columns of one file, each converted by itself", () => {
  let read: Collected;
  beforeAll(async () => {
    const columns = VALUES.map(([, expression], at) => `${expression} as v${at}`);
    read = await readContent(await makeParquet(`select 1 as n, ${columns.join(", ")}`), parquet);
  });

  test.each(VALUES.map(([name, , value, column], at) => [name, `v${at}`, value, column] as const))(
    "%s",
    (_name, reference, value, column) => {
      expect(read.rows.map((row) => (row as Record<string, unknown>)[reference])).toEqual([value]);
      const found = read.summary.columns.find(({ name }) => name === reference);
      expect(found).toMatchObject({ nullCount: 0, ...column });
    },
  );

  test("and nothing beside them", () => {
    expect(read.rows.map((row) => Object.keys(row as object))).toEqual([
      ["n", ...VALUES.map((_value, at) => `v${at}`)],
    ]);
  });
});

test("one large integer makes its whole column strings", async () => {
  const content = await makeParquet("select * from (values (1::bigint), (9007199254740993), (null)) t(v)");
  expect((await readContent(content, parquet)).rows).toEqual([{ v: "1" }, { v: "9007199254740993" }, { v: null }]);
});

test("names that differ only in case, or hold anything, stay as they are", async () => {
  const content = await makeParquet(`select 1 as id, {'a': 1} as "s""'$", 2 as "QQ"`);
  // DuckDB itself writes no such file.
  for (let at = content.indexOf("QQ"); at !== -1; at = content.indexOf("QQ")) content.write("ID", at);
  expect((await readContent(content, parquet)).rows).toEqual([{ id: 1, "s\"'$": { a: 1 }, ID: 2 }]);
});

test("a file of one row more than allowed is refused, and one of as many is read", async () => {
  const content = await makeParquet("select range as n from range(5000)");
  const limits = (maxRows: number) => ({ ...parquet, limits: { ...roomyLimits, maxRows } });
  expect(await rejectionOf(content, limits(4_999))).toMatchObject({ code: "decompression_limit" });
  expect((await readContent(content, limits(5_000))).lines).toHaveLength(5_000);
});

test("a published file of three million rows is read in order", async () => {
  const path = fileURLToPath(new URL("../data/flights-3m.parquet", import.meta.resolve("vega-datasets")));
  const { lines, rows, rowCount, summary } = await readPath(path, {}, 100);
  expect(rowCount).toBe(3_000_000);
  const dates = rows.map((row) => (row as { date: string }).date);
  expect(dates.length).toBeGreaterThan(20_000);
  expect(dates).toEqual(dates.toSorted());
  expect(lines[0]).toBe(
    `{"date":"2001-01-01T00:01:00Z","delay":33,"distance":2176,"origin":"LAS","destination":"PHL"}`,
  );
  expect(summary.format).toBe("parquet");
});

test("a packed Parquet file is unpacked first", async () => {
  const content = await makeParquet("select range as n from range(3)");
  expect((await readContent(gzipSync(content))).rows).toEqual([{ n: 0 }, { n: 1 }, { n: 2 }]);
});

test("rows that cannot be stored are refused by their number, or skipped", async () => {
  const content = await makeParquet(
    "select n, case when n = 2 then 'x' || chr(0) when n = 4 then repeat('y', 2000) end as v from range(1, 6) t(n)",
  );
  const limits = { ...roomyLimits, maxRowBytes: 1000 };
  const refused = await rejectionOf(content, { ...parquet, limits });
  expect(placesOf(refused.errors)).toEqual(["invalid_parquet@2", "row_too_large@4"]);
  const { rows, summary } = await readContent(content, { ...parquet, limits, onInvalidRow: "skip" });
  expect(rows.map((row) => (row as { n: number }).n)).toEqual([1, 3, 5]);
  expect(summary.rowsRejected).toBe(2);
});

test("short, long and very long rows in any order come out whole", async () => {
  // Up to 12 bytes DuckDB keeps a text in another place than longer ones.
  const text =
    "case when i % 3 = 0 then null when i % 1000 = 1 then repeat('long ', 20000) else repeat('x', (i * 7) % 40) end";
  const content = await makeParquet(`select ${text} as a from range(5000) t(i)`);
  const { lines } = await readContent(content, parquet);
  const expected = Array.from({ length: 5_000 }, (_, i) => {
    const value = i % 1_000 === 1 ? "long ".repeat(20_000) : "x".repeat((i * 7) % 40);
    return JSON.stringify({ a: i % 3 === 0 ? null : value });
  });
  expect(lines).toEqual(expected);
});

test("rows with long texts are read, too", async () => {
  // From 4 KB a row on, rows are put together here; DuckDB hands out 2,048 at a time.
  const expressions = `n, repeat('ü"\n', 4000) || n as t, case when n = 2 then null else 'x' end as e, [n, null] as l, 9007199254740993 as b`;
  const content = await makeParquet(`select ${expressions} from range(3000) r(n)`);
  const { lines, summary } = await readContent(content, parquet);
  const text = 'ü"\n'.repeat(4_000);
  expect(lines.slice(0, 3).map((line): unknown => JSON.parse(line))).toEqual([
    { n: 0, t: `${text}0`, e: "x", l: [0, null], b: "9007199254740993" },
    { n: 1, t: `${text}1`, e: "x", l: [1, null], b: "9007199254740993" },
    { n: 2, t: `${text}2`, e: null, l: [2, null], b: "9007199254740993" },
  ]);
  expect(lines).toHaveLength(3000);
  expect(summary.columns[2]).toEqual({ name: "e", type: "string", nullCount: 1 });
});

test("rows too long for memory are refused with what to do instead, and until then the reading says that it goes on", async () => {
  // DuckDB may take 1 GB of memory and 1 GB of a disk, and fills them before it gives the first row.
  const content = await makeParquet("select n, repeat('x', 2000000) as t from range(1500) r(n)");
  await withDirectory(async (directory) => {
    const [path, workDirectory] = [join(directory, "staged"), join(directory, "work")];
    await writeFile(path, content);
    await mkdir(workDirectory);
    const signal = new AbortController().signal;
    const groups = readDataset({
      path,
      format: "parquet",
      onInvalidRow: "reject",
      workDirectory,
      limits: roomyLimits,
      signal,
    });
    let signsOfLife = 0;
    const startedAt = performance.now();
    const reading = (async () => {
      for await (const { rowCount } of groups) if (rowCount === 0) signsOfLife++;
    })();
    await expect(reading).rejects.toMatchObject({
      code: "invalid_parquet",
      message: expect.stringMatching(/too large to read.*JSON Lines|too much memory/) as string,
    });
    // A process that is silent for a minute is taken for stuck. A fast machine fills the memory within seconds.
    const seconds = (performance.now() - startedAt) / 1000;
    expect(signsOfLife).toBeGreaterThanOrEqual(Math.min(1, Math.floor(seconds / 5)));
  });
});

test("a table without rows is empty, and one of 2 001 columns too wide", async () => {
  expect((await rejectionOf(await makeParquet("select 1 as n where false"), parquet)).code).toBe("empty_file");
  const wide = await makeParquet(`select ${Array.from({ length: 2001 }, (_, index) => `1 as c${index}`).join(", ")}`);
  expect((await rejectionOf(wide, parquet)).code).toBe("too_many_columns");
});

/** One row: `amount` is 1.10, a decimal of 39 digits; written by Arrow, since DuckDB has no such type. */
const LONG_DECIMAL =
  "UEFSMRUAFS4VLiwVAhUAFQYVBhwAAAACAAAAAgEAAAAAAAAAAAAAAAAAAAAAbhUEGSw1ABgGc2NoZW1hFQIAFQ4VIhUCGAZhbW91bnQlChUEFU4sXBUEFU4AAAAWAhkcGRwmABwVDhklBgAZGAZhbW91bnQVABYCFlQWVCYISRwVABUAFQIAPCkGGSYAAgAAABZUFgImCBZUACggcGFycXVldC1jcHAtYXJyb3cgdmVyc2lvbiAyNS4wLjEZHBwAAACUAAAAUEFSMQ==";

test("decimals of more digits than are read exactly are refused by their name", async () => {
  const refused = await rejectionOf(Buffer.from(LONG_DECIMAL, "base64"), parquet);
  expect(refused.code).toBe("invalid_parquet");
  expect(refused.errors[0]?.message).toBe(
    'The decimals of "amount" have up to 39 digits; at most 38 are read. Write them as texts, or with fewer digits.',
  );
});

test("structs whose members have no names are refused by the name of their column", async () => {
  for (const value of ["union_value(n := 1)", "row(1, 2)", "[row(1, 2)]"]) {
    const refused = await rejectionOf(await makeParquet(`select 1 as id, ${value} as pair`), parquet);
    expect(refused.code).toBe("invalid_parquet");
    expect(refused.errors[0]?.message).toBe(
      'Column "pair" holds a struct whose members have no names. Write it as JSON text.',
    );
  }
});

test("damage anywhere in the file is a refusal that does not report our paths", async () => {
  const content = await makeParquet("select n, 'text ' || n as t from range(10000) t(n)");
  const damaged: Buffer[] = [
    Buffer.from(""),
    Buffer.from("PAR1"),
    Buffer.from("a,b\n1,2\n and more text"),
    content.subarray(0, -4),
    content.subarray(0, content.length / 2),
    content.subarray(100),
  ];
  for (const position of [
    4,
    1000,
    content.length - 300,
    content.length - 100,
    content.length - 8,
    content.length - 5,
  ]) {
    const copy = Buffer.from(content);
    copy.fill(0xff, position, position + 4);
    damaged.push(copy);
  }
  for (const bytes of damaged) {
    const outcome = await rejectionOf(bytes, parquet).catch((error: unknown) => error);
    expect(outcome).toMatchObject({ code: "invalid_parquet" });
    expect(String(outcome)).not.toMatch(/rowmill-readers|staged/);
  }
});

test("the files beside it are out of reach, even by a name that would match them", async () => {
  await withDirectory(async (directory) => {
    const content = await makeParquet("select 1 as n");
    await writeFile(join(directory, "other.parquet"), content);
    const path = join(directory, "*.parquet");
    await writeFile(path, await makeParquet("select 'mine' as n"));
    expect((await readPath(path, parquet)).rows).toEqual([{ n: "mine" }]);
  });
});
