/**
 * PostgreSQL refuses to run as root. As root we therefore go down a ladder:
 *
 *   1. change to a user that reaches the programs and the data: the owner of existing data, `nobody`, `postgres`;
 *   2. `unshare --user`: another uid inside a user namespace, while all files stay root's (a project below root's own
 *      home, mode 0700). Containers usually forbid it;
 *   3. change to such a user all the same: programs it cannot reach are copied to where it can, and the data folder is
 *      handed over as the working directory, so that the folders above it do not have to be open to that user;
 *   4. a sentence.
 *
 * Other users stay as they are, except for a uid without a passwd entry (`docker run --user 1234`), which initdb
 * refuses: there step 2 is tried.
 */
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { type Binaries, copyBinaries, describeUnusableBinaries, type Program, programPath } from "./binaries.ts";
import { nothingIfMissing } from "./build-beside.ts";

/** `--version` and `cd` return in milliseconds; a hung network mount must not hang the start for ever. */
const PROBE_TIMEOUT_MS = 15_000;

/** What of a program's output is kept for an error message; the end of it says why it failed. */
const MAX_OUTPUT_CHARACTERS = 20_000;

/** Where `unshare`, `sh` and their kind are; the last one is NixOS. Our own PATH is the configuration's to read. */
const PROGRAM_PATH = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/run/current-system/sw/bin";

/** The user namespace shows our files under this uid. It has a passwd entry (`nobody`) nearly everywhere. */
const NAMESPACE_WRAPPER: readonly string[] = ["unshare", "--user", "--map-user=65534", "--map-group=65534"];

export interface User {
  uid: number;
  gid: number;
}

export interface RunAs {
  binaries: Binaries;
  /** Major version of the binaries, such as 18. */
  majorVersion: number;
  /** The user to change to; undefined: stay as we are. */
  user: User | undefined;
  /** Goes in front of every command. */
  wrapper: readonly string[];
  /** The owner that the cluster's files must have; undefined: the current user, who cannot give files away. */
  fileOwner: User | undefined;
  /** False: the user does not reach the data by its path, only as the working directory it is started in. */
  isDataReachable: boolean;
}

export interface RunAsQuery {
  binaries: Binaries;
  /** Exists. */
  dataDirectory: string;
  /** Of the cluster's files, if there are any yet. */
  dataOwner: User | undefined;
  /** Where root copies programs that are out of reach for others; made if it is missing. */
  sharedDirectory: string;
  /** Tests leave step 2 out with a command that does not exist. */
  namespaceWrapper?: readonly string[];
}

export async function chooseRunAs(query: RunAsQuery): Promise<RunAs> {
  if (process.getuid?.() !== 0) return await chooseAsPlainUser(query.binaries);

  const users = await candidateUsers(query.dataOwner);
  const closed: { user: User; runsBinaries: boolean }[] = [];
  for (const user of users) {
    const version = await probeVersion(query.binaries, user, []);
    const runsBinaries = version.majorVersion !== undefined;
    const isDataReachable = await canEnter(user, query.dataDirectory);
    if (runsBinaries && isDataReachable) return asUser(query.binaries, version.majorVersion, user, true);
    closed.push({ user, runsBinaries });
  }

  const wrapper = query.namespaceWrapper ?? NAMESPACE_WRAPPER;
  const { majorVersion } = await probeVersion(query.binaries, undefined, wrapper);
  if (majorVersion !== undefined) {
    const fileOwner = { uid: 0, gid: 0 };
    return { binaries: query.binaries, majorVersion, user: undefined, wrapper, fileOwner, isDataReachable: true };
  }

  // Run by root itself, the programs only have to say their version: this separates "does not run here" from "out of reach".
  const asRoot = await probeVersion(query.binaries, undefined, []);
  if (asRoot.majorVersion === undefined) throw new Error(describeUnusableBinaries(query.binaries, asRoot.reason));

  let reason = "there is neither a user `nobody` nor `postgres`";
  for (const { user, runsBinaries } of process.platform === "linux" ? closed : []) {
    const binaries = runsBinaries ? query.binaries : await copyBinaries(query.binaries, query.sharedDirectory);
    const version = await probeVersion(binaries, user, []);
    if (version.majorVersion !== undefined) return asUser(binaries, version.majorVersion, user, false);
    reason = `uid ${user.uid} cannot run it: ${version.reason}`;
  }
  throw new Error(
    `PostgreSQL does not run as root, and no other user could be found to run it: ${reason}. Start Rowmill as a ` +
      "plain user, or set ROWMILL_DATABASE_URL to a PostgreSQL of version 15 or newer.",
  );
}

