/**
 * The cluster on disk, below the data directory (such as `./data/postgres`):
 *
 *   cluster/            made under another name by initdb, renamed when complete: it is complete or absent
 *     pgdata/           PostgreSQL's own data directory
 *     password          of the superuser, made at random, mode 0600
 *     port              the port of the last start, so that it stays the same
 *     postgresql.log    starts, stops, crashes, checkpoints
 *     postgresql.log.1  the log before
 */
import { randomBytes } from "node:crypto";
import { chmod, chown, lchown, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { buildBeside, nothingIfMissing } from "./build-beside.ts";
import { commandAs, type RunAs, runToEnd, type User } from "./run-as.ts";
import { findFreePort } from "../../free-port.ts";
import { makeDirectory } from "../../make-directory.ts";

/** initdb takes 0.5 to 3 s; a machine that needs longer than this is out of order. */
const INITDB_TIMEOUT_MS = 5 * 60_000;

/** The log gets a few lines an hour; at this size it is set aside at the next start. */
const MAX_LOG_BYTES = 10 * 1024 * 1024;

/** 256 bits: nobody guesses it, and a server that accepts it is the one that initdb made with it. */
const PASSWORD_BYTES = 32;

export interface ClusterFiles {
  pgdata: string;
  password: string;
  port: string;
  log: string;
}

export function clusterFiles(dataDirectory: string): ClusterFiles {
  const cluster = join(resolve(dataDirectory), "cluster");
  return {
    pgdata: join(cluster, "pgdata"),
    password: join(cluster, "password"),
    port: join(cluster, "port"),
    log: join(cluster, "postgresql.log"),
  };
}

/**
 * Folders that are there keep their mode. New ones are closed to others; as root they let others pass, without a look
 * at what is in them, because PostgreSQL will run as somebody else.
 */
export function createDataDirectory(dataDirectory: string): void {
  makeDirectory(dataDirectory, process.getuid?.() === 0 ? 0o711 : 0o700);
}

/** Undefined if there is no cluster yet. */
export async function readDataOwner(files: ClusterFiles): Promise<User | undefined> {
  const stats = await stat(files.pgdata).catch(nothingIfMissing);
  return stats && { uid: stats.uid, gid: stats.gid };
}

/** Makes the cluster if there is none. Throws a sentence if there is one of another major version. */
export async function ensureCluster(dataDirectory: string, runAs: RunAs): Promise<void> {
  const files = clusterFiles(dataDirectory);
  await buildBeside(join(resolve(dataDirectory), "cluster"), (unfinished) => initializeCluster(unfinished, runAs));
  const version = (await readFile(join(files.pgdata, "PG_VERSION"), "utf8")).trim();
  if (Number(version) === runAs.majorVersion) return;
  throw new Error(
    `The database in ${files.pgdata} was made by PostgreSQL ${version}, and this Rowmill brings PostgreSQL ` +
      `${runAs.majorVersion}, which cannot read it. Go back to the Rowmill that made it, run \`rowmill backup\` there, and ` +
      "`rowmill restore` with this one into a new data directory (docs/operations/backup.md, Upgrades).",
  );
}

export async function readPassword(files: ClusterFiles): Promise<string> {
  const password = await readFile(files.password, "utf8").catch(nothingIfMissing);
  if (password !== undefined) return password.trim();
  throw new Error(
    `The password of the embedded database is missing: ${files.password}. Restore the file from a backup.`,
  );
}

/** The port of the last start, else one that is free now. Between this and its use another program may take it. */
export async function choosePort(files: ClusterFiles): Promise<number> {
  const remembered = Number(await readFile(files.port, "utf8").catch(nothingIfMissing));
  if (Number.isInteger(remembered) && remembered > 0 && remembered < 65_536) return remembered;
  const port = await findFreePort();
  await writeFile(files.port, `${port}\n`, { mode: 0o600 });
  return port;
}

export async function forgetPort(files: ClusterFiles): Promise<void> {
  await rm(files.port, { force: true });
}

/** As root: gives the cluster's files to the user that PostgreSQL will run as. Only while no PostgreSQL runs on them. */
export async function giveClusterTo(files: ClusterFiles, owner: User): Promise<void> {
  for (const path of [files.password, files.port, files.log]) {
    await chown(path, owner.uid, owner.gid).catch(nothingIfMissing);
  }
  const stats = await stat(files.pgdata);
  if (stats.uid !== owner.uid || stats.gid !== owner.gid) await giveTree(files.pgdata, owner);
}

/** Appended to by PostgreSQL itself, not through a pipe: it continues when this process is killed, and never waits for it. */
export async function openLog(files: ClusterFiles) {
  const stats = await stat(files.log).catch(nothingIfMissing);
  if (stats && stats.size > MAX_LOG_BYTES) await rename(files.log, `${files.log}.1`);
  return await open(files.log, "a+", 0o600);
}

async function initializeCluster(cluster: string, runAs: RunAs): Promise<void> {
  const pgdata = join(cluster, "pgdata");
  const password = join(cluster, "password");
  await mkdir(pgdata, { mode: 0o700 });
  await writeFile(password, randomBytes(PASSWORD_BYTES).toString("base64url"), { mode: 0o600, flush: true });
  if (runAs.user) {
    await chmod(cluster, 0o711);
    for (const path of [password, pgdata]) await chown(path, runAs.user.uid, runAs.user.gid);
  }
  const command = commandAs(runAs, "initdb", [
    "-D",
    pgdataArgument(pgdata, runAs),
    "--username=postgres",
    // Relative to pgdata, so that it is found also where the user does not reach it from the root.
    "--pwfile=../password",
    "--auth=scram-sha-256",
    // Iterations protect passwords that people choose. Each costs time at every connection, in the server and here.
    "--set=scram_iterations=1",
    "--encoding=UTF8",
    // The builtin provider sorts and upper-cases the same on every machine, whatever its libc; ICU here is out of support.
    "--locale=C",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--data-checksums",
    "--no-instructions",
  ]);
  const options = { ...command.options, cwd: pgdata, timeoutMs: INITDB_TIMEOUT_MS };
  const { exitCode, output } = await runToEnd(command.file, command.arguments, options);
  if (exitCode === 0) return;
  throw new Error(`The embedded database could not be created in ${cluster}:\n${lastLines(output)}`);
}

/** How PostgreSQL learns its data directory; it is always started in it. */
export function pgdataArgument(pgdata: string, runAs: RunAs): string {
  return runAs.isDataReachable ? pgdata : "/proc/self/cwd";
}

/** The end of a program's output is where the reason stands. */
export function lastLines(output: string): string {
  return output.trim().split("\n").slice(-12).join("\n");
}

/** The folder itself comes last: after a crash in the middle its old owner says that it is not done. */
async function giveTree(path: string, owner: User): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await giveTree(child, owner);
    else await lchown(child, owner.uid, owner.gid);
  }
  await lchown(path, owner.uid, owner.gid);
}
