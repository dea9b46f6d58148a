/** How a server that closes ends the connections of its clients. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { endConnectionsAt } from "./end-connections.ts";

/** More than the buffers of both sides of a connection take. */
const LARGE_BYTES = 32 << 20;
/**
 * A stop that takes longer waits for a client that does nothing. Less than Node's own limit of 60 s for a request that does not come whole, and
 * three times what a stop takes on a machine that is not busy.
 */
const STOP_TIMEOUT_MS = 50_000;
/** Longer than a client may be silent. */
const LONG_MS = 12_000;

const blockFor = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

async function startServer(respond: RequestListener) {
  const server = createServer(respond);
  const stopping = new AbortController();
  endConnectionsAt(stopping.signal, server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  cleanUpLater(async () => server.closeAllConnections());
  return {
    /** A client that reads nothing until its caller does. */
    async open(): Promise<Socket> {
      const arrived = once(server, "connection");
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => undefined);
      // What is written before is sent only once the client, too, knows that it is connected.
      await Promise.all([arrived, once(socket, "connect")]);
      return socket;
    },
    /** Sends what begins a request, and waits until it has come. */
    async request(socket: Socket, method: string, more = ""): Promise<[IncomingMessage, ServerResponse]> {
      const arrived = once(server, "request");
      socket.write(`${method} / HTTP/1.1\r\nHost: test\r\n${more}\r\n`);
      return (await arrived) as [IncomingMessage, ServerResponse]; // as Node documents it
    },
    /** Ends when all connections have. */
    async stop(): Promise<void> {
      const closed = once(server, "close", { signal: AbortSignal.timeout(STOP_TIMEOUT_MS) });
      stopping.abort();
      server.close();
      await closed;
    },
  };
}

test("connections without a request end, also those that never had one or have begun one", async () => {
  const server = await startServer((_request, response) => void response.end("done"));
  const idle = await server.open();
  await server.request(idle, "GET");
  await once(idle, "data");
  await server.open();
  const half = await server.open();
  half.write("GET / HTTP/1.1\r\nHos");
  await expect(server.stop()).resolves.toBeUndefined();
});

test("a request that comes just after the stop has begun gets its response", async () => {
  const server = await startServer((_request, response) => void response.end("done"));
  const socket = await server.open();
  const stopped = server.stop();
  await server.request(socket, "GET");
  expect(await text(socket)).toMatch(/done$/);
  await stopped;
});

test("a request that comes in time gets its response, though the process stands still until it is late", async () => {
  const server = await startServer((_request, response) => void response.end("done"));
  const socket = await server.open();
  const stopped = server.stop();
  const requested = server.request(socket, "GET");
  blockFor(1_000);
  await requested;
  expect(await text(socket)).toMatch(/done$/);
  await stopped;
});

test("a connection ends with the response that had begun before the stop", async () => {
  const server = await startServer((_request, response) => void response.write("first\n"));
  const socket = await server.open();
  const [, response] = await server.request(socket, "GET");
  const received = text(socket);
  const stopped = server.stop();
  response.end("last\n");
  expect(await received).toMatch(/first\n[^]*last\n/);
  await stopped;
});

test("a response that is being sent arrives whole", async () => {
  const server = await startServer((_request, response) => void response.end("x".repeat(LARGE_BYTES)));
  const socket = await server.open();
  await server.request(socket, "GET");
  const stopped = server.stop();
  await pause(500);
  expect((await text(socket)).length).toBeGreaterThan(LARGE_BYTES);
  await stopped;
});

test("a response that takes its time is waited for", async () => {
  const server = await startServer((_request, response) => void setTimeout(() => response.end("done"), LONG_MS));
  const socket = await server.open();
  await server.request(socket, "GET");
  const stopped = server.stop();
  expect(await text(socket)).toMatch(/done$/);
  await stopped;
});

test.each<[string, (socket: Socket, request: (method: string, more?: string) => Promise<unknown>) => Promise<unknown>]>(
  [
    ["reads nothing", (_socket, request) => request("GET")],
    ["does not send the rest of its body", (_socket, request) => request("PUT", "Content-Length: 10\r\n")],
  ],
)("nothing waits for a client that %s", async (_what, begin) => {
  const server = await startServer((request, response) => {
    if (request.method === "GET") response.end("x".repeat(LARGE_BYTES));
  });
  const socket = await server.open();
  await begin(socket, (method, more) => server.request(socket, method, more));
  await expect(server.stop()).resolves.toBeUndefined();
});
