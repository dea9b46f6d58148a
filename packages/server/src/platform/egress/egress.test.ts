import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import {
  createServer as createTcpServer,
  connect as connectTcp,
  type AddressInfo,
  type Server,
  type Socket,
} from "node:net";
import { PassThrough, Writable } from "node:stream";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from "undici";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createTestAuthority } from "../../testing/certificates.ts";
import { createEgress, type DownloadRequest, type Egress, type EgressRequest } from "./egress.ts";
import type { Dial, GuardOptions } from "./guarded-connect.ts";

const HOST = "hooks.example.com";
const GLOBAL = "93.184.215.14";
const authority = createTestAuthority();
const certificate = authority.issue({ hosts: [HOST] });

const undo: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step();
});

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    // A receiver under test may be cut off at any moment.
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  // A server that listens on TCP has an AddressInfo.
  return (server.address() as AddressInfo).port;
}

/** Answers as HTTP. */
const receiver = (
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: TlsOptions = certificate,
) => listen(createHttpsServer(options, answer));

/** Speaks raw bytes after the TLS handshake, once the request is there. */
const rawReceiver = (answer: (socket: Socket) => void) =>
  listen(
    createTlsServer(certificate, (socket) => {
      socket.on("error", () => {}).once("data", () => answer(socket));
    }),
  );

function open(options: Partial<GuardOptions>): Egress {
  const egress = createEgress({ connectOverrides: new Map(), extraCa: authority.cert, ...options });
  undo.push(() => egress.close());
  return egress;
}

/** An egress whose operator sends calls for HOST to a port of this machine. */
const openTo = (port: number, options: Partial<GuardOptions> = {}) =>
  open({ connectOverrides: new Map([[`${HOST}:443`, { host: "127.0.0.1", port }]]), ...options });

const post = (more: Partial<EgressRequest> = {}): EgressRequest => ({
  method: "POST",
  url: `https://${HOST}/hook`,
  headers: { "content-type": "application/json" },
  body: Buffer.from('{"id":"evt_1"}'),
  timeoutMs: 10_000,
  maxResponseBytes: 65_536,
  ...more,
});

const failed = (reason: string) => expect.objectContaining({ outcome: "failed", reason }) as unknown;

