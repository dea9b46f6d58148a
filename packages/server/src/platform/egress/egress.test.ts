import { gzipSync } from "node:zlib";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { describe, expect, test, vi } from "vitest";
import type { Egress } from "./egress.ts";
import type { Dial } from "./guarded-connect.ts";
import { undo } from "../../testing/cleanup.ts";
import {
  failed,
  GLOBAL,
  HOST,
  open,
  openTo,
  post,
  rawReceiver,
  receiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";

describe("an honest receiver", () => {
  test("gets the request as it was given and its response comes back", async () => {
    const seen: unknown[] = [];
    const port = await receiver((request, response) => {
      const { method, url, headers } = request;
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen.push({ method, url, headers, body });
        response.writeHead(202, { "X-One": "1", "set-cookie": ["a", "b"] }).end("thanks");
      });
    });
    const outcome = await openTo(port).send(post({ url: `https://${HOST}/hook?a=b` }));
    expect(outcome).toMatchObject({
      outcome: "response",
      status: 202,
      headers: { "x-one": "1", "set-cookie": "a, b" },
    });
    expect(outcome).toHaveProperty("body", Buffer.from("thanks"));
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
    expect(seen).toEqual([
      {
        method: "POST",
        url: "/hook?a=b",
        headers: {
          host: HOST,
          connection: "close",
          "content-type": "application/json",
          "content-length": "14",
          "accept-encoding": "identity",
        },
        body: '{"id":"evt_1"}',
      },
    ]);
  });

  test("is connected again for every request", async () => {
    const peers = new Set<number | undefined>();
    const port = await receiver((request, response) => {
      peers.add(request.socket.remotePort);
      response.end();
    });
    const egress = openTo(port);
    for (let n = 0; n < 3; n += 1) await egress.send(post());
    expect(peers.size).toBe(3);
  });

  test.each([
    [301, `https://${HOST}/elsewhere`],
    [302, "http://169.254.169.254/latest/meta-data"],
    [303, "https://[::1]/"],
    [307, `https://${HOST}/elsewhere`],
    [308, "file:///etc/passwd"],
  ])("may send a redirect (%i to %s), which is not followed", async (status, location) => {
    let requests = 0;
    const port = await receiver((_request, response) => {
      requests += 1;
      response.writeHead(status, { location }).end();
    });
    const outcome = await openTo(port).send(post());
    expect(outcome).toMatchObject({ outcome: "response", status, headers: { location } });
    expect(requests).toBe(1);
  });

  test("may send gzip unasked, which is not unpacked", async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const port = await receiver((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bytes),
    );
    await expect(openTo(port).send(post())).resolves.toMatchObject({ outcome: "response", body: bytes });
  });

  test("may send a gzip bomb, of which nothing is unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000));
    const port = await receiver((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip", "content-type": "application/json" }).end(bomb),
    );
    const outcome = await openTo(port).send(post());
    expect(outcome).toMatchObject({ outcome: "response", status: 200 });
    expect("body" in outcome && outcome.body.equals(bomb)).toBe(true);
    expect(bomb.length).toBeLessThan(65_536);
  });

  test("is reached directly, whatever proxies and dispatchers are set for the process", async () => {
    const port = await receiver((_request, response) => response.end("direct"));
    const dispatcher = getGlobalDispatcher();
    const blocking = new MockAgent();
    blocking.disableNetConnect();
    setGlobalDispatcher(blocking);
    for (const name of ["NODE_USE_ENV_PROXY", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY"]) {
      vi.stubEnv(name, name === "NODE_USE_ENV_PROXY" ? "1" : "http://127.0.0.1:1");
    }
    undo.push(() => {
      vi.unstubAllEnvs();
      setGlobalDispatcher(dispatcher);
      return blocking.close();
    });
    await expect(openTo(port).send(post())).resolves.toMatchObject({ body: Buffer.from("direct") });
  });

  test("whose 1xx responses come first is read to the end", async () => {
    const port = await rawReceiver((socket) =>
      socket.end("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
    );
    await expect(openTo(port).send(post())).resolves.toMatchObject({ outcome: "response", status: 204 });
  });
});

