import { expect, test } from "vitest";
import { IntakeRejected } from "./intake-rejected.ts";
import { findFormat } from "./find-format.ts";

test.each<[string | undefined, string, string]>([
  ["a.csv", "a,b\n", "csv"],
  ["a.csv", `{"a":1}\n`, "csv"],
  ["a.csv.gz", "a,b\n", "csv"],
  ["A.CSV.ZST", "a,b\n", "csv"],
  ["a.tsv", "a\tb\n", "tsv"],
  ["a.jsonl", `{"a":1}\n`, "jsonl"],
  ["a.ndjson", "x", "jsonl"],
  ["a.jsonl", `[{"a":1}]`, "json"],
  ["a.json", `[{"a":1}]`, "json"],
  ["a.json", `\uFEFF [\n{"a":1}]`, "json"],
  ["a.json", `{"a":1}\n{"a":2}\n`, "jsonl"],
  ["a.json", `{"a":1}\n`, "json"],
  ["a.json", `{"a":1}`, "json"],
  ["a.json", `{\n"a":1}`, "json"],
  ["a.json", "x", "json"],
  ["a.parquet", "x", "parquet"],
  ["a.txt", "PAR1xxxx", "parquet"],
  ["a.csv", "PAR1xxxx", "parquet"],
  [undefined, `{"a":1}\n`, "jsonl"],
  [undefined, `{"a":1}`, "jsonl"],
  [undefined, `{\n"a":1}`, "json"],
  [undefined, `[{"a":1}]`, "json"],
  [undefined, "[]", "json"],
  [undefined, "[a],b\n", "csv"],
  [undefined, "a,b\n", "csv"],
  [undefined, "", "csv"],
  ["data", "a,b\n", "csv"],
  ["gz", "a,b\n", "csv"],
  ["a.csv", "GIF,PNG\n", "csv"],
  ["a.csv", "II,MM\n", "csv"],
  ["a.csv", "RIFF,WEBP\n", "csv"],
  ["a.jsonl", "[\0]", "json"],
  ["a.jsonl", "a\0b\0c", "jsonl"],
  ["a.jsonl", "text with a\0", "jsonl"],
  ["a.jsonl", "a\u0001\0\n", "jsonl"],
  ["a.jsonl", "[\u0001\n\0]", "json"],
])("%s beginning with %s is %s", (filename, head, format) => {
  expect(findFormat(Buffer.from(head), filename, undefined)).toBe(format);
});

test("a format that is given stands", () => {
  expect(findFormat(Buffer.from("a,b\n"), "a.csv", "jsonl")).toBe("jsonl");
});

test.each<[string, Buffer, string, RegExp]>([
  [
    "a workbook",
    Buffer.from("PK\u0003\u0004xxxx[Content_Types].xmlxxxxxl/workbook.xml"),
    "unsupported_format",
    /\.xlsx/,
  ],
  ["an archive", Buffer.from("PK\u0003\u0004xxxxrows.csv"), "unsupported_format", /ZIP archive\. Send the file in it/],
  ["an empty archive", Buffer.from("504b050600000000", "hex"), "unsupported_format", /ZIP archive with nothing/],
  ["a PNG", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "unsupported_format", /PNG image, not a table/],
  ["a JPEG", Buffer.from("ffd8ffe000104a464946", "hex"), "unsupported_format", /JPEG image/],
  ["a GIF", Buffer.from("GIF89a"), "unsupported_format", /GIF image/],
  ["a TIFF", Buffer.from("II*\0"), "unsupported_format", /TIFF image/],
  ["a WebP", Buffer.from("RIFF\u0001\0\0\0WEBPVP8 "), "unsupported_format", /WebP image/],
  ["an AVIF", Buffer.from("\0\0\0\u001cftypavif"), "unsupported_format", /AVIF image/],
  ["a database", Buffer.from("SQLite format 3\0"), "unsupported_format", /SQLite.*as CSV/],
  ["a 7-Zip archive", Buffer.from("377abcaf271c", "hex"), "unsupported_format", /7-Zip/],
  ["a RAR archive", Buffer.from("Rar!\u001a\u0007\0"), "unsupported_format", /RAR/],
  ["a PDF document", Buffer.from("%PDF-1.7"), "unsupported_format", /PDF/],
  [
    "an HTML page",
    Buffer.from("\uFEFF\n <!DOCTYPE html><html>"),
    "unsupported_format",
    /HTML page.*Send the file itself/,
  ],
  [
    "a form with a file in it",
    Buffer.from(
      '--x1\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\r\n1,2\r\n--x1--\r\n',
    ),
    "unsupported_format",
    /form.*curl -T/,
  ],
  [
    "a form that says its type first",
    Buffer.from("--x1\r\nContent-Type: text/csv\r\ncontent-disposition: form-data; name=a\r\n\r\na,b\r\n"),
    "unsupported_format",
    /form.*curl -T/,
  ],
  ["an HTML page with a comment", Buffer.from("<!-- x --><HTML lang=en>"), "unsupported_format", /HTML page/],
  ["an XML document", Buffer.from('<?xml version="1.0"?><rows/>'), "unsupported_format", /XML/],
  ["an old workbook", Buffer.from("d0cf11e0a1b11ae1", "hex"), "unsupported_format", /CSV/],
  ["bzip2", Buffer.from("BZh91AY"), "unsupported_format", /bzip2/],
  ["xz", Buffer.from("fd377a585a00", "hex"), "unsupported_format", /xz/],
  ["Arrow", Buffer.from("ARROW1\0\0"), "unsupported_format", /Parquet/],
  ["JSON in UTF-16", Buffer.from('\uFEFF[{"a":1}]', "utf16le"), "encoding_error", /UTF-16.*CSV and TSV only/],
  ["JSON in UTF-16 without a mark", Buffer.from('[{"a":1}]', "utf16le"), "encoding_error", /UTF-16.*CSV and TSV only/],
  [
    "JSON in UTF-16 without a mark, of another script",
    Buffer.from('{"имя":"Иван Петров, Москва"}\n', "utf16le").swap16(),
    "encoding_error",
    /UTF-16.*CSV and TSV only/,
  ],
  ["HTML in UTF-16", Buffer.from("<!doctype html><html>", "utf16le"), "unsupported_format", /HTML page/],
  ["UTF-32", Buffer.from([0, 0, 0xfe, 0xff, 0, 0, 0, 0x61]), "encoding_error", /UTF-32/],
])("%s is refused with what to do", (_name, head, code, message) => {
  const find = () => findFormat(head, "a.txt", undefined);
  expect(find).toThrow(IntakeRejected);
  expect(find).toThrow(message);
  expect(find).toThrow(`(${code})`);
});
