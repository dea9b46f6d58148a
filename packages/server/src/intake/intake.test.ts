import { Readable } from "node:stream";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import { expectStatus } from "../testing/api.ts";
import { outsideSettings, startReceiver } from "../testing/receiver.ts";
import { startTestService } from "../testing/service.ts";
import { datasetOf, endedUpload, keptFiles, rowsOf, uploadFile } from "../testing/uploads.ts";
import { waitFor } from "../testing/wait.ts";

const MEBIBYTE = 1 << 20;
const source = await startReceiver("93.184.215.14");
const dead = await startReceiver("93.184.215.15");
await dead.close();
const service = await startTestService({
  ROWMILL_MAX_DATASET_BYTES: String(8 * MEBIBYTE),
  ROWMILL_MAX_DATASET_ROWS: "100000",
  ROWMILL_MAX_ROW_BYTES: String(64 * 1024),
  ...(await outsideSettings(source, dead)),
});
const { api } = await service.newOrganization();

const codesOf = (upload: DatasetUpload): string[] => upload.errors.map(({ code, line }) => `${code}@${line}`);
const bad = Buffer.from('{"a":1}\n{"a":"\xfc"}\n', "latin1");
const bomb = gzipSync(Buffer.alloc(7 * MEBIBYTE, '{"a":1}\n'));

test("rows that were stored before a later cell changed the type of their column are stored again, and only once", async () => {
  const lines = Array.from({ length: 60_000 }, (_, n) => `${n},${n % 7}\n`).join("");
  const upload = await uploadFile(api, `n,v\n${lines}x,1\n`, { format: "csv" });
  expect(upload).toMatchObject({ state: "completed", rowsAccepted: 60_001, rowsRejected: 0 });
  const dataset = await datasetOf(api, upload);
  expect(dataset.columns.map(({ type }) => type)).toEqual(["string", "integer"]);
  expect((await rowsOf(api, upload)).slice(0, 2)).toEqual([
    { n: "0", v: 0 },
    { n: "1", v: 1 },
  ]);
  const last = await api<{ data: { data: unknown }[] }>("GET", `/v1/datasets/${dataset.id}/rows?fromIndex=60000`);
  expect(last.body.data.map(({ data }) => data)).toEqual([{ n: "x", v: 1 }]);
  const stored = await service.query<{ rows: number; chunks: number }>(
    `select sum(c.row_count)::int as rows, count(*)::int - d.chunk_count as chunks
       from datasets d join dataset_chunks c on c.dataset_id = d.id
      where d.row_count = 60001 group by d.id, d.chunk_count`,
  );
  expect(stored).toEqual([{ rows: 60_001, chunks: 0 }]);
});

