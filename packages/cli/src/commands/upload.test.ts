import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { Rowmill } from "@rowmill/client";
import { startTestService } from "@rowmill/server/testing/service";
import { expect, test } from "vitest";
import { explainError } from "../frame/explain-error.ts";
import { createInterrupts } from "../frame/interrupts.ts";
import { createOutput } from "../frame/output.ts";
import { openInput } from "../map/input.ts";
import { ensureDataset } from "../map/things.ts";
import { newPlace } from "../testing/command-process.ts";
import { Collected, terminalWith, typeCommand } from "../testing/in-process.ts";

const service = await startTestService({ ROWMILL_MODE: "development" });

async function newUser() {
  const { apiKey } = await service.newOrganization();
  const { environment, folder } = newPlace({ ROWMILL_URL: service.url, ROWMILL_API_KEY: apiKey });
  return {
    apiKey,
    environment,
    folder,
    type: (...args: string[]) => typeCommand({ environment, directory: folder }, ...args),
  };
}

test.each([
  ["plain.csv.gz", Buffer.from("id\n1\n"), /plain\.csv\.gz is not packed with gzip.+\n$/],
  ["plain.csv.zst", Buffer.from("id\n1\n"), /plain\.csv\.zst is not packed with Zstandard.+\n$/],
  ["packed.csv.gz", gzipSync("id\n1\n"), /^$/],
  ["packed.csv.zst", zstdCompressSync("id\n1\n"), /^$/],
  ["packed.csv", gzipSync("id\n1\n"), /^$/],
])("%s is read by its content, and a name that says something else is named", async (name, content, note) => {
  const { folder, type } = await newUser();
  writeFileSync(join(folder, name), content);
  const said = await type("upload", join(folder, name));
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("1 row") as string });
  expect(said.stderr).toMatch(note);
});

test.each([
  ["as long", "id\n2\n"],
  ["longer", "id\n1\n2\n"],
])("a file that changes between its hash and its upload and is then %s is refused", async (_, content) => {
  const { apiKey, environment, folder, type } = await newUser();
  const [stdout, stderr] = [new Collected(), new Collected()];
  const terminal = terminalWith({ environment, directory: folder, stdout, stderr });
  const interrupts = createInterrupts();
  const cli = { terminal, output: createOutput(terminal, "text", false), common: {}, signal: interrupts.signal };
  const file = join(folder, "in.csv");
  writeFileSync(file, "id\n1\n");
  const input = await openInput(cli, file);
  writeFileSync(file, content);
  const rowmill = new Rowmill({ apiKey, baseUrl: service.url });
  const options = { reading: {}, onProgress: () => undefined };
  const refused = await ensureDataset(cli, rowmill, input, options).catch((error: unknown) => error);
  interrupts.close();
  expect(explainError(refused, undefined, undefined)).toMatchObject({
    exit: "error",
    message: expect.stringContaining("in.csv changed while it was read") as string,
    advice: "Repeat the command when nothing writes to the file.",
  });
  // The content that it had is not found in its place.
  writeFileSync(file, "id\n1\n");
  expect(await type("upload", file)).toMatchObject({ code: 0, stdout: expect.stringContaining("1 row") as string });
  expect((await type("datasets", "rows", "@last")).stdout).toBe('{"id":1}\n');
});

test("a URL that cannot be fetched is an error, not a dataset without rows", async () => {
  const { type } = await newUser();
  expect(await type("upload", "https://nowhere.invalid/in.csv")).toMatchObject({
    code: 1,
    stdout: "",
    stderr: expect.stringContaining("The server could not be reached") as string,
  });
});

test("a table without a header, and one with another delimiter, are read as the options say", async () => {
  const { folder, type } = await newUser();
  const file = join(folder, "plain.csv");
  writeFileSync(file, "1~Ada\n2~Grace\n");
  expect((await type("upload", file, "--no-header-row", "--delimiter", "~")).code).toBe(0);
  const rows = (await type("datasets", "rows", "@last")).stdout;
  expect(rows).toBe('{"column_1":1,"column_2":"Ada"}\n{"column_1":2,"column_2":"Grace"}\n');
  // Read in another way, the same content is another dataset.
  expect((await type("upload", file)).stdout).toContain("1 row");
  writeFileSync(file, "a\tb\n1\t2\n");
  expect((await type("upload", file, "--delimiter", String.raw`\t`)).code).toBe(0);
  expect((await type("datasets", "rows", "@last")).stdout).toBe('{"a":1,"b":2}\n');
  for (const wrong of ["", "ab", '"', "é"])
    expect(await type("upload", file, "--delimiter", wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("one ASCII character") as string,
    });
  writeFileSync(file, "1,1\n2,3\n");
  expect(await type("upload", file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("if the first line is a row, add --no-header-row") as string,
  });
});

