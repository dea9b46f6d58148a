import { once } from "node:events";
import { connect as connectTcp, createServer as createTcpServer, type Socket } from "node:net";
import type { TlsOptions } from "node:tls";
import { describe, expect, test, vi } from "vitest";
import { createTestAuthority } from "../../testing/certificates.ts";
import { nameServer, TYPE_A, type NameResponse } from "../../testing/name-server.ts";
import { createEgress } from "./egress.ts";
import type { Dial } from "./guarded-connect.ts";
import { createResolve } from "./resolver.ts";
import { undo } from "../../testing/cleanup.ts";
import {
  authority,
  certificate,
  failed,
  GLOBAL,
  HOST,
  listen,
  open,
  openTo,
  outsideAt,
  post,
  receiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";

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
    expect(outcome).toEqual(failed("dns"));
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

  test("an address inside is reported in the words for a name that does not exist: nobody maps the network by asking", async () => {
    const reported = async (addresses: string[]) => {
      const { durationMs: _time, ...outcome } = await guarded(addresses).send(post());
      return outcome;
    };
    expect(await reported(["10.0.0.5"])).toEqual(await reported([]));
    expect(await reported(["10.0.0.5"])).not.toHaveProperty("cause");
  });

  test("no address at all is a dns failure", async () => {
    await expect(guarded([]).send(post())).resolves.toEqual(failed("dns"));
  });

  const here = [127, 0, 0, 1];
  const everywhere = [8, 8, 8, 8];
  const metadata = [0xfd, 0, 0xe, 0xc2, ...Array<number>(10).fill(0), 2, 0x54];
  test.each<[string, (type: number) => NameResponse]>([
    [
      "is another name for a private one",
      (type) => ({ addresses: type === TYPE_A ? [here] : [], alias: "db.internal" }),
    ],
    ["is another name for localhost", () => ({ addresses: [[...Array<number>(15).fill(0), 1]], alias: "localhost" })],
    ["has a public A and a private AAAA", (type) => ({ addresses: [type === TYPE_A ? everywhere : metadata] })],
    ["has a public and a private A", (type) => ({ addresses: type === TYPE_A ? [everywhere, here] : [] })],
  ])("that of a name which, for the name server, %s", async (_name, reply) => {
    const resolve = createResolve({ servers: [await nameServer(reply)] });
    await expect(open({ resolve, dial: noDial }).send(post())).resolves.toEqual(failed("dns"));
  });

  test("a name that is another name for a public one is dialed", async () => {
    const server = await nameServer((type) => ({ addresses: type === TYPE_A ? [everywhere] : [], alias: "a.example" }));
    const dial = vi.fn<Dial>(() => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" })));
    await open({ resolve: createResolve({ servers: [server] }), dial }).send(post());
    expect(dial.mock.calls[0]?.[0]).toEqual({ host: HOST, port: 443, addresses: ["8.8.8.8"] });
  });

  test("rebinding: the second call is resolved and checked again", async () => {
    const responses = [[GLOBAL], ["127.0.0.1"]];
    const dialed: unknown[] = [];
    const egress = open({
      resolve: () => Promise.resolve(responses.shift() ?? []),
      dial: ({ addresses }) => {
        dialed.push(addresses);
        return Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
      },
    });
    await expect(egress.send(post())).resolves.toEqual(failed("connect"));
    await expect(egress.send(post())).resolves.toEqual(failed("dns"));
    expect(dialed).toEqual([[GLOBAL]]);
  });

  test("rebinding within the call: a peer other than the checked address gets not one byte", async () => {
    let bytes = 0;
    const server = createTcpServer((socket) => socket.on("data", (chunk) => (bytes += chunk.length)));
    const port = await listen(server);
    const ended = once(server, "connection").then(([socket]: Socket[]) =>
      socket === undefined ? undefined : untilClosed(socket),
    );
    const egress = open({
      resolve: () => Promise.resolve([GLOBAL]),
      dial: async () => {
        const socket = connectTcp({ host: "127.0.0.1", port });
        await once(socket, "connect");
        return socket;
      },
    });
    await expect(egress.send(post())).resolves.toEqual(failed("dns"));
    await ended;
    expect(bytes).toBe(0);
  });

  test("a literal is dialed as it was checked, without asking a name server", async () => {
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
    await expect(egress.send(post({ url: `https://a.${HOST}/` }))).resolves.toEqual(failed("dns"));
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
    const server = createTcpServer();
    const isClosed = once(server, "connection").then(([socket]: Socket[]) =>
      socket === undefined ? socket : untilClosed(socket.resume()),
    );
    const outcome = await openTo(await listen(server)).send(post({ timeoutMs: 150 }));
    // By the time of the call, not by that of connections.
    expect(outcome).toMatchObject({ reason: "timeout", message: "No complete response within 150 ms." });
    await isClosed;
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

test("a receiver is not blamed for a time in which this process stood still", async () => {
  const outside = outsideAt(await receiver((_request, response) => response.end()));
  const dial: Dial = (target, signal) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_500);
    return outside.dial(target, signal);
  };
  const outcome = await open({ ...outside, dial }).send(post({ timeoutMs: 60_000 }));
  expect(outcome).toMatchObject({ outcome: "response", status: 200 });
});
