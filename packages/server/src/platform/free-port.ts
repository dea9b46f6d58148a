import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Below what Linux (32768), macOS and Windows (49152) give to outgoing connections, and below the node ports of Kubernetes (30000). */
const FIRST_PORT = 20_000;
const LAST_PORT = 29_999;
/** Where as many are in use in a row, the range is full of something, and the system chooses. */
const CANDIDATES = 20;

/**
 * A port that no program listens on. Another program may take it before the caller does, but no outgoing connection
 * does, which the system would let happen with a port of its own choice.
 */
export async function findFreePort(host = "127.0.0.1"): Promise<number> {
  for (let candidate = 0; candidate < CANDIDATES; candidate++) {
    const port = await tryPort(randomInt(FIRST_PORT, LAST_PORT + 1), host);
    if (port !== undefined) return port;
  }
  return await listenOnce(0, host);
}

/** Nothing if the port is in use, or is not to be had (some systems reserve ranges). */
async function tryPort(port: number, host: string): Promise<number | undefined> {
  try {
    return await listenOnce(port, host);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // of listening
    if (code === "EADDRINUSE" || code === "EACCES") return undefined;
    throw error;
  }
}

async function listenOnce(wanted: number, host: string): Promise<number> {
  const server = createServer().listen(wanted, host);
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return port;
}
