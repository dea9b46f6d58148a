/** CSV for spreadsheets of systems whose decimal sign is a comma: another delimiter, and the byte order mark of UTF-8. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { findPython } from "../../../../../scripts/checks/python.ts";
import { finishedRun, newJobSpec, newRun } from "../../testing/factories.ts";
import { uploadFile } from "../../testing/uploads.ts";
import { startExportService } from "./export-service-testing.ts";

const { owner, run, createExport, readyExport, download, sha256 } = await startExportService();
const PYTHON = findPython();
const MARK = "\uFEFF";
const semicolons = { delimiter: ";", byteOrderMark: true };

/** The file as another reader sees it. */
function readByPython(bytes: Buffer, encoding: string, delimiter: string): string[][] {
  if (PYTHON === undefined) throw new Error("there is no Python");
  const folder = mkdtempSync(join(tmpdir(), "rowmill-csv-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "table.csv");
  writeFileSync(file, bytes);
  const script =
    "import csv, json, sys; print(json.dumps(list(csv.reader(open(sys.argv[1], encoding=sys.argv[2], newline=''), delimiter=sys.argv[3], strict=True))))";
  return JSON.parse(execFileSync(PYTHON, ["-c", script, file, encoding, delimiter]).toString()) as string[][];
}

/** The table of a run over this file. */
async function runOver(content: string): Promise<{ runId: string }> {
  const { datasetId } = await uploadFile(owner.api, content, { name: "Kunden" }, { filename: "kunden.csv" });
  const code = "export default (row) => ({ gruss: `Grüße; ${row.Name}`, betrag: 1.5, aktiv: true, fehlt: null })";
  const jobSpec = await newJobSpec(owner.api, { type: "transform", code });
  const { id } = await newRun(owner.api, { datasetId: datasetId ?? "", jobSpecId: jobSpec.id });
  await finishedRun(owner.api, id);
  return { runId: id };
}

const TABLE = { type: "resolved_results", layout: "flat", format: "csv" };

test.skipIf(PYTHON === undefined)("a file of German Excel comes back as one, which another reader reads", async () => {
  const kunden = [
    ["Nr", "Name", "Notiz"],
    ["1", "Müller; Söhne", 'sagt "ja",\nzweimal'],
    ["2", "Ågren", "=1+1"],
  ];
  const cells = kunden.map((line) => line.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(";"));
  const from = await runOver(`${MARK}${cells.join("\r\n")}\r\n`);
  const ready = await readyExport({ ...TABLE, ...semicolons }, from);
  expect(ready).toMatchObject({ ...semicolons, columns: null, rowCount: 2, formulaGuard: false });
  const { bytes } = await download(ready.id);
  expect(ready).toMatchObject({ sizeBytes: bytes.length, sha256: sha256(bytes) });
  const [header = [], first = [], second = []] = kunden;
  expect(readByPython(bytes, "utf-8-sig", ";")).toEqual([
    [...header, "gruss", "betrag", "aktiv", "fehlt", "row_state", "failure_code"],
    [...first, "Grüße; Müller; Söhne", "1.5", "true", "", "succeeded", ""],
    [...second, "Grüße; Ågren", "1.5", "true", "", "succeeded", ""],
  ]);

  // Without the two, the same file but for them. What the mark adds are its three bytes.
  const usual = await readyExport(TABLE, from);
  expect(usual).toMatchObject({ delimiter: ",", byteOrderMark: false });
  const plain = (await download(usual.id)).bytes;
  expect(plain.subarray(0, 4).toString()).toBe('"Nr"');
  expect(readByPython(plain, "utf-8", ",")).toEqual(readByPython(bytes, "utf-8-sig", ";"));
  const asked = await readyExport({ ...TABLE, delimiter: ",", byteOrderMark: false }, from);
  expect(asked.sha256).toBe(usual.sha256);
  const marked = await readyExport({ ...TABLE, byteOrderMark: true }, from);
  expect((await download(marked.id)).bytes).toEqual(Buffer.concat([Buffer.from(MARK), plain]));

  const guarded = await readyExport({ ...TABLE, ...semicolons, spreadsheet: true, columns: ["Notiz", "betrag"] }, from);
  expect(guarded).toMatchObject({ guardedCells: 1, columns: ["Notiz", "betrag"], ...semicolons });
  const lines = readByPython((await download(guarded.id)).bytes, "utf-8-sig", ";");
  expect(lines).toEqual([
    ["Notiz", "betrag"],
    [first[2], "1.5"],
    ["'=1+1", "1.5"],
  ]);
});

test.skipIf(PYTHON === undefined)("a delimiter that numbers have in them is no obstacle to a reader", async () => {
  for (const delimiter of [".", "1", "t", "-", "\t", " "]) {
    const ready = await readyExport({
      type: "outputs",
      format: "csv",
      columns: ["index", "data.label", "attempts"],
      delimiter,
    });
    const [header, line] = readByPython((await download(ready.id)).bytes, "utf-8", delimiter);
    expect([header, line]).toEqual([
      ["index", "data.label", "attempts"],
      ["0", "=0", "1"],
    ]);
  }
});

test("a packed file has the mark inside, and a range of bytes begins with it", async () => {
  const body = { type: "outputs", format: "csv", ...semicolons };
  const plain = await readyExport(body);
  const { bytes } = await download(plain.id);
  expect(bytes.toString().startsWith(`${MARK}"`)).toBe(true);
  expect(plain.sha256).toBe(sha256(bytes));
  for (const [compression, unpack] of [
    ["gzip", gunzipSync],
    ["zstd", zstdDecompressSync],
  ] as const) {
    const packed = await readyExport({ ...body, compression });
    expect(Buffer.from(unpack((await download(packed.id)).bytes))).toEqual(bytes);
  }
  const part = await download(plain.id, { range: "bytes=0-2" });
  expect(part).toMatchObject({ status: 206, bytes: Buffer.from(MARK) });
});

test("formats without cells have neither, and lists show both", async () => {
  const made = await createExport({ type: "outputs", format: "csv", ...semicolons });
  expect(made).toMatchObject(semicolons);
  const listed = await owner.api<{ data: unknown[] }>("GET", `/v1/runs/${run.runId}/exports?limit=1`);
  expect(listed.body.data).toMatchObject([{ id: made.id, ...semicolons }]);
  const lines = await createExport({ type: "outputs", format: "jsonl", byteOrderMark: false });
  expect(lines).toMatchObject({ delimiter: null, byteOrderMark: false });
});