test.each([
  ["nothing at all", "", {}, ["empty_file@1"]],
  ["a header alone", "a,b\n", { format: "csv" }, ["empty_file@1"]],
  ["a ragged record", "a,b\n1,2\n3\n4,5\n", { format: "csv" }, ["invalid_csv@3"]],
  ["an open quote", 'a,b\n1,2\n3,"4\n5,6\n', { format: "csv" }, ["invalid_csv@3"]],
  ["a NUL byte", "a,b\n1,2\n3,\0\n", { format: "csv" }, ["invalid_csv@3"]],
  [
    "too many columns",
    `${Array.from({ length: 5_000 }, (_, i) => `c${i}`).join(",")}\n`,
    { format: "csv" },
    ["too_many_columns@1"],
  ],
  ["a line that is no JSON", '{"a":1}\n{"a":\n{"a":3}\n', { format: "jsonl" }, ["invalid_json_line@2"]],
  ["a line that is no object", '{"a":1}\n[2]\n', { format: "jsonl" }, ["invalid_json_line@2"]],
  ["U+0000", '{"a":"\\u0000"}\n', { format: "jsonl" }, ["invalid_json_line@1"]],
  ["depth 65", `${'{"a":'.repeat(65)}1${"}".repeat(65)}\n`, { format: "jsonl" }, ["invalid_json_line@1"]],
  ["Latin-1 text", bad, { format: "jsonl" }, ["encoding_error@2"]],
  ["UTF-16 JSON", Buffer.from('\uFEFF[{"a":1}]', "utf16le"), {}, ["encoding_error@1"]],
  ["a web page", "<!DOCTYPE html>\n<title>Sign in</title>", { format: "csv" }, ["unsupported_format@1"]],
  ["half a gzip file", gzipSync("a,b\n1,2\n".repeat(1000)).subarray(0, -20), {}, ["encoding_error@1"]],
  ["a gzip bomb", bomb, { format: "jsonl" }, ["decompression_limit@1"]],
  [
    "too much unpacked",
    gzipSync(Array.from({ length: 600_000 }, (_, i) => `{"a":${i}}\n`).join("")),
    {},
    ["decompression_limit@1"],
  ],
  ["too many rows", '{"a":1}\n'.repeat(100_001), {}, ["decompression_limit@1"]],
  ["a large row", `{"a":1}\n{"a":"${"x".repeat(70_000)}"}\n`, {}, ["row_too_large@2"]],
  ["a workbook", Buffer.from("504b0304140000000800", "hex"), {}, ["unsupported_format@1"]],
  ["no Parquet", "PAR1 or so", { format: "parquet" }, ["invalid_parquet@1"]],
] as const)("%s fails the upload, and says where", async (_what, content, more, errors) => {
  const upload = await uploadFile(api, content, more);
  expect(upload.state).toBe("failed");
  expect(codesOf(upload)).toEqual(errors);
  expect(upload.errors[0]?.message).toMatch(/^\p{Lu}.*\.$/u);
  expect(upload).toMatchObject({ rowsAccepted: 0 });
  expect(upload.progress.percent).toBeLessThan(100);
  expect(await datasetOf(api, upload)).toMatchObject({
    state: "failed",
    rowCount: 0,
    columns: [],
    contentSha256: null,
  });
  const chunks = await service.query(
    "select c.chunk_no from dataset_chunks c join datasets d on d.id = c.dataset_id where d.state = 'failed'",
  );
  expect(chunks).toEqual([]);
});

test.each([
  ["an escape that is an emoji", '["\\😀', "json"],
  ["a NUL in a list", "[\0]", "json"],
  ["a NUL in a word", "tru\0", "jsonl"],
  ["a NUL in a list, as a line", "[\0]\n", "jsonl"],
  ["emoji, of which the message quotes a half", `${"😀".repeat(200)}\n`, "jsonl"],
  ["emoji behind one character", `{"a":1}\nx${"😀".repeat(200)}\n`, "jsonl"],
  ["emoji in a list", `[{"a":1},${"😀".repeat(200)}]`, "json"],
])("%s fails the upload at once, with a message that can be stored", async (_what, content, format) => {
  const upload = await uploadFile(api, content, { format });
  expect(upload).toMatchObject({ state: "failed" });
  expect(upload.errors[0]?.code).toBe("invalid_json_line");
  expect(JSON.stringify(upload.errors)).not.toMatch(/\\u(0000|d[89a-f])/);
});

test("broken uploads of one organization do not hold up those of another", async () => {
  const many = await service.newOrganization();
  const broken = Array.from({ length: 10 }, () => uploadFile(many.api, "[\0]", { format: "json" }));
  expect(await uploadFile(api, '{"a":1}\n', { format: "jsonl" })).toMatchObject({ state: "completed" });
  for (const upload of await Promise.all(broken)) expect(upload).toMatchObject({ state: "failed" });
});

test("the first hundred errors of a file are reported", async () => {
  const upload = await uploadFile(api, `{"a":1}\n${"no\n".repeat(300)}`, { format: "jsonl" });
  expect(codesOf(upload)).toEqual(Array.from({ length: 100 }, (_, i) => `invalid_json_line@${i + 2}`));
});

