import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { readContent, rejectionOf, withDirectory } from "./readers-testing.ts";
import { openSourceFile } from "./source-file.ts";

const lines = Array.from({ length: 50_000 }, (_, index) => `{"index":${index},"text":"${Math.sin(index)}"}`);
const content = Buffer.from(lines.join("\n"));
const table = `n,t\n${Array.from({ length: 50_000 }, (_, index) => `${index},${Math.sin(index)}`).join("\n")}\n`;
const half = content.indexOf("\n", content.length / 2) + 1;
const skippableFrame = Buffer.from([0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3]);

test.each<[string, Buffer]>([
  ["gzip", gzipSync(content)],
  ["gzip in two members", Buffer.concat([gzipSync(content.subarray(0, half)), gzipSync(content.subarray(half))])],
  ["gzip padded with zeros", Buffer.concat([gzipSync(content), Buffer.alloc(1 << 20)])],
  [
    "gzip with zeros between two members",
    Buffer.concat([
      gzipSync(content.subarray(0, half)),
      Buffer.alloc(300_000),
      gzipSync(content.subarray(half)),
      Buffer.alloc(512),
    ]),
  ],
  ["zstd", zstdCompressSync(content)],
  [
    "zstd in two frames",
    Buffer.concat([zstdCompressSync(content.subarray(0, half)), zstdCompressSync(content.subarray(half))]),
  ],
  ["zstd with skippable frames", Buffer.concat([skippableFrame, zstdCompressSync(content), skippableFrame])],
])("%s is unpacked, whatever the file is called", async (_name, packed) => {
  const read = await readContent(packed, { filename: "rows.jsonl" });
  expect(read.lines).toEqual(lines);
  expect(read.bytesRead.at(-1)).toBe(packed.length);
  expect(read.bytesRead).toEqual([...read.bytesRead].sort((a, b) => a - b));
});

test("what an earlier reading still takes from the file does not count in the progress of the next one", async () => {
  await withDirectory(async (directory) => {
    const path = join(directory, "rows.gz");
    const packed = gzipSync(content);
    await writeFile(path, packed);
    const source = await openSourceFile(path, 1 << 30);
    const earlier = source.blocks();
    await earlier.next();
    for await (const block of source.blocks()) expect(block.length).toBeGreaterThan(0);
    for await (const block of earlier) expect(block.length).toBeGreaterThan(0);
    expect(source.consumedBytes).toBe(packed.length);
  });
});

test("a packed table is read like a plain one", async () => {
  const plain = await readContent(table, { filename: "t.csv" });
  for (const packed of [gzipSync(table), zstdCompressSync(table)]) {
    const read = await readContent(packed, { filename: "t.csv.gz" });
    expect(read.lines).toEqual(plain.lines);
    expect(read.summary).toEqual(plain.summary);
    expect(read.bytesRead.at(-1)).toBe(packed.length);
    expect(read.bytesRead).toEqual([...read.bytesRead].sort((a, b) => a - b));
  }
});

const damagedZstd = zstdCompressSync(content);
// The header of the first block.
damagedZstd.fill(0xff, 6, 9);
const damagedGzip = gzipSync(content);
damagedGzip.fill(0xff, damagedGzip.length - 8, damagedGzip.length - 4);

test.each<[string, Buffer, string, RegExp]>([
  [
    "a gzip file cut in the middle",
    gzipSync(content).subarray(0, 100_000),
    "encoding_error",
    /gzip file ends in the middle/,
  ],
  [
    "a gzip file cut at its last byte",
    gzipSync(content).subarray(0, -1),
    "encoding_error",
    /gzip file ends in the middle/,
  ],
  ["a gzip header alone", gzipSync(content).subarray(0, 10), "encoding_error", /gzip file ends in the middle/],
  ["a gzip file with a wrong checksum", damagedGzip, "encoding_error", /gzip file is damaged/],
  [
    "a gzip file with other bytes behind it",
    Buffer.concat([gzipSync(content), Buffer.from("xxxx")]),
    "encoding_error",
    /damaged/,
  ],
  [
    "a gzip file with zeros and other bytes behind it",
    Buffer.concat([gzipSync(content), Buffer.from("\0\0xxxx")]),
    "encoding_error",
    /damaged/,
  ],
  [
    "a gzip file whose second member has a damaged first byte",
    Buffer.concat([gzipSync(content), Buffer.from([0]), gzipSync(content).subarray(1)]),
    "encoding_error",
    /damaged/,
  ],
  [
    "a zstd file cut in the middle",
    zstdCompressSync(content).subarray(0, 100_000),
    "encoding_error",
    /Zstandard file ends in the middle/,
  ],
  [
    "a zstd file cut at its last byte",
    zstdCompressSync(content).subarray(0, -1),
    "encoding_error",
    /Zstandard file ends in the middle/,
  ],
  ["a damaged zstd file", damagedZstd, "encoding_error", /Zstandard file is damaged/],
  [
    "a zstd file with other bytes behind it",
    Buffer.concat([zstdCompressSync(content), Buffer.from("xxxx")]),
    "encoding_error",
    /other bytes/,
  ],
  ["gzip in gzip", gzipSync(gzipSync(content)), "unsupported_format", /packed twice/],
  ["zstd in gzip", gzipSync(zstdCompressSync(content)), "unsupported_format", /packed twice/],
  ["a workbook in gzip", gzipSync(Buffer.from("PK\u0003\u0004xl/workbook.xml")), "unsupported_format", /Excel/],
  ["an empty gzip file", gzipSync(""), "empty_file", /no rows/],
])("%s is refused", async (_name, packed, code, message) => {
  for (const filename of ["rows.jsonl", "rows.csv"]) {
    const refused = await rejectionOf(packed, { filename });
    expect(refused.code).toBe(code);
    expect(refused.errors[0]?.message).toMatch(message);
  }
});

test.each<[string, (content: Buffer) => Buffer]>([
  ["gzip", (bomb) => gzipSync(bomb)],
  ["zstd", (bomb) => zstdCompressSync(bomb)],
])("a %s bomb is refused, as lines and as a table", async (_name, pack) => {
  const bomb = pack(Buffer.alloc(64 << 20, "\n"));
  expect(bomb.length).toBeLessThan(300_000);
  for (const format of ["jsonl", "json", "csv", "parquet"] as const) {
    const refused = await rejectionOf(bomb, { format });
    expect(refused.code).toBe("decompression_limit");
  }
});

test("a good ratio alone is no bomb: a mebibyte of one line is read", async () => {
  const { rows } = await readContent(gzipSync(`{"a":1}\n`.repeat(130_000)), { format: "jsonl" });
  expect(rows).toHaveLength(130_000);
});

test("content never grows past the limit for a dataset", async () => {
  const limits = { maxBytes: 1_000_000, maxRows: 1_000_000 };
  for (const bytes of [content, gzipSync(content), zstdCompressSync(content)]) {
    expect((await rejectionOf(bytes, { format: "jsonl", limits })).code).toBe("decompression_limit");
  }
});
