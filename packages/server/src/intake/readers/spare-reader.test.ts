/** Readers that are started before their file: one file each, and nothing of them is left, whatever ends them. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createLog } from "../../platform/log.ts";
import { programFiles } from "../../platform/program-files.ts";
import { readerCodeCache } from "../../testing/code-cache.ts";
import { waitFor } from "../../testing/wait.ts";
import { readDataset } from "./read-dataset.ts";
import { findReaders, findSpareReaders, roomyLimits, withDirectory } from "./readers-testing.ts";
import { createSpareReaders } from "./spare-reader.ts";
import type { SpareReaderOptions, SpareReaders } from "./spare-reader.ts";

/** As long as a busy machine may take from one file to the next. */
const PATIENT_MS = 600_000;

async function withSpares(
  use: (spares: SpareReaders, folder: string, directory: string) => Promise<void>,
  { idleMs = PATIENT_MS, ...more }: Pick<SpareReaderOptions, "idleMs" | "maxAgeMs"> = {},
): Promise<void> {
  await withDirectory(async (folder) => {
    const directory = join(folder, "readers");
    const spares = createSpareReaders({
      directory,
      codeCacheDirectory: readerCodeCache(),
      log: createLog("silent"),
      idleMs,
      ...more,
    });
    try {
      await use(spares, folder, directory);
    } finally {
      await spares.stop();
    }
  });
}

const onlySpare = async (): Promise<number> => {
  await waitFor(async () => (await findSpareReaders()).length === 1, { what: "a spare reader is there" });
  return (await findSpareReaders())[0]!;
};

/** The rows of a file, and which process has read it. */
async function readFileOf(spares: SpareReaders, folder: string, claim: string): Promise<{ rows: number; pid: number }> {
  const path = join(folder, `${claim}.jsonl`);
  // More than a pipe holds: the process lives on until all is taken.
  await writeFile(
    path,
    Array.from({ length: 200_000 }, (_, n) => `{"n":${n},"text":"${(n * 2_654_435_761) % 4_294_967_296}"}\n`).join(""),
  );
  const workDirectory = join(folder, claim, "work");
  await mkdir(workDirectory, { recursive: true });
  const { signal } = new AbortController();
  const codeCacheDirectory = readerCodeCache();
  const groups = readDataset({
    path,
    workDirectory,
    codeCacheDirectory,
    format: "jsonl",
    onInvalidRow: "reject",
    limits: roomyLimits,
    signal,
    spares,
  });
  const step = await groups.next();
  let rows = step.done === true ? 0 : step.value.rowCount;
  const [pid] = await findReaders();
  for await (const group of groups) rows += group.rowCount;
  return { rows, pid: pid! };
}

test("each file has a reader of its own, which was there before it and ends with it", async () => {
  await withSpares(async (spares, folder, directory) => {
    spares.prepare();
    spares.prepare();
    const first = await onlySpare();
    expect(await readFileOf(spares, folder, "claim-1")).toEqual({ rows: 200_000, pid: first });
    expect(await findSpareReaders()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);

    spares.prepare();
    const second = await onlySpare();
    expect(await readFileOf(spares, folder, "claim-2")).toEqual({ rows: 200_000, pid: second });
    expect(second).not.toBe(first);
    // One file has followed the other: there is one for the next.
    expect([first, second]).not.toContain(await onlySpare());
  });
});

test("it may read the program and its own directory, and write in one below that", async () => {
  await withSpares(async (spares, _folder, directory) => {
    spares.prepare();
    const words = (await readFile(`/proc/${await onlySpare()}/cmdline`, "utf8")).split("\0");
    const [own = ""] = await readdir(directory);
    const allowed = (what: string) =>
      words.flatMap((word) => (word.startsWith(`--allow-fs-${what}=`) ? word.slice(word.indexOf("=") + 1) : []));
    const work = join(directory, own, "work");
    expect(allowed("read")).toEqual([...programFiles, join(directory, own), work, readerCodeCache()]);
    expect(allowed("write")).toEqual([work, readerCodeCache()]);
    expect(words).toContain("--permission");
  });
});