describe("an honest receiver", () => {
  test("gets the request as it was given and its answer comes back", async () => {
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

  test("is connected anew for every request", async () => {
    const peers = new Set<number | undefined>();
    const port = await receiver((request, response) => {
      peers.add(request.socket.remotePort);
      response.end();
    });
    const egress = openTo(port);
    for (let n = 0; n < 3; n += 1) await egress.send(post());
    expect(peers.size).toBe(3);
  });

  test("may answer a redirect, which is not followed", async () => {
    let requests = 0;
    const port = await receiver((_request, response) => {
      requests += 1;
      response.writeHead(307, { location: `https://${HOST}/elsewhere` }).end();
    });
    const outcome = await openTo(port).send(post());
    expect(outcome).toMatchObject({
      outcome: "response",
      status: 307,
      headers: { location: `https://${HOST}/elsewhere` },
    });
    expect(requests).toBe(1);
  });

  test("may send gzip unasked, which is not unpacked", async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    const port = await receiver((_request, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(bytes),
    );
    await expect(openTo(port).send(post())).resolves.toMatchObject({ outcome: "response", body: bytes });
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

  test("whose 1xx answers come first is heard to the end", async () => {
    const port = await rawReceiver((socket) =>
      socket.end("HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"),
    );
    await expect(openTo(port).send(post())).resolves.toMatchObject({ outcome: "response", status: 204 });
  });
});

describe("an address that is not public is never dialed", () => {
  /** Fails the test where anything is dialed. */
  const noDial: Dial = () => Promise.reject(new Error("dialed"));
  const guarded = (addresses: string[]) => open({ resolve: () => Promise.resolve(addresses), dial: noDial });

  test.each([
    ["a private one", ["10.0.0.1"]],
    ["loopback", ["127.0.0.1"]],
    ["loopback in IPv6", ["::1"]],
    ["the metadata service", ["169.254.169.254"]],
    ["IPv4-mapped", ["::ffff:8.8.8.8"]],
    ["a private one after a public one", [GLOBAL, "192.168.0.1"]],
    ["a private IPv6 beside a public IPv4", [GLOBAL, "fd00::1"]],
    ["a private one far down a long list", [...Array<string>(500).fill(GLOBAL), "127.0.0.1"]],
    ["what is no address", ["localhost"]],
  ])("%s", async (_name, addresses) => {
    const outcome = await guarded(addresses).send(post());
    expect(outcome).toEqual(failed("blocked_address"));
    expect(JSON.stringify(outcome)).not.toMatch(/\d+\.\d+\.\d+\.\d+|::/);
  });

  test.each([
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://[::ffff:127.0.0.1]/",
    "https://localhost/",
    "http://example.com/",
    "https://example.com:8443/",
  ])("%s is refused before anything is resolved", async (url) => {
    const resolve = vi.fn(() => Promise.resolve([GLOBAL]));
    await expect(open({ resolve, dial: noDial }).send(post({ url }))).resolves.toEqual(failed("blocked_address"));
    expect(resolve).not.toHaveBeenCalled();
  });

  test("no address at all is a dns failure", async () => {
    await expect(guarded([]).send(post())).resolves.toEqual(failed("dns"));
  });

  test("rebinding: the second call is resolved and judged anew", async () => {
    const answers = [[GLOBAL], ["127.0.0.1"]];
    const dialed: unknown[] = [];
    const egress = open({
      resolve: () => Promise.resolve(answers.shift() ?? []),
      dial: ({ addresses }) => {
        dialed.push(addresses);
        return Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      },
    });
    await expect(egress.send(post())).resolves.toEqual(failed("connect"));
    await expect(egress.send(post())).resolves.toEqual(failed("blocked_address"));
    expect(dialed).toEqual([[GLOBAL]]);
  });

  test("rebinding within the call: a peer other than the checked address gets not one byte", async () => {
    let bytes = 0;
    const server = createTcpServer((socket) => socket.on("data", (chunk) => (bytes += chunk.length)));
    const port = await listen(server);
    const ended = once(server, "connection").then(([socket]: Socket[]) =>
      socket === undefined ? undefined : once(socket, "close"),
    );
    const egress = open({
      resolve: () => Promise.resolve([GLOBAL]),
      dial: async () => {
        const socket = connectTcp({ host: "127.0.0.1", port });
        await once(socket, "connect");
        return socket;
      },
    });
    await expect(egress.send(post())).resolves.toEqual(failed("blocked_address"));
    await ended;
    expect(bytes).toBe(0);
  });

  test("a literal is dialed as it was judged, without asking a name server", async () => {
    const resolve = vi.fn(() => Promise.resolve(["127.0.0.1"]));
    const dial = vi.fn<Dial>(() => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })));
    const egress = open({ resolve, dial });
    await egress.send(post({ url: "https://0x08080808/" }));
    await egress.send(post({ url: "https://[2606:4700:4700:0::1111]/" }));
    expect(resolve).not.toHaveBeenCalled();
    expect(dial.mock.calls.map(([target]) => target.addresses)).toEqual([["8.8.8.8"], ["2606:4700:4700::1111"]]);
  });

  test("of a long list a few of each family are dialed", async () => {
    const dial = vi.fn<Dial>(() => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })));
    const addresses = ["2606:4700::1", "8.8.8.1", "8.8.8.2", "8.8.8.3", "8.8.8.4", "2606:4700::2"];
    await open({ resolve: () => Promise.resolve(addresses), dial }).send(post());
    expect(dial.mock.calls[0]?.[0].addresses).toEqual([
      "8.8.8.1",
      "8.8.8.2",
      "8.8.8.3",
      "2606:4700::1",
      "2606:4700::2",
    ]);
  });
});

