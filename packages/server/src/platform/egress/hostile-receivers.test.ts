import { createServer as createTcpServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { describe, expect, test } from "vitest";
import { undo } from "../../testing/cleanup.ts";
import {
  certificate,
  failed,
  flood,
  listen,
  openTo,
  post,
  rawReceiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";

describe("a hostile or broken receiver", () => {
  const drip = (socket: Socket, first: string, next: string) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(next), 10);
    socket.on("close", () => clearInterval(timer));
  };

  test.each([
    ["that says nothing", () => {}],
    ["that drips its status line", (socket: Socket) => drip(socket, "HTTP/1.1 200 ", "O")],
    ["that drips its headers", (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: ", "y")],
    ["that drips its body", (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\n\r\n", "y")],
    [
      "that drips chunks",
      (socket: Socket) => drip(socket, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "1\r\ny\r\n"),
    ],
    ["that drips 1xx answers", (socket: Socket) => drip(socket, "", "HTTP/1.1 103 Early Hints\r\n\r\n")],
    ["that never ends its body", (socket: Socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n1234")],
  ])("%s is cut off when the time is up", async (_name, respond) => {
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = untilClosed(socket);
      respond(socket);
    });
    const outcome = await openTo(port).send(post({ timeoutMs: 300 }));
    expect(outcome).toMatchObject({ reason: "timeout", message: "No complete response within 300 ms." });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(290);
    await isClosed;
  });

  test.each([
    ["with an endless body", (socket: Socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536, "x"))],
    ["with an endless header", (socket: Socket) => flood(socket, "HTTP/1.1 200 OK\r\nx: ", Buffer.alloc(65_536, "x"))],
    [
      "with endless headers",
      (socket: Socket) => flood(socket, "HTTP/1.1 200 OK\r\n", Buffer.from("x: y\r\n".repeat(1000))),
    ],
    ["with headers of 17 KiB", (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${"y".repeat(17_408)}\r\n\r\n`)],
    ["with one byte too many", (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(65_537)}`)],
  ])("%s is too large", async (_name, respond) => {
    await expect(openTo(await rawReceiver(respond)).send(post())).resolves.toEqual(failed("response_too_large"));
  });

  test("may fill the limit to the last byte", async () => {
    const port = await rawReceiver((socket) => socket.end(`HTTP/1.1 200 OK\r\n\r\n${"x".repeat(65_536)}`));
    await expect(openTo(port).send(post())).resolves.toMatchObject({ outcome: "response", body: { length: 65_536 } });
  });

  test.each([
    ["that speaks another protocol", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["with two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["with a broken chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n"],
    ["with HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ])("%s is a protocol failure", async (_name, bytes) => {
    const port = await rawReceiver((socket) => socket.end(bytes));
    await expect(openTo(port).send(post())).resolves.toEqual(failed("protocol"));
  });

  test.each([
    ["without an answer", ""],
    ["in the headers", "HTTP/1.1 200 OK\r\nx:"],
    ["in the body", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345"],
    ["in a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n12"],
    [
      "after an upgrade nobody asked for",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n",
    ],
  ])("that hangs up %s is a failure", async (_name, bytes) => {
    const port = await rawReceiver((socket) => socket.end(bytes));
    const outcome = await openTo(port).send(post());
    expect(outcome).toMatchObject({
      outcome: "failed",
      reason: expect.stringMatching(/^(connect|protocol)$/) as string,
    });
  });

  test("that resets the connection", async () => {
    let connection: Socket | undefined;
    const server = createTlsServer(certificate, (socket) => {
      socket.on("error", () => {}).once("data", () => connection?.resetAndDestroy());
    });
    server.on("connection", (socket: Socket) => (connection = socket));
    await expect(openTo(await listen(server)).send(post())).resolves.toEqual(failed("connect"));
  });

  test("that does not listen", async () => {
    const port = await listen(createTcpServer());
    await undo.pop()?.();
    const outcome = await openTo(port).send(post());
    expect(outcome).toEqual(failed("connect"));
    expect(outcome).toHaveProperty("message", "The connection was refused (ECONNREFUSED).");
  });

  test("cannot reach the prototype of the headers", async () => {
    const port = await rawReceiver((socket) => socket.end("HTTP/1.1 200 OK\r\n__proto__: x\r\nconstructor: y\r\n\r\n"));
    const outcome = await openTo(port).send(post());
    expect(outcome).toMatchObject({ outcome: "response", status: 200 });
    expect(Object.getPrototypeOf("headers" in outcome ? outcome.headers : null)).toBe(Object.prototype);
  });
});
