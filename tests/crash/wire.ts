/**
 * The wire between one process and the database: it passes bytes on, until it is cut. A cut wire keeps its connections open and
 * passes nothing, as a network does that has lost its middle: neither side learns of it.
 */
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface Wire {
  port: number;
  cut(): void;
  /** What waited while it was cut is passed on now, in its order. */
  restore(): void;
  close(): Promise<void>;
}

export async function layWire(targetPort: () => number): Promise<Wire> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
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
        if (!isCut) from.resume();
      });
      from.on("end", () => to.end());
      // Either side may break off at any moment; the other one is to notice.
      from.on("error", () => to.destroy());
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
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
    restore() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
