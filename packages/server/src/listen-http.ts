/** Begins to serve at the address of the settings, or says why it cannot. */
import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Config } from "./config.ts";

const LISTEN_PROBLEMS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    "is in use by another program: choose another port with ROWMILL_PORT (0 chooses a free one), or end the other program",
  EACCES: "may not be used by this user: choose a port from 1024 on with ROWMILL_PORT",
  EADDRNOTAVAIL: "is not an address of this machine: correct ROWMILL_HOST",
  ENOTFOUND: "is not a name of this machine: correct ROWMILL_HOST",
};

/** Returns the URL at which the service is reached from its own machine. */
export async function listen(
  app: FastifyInstance,
  config: Pick<Config, "ROWMILL_HOST" | "ROWMILL_PORT">,
): Promise<string> {
  const { ROWMILL_HOST: host, ROWMILL_PORT: port } = config;
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    const problem = LISTEN_PROBLEMS[code];
    throw problem === undefined ? error : new Error(`${host}:${port} ${problem} (${code})`, { cause: error });
  }
  return urlOf(host, app.server.address() as AddressInfo); // it listens on TCP
}

const urlOf = (host: string, address: AddressInfo): string => {
  const shown = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${shown}:${address.port}`;
};
