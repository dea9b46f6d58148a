/** What can be wrong on this machine: the command's Node, its files, its own service, and the keys of model providers. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { configFile, readProfiles } from "@rowmill/client/profiles";
import type { Cli } from "../frame/command.ts";
import { findTarget } from "../frame/client.ts";
import { localDirectory } from "../local/directories.ts";
import { localServiceState } from "../local/join.ts";
import { providers } from "../map/providers.ts";
import type { Finding } from "./finding.ts";

const GIB = 1024 ** 3;
/** The local service keeps inputs, results and a database. */
const LOW_SPACE_BYTES = 2 * GIB;
/** Bits of a mode by which others read or write. */
const FOR_OTHERS = 0o077;

type Findings = AsyncGenerator<Finding, void, void>;

export async function* checkCommand(cli: Cli): Findings {
  yield { level: "ok", subject: "command", message: `rowmill ${cli.version} with Node ${process.versions.node}` };
  const file = configFile(cli.terminal.environment);
  if (!existsSync(file)) return yield { level: "note", subject: "profiles", message: `there is no ${file}` };
  try {
    const names = Object.keys(readProfiles(file).profiles);
    yield { level: "ok", subject: "profiles", message: names.length === 0 ? "none" : names.join(", ") };
  } catch (error) {
    yield { level: "problem", subject: "profiles", message: messageOf(error), advice: `Correct ${file}.` };
  }
  if (process.platform !== "win32" && (statSync(file).mode & FOR_OTHERS) !== 0)
    yield {
      level: "warning",
      subject: "profiles",
      message: `other users of this machine can read the keys in ${file}`,
      advice: `chmod 600 ${file}`,
    };
}

export async function* checkLocalService(cli: Cli): Findings {
  const { root, log } = localDirectory(cli.terminal.environment);
  const whyNot = whyNotWritable(root);
  if (whyNot !== undefined)
    yield {
      level: (await isServiceNamed(cli)) ? "warning" : "problem",
      subject: "local service",
      message: `cannot keep its data in ${root}: ${whyNot}`,
      advice: "Correct that, or name another place with XDG_DATA_HOME.",
    };
  if (!existsSync(root)) {
    if (whyNot === undefined) yield { level: "note", subject: "local service", message: "has not been used" };
    return;
  }
  const state = await localServiceState(cli.terminal.environment);
  if (state === undefined) yield { level: "note", subject: "local service", message: "is not running" };
  else if (state.version === cli.version) yield { level: "ok", subject: "local service", message: "is running" };
  else
    yield {
      level: "warning",
      subject: "local service",
      message: `is of version ${state.version}`,
      advice: "`rowmill stop` ends it; the next command starts the one of this version.",
    };
  const { bavail, bsize } = await statfs(root);
  const free = bavail * bsize;
  const message = `${(free / GIB).toFixed(1)} GiB are free for ${root}`;
  if (free < LOW_SPACE_BYTES) yield { level: "warning", subject: "disk", message, advice: "Free some space." };
  else yield { level: "ok", subject: "disk", message };
  if (existsSync(log)) yield { level: "note", subject: "log", message: log };
}

/** Of the directory, or of the nearest one above it that is there; undefined where it can be written. Nothing is made. */
function whyNotWritable(root: string): string | undefined {
  let there = resolve(root);
  while (!existsSync(there)) there = dirname(there);
  if (!statSync(there).isDirectory()) return `${there} is not a directory`;
  try {
    accessSync(there, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isReadOnly = error instanceof Error && "code" in error && error.code === "EROFS";
    return isReadOnly ? `${there} is on a read-only file system` : `this user may not write in ${there}`;
  }
}

/** Then commands do not use the local one. What is wrong with the name is said where the service is looked at. */
async function isServiceNamed(cli: Cli): Promise<boolean> {
  try {
    return (await findTarget(cli)) !== undefined;
  } catch {
    return true;
  }
}

/** Names of variables only. */
export async function* checkProviders(cli: Cli): Findings {
  const isSet = (name: string): boolean => (cli.terminal.environment[name] ?? "") !== "";
  const found = providers.flatMap(({ name, keyVariables }) => {
    const variable = keyVariables.find(isSet);
    return variable === undefined ? [] : [`${name} (${variable})`];
  });
  yield {
    level: "note",
    subject: "model keys",
    message: found.length === 0 ? "none in the environment" : found.join(", "),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
