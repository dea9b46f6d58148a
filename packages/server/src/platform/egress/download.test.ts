import { PassThrough, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import type { DownloadRequest } from "./egress.ts";
import {
  failed,
  flood,
  HOST,
  open,
  openTo,
  outsideAt,
  rawReceiver,
  receiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";

describe("a download", () => {
  function sink() {
    const chunks: Buffer[] = [];
    const to = new PassThrough();
    to.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
    return { to, text: () => Buffer.concat(chunks).toString() };
  }
  const get = (to: Writable, more: Partial<DownloadRequest> = {}): DownloadRequest => ({
    url: `https://${HOST}/rows.jsonl`,
    to,
    maxBytes: 10_000_000,
    timeoutMs: 10_000,
    idleTimeoutMs: 5_000,
    ...more,
  });

  test("does not come from where the operator sends webhooks", async () => {
    let requests = 0;
    const port = await receiver((_request, response) => void response.end(String(++requests)));
    const { to, text } = sink();
    const resolve = () => Promise.resolve(["127.0.0.1"]);
    await expect(openTo(port, { resolve }).download(get(to))).resolves.toMatchObject({ outcome: "failed" });
    expect([requests, text()]).toEqual([0, ""]);
  });

  test("streams the body and ends the destination", async () => {
    const content = "0123456789".repeat(300_000);
    const port = await receiver((_request, response) => response.writeHead(200, { etag: '"1"' }).end(content));
    const { to, text } = sink();
    const outcome = await open(outsideAt(port)).download(get(to));
    expect(outcome).toMatchObject({ outcome: "response", status: 200, bytes: 3_000_000, headers: { etag: '"1"' } });
    expect(to.writableFinished).toBe(true);
    expect(text() === content).toBe(true);
  });

  test.each([204, 206, 302, 404, 500])("leaves the destination alone at status %i", async (status) => {
    const port = await receiver((_request, response) => response.writeHead(status, { location: "/x" }).end());
    const { to, text } = sink();
    await expect(open(outsideAt(port)).download(get(to))).resolves.toMatchObject({
      outcome: "response",
      status,
      bytes: 0,
    });
    expect([to.writableEnded, to.destroyed, text()]).toEqual([false, false, ""]);
  });

  test("of another status does not wait for its body", async () => {
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = untilClosed(socket);
      flood(socket, "HTTP/1.1 500 Oh\r\n\r\n", Buffer.alloc(65_536));
    });
    const { to } = sink();
    await expect(open(outsideAt(port)).download(get(to))).resolves.toMatchObject({
      outcome: "response",
      status: 500,
      bytes: 0,
    });
    await isClosed;
  });

  test("of a body that says it is too large writes nothing", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(5_000_000)));
    const { to, text } = sink();
    await expect(open(outsideAt(port)).download(get(to, { maxBytes: 4_999_999 }))).resolves.toEqual(
      failed("response_too_large"),
    );
    expect([to.destroyed, text()]).toEqual([true, ""]);
  });

  test("of a body that turns out too large never writes more than the limit", async () => {
    const port = await rawReceiver((socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536)));
    const { to, text } = sink();
    await expect(open(outsideAt(port)).download(get(to, { maxBytes: 1_000_000 }))).resolves.toEqual(
      failed("response_too_large"),
    );
    expect(to.destroyed).toBe(true);
    expect(text().length).toBeLessThanOrEqual(1_000_000);
  });

  const CLOSING = "HTTP/1.1 200 OK\r\nconnection: close\r\n";

  test.each([
    ["with a length", "content-length: 10\r\n\r\n12345"],
    ["inside a chunk", "transfer-encoding: chunked\r\n\r\na\r\n12345"],
    ["before the last chunk", "transfer-encoding: chunked\r\n\r\n5\r\n12345\r\n"],
    ["inside the headers", "content-le"],
  ])("that is cut off %s is a lost connection, and the destination is destroyed", async (_where, bytes) => {
    const port = await rawReceiver((socket) => socket.end(CLOSING + bytes));
    const { to } = sink();
    await expect(open(outsideAt(port)).download(get(to))).resolves.toMatchObject({
      outcome: "failed",
      reason: "connect",
      message: "The connection was closed before the response was complete.",
    });
    expect([to.destroyed, to.writableFinished]).toEqual([true, false]);
  });

  test("of a body that is too large and is then cut off is too large, also where its last bytes wait to be written", async () => {
    // More than the destination takes, and less than what is buffered on the way.
    const limit = 150_000;
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const port = await rawReceiver((socket) => {
      const chunk = `${(limit + 2).toString(16)}\r\n${"x".repeat(limit + 1)}`;
      socket.on("close", () => close()).end(`${CLOSING}transfer-encoding: chunked\r\n\r\n${chunk}`);
    });
    const to = new Writable({
      async write(_chunk, _encoding, done) {
        await closed;
        done();
      },
    });
    to.on("error", () => {});
    const outcome = await open(outsideAt(port)).download(get(to, { maxBytes: limit }));
    expect(outcome).toEqual(failed("response_too_large"));
  });

  test.each([
    ["before its answer", ""],
    ["in its body", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345"],
  ])("ends when the other side sends nothing for too long %s", async (_name, bytes) => {
    const port = await rawReceiver((socket) => socket.write(bytes));
    const { to } = sink();
    const outcome = await open(outsideAt(port)).download(get(to, { idleTimeoutMs: 300 }));
    expect(outcome).toEqual(failed("timeout"));
    expect(outcome).toHaveProperty("message", "The other side sent nothing for too long.");
  });

  test("ends when the time is up, though bytes keep coming", async () => {
    const port = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await expect(open(outsideAt(port)).download(get(sink().to, { timeoutMs: 300 }))).resolves.toEqual(
      failed("timeout"),
    );
  });

  test("ends when the time is up, though the destination takes nothing", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(5_000_000)));
    const to = new Writable({ write: () => {} }).on("error", () => {});
    await expect(
      open(outsideAt(port)).download(get(to, { timeoutMs: 3_000, idleTimeoutMs: 1_000 })),
    ).resolves.toMatchObject({
      reason: "timeout",
      message: "No complete response within 3000 ms.",
    });
  });

  test("rejects with the error of the destination, which is no failure of the other side", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(5_000_000)));
    const full = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    const to = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    await expect(open(outsideAt(port)).download(get(to))).rejects.toBe(full);
  });

  test("is guarded as a call is", async () => {
    const egress = open({ resolve: () => Promise.resolve(["169.254.169.254"]) });
    const { to } = sink();
    await expect(egress.download(get(to))).resolves.toEqual(failed("dns"));
    expect(to.destroyed).toBe(true);
    await expect(egress.download(get(sink().to, { url: "https://[::1]/" }))).resolves.toEqual(
      failed("blocked_address"),
    );
  });
});