test("rows that cannot be read are left out where --skip-invalid says it, and named each time", async () => {
  const { folder, type } = await newUser();
  const file = join(folder, "ragged.csv");
  writeFileSync(file, "a,b\n1,2\n3\n4,5\n");
  for (const command of [["upload"], ["map", "--mock"]])
    expect(await type(...command, file)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("or leave them out with --skip-invalid") as string,
    });
  const note =
    "1 row cannot be read, and is left out: line 3: The record has 1 field, the header has 2 (invalid_csv).\n";
  const first = await type("upload", file, "--skip-invalid");
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("2 rows") as string, stderr: note });
  expect(await type("upload", file, "--skip-invalid")).toEqual(first);
  const mapped = await type("map", file, "--mock", "--skip-invalid");
  expect(mapped).toMatchObject({ code: 0, stderr: expect.stringContaining(note) as string });
  expect(mapped.stdout.trim().split("\n")).toHaveLength(2);
  // What may be typed next reads the file in the same way.
  const next = async (...reading: string[]) => {
    const output = join(folder, `${reading.length}.csv`);
    const { stdout } = await type("map", file, "--mock", "--limit", "1", ...reading, "-o", output);
    return /Next: rowmill map \S+ (.+) -o/.exec(stdout)?.[1];
  };
  expect(await next("--skip-invalid")).toBe("--mock --skip-invalid");
  expect(await next("--no-header-row", "--delimiter", "~")).toBe("--no-header-row --mock --delimiter '~'");
});

test("rows are printed with every digit that they have", async () => {
  const { folder, type } = await newUser();
  const file = join(folder, "long.jsonl");
  const rows = [
    '{"id":12345678901234567890,"x":[0.1]}',
    '{"id":1,"x":1e400}',
    '{"id":0.12345678901234567890,"x":"1e9"}',
  ];
  writeFileSync(file, rows.join("\n"));
  expect((await type("upload", file)).code).toBe(0);
  expect((await type("datasets", "rows", "@last")).stdout.trim().split("\n")).toEqual(rows);
  expect((await type("datasets", "rows", "@last", "-n", "1")).stdout.trim()).toBe(rows[0]);
  const { id } = JSON.parse((await type("datasets", "show", "@last", "--json")).stdout) as { id: string };
  const pages = await type("api", "GET", `/v1/datasets/${id}/rows`, "--query", "limit=2", "--paginate");
  for (const row of rows) expect(pages.stdout).toContain(`"data":${row}}\n`);
  const mapped = await type("map", file, "--mock");
  expect(mapped.code).toBe(0);
  expect((await type("results", "@last")).stdout).toBe(mapped.stdout);
  const printed = rows.map((row) => `${row.slice(0, -1)},"echo":${row},"row_state":"succeeded","failure_code":null}`);
  expect(mapped.stdout.trim().split("\n")).toEqual(printed);
});

test("datasets are listed, shown, printed and deleted", async () => {
  const { environment, folder, type } = await newUser();
  expect((await type("datasets")).stdout).toContain("rowmill upload FILE");
  const said = await typeCommand(
    { environment, directory: folder, stdin: '{"a":1}\n{"a":2}\n' },
    "upload",
    "-",
    "--name",
    "piped",
  );
  expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining("piped: 2 rows") as string });
  expect((await type("datasets", "show", "piped")).stdout).toMatch(/name +piped.*a +integer/s);
  expect((await type("datasets", "rows", "piped")).stdout).toBe('{"a":1}\n{"a":2}\n');
  writeFileSync(join(folder, "bad.csv"), "a,b\n1\n");
  expect((await type("upload", join(folder, "bad.csv"))).code).toBe(2);
  expect((await type("datasets", "show", "bad.csv")).stdout).toMatch(
    /state +failed.*reason +line 2: The record has 1 field, the header has 2 \(invalid_csv\)\n$/s,
  );
  expect((await type("datasets", "delete", "piped")).code).toBe(0);
  expect(await type("datasets", "show", "piped")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no dataset "piped"') as string,
  });
});