/** The command line and options that start a program of PostgreSQL under the chosen user. */
export function commandAs(runAs: RunAs, program: Program, programArguments: string[]) {
  const [file, rest] = commandLine(runAs.wrapper, programPath(runAs.binaries, program), programArguments);
  return { file, arguments: rest, options: { ...runAs.user, env: programEnvironment() } };
}

export interface Ended {
  exitCode: number | undefined;
  output: string;
}

export async function runToEnd(
  file: string,
  programArguments: string[],
  options: { uid?: number; gid?: number; cwd: string; env: NodeJS.ProcessEnv | undefined; timeoutMs?: number },
): Promise<Ended> {
  const { timeoutMs, ...spawnOptions } = options;
  return await new Promise((resolve) => {
    const child = spawn(file, programArguments, {
      ...spawnOptions,
      stdio: ["ignore", "pipe", "pipe"],
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: "SIGKILL" as const }),
    });
    let output = "";
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT_CHARACTERS);
    };
    child.stdout.setEncoding("utf8").on("data", keep);
    child.stderr.setEncoding("utf8").on("data", keep);
    child.on("error", (error) => {
      resolve({ exitCode: undefined, output: error.message });
    });
    child.on("close", (code, signal) => {
      resolve({ exitCode: code ?? undefined, output: signal === null ? output : `${output}ended by ${signal}` });
    });
  });
}

async function chooseAsPlainUser(binaries: Binaries): Promise<RunAs> {
  const plain = await probeVersion(binaries, undefined, []);
  if (plain.majorVersion === undefined) throw new Error(describeUnusableBinaries(binaries, plain.reason));
  const { majorVersion } = plain;
  const common = { binaries, majorVersion, user: undefined, fileOwner: undefined, isDataReachable: true };
  if (hasPasswdEntry()) return { ...common, wrapper: [] };
  // Without the namespace an existing cluster still starts; only initdb would fail, and it says why.
  const inNamespace = await probeVersion(binaries, undefined, NAMESPACE_WRAPPER);
  return { ...common, wrapper: inNamespace.majorVersion === undefined ? [] : NAMESPACE_WRAPPER };
}

function asUser(binaries: Binaries, majorVersion: number, user: User, isDataReachable: boolean): RunAs {
  return { binaries, majorVersion, user, wrapper: [], fileOwner: user, isDataReachable };
}

/** Existing data stays with its owner, so that a start under sudo does not take it away from the user it belongs to. */
async function candidateUsers(dataOwner: User | undefined): Promise<User[]> {
  const passwd = (await readFile("/etc/passwd", "utf8").catch(nothingIfMissing)) ?? "";
  const entries = passwd.split("\n").map((line) => line.split(":"));
  const named = ["nobody", "postgres"].flatMap((name) => {
    const [entry] = entries.filter(([first]) => first === name);
    const user = { uid: Number(entry?.[2]), gid: Number(entry?.[3]) };
    return user.uid > 0 && user.gid > 0 ? [user] : [];
  });
  if (dataOwner === undefined || dataOwner.uid === 0) return named;
  return [dataOwner, ...named.filter((user) => user.uid !== dataOwner.uid)];
}

async function probeVersion(binaries: Binaries, user: User | undefined, wrapper: readonly string[]) {
  const [file, rest] = commandLine(wrapper, programPath(binaries, "postgres"), ["--version"]);
  const options = { ...user, cwd: "/", env: programEnvironment(), timeoutMs: PROBE_TIMEOUT_MS };
  const { exitCode, output } = await runToEnd(file, rest, options);
  const major = /PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (exitCode === 0 && major !== undefined) return { majorVersion: Number(major) };
  return { majorVersion: undefined, reason: output.trim() || `exit code ${exitCode ?? "unknown"}` };
}

async function canEnter(user: User, directory: string): Promise<boolean> {
  const options = { ...user, cwd: "/", env: programEnvironment(), timeoutMs: PROBE_TIMEOUT_MS };
  const { exitCode } = await runToEnd("/bin/sh", ["-c", 'cd -- "$1"', "sh", directory], options);
  return exitCode === 0;
}

function hasPasswdEntry(): boolean {
  try {
    userInfo();
    return true;
  } catch {
    return false; // The only failure of userInfo() is a uid that has no entry.
  }
}

function commandLine(wrapper: readonly string[], program: string, programArguments: string[]): [string, string[]] {
  const [first, ...rest] = wrapper;
  return first === undefined ? [program, programArguments] : [first, [...rest, program, ...programArguments]];
}

/**
 * No variable of ours may steer PostgreSQL (PGDATA, PGOPTIONS, LANG); messages stay English because we read some.
 * Programs on Windows do not start without the variables of the system: undefined inherits them.
 */
function programEnvironment(): NodeJS.ProcessEnv | undefined {
  return process.platform === "win32" ? undefined : { PATH: PROGRAM_PATH, LC_ALL: "C", TZ: "UTC" };
}
