/**
 * The PostgreSQL that Rowmill brings along. It is a process of its own, which outlives a kill of ours:
 *
 *   no server runs            → start one (made first, if there is none; recovered by itself after a crash)
 *   one runs on our directory → adopt it: the Rowmill that started it was killed — or is still alive
 *
 * Only one Rowmill may use the directory. To the adoption a living owner looks like an orphan, so a process that connects takes
 * an advisory lock on a connection that it holds for life; the server gives it back the moment its holder dies. What happens when that
 * connection is lost is in `owned-server.ts`.
 */
import { resolve } from "node:path";
import { findBinaries, linkLibraries } from "./binaries.ts";
import { clusterFiles, createDataDirectory, ensureCluster, readDataOwner, readPassword } from "./cluster.ts";
import { GUARD_HINT, guardDirectory } from "./directory-guard.ts";
import { OwnedServer, type OwnOptions } from "./owned-server.ts";
import { findRunningPostmaster } from "./postmaster.ts";
import { inspectProcess } from "./postmaster-pid.ts";
import { chooseRunAs } from "./run-as.ts";
import {
  connectionString,
  connectPatiently,
  DirectoryTakenError,
  servesDirectory,
  type TakeOptions,
  takeServer,
} from "./take-server.ts";

/** Where root puts programs that are out of reach for others; only root can write there. */
const SHARED_DIRECTORY = "/var/lib/rowmill";

export interface EmbeddedDatabaseOptions extends OwnOptions {
  /** Such as `./data/postgres`; made if it is missing. */
  dataDirectory: string;
  recoveryMs?: TakeOptions["recoveryMs"];
}

export interface EmbeddedDatabase {
  connectionString: string;
  /** The server was running already. */
  wasAdopted: boolean;
  /** Ends all connections and the server; the data is complete on disk afterwards. Close pools first. */
  stop(): Promise<void>;
  /** For a process that ends at this moment: the server ends without a checkpoint, and the next start recovers what was committed. */
  stopAtOnce(): void;
}

/** Every failure is an Error whose message is for the person who starts Rowmill. */
export async function startEmbeddedDatabase(options: EmbeddedDatabaseOptions): Promise<EmbeddedDatabase> {
  const dataDirectory = resolve(options.dataDirectory);
  const files = clusterFiles(dataDirectory);
  createDataDirectory(dataDirectory);
  const runAs = await chooseRunAs({
    binaries: await linkLibraries(findBinaries(), dataDirectory),
    dataDirectory,
    dataOwner: await readDataOwner(files),
    sharedDirectory: SHARED_DIRECTORY,
  });
  await ensureCluster(dataDirectory, runAs);
  const password = await readPassword(files);
  const guard = await guardDirectory(files.pgdata, password);
  if (guard === undefined) throw new DirectoryTakenError(files, { hint: GUARD_HINT });
  const place = { files, password, runAs, recoveryMs: options.recoveryMs };
  try {
    const server = await takeServer({ ...place, log: options.log });
    const owned = new OwnedServer(server, place, guard, options);
    return {
      connectionString: connectionString(server.postmaster.port, password),
      wasAdopted: server.wasAdopted,
      stop: () => owned.stop(),
      stopAtOnce: () => owned.stopAtOnce(),
    };
  } catch (error) {
    await guard.release();
    throw error;
  }
}

/** How to connect to the server that runs on this directory, for a program beside the service; undefined if none runs. */
export async function findRunningDatabase(dataDirectory: string): Promise<string | undefined> {
  const files = clusterFiles(resolve(dataDirectory));
  const running = await findRunningPostmaster(files);
  if (running === undefined || (await inspectProcess(running.pid)) !== "postgres") return undefined;
  const url = connectionString(running.port, await readPassword(files));
  const client = await connectPatiently(url);
  if (typeof client === "string") return undefined;
  try {
    return (await servesDirectory(client, files.pgdata)) ? url : undefined;
  } finally {
    await client.end();
  }
}

/** Whether there is a database in this directory, running or not. */
export async function hasDatabase(dataDirectory: string): Promise<boolean> {
  return (await readDataOwner(clusterFiles(resolve(dataDirectory)))) !== undefined;
}