describe("the operator's overrides", () => {
  test("hold for exactly one host and port, and nothing is resolved for them", async () => {
    const port = await receiver((_request, response) => response.end());
    const resolve = vi.fn(() => Promise.resolve(["127.0.0.1"]));
    const egress = openTo(port, { resolve });
    await expect(egress.send(post())).resolves.toMatchObject({ status: 200 });
    expect(resolve).not.toHaveBeenCalled();
    await expect(egress.send(post({ url: `https://a.${HOST}/` }))).resolves.toEqual(failed("blocked_address"));
  });

  test("do not turn the URL rules off", async () => {
    const port = await receiver((_request, response) => response.end());
    const target = { host: "127.0.0.1", port };
    const egress = open({
      connectOverrides: new Map([
        ["127.0.0.1:443", target],
        ["intranet:443", target],
      ]),
    });
    await expect(egress.send(post({ url: "https://127.0.0.1/" }))).resolves.toEqual(failed("blocked_address"));
    await expect(egress.send(post({ url: "https://intranet/" }))).resolves.toEqual(failed("blocked_address"));
  });

  test("do not turn the certificate check off", async () => {
    const port = await receiver((_request, response) => response.end());
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    undo.push(() => void vi.unstubAllEnvs());
    const connectOverrides = new Map([[`${HOST}:443`, { host: "127.0.0.1", port }]]);
    const withoutExtraCa = createEgress({ connectOverrides });
    undo.push(() => withoutExtraCa.close());
    const outcome = await withoutExtraCa.send(post());
    expect(outcome).toEqual(failed("tls"));
    expect(outcome).toHaveProperty("message", expect.stringContaining("not signed by a trusted authority"));
  });

  test("come with certificates that can be read", () => {
    expect(() => open({ extraCa: "" })).toThrow(/no certificate/);
    expect(() => open({ extraCa: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----" })).toThrow(
      /asn1|PEM|decode/i,
    );
  });
});

describe("a receiver whose TLS cannot be trusted", () => {
  test.each<[string, TlsOptions, RegExp]>([
    [
      "with an expired certificate",
      authority.issue({ hosts: [HOST], notAfter: new Date(Date.now() - 60_000) }),
      /expired/,
    ],
    [
      "with a certificate of tomorrow",
      authority.issue({ hosts: [HOST], notBefore: new Date(Date.now() + 60_000) }),
      /not valid yet/,
    ],
    ["with a certificate for another name", authority.issue({ hosts: ["other.example.com"] }), /another name/],
    ["with a certificate for the address", authority.issue({ hosts: ["127.0.0.1"] }), /another name/],
    ["of another authority", createTestAuthority().issue({ hosts: [HOST] }), /trusted authority/],
    ["with TLS 1.1", { ...certificate, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL@SECLEVEL=0" }, /./],
  ])("%s gets no request", async (_name, options, message) => {
    let requests = 0;
    const port = await receiver((_request, response) => {
      requests += 1;
      response.end();
    }, options);
    const outcome = await openTo(port).send(post());
    expect(outcome).toEqual(failed("tls"));
    expect(outcome).toHaveProperty("message", expect.stringMatching(message));
    expect(requests).toBe(0);
  });

  test("that speaks no TLS", async () => {
    const port = await listen(createTcpServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n")));
    await expect(openTo(port).send(post())).resolves.toEqual(failed("tls"));
  });

  test("that hangs up in the handshake", async () => {
    const port = await listen(createTcpServer((socket) => socket.once("data", () => socket.destroy())));
    await expect(openTo(port).send(post())).resolves.toEqual(failed("tls"));
  });

  test("that never finishes the handshake is cut off", async () => {
    const port = await listen(createTcpServer());
    const outcome = await openTo(port).send(post({ timeoutMs: 150 }));
    expect(outcome).toEqual(failed("timeout"));
    expect(outcome.durationMs).toBeLessThan(1_500);
  });

  test("that never finishes the handshake is cut off after 5 seconds, however long the call may take", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    undo.push(() => void vi.useRealTimers());
    const server = createTcpServer();
    const egress = openTo(await listen(server));
    const begun = once(server, "connection");
    let ended = false;
    const sending = egress.send(post({ timeoutMs: 60_000 })).finally(() => (ended = true));
    await begun;
    await vi.advanceTimersByTimeAsync(4_999);
    expect(ended).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await expect(sending).resolves.toMatchObject({ reason: "timeout", message: "No connection within 5 seconds." });
  });
});

describe("a hostile or broken receiver", () => {
  const drip = (socket: Socket, first: string, next: string) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(next), 10);
    socket.on("close", () => clearInterval(timer));
  };
  const flood = (socket: Socket, first: string, next: Buffer) => {
    socket.write(first);
    const fill = () => {
      while (!socket.destroyed && socket.write(next));
    };
    socket.on("drain", fill);
    fill();
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
  ])("%s is cut off when the time is up", async (_name, answer) => {
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = once(socket, "close");
      answer(socket);
    });
    const outcome = await openTo(port).send(post({ timeoutMs: 300 }));
    expect(outcome).toEqual(failed("timeout"));
    expect(outcome.durationMs).toBeGreaterThanOrEqual(290);
    expect(outcome.durationMs).toBeLessThan(2_000);
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
  ])("%s is too large", async (_name, answer) => {
    await expect(openTo(await rawReceiver(answer)).send(post())).resolves.toEqual(failed("response_too_large"));
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
      isClosed = once(socket, "close");
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
    let closing: Promise<void> | undefined;
    const port = await rawReceiver(() => {
      closing = egress?.close();
    });
    egress = openTo(port);
    await expect(egress.send(post())).resolves.toEqual(failed("canceled"));
    await closing;
    await expect(egress.send(post())).resolves.toEqual(failed("canceled"));
  });
});

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

  test("streams the body and ends the destination", async () => {
    const content = "0123456789".repeat(300_000);
    const port = await receiver((_request, response) => response.writeHead(200, { etag: '"1"' }).end(content));
    const { to, text } = sink();
    const outcome = await openTo(port).download(get(to));
    expect(outcome).toMatchObject({ outcome: "response", status: 200, bytes: 3_000_000, headers: { etag: '"1"' } });
    expect(to.writableFinished).toBe(true);
    expect(text() === content).toBe(true);
  });

  test.each([204, 206, 302, 404, 500])("leaves the destination alone at status %i", async (status) => {
    const port = await receiver((_request, response) => response.writeHead(status, { location: "/x" }).end());
    const { to, text } = sink();
    await expect(openTo(port).download(get(to))).resolves.toMatchObject({ outcome: "response", status, bytes: 0 });
    expect([to.writableEnded, to.destroyed, text()]).toEqual([false, false, ""]);
  });

  test("of a body that says it is too large writes nothing", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(1_000)));
    const { to, text } = sink();
    await expect(openTo(port).download(get(to, { maxBytes: 999 }))).resolves.toEqual(failed("response_too_large"));
    expect([to.destroyed, text()]).toEqual([true, ""]);
  });

  test("of a body that turns out too large never writes more than the limit", async () => {
    const port = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const fill = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536)));
      };
      socket.on("drain", fill);
      fill();
    });
    const { to, text } = sink();
    await expect(openTo(port).download(get(to, { maxBytes: 1_000_000 }))).resolves.toEqual(
      failed("response_too_large"),
    );
    expect(to.destroyed).toBe(true);
    expect(text().length).toBeLessThanOrEqual(1_000_000);
  });

  test("of a cut body is a failure, and the destination is destroyed", async () => {
    const port = await rawReceiver((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345"));
    const { to } = sink();
    await expect(openTo(port).download(get(to))).resolves.toMatchObject({ outcome: "failed" });
    expect([to.destroyed, to.writableFinished]).toEqual([true, false]);
  });

  test("ends when the other side sends nothing for too long", async () => {
    const port = await rawReceiver((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n12345"));
    const { to } = sink();
    const outcome = await openTo(port).download(get(to, { idleTimeoutMs: 300 }));
    expect(outcome).toEqual(failed("timeout"));
    expect(outcome.durationMs).toBeLessThan(5_000);
  });

  test("ends when the time is up, though bytes keep coming", async () => {
    const port = await rawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 10);
      socket.on("close", () => clearInterval(timer));
    });
    await expect(openTo(port).download(get(sink().to, { timeoutMs: 300 }))).resolves.toEqual(failed("timeout"));
  });

  test("ends when the time is up, though the destination takes nothing", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(5_000_000)));
    const to = new Writable({ write: () => {} }).on("error", () => {});
    await expect(openTo(port).download(get(to, { timeoutMs: 300, idleTimeoutMs: 100 }))).resolves.toMatchObject({
      reason: "timeout",
      message: "No complete answer within 300 ms.",
    });
  });

  test("rejects with the error of the destination, which is no failure of the other side", async () => {
    const port = await receiver((_request, response) => response.end("x".repeat(5_000_000)));
    const full = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    const to = new Writable({ write: (_chunk, _encoding, done) => done(full) });
    await expect(openTo(port).download(get(to))).rejects.toBe(full);
  });

  test("is guarded as a call is", async () => {
    const egress = open({ resolve: () => Promise.resolve(["169.254.169.254"]) });
    const { to } = sink();
    await expect(egress.download(get(to))).resolves.toEqual(failed("blocked_address"));
    expect(to.destroyed).toBe(true);
    await expect(egress.download(get(sink().to, { url: "https://[::1]/" }))).resolves.toEqual(
      failed("blocked_address"),
    );
  });
});