test("one that nobody needs ends", async () => {
  await withSpares(
    async (spares, _folder, directory) => {
      spares.prepare();
      await waitFor(async () => (await readdir(directory)).length === 0, {
        what: "its directory was made and removed",
      });
      expect(await findSpareReaders()).toEqual([]);
    },
    { idleMs: 300 },
  );
});

test("one that is announced files again and again ends, too, before its directory is swept", async () => {
  await withSpares(
    async (spares, _folder, directory) => {
      const isMade = async (): Promise<string | undefined> => {
        spares.prepare();
        return (await readdir(directory).catch(() => []))[0];
      };
      const own = await waitFor(isMade, { what: "its directory is made" });
      const isGone = async (): Promise<boolean> => {
        spares.prepare();
        return !(await readdir(directory)).includes(own);
      };
      expect(await waitFor(isGone, { what: "its directory is removed" })).toBe(true);
    },
    { idleMs: 1_000, maxAgeMs: 0 },
  );
});

test("one that was killed is no loss", async () => {
  await withSpares(async (spares, folder, directory) => {
    spares.prepare();
    const killed = await onlySpare();
    process.kill(killed, "SIGKILL");
    await waitFor(async () => (await findSpareReaders()).length === 0, { what: "it has ended" });
    const { rows, pid } = await readFileOf(spares, folder, "claim-1");
    expect(rows).toBe(200_000);
    expect(pid).not.toBe(killed);
    expect(await readdir(directory)).toEqual([]);
  });
});

test("where the system allows no links, none is started any more", async () => {
  await withSpares(async (spares, folder, directory) => {
    spares.prepare();
    await onlySpare();
    const [own = ""] = await readdir(directory);
    // No user may make a link there.
    const name = relative(join(directory, own), "/sys/rowmill");
    expect(await spares.take(join(folder, "file"), name)).toBeUndefined();
    expect(await readdir(directory)).toEqual([]);
    spares.prepare();
    expect(await spares.take(join(folder, "file"), "claim")).toBeUndefined();
    expect([await findSpareReaders(), await readdir(directory)]).toEqual([[], []]);
  });
});

test("one whose directory can be neither used nor removed is no loss, and the next file has one", async () => {
  await withSpares(async (spares, folder, directory) => {
    const moved = join(folder, "moved");
    /** No directory is reached through a file. */
    const block = async (): Promise<void> => {
      await rename(directory, moved);
      await writeFile(directory, "");
    };
    const unblock = async (): Promise<void> => {
      await rm(directory);
      await rename(moved, directory);
    };
    spares.prepare();
    const taken = await spares.take(join(folder, "file"), "claim-1");
    expect(taken).toBeDefined();
    await taken?.process.stop();
    await block();
    await taken?.remove();
    await unblock();

    spares.prepare();
    await onlySpare();
    await block();
    expect(await spares.take(join(folder, "file"), "claim-2")).toBeUndefined();
    await unblock();

    spares.prepare();
    await onlySpare();
    await block();
    await spares.stop();
    expect(await findSpareReaders()).toEqual([]);
  });
});

test("what waits for a file ends with its service, also after kill -9", async () => {
  await withDirectory(async (folder) => {
    const module = fileURLToPath(new URL("./spare-reader.ts", import.meta.url));
    const script = `import { createSpareReaders } from ${JSON.stringify(module)};
      const directory = ${JSON.stringify(join(folder, "readers"))};
      createSpareReaders({ directory, codeCacheDirectory: ${JSON.stringify(readerCodeCache())}, log: console }).prepare();
      console.log("prepared");
      setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ["--conditions=@rowmill/source", "--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(parent.stdout, "data");
    await waitFor(async () => (await findSpareReaders(parent.pid)).length === 1, { what: "a spare reader is there" });
    const [reader] = await findSpareReaders(parent.pid);
    expect(reader).toBeDefined();
    parent.kill("SIGKILL");
    const commandLine = () => readFile(`/proc/${reader}/cmdline`, "utf8").catch(() => "");
    await expect.poll(commandLine, { timeout: 240_000 }).toBe("");
  });
});