test("with `skip` bad rows are left out, counted and listed", async () => {
  const upload = await uploadFile(api, "a,b\n1,2\n3\n4,5\n6,7,8\n9,10\n", { format: "csv", onInvalidRow: "skip" });
  expect(upload).toMatchObject({ state: "completed", onInvalidRow: "skip", rowsAccepted: 3, rowsRejected: 2 });
  expect(codesOf(upload)).toEqual(["invalid_csv@3", "invalid_csv@5"]);
  expect(await rowsOf(api, upload)).toEqual([
    { a: 1, b: 2 },
    { a: 4, b: 5 },
    { a: 9, b: 10 },
  ]);
});

test("with `skip` a file of bad rows alone fails", async () => {
  const upload = await uploadFile(api, "1\n2\n", { format: "jsonl", onInvalidRow: "skip" });
  expect(upload.state).toBe("failed");
  expect(codesOf(upload)).toEqual(["invalid_json_line@1", "invalid_json_line@2"]);
});

test("a table in Windows-1252 is refused with the cure, and read with it", async () => {
  const content = Buffer.from("city\nKöln\n", "latin1");
  const refused = await uploadFile(api, content, { format: "csv" });
  expect(codesOf(refused)).toEqual(["encoding_error@2"]);
  expect(refused.errors[0]?.message).toContain('{"encoding": "windows-1252"}');
  const upload = await uploadFile(api, content, { format: "csv", csv: { encoding: "windows-1252" } });
  expect(await rowsOf(api, upload)).toEqual([{ city: "Köln" }]);
});

test("CSV columns are typed as a whole, and no cell loses anything", async () => {
  const content = [
    "id,zip,price,big,score,active,day,at,name,empty",
    '1,01234,1.10,9007199254740993,0.5,true,2024-02-29,2024-02-29T10:00:00Z,"Smith, J.",',
    '2,99999,2.25,1,2,false,2024-03-01,2024-02-29T10:00:00.5+02:00,"a ""b""\nc",',
    "",
  ].join("\n");
  const upload = await uploadFile(api, content, {}, { filename: "typed.csv" });
  expect(upload).toMatchObject({ state: "completed", format: "csv" });
  const { columns } = await datasetOf(api, upload);
  expect(columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "id integer",
    "zip string",
    "price decimal",
    "big decimal",
    "score number",
    "active boolean",
    "day date",
    "at timestamp",
    "name string",
    "empty string",
  ]);
  expect(columns[0]).toMatchObject({ nullCount: 0, min: 1, max: 2 });
  expect(await rowsOf(api, upload)).toMatchObject([
    {
      id: 1,
      zip: "01234",
      price: "1.10",
      big: "9007199254740993",
      score: 0.5,
      active: true,
      day: "2024-02-29",
      at: "2024-02-29T10:00:00Z",
      name: "Smith, J.",
    },
    { id: 2, zip: "99999", price: "2.25", big: "1", score: 2, active: false, name: 'a "b"\nc' },
  ]);
});

test("delimiter and header are found, or taken as given", async () => {
  const found = await uploadFile(api, "a;b\n1;2\n", { format: "csv" });
  expect(await rowsOf(api, found)).toEqual([{ a: 1, b: 2 }]);
  const given = await uploadFile(api, "1|2\n3|4\n", { format: "csv", csv: { delimiter: "|", header: false } });
  expect((await rowsOf(api, given)).map((row) => Object.values(row))).toEqual([
    [1, 2],
    [3, 4],
  ]);
  const tabs = await uploadFile(api, "a\tb\n1\t2\n", {}, { filename: "rows.tsv" });
  expect(tabs.format).toBe("tsv");
});

test.each([
  ["gzip", gzipSync, "rows.jsonl.gz"],
  ["zstd", zstdCompressSync, "rows.jsonl.zst"],
])("one layer of %s is unpacked", async (_name, pack, filename) => {
  const upload = await uploadFile(api, pack('{"a":1}\n{"a":2}\n'), {}, { filename });
  expect(upload).toMatchObject({ state: "completed", format: "jsonl", rowsAccepted: 2 });
  expect(codesOf(await uploadFile(api, pack(pack('{"a":1}\n'))))).toEqual(["unsupported_format@1"]);
});

