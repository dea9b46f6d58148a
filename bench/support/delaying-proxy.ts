/** A process that passes TCP connections on, and what the server says some milliseconds later: a server as it is from another machine. */
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";

/** Arguments: the port of the server, and the milliseconds. It sends its own port when it listens, and ends with its parent. */
const [port, delayMs] = process.argv.slice(2).map(Number);
if (port === undefined || delayMs === undefined || process.send === undefined)
  throw new Error("this file is forked with a port and milliseconds");
const report = process.send.bind(process);

/** Timers of the same length end in the order in which they were set. */
const later = (work: () => void): void => void (delayMs === 0 ? work() : setTimeout(work, delayMs));

const proxy = createServer({ noDelay: true }, (client) => {
  const server = connect({ port, host: "127.0.0.1", noDelay: true });
  client.on("data", (bytes) => server.write(bytes));
  server.on("data", (bytes) => later(() => client.write(bytes)));
  client.on("close", () => server.destroy());
  server.on("close", () => later(() => client.destroy()));
  for (const socket of [client, server]) socket.on("error", () => socket.destroy());
});
proxy.listen(0, "127.0.0.1", () => report((proxy.address() as AddressInfo).port)); // it listens on TCP
process.once("disconnect", () => process.exit());