describe("a request that cannot be sent is refused before anything is dialed", () => {
  test.each<[string, Record<string, string>]>([
    ["CRLF in a value", { "x-id": "1\r\nhost: 127.0.0.1" }],
    ["LF in a value", { "x-id": "1\nx: y" }],
    ["NUL in a value", { "x-id": "\0" }],
    ["what is no Latin-1", { "x-id": "✓" }],
    ["CRLF in a name", { "x-id\r\nhost": "127.0.0.1" }],
    ["a space in a name", { "x id": "1" }],
    ["an empty name", { "": "1" }],
    ["another host", { Host: "127.0.0.1" }],
    ["another length", { "Content-Length": "1" }],
    ["another framing", { "transfer-encoding": "chunked" }],
    ["an upgrade", { upgrade: "websocket" }],
    ["a kept connection", { Connection: "keep-alive" }],
  ])("%s", async (_name, headers) => {
    const dial = vi.fn<Dial>();
    const egress = open({ resolve: () => Promise.resolve([GLOBAL]), dial });
    await expect(egress.send(post({ headers }))).resolves.toEqual(failed("protocol"));
    expect(dial).not.toHaveBeenCalled();
  });

  test.each(["CONNECT", "GET /x HTTP/1.1\r\nx:", ""])("the method %j", async (method) => {
    const dial = vi.fn<Dial>();
    const { body: _unused, ...request } = post({ method });
    await expect(open({ resolve: () => Promise.resolve([GLOBAL]), dial }).send(request)).resolves.toEqual(
      failed("protocol"),
    );
    expect(dial).not.toHaveBeenCalled();
  });

  test("a time that a timer cannot hold is a bug of the caller", async () => {
    for (const timeoutMs of [0, -1, Number.NaN, 2 ** 31]) {
      await expect(open({}).send(post({ timeoutMs }))).rejects.toThrow(RangeError);
    }
  });
});

describe("a call is canceled", () => {
  test.each([
    ["while the name is resolved", "resolve"],
    ["while the connection is made", "dial"],
  ])("%s", async (_name, stage) => {
    const abort = new AbortController();
    const hang = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("hung up")), { once: true });
        abort.abort();
      });
    const egress = open({
      resolve: (_hostName, signal) => (stage === "resolve" ? hang(signal) : Promise.resolve([GLOBAL])),
      dial: (_target, signal) => hang(signal),
    });
    await expect(egress.send(post({ signal: abort.signal }))).resolves.toEqual(failed("canceled"));
  });

  test("while the receiver thinks, and its connection is closed", async () => {
    const abort = new AbortController();
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = untilClosed(socket);
      abort.abort();
    });
    await expect(openTo(port).send(post({ signal: abort.signal }))).resolves.toEqual(failed("canceled"));
    await isClosed;
  });

  test("before it began", async () => {
    const resolve = vi.fn(() => Promise.resolve([GLOBAL]));
    await expect(open({ resolve }).send(post({ signal: AbortSignal.abort() }))).resolves.toEqual(failed("canceled"));
    expect(resolve).not.toHaveBeenCalled();
  });

  test("by closing the egress, which waits for it and takes no further one", async () => {
    let egress: Egress | undefined;
    let closing: Promise<unknown> | undefined;
    const order: string[] = [];
    const port = await rawReceiver(() => {
      closing = egress?.close().then(() => order.push("closed"));
    });
    egress = openTo(port);
    await expect(egress.send(post()).finally(() => order.push("ended"))).resolves.toEqual(failed("canceled"));
    await closing;
    expect(order).toEqual(["ended", "closed"]);
    await expect(egress.send(post())).resolves.toEqual(failed("canceled"));
  });
});
