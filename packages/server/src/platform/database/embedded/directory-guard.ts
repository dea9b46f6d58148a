/**
 * Keeps other processes away from a data directory while the lock in its database is lost. PostgreSQL drops all locks when it recovers
 * from the crash of a backend, and the process that connects first afterwards could take the directory from its living owner.
 *
 * On Linux the guard is an abstract Unix socket. Its name can be bound once, and the kernel releases it when the process ends, however
 * it ends. Other systems have no such name: there the lock alone decides, and the first that gets it has the directory.
 */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import { createServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { errorCode } from "./build-beside.ts";

/** A killed owner is gone within milliseconds; this long we wait before we report that it lives. */
const TIMEOUT_MS = 2_000;
const RETRY_PAUSE_MS = 50;

/** For a person who finds no other Rowmill where a guard is taken. */
export const GUARD_HINT =
  "If none is running, another user of this machine may hold its name: `sudo ss -xlp | grep rowmill-` shows the process.";

export interface DirectoryGuard {
  /** No other process can have the directory while this one holds the guard. */
  isExclusive: boolean;
  /** From here on another process may have the directory. */
  release(): Promise<void>;
}

/** Undefined: another process has the directory. */
export async function guardDirectory(pgdata: string, password: string): Promise<DirectoryGuard | undefined> {
  if (process.platform !== "linux") return { isExclusive: false, release: async () => {} };
  const name = await nameOf(pgdata, password);
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const guard = await bind(name);
    if (guard !== undefined || performance.now() > deadline) return guard;
    await pause(RETRY_PAUSE_MS);
  }
}

/**
 * The directory itself, under whatever path. The password makes the name one that other users cannot guess. They can see it in
 * /proc/net/unix while it is bound, and one of them could bind it once it is free: that keeps us from starting, and reveals nothing.
 */
async function nameOf(pgdata: string, password: string): Promise<string> {
  const { dev, ino } = await stat(pgdata);
  const digest = createHash("sha256").update(`${dev}:${ino}:${password}`).digest("hex");
  return `\0rowmill-${digest}`;
}

async function bind(name: string): Promise<DirectoryGuard | undefined> {
  // Nobody has anything to say to it.
  const server = createServer((socket) => socket.destroy()).unref();
  server.listen(name);
  try {
    await once(server, "listening");
  } catch (error) {
    if (errorCode(error) === "EADDRINUSE") return undefined;
    throw error;
  }
  return {
    isExclusive: true,
    async release() {
      if (!server.listening) return;
      server.close();
      await once(server, "close");
    },
  };
}
