import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { decodeChunk } from "../../resources/datasets/chunk-store.ts";
import { readDataset, type ReadDatasetOptions, type RowGroup } from "./read-dataset.ts";
import { DEFAULT_CHUNK_ROWS, DEFAULT_MAX_ROW_BYTES } from "./reader-types.ts";
import { findReaders, placesOf, readPath, rejectionOf, roomyLimits, withDirectory } from "./readers-testing.ts";

const MEBIBYTE = 1 << 20;

const execFileAsync = promisify(execFile);

/** What this process has open below a directory, and its pipes and sockets. What other tests have left open may close meanwhile. */
async function findHandles(): Promise<string[]> {
  const targets = (await readdir("/proc/self/fd")).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => ""));
  return (await Promise.all(targets)).filter((target) => /rowmill-readers|pipe:|socket:/.test(target)).toSorted();
}

async function withLines<T>(
  rowCount: number,
  use: (options: ReadDatasetOptions, abort: AbortController) => Promise<T>,
  more = "",
): Promise<T> {
  return withDirectory(async (workDirectory) => {
    const path = join(workDirectory, "staged");
    await writeFile(path, Array.from({ length: rowCount }, (_, index) => `{"index":${index}${more}}\n`).join(""));
    const abort = new AbortController();
    const { signal } = abort;
    return use({ path, format: "jsonl", onInvalidRow: "reject", workDirectory, limits: roomyLimits, signal }, abort);
  });
}

async function drain(groups: AsyncGenerator<RowGroup, unknown>): Promise<number> {
  let rowCount = 0;
  for await (const group of groups) rowCount += group.rowCount;
  return rowCount;
}

test("an abort ends the process at once, with the signal's reason and nothing left open", async () => {
  await withLines(300_000, async (options, abort) => {
    const before = await findHandles();
    const groups = readDataset(options);
    await groups.next();
    expect(await findReaders()).toHaveLength(1);
    const reason = new Error("no longer wanted");
    abort.abort(reason);
    await expect(drain(groups)).rejects.toBe(reason);
    expect(await findReaders()).toEqual([]);
    expect(before).toEqual(expect.arrayContaining(await findHandles()));
  });
});

test("an abort while a group of rows is awaited, or before the first, is noticed", async () => {
  await withLines(300_000, async (options, abort) => {
    const reason = new Error("no longer wanted");
    const draining = drain(readDataset(options));
    setImmediate(() => abort.abort(reason));
    await expect(draining).rejects.toBe(reason);
    await expect(drain(readDataset(options))).rejects.toBe(reason);
    expect(await findReaders()).toEqual([]);
  });
});

test("who stops reading early leaves no process behind", async () => {
  await withLines(300_000, async (options) => {
    const before = await findHandles();
    for await (const group of readDataset(options)) {
      expect((await decodeChunk(group.body)).slice(0, 2)).toEqual(['{"index":0}', '{"index":1}']);
      break;
    }
    expect(await findReaders()).toEqual([]);
    expect(before).toEqual(expect.arrayContaining(await findHandles()));
  });
});

test("a refusal leaves no process and no file open", async () => {
  const before = await findHandles();
  await rejectionOf("a,b\n1\n", { format: "csv" });
  await rejectionOf("PAR1 or not", { format: "parquet" });
  expect(await findReaders()).toEqual([]);
  expect(before).toEqual(expect.arrayContaining(await findHandles()));
});

test("a process that is killed is an error, not the end of the rows", async () => {
  await withLines(300_000, async (options) => {
    const groups = readDataset(options);
    await groups.next();
    for (const pid of await findReaders()) process.kill(pid, "SIGKILL");
    await expect(drain(groups)).rejects.toThrow(/reading a dataset failed.*SIGKILL/);
  });
});

test("a reader whose parent is killed ends as well", async () => {
  await withLines(300_000, async ({ path, workDirectory }) => {
    const module = fileURLToPath(new URL("./read-dataset.ts", import.meta.url));
    const options = { path, workDirectory, format: "jsonl", onInvalidRow: "reject", limits: roomyLimits };
    const script = `import { readDataset } from ${JSON.stringify(module)};
      const groups = readDataset({ ...${JSON.stringify(options)}, signal: new AbortController().signal });
      await groups.next();
      console.log("reading");
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(parent.stdout, "data");
    const [reader] = await findReaders(parent.pid);
    expect(reader).toBeDefined();
    parent.kill("SIGKILL");
    await expect.poll(() => readFile(`/proc/${reader}/cmdline`, "utf8").catch(() => ""), { timeout: 120_000 }).toBe("");
  });
});

test("a file that is not there is an error of ours, not a refusal", async () => {
  await withLines(1, async (options) => {
    await expect(drain(readDataset({ ...options, path: join(options.workDirectory, "missing") }))).rejects.toThrow(
      /ENOENT/,
    );
  });
});

test("the process knows nothing of our environment", async () => {
  process.env["ROWMILL_TEST_SECRET"] = "whsec_hidden";
  try {
    await withLines(300_000, async (options) => {
      const groups = readDataset(options);
      await groups.next();
      const [pid] = await findReaders();
      expect(await readFile(`/proc/${pid}/environ`, "utf8")).toBe("");
      await drain(groups);
    });
  } finally {
    delete process.env["ROWMILL_TEST_SECRET"];
  }
});

test("two files are read at once, and a slow taker holds nothing up but its own file", async () => {
  await withLines(100_000, async (options) => {
    const slow = readDataset(options);
    await slow.next();
    expect(await drain(readDataset(options))).toBe(100_000);
    expect(await drain(slow)).toBeGreaterThan(99_000);
  });
});

test("paths may be relative to where the server runs", async () => {
  await withDirectory(async (directory) => {
    const path = join(directory, "staged");
    const workDirectory = join(directory, "work");
    await mkdir(workDirectory);
    await writeFile(path, gzipSync("a,b\n1,2\n"));
    const here = (absolute: string) => relative(process.cwd(), absolute);
    const { rows } = await readPath(here(path), { format: "csv", workDirectory: here(workDirectory) });
    expect(rows).toEqual([{ a: 1, b: 2 }]);
  });
});

test("names of files are only names", async () => {
  await withDirectory(async (directory) => {
    const path = join(directory, `it's "odd"; $(rm -rf) [*] ü\n.csv`);
    await writeFile(path, "a,b\n1,2\n");
    expect((await readPath(path, { filename: `'; drop table x; --.csv` })).rows).toEqual([{ a: 1, b: 2 }]);
  });
});

