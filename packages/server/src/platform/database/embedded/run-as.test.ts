import { chmod, cp, mkdir, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Binaries, findBinaries } from "./binaries.ts";
import { clusterFiles, ensureCluster, readPassword } from "./cluster.ts";
import { startPostmaster, stopPostmaster } from "./postmaster.ts";
import { chooseRunAs } from "./run-as.ts";

const noNamespaces = ["rowmill-has-no-such-command"];

let scratch: string;
/** Like root's home: mode 0700, with a checkout of the project in it. */
let home: string;
let binaries: Binaries;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rowmill-run-as-"));
  await chmod(scratch, 0o711);
  home = join(scratch, "root");
  await mkdir(home, { mode: 0o700 });
  binaries = { ...findBinaries(), directory: join(home, "package") };
  await cp(findBinaries().directory, binaries.directory, { recursive: true, verbatimSymlinks: true });
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

describe.runIf(process.getuid?.() === 0 && process.platform === "linux")("root, below a home that is closed", () => {
  test("uses a user namespace, in which all files stay root's", async (context) => {
    const dataDirectory = join(home, "in-namespace");
    await mkdir(dataDirectory);
    const runAs = await choose(dataDirectory);
    context.skip(runAs.wrapper.length === 0, "user namespaces are forbidden here");
    expect(await runOnce(dataDirectory, runAs)).toBe(1);
    expect((await stat(clusterFiles(dataDirectory).pgdata)).uid).toBe(0);
  });

  test("without namespaces copies the programs, and hands the data over as the working directory", async () => {
    const dataDirectory = join(home, "handed-over");
    await mkdir(dataDirectory, { mode: 0o700 });
    const runAs = await choose(dataDirectory, noNamespaces);
    expect(runAs.binaries.directory.startsWith(join(scratch, "shared"))).toBe(true);
    expect(runAs.isDataReachable).toBe(false);
    expect(await runOnce(dataDirectory, runAs)).toBe(1);
    expect((await stat(clusterFiles(dataDirectory).pgdata)).uid).not.toBe(0);
  });

  test("the files change their owner, and change it back, when the way to run changes", async (context) => {
    const dataDirectory = join(home, "changing");
    await mkdir(dataDirectory, { mode: 0o700 });
    const inNamespace = await choose(dataDirectory);
    context.skip(inNamespace.wrapper.length === 0, "user namespaces are forbidden here");
    const asNobody = await choose(dataDirectory, noNamespaces);
    expect(await runOnce(dataDirectory, inNamespace)).toBe(1);
    expect(await runOnce(dataDirectory, asNobody)).toBe(1);
    expect(await runOnce(dataDirectory, inNamespace)).toBe(1);
  });
});

test("programs that do not run are reported with PostgreSQL's reason and the way out", async () => {
  const broken = { ...binaries, directory: join(scratch, "nothing-here") };
  const query = {
    binaries: broken,
    dataDirectory: scratch,
    dataOwner: undefined,
    sharedDirectory: join(scratch, "none"),
  };
  await expect(chooseRunAs(query)).rejects.toThrow(/does not run here: .*ENOENT.*ROWMILL_DATABASE_URL/);
});

async function choose(dataDirectory: string, namespaceWrapper?: string[]) {
  return await chooseRunAs({
    binaries,
    dataDirectory,
    dataOwner: undefined,
    sharedDirectory: join(scratch, "shared"),
    ...(namespaceWrapper && { namespaceWrapper }),
  });
}

/** Starts, asks, stops; the response is 1. */
async function runOnce(dataDirectory: string, runAs: Awaited<ReturnType<typeof chooseRunAs>>): Promise<unknown> {
  await ensureCluster(dataDirectory, runAs);
  const files = clusterFiles(dataDirectory);
  const start = await startPostmaster(files, runAs);
  if (start.outcome === "failed") throw new Error(start.reason);
  const { pid, port } = start.postmaster;
  const client = new Client({ host: "127.0.0.1", port, user: "postgres", password: await readPassword(files) });
  await client.connect();
  // A parallel query: its workers share memory through what `dynamic_shared_memory_type` names.
  await client.query("set debug_parallel_query = on");
  const { rows } = await client.query<{ n: number }>(
    "select count(*)::int as n from pg_class where relname = 'pg_class'",
  );
  await client.end();
  await stopPostmaster(pid, files, runAs);
  return rows[0]?.n;
}