test("a hundred thousand rows are all there, in their order, and their number is reported on the way", async () => {
  const pieces = Array.from({ length: 100 }, (_, piece) =>
    Array.from({ length: 1000 }, (_unused, i) => `${piece * 1000 + i},row ${piece * 1000 + i}\n`).join(""),
  );
  const upload = await uploadFile(api, Readable.from(["n,text\n", ...pieces]), { format: "csv" });
  expect(upload).toMatchObject({ state: "completed", rowsAccepted: 100_000, progress: { percent: 100 } });
  const dataset = await datasetOf(api, upload);
  expect(dataset).toMatchObject({ rowCount: 100_000, columns: [{ name: "n", min: 0, max: 99_999 }, { name: "text" }] });
  const lines = await api("GET", `/v1/datasets/${dataset.id}/rows`, { headers: { Accept: "application/x-ndjson" } });
  const rows = lines.text.trimEnd().split("\n");
  expect(rows).toHaveLength(100_000);
  for (const n of [0, 499, 500, 77_777, 99_999])
    expect(JSON.parse(rows[n] ?? "")).toMatchObject({ index: n, data: { n, text: `row ${n}` } });
});

const uploadFrom = async (url: string, more: object = {}): Promise<DatasetUpload> => {
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "By URL", source: { type: "url", url }, ...more },
  });
  expectStatus(created, 201);
  expect(created.body.state).toBe("processing");
  return endedUpload(api, created.body.id);
};

test("content is fetched from a URL, and its name gives the format", async () => {
  source.respond({ status: 200, body: "a,b\n1,x\n" });
  const upload = await uploadFrom("https://93.184.215.14/some/rows.csv?sig=1");
  expect(upload).toMatchObject({
    state: "completed",
    sourceType: "url",
    format: "csv",
    bytesReceived: 8,
    rowsAccepted: 1,
  });
  expect(source.requests.at(-1)).toMatchObject({ method: "GET", path: "/some/rows.csv?sig=1" });
  const kept = await Promise.all(
    ["dataset_uploads", "audit_events", "events", "idempotency_keys", "pgboss.job"].map((table) =>
      service.query(`select t::text as text from ${table} t`),
    ),
  );
  expect(JSON.stringify([kept, upload, service.logs()])).not.toContain("some/rows.csv");
  expect(await rowsOf(api, upload)).toEqual([{ a: 1, b: "x" }]);
  await waitFor(async () => (await keptFiles(service.settings)).length === 0, { what: "the content is deleted" });
});

test("a source that is down for a moment is asked again", async () => {
  source.respond((_request, number) => (number % 2 === 0 ? { status: 503 } : { status: 200, body: '{"a":1}\n' }));
  source.requests.length = 1;
  const upload = await uploadFrom("https://93.184.215.14/rows.jsonl");
  expect(upload).toMatchObject({ state: "completed", rowsAccepted: 1 });
  expect(source.requests).toHaveLength(3);
});

test.each([
  ["a page that is not there", { status: 404 }, /status 404/],
  ["a redirect", { status: 302, headers: { location: "https://93.184.215.14/b" } }, /status 302.*not followed/],
  ["more than a dataset may be", { status: 200, body: Buffer.alloc(8 * MEBIBYTE + 1, "x") }, /larger than a dataset/],
] as const)("%s fails the upload", async (_what, response, message) => {
  source.respond(response);
  const upload = await uploadFrom("https://93.184.215.14/rows.csv");
  expect(upload.state).toBe("failed");
  expect(codesOf(upload)).toEqual(["download_failed@null"]);
  expect(upload.errors[0]?.message).toMatch(message);
});

test("a name that does not exist, and a host where nobody responds, are reported alike", async () => {
  const [nameless, deaf] = await Promise.all([
    uploadFrom("https://no-such-name.invalid/rows.csv"),
    uploadFrom("https://93.184.215.15/rows.csv"),
  ]);
  expect(nameless.errors).toEqual(deaf.errors);
  expect(codesOf(deaf)).toEqual(["download_failed@null"]);
});