test.each([
  ["jsonl", `{"a":1}\n{"a":"`, `"}\n`, (text: string) => `{"a":"${text}"}\n`, ""],
  ["json", `[{"a":1},\n{"a":"`, `"}\n`, (text: string) => `,{"a":"${text}"}\n`, "]"],
  ["csv", `a,b\n1,1\n"`, `",1\n`, (text: string) => `${text},1\n`, ""],
] as const)(
  "a %s row of 100 MB costs no more memory than a row may have, and the rows behind it are read",
  async (format, head, tail, row, end) => {
    await withDirectory(async (workDirectory) => {
      const path = join(workDirectory, "staged");
      const file = createWriteStream(path);
      file.write(head);
      for (let written = 0; written < 100; written++) {
        if (!file.write(Buffer.alloc(MEBIBYTE, "x"))) await once(file, "drain");
      }
      // More rows than the pipe holds: the process still waits when the first of them are here.
      const unpackable = Array.from({ length: 300_000 }, () => row(randomBytes(8).toString("hex")));
      file.end(tail + unpackable.join("") + end);
      await once(file, "close");
      const signal = new AbortController().signal;
      const groups = readDataset({ path, format, onInvalidRow: "skip", workDirectory, limits: roomyLimits, signal });
      let rowCount = 0;
      while (rowCount === 0) {
        const step = await groups.next();
        if (step.done === true) throw new Error("the rows are missing");
        rowCount += step.value.rowCount;
      }
      const [pid] = await findReaders();
      const status = await readFile(`/proc/${pid}/status`, "utf8");
      expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1])).toBeLessThan(200 * 1024);
      for (;;) {
        const step = await groups.next();
        if (step.done !== true) {
          rowCount += step.value.rowCount;
          continue;
        }
        expect(placesOf(step.value.errors)).toEqual([format === "csv" ? "row_too_large@3" : "row_too_large@2"]);
        expect(rowCount).toBe(300_001);
        return;
      }
    });
  },
);

/** Costs much to read, and little to take: packed, it is small. */
const MANY_MEMBERS = Array.from({ length: 40 }, (_, i) => `,"member ${i}":"the same"`).join("");

/** Prints the processor time, in microseconds, that the thread of a process takes for rows that come in, and for reading them itself. */
const measuringScript = (options: object): string => `
  import { open } from "node:fs/promises";
  import { readDataset } from ${JSON.stringify(new URL("./read-dataset.ts", import.meta.url))};
  import { readFileOfJob } from ${JSON.stringify(new URL("./read-file.ts", import.meta.url))};
  const options = ${JSON.stringify(options)};
  const output = await open("/dev/null", "w");
  async function costOf(work) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    return user + system;
  }
  let rowCount = 0;
  const taken = await costOf(async () => {
    for await (const group of readDataset({ ...options, signal: new AbortController().signal })) rowCount += group.rowCount;
  });
  const read = await costOf(() => readFileOfJob({ ...options, isGrowing: false }, undefined, output.fd));
  console.log(JSON.stringify({ rowCount, taken, read }));
`;

test("the server's event loop stays free while rows come in", async () => {
  const ROWS = 100_000;
  const limits = { ...roomyLimits, maxRowBytes: DEFAULT_MAX_ROW_BYTES, chunkRows: DEFAULT_CHUNK_ROWS };
  const work = async ({ signal: _signal, ...options }: ReadDatasetOptions): Promise<void> => {
    // In a process of its own: this one is large, so that each start of another costs it much, and has the garbage of other tests.
    const script = measuringScript({ ...options, limits });
    const { stdout } = await execFileAsync(process.execPath, ["--input-type=module", "-e", script]);
    const { rowCount, taken, read } = JSON.parse(stdout) as Record<"rowCount" | "taken" | "read", number>;
    expect(rowCount).toBe(ROWS);
    expect(taken).toBeLessThan(read / 2);
  };
  await withLines(ROWS, work, MANY_MEMBERS);
});
