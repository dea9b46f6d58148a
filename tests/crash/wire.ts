/**
 * The wire between one process and the database: it passes bytes on, until it is cut. A cut wire keeps its connections open and
 * passes nothing, as a network does that has lost its middle: neither side learns of it. It may also forget single connections, as a
 * firewall does: for good, and also that one side closes one.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

/** PostgreSQL ends a session whose other side gives no sign of life for so long (`NOTICE_LOST_CLIENTS`). */
const SESSION_LOST_MS = 25_000;

export interface Wire {
  port: number;
  cut(): void;
  /** Connections of this moment pass nothing any more, and later ones do. Returns how many. */
  forget(): number;
  /** What waited while it was cut is passed on now, in its order. */
  restore(): void;
  close(): Promise<void>;
}

export async function layWire(targetPort: () => number): Promise<Wire> {
  const sockets = new Set<Socket>();
  /** Those of the process. */
  const accepted = new WeakSet<Socket>();
  const forgotten = new WeakSet<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    accepted.add(near);
    const far = connect(targetPort(), "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      if (isCut) from.pause();
      from.on("data", (bytes: Buffer) => {
        if (!to.write(bytes)) from.pause();
      });
      to.on("drain", () => {
        if (!isCut && !forgotten.has(from)) from.resume();
      });
      from.on("end", () => to.end());
      // Either side may break off at any moment; the other one is to notice.
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        if (!forgotten.has(from)) to.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    forget() {
      const known = [...sockets].filter((socket) => !forgotten.has(socket));
      for (const socket of known) {
        forgotten.add(socket);
        socket.pause();
      }
      const toServer = known.filter((socket) => !accepted.has(socket));
      setTimeout(() => toServer.forEach((socket) => socket.destroy()), SESSION_LOST_MS).unref();
      return toServer.length;
    },
    restore() {
      isCut = false;
      for (const socket of sockets) if (!forgotten.has(socket)) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
