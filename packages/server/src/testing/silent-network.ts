/** A network between two parts that stops passing bytes, and reports it to neither of them: as a machine that is gone, or a firewall. */
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { once } from "node:events";
import { cleanUpLater } from "./cleanup.ts";

export interface SilentNetwork {
  port: number;
  /** Connections of this moment pass nothing any more; later ones do. */
  silence(): void;
}

export async function startSilentNetwork(to: { host: string; port: number }): Promise<SilentNetwork> {
  const sockets = new Set<Socket>();
  let pairs: (readonly [Socket, Socket])[] = [];
  const server = createServer((near) => {
    const far = connect(to.port, to.host);
    pairs.push([near, far]);
    for (const [from, into] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(into);
      // Either end may go at any time.
      from.on("error", () => into.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanUpLater(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    silence() {
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
      pairs = [];
    },
  };
}
