/** A PostgreSQL that does not respond at first, and refuses each connection from then on: a wait for it ends, however slow the machine is. */
import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { cleanUpLater } from "@rowmill/server/testing/cleanup";

const BREAKS = 3;
/** Of a wrong name or password, which no waiting cures. */
const CODE = "28P01";

/** Returns its port. So many connections break off; each later one is refused with `message`. */
export async function startRefusingPostgresql(message: string): Promise<number> {
  let left = BREAKS;
  const server = createServer((socket) => {
    socket.on("error", () => undefined); // of a process that has ended
    if (left-- > 0) return void socket.destroy();
    socket.once("data", () => socket.end(errorResponse(message)));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  cleanUpLater(async () => void server.close());
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** As its protocol has it. */
function errorResponse(message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${CODE}\0M${message}\0\0`);
  const length = Buffer.alloc(4);
  length.writeInt32BE(length.length + fields.length);
  return Buffer.concat([Buffer.from("E"), length, fields]);
}
