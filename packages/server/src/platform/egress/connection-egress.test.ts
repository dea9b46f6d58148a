import { createServer, type ServerResponse } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { fetch, request } from "undici";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startConnectProxy } from "../../testing/connect-proxy.ts";
import { undo } from "../../testing/cleanup.ts";
import {
  authority,
  flood,
  GLOBAL,
  HOST,
  listen,
  outsideAt,
  rawReceiver,
  receiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";
import { waitFor } from "../../testing/wait.ts";
import { parseAllowedOrigins } from "./allowed-origins.ts";
import { createConnectionEgress } from "./connection-egress.ts";
import type { Dial } from "./guarded-connect.ts";
import { get, ok, open, openTo, plainServer } from "./connection-egress-testing.ts";

afterEach(() => void vi.useRealTimers());

describe("what may not be reached", () => {
  const noDial: Dial = () => Promise.reject(new Error("dialed"));

  test.each([
    "http://example.com/",
    "https://127.0.0.1/",
    "https://[::1]/",
    "https://2130706433/",
    "https://[::ffff:10.0.0.1]/",
    "https://169.254.169.254/latest/meta-data",
    "https://localhost/",
    "https://models.internal/",
    "https://example.com:8443/",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "ftp://example.com/",
    "file:///etc/passwd",
    "data:text/plain,x",
    "http://127.0.0.1:11435/",
    "https://127.0.0.1:11434/",
  ])("%s has no dispatcher, and nothing is resolved", async (url) => {
    const resolve = vi.fn(() => Promise.resolve([GLOBAL]));
    const egress = open({ resolve, dial: noDial, origins: ["http://127.0.0.1:11434"] });
    expect(await get(egress, url)).toMatch(/^refused: The /);
    // Asked again, it is no other.
    expect(await get(egress, url)).toMatch(/^refused: The /);
    expect(resolve).not.toHaveBeenCalled();
  });

  test.each([
    ["a private address", ["10.0.0.1"]],
    ["the metadata service", ["169.254.169.254"]],
    ["a private address after a public one", [GLOBAL, "192.168.0.1"]],
    ["a private IPv6 beside a public IPv4", [GLOBAL, "fd00::1"]],
  ])("a name with %s is not dialed", async (_name, addresses) => {
    const egress = open({ resolve: () => Promise.resolve(addresses), dial: noDial });
    expect(await get(egress, "https://example.com/")).toBe("dns");
  });

  test("a name that is another address at the next question: what was checked is dialed, and asked is once", async () => {
    const responses = [[GLOBAL], ["127.0.0.1"]];
    const resolve = vi.fn(() => Promise.resolve(responses.shift() ?? []));
    const dialed: unknown[] = [];
    const dial: Dial = (target) => {
      dialed.push(target);
      return Promise.reject(new Error("far away"));
    };
    await get(open({ resolve, dial }), "https://example.com/");
    expect(dialed).toEqual([{ host: "example.com", port: 443, addresses: [GLOBAL] }]);
    expect(resolve).toHaveBeenCalledOnce();
  });

  test("a socket that ends up at a private address is closed before a byte is sent", async () => {
    let received = 0;
    const port = await rawReceiver(() => received++);
    const sockets: Socket[] = [];
    const dial: Dial = async () => {
      const socket = connectTcp(port, "127.0.0.1");
      sockets.push(socket);
      await new Promise((connected) => socket.once("connect", connected));
      return socket;
    };
    const egress = open({ resolve: () => Promise.resolve([GLOBAL]), dial });
    expect(await get(egress, "https://example.com/")).toBe("dns");
    expect([sockets.map((socket) => socket.destroyed), received]).toEqual([[true], 0]);
  });

  test("an allowed origin allows no other on the same host and port, nor the same name elsewhere", async () => {
    const { origin, peers } = await plainServer(ok);
    const port = new URL(origin).port;
    const egress = open({ origins: [origin], resolve: () => Promise.resolve(["127.0.0.1"]) });
    for (const url of [`https://127.0.0.1:${port}/`, `http://localhost:${port}/`, "http://127.0.0.1/"])
      expect(await get(egress, url)).toMatch(/^refused/);
    expect(await get(egress, "https://example.com/")).toBe("dns");
    expect(peers).toEqual([]);
  });

  test("an allowed plain origin on port 443 opens no way for https", async () => {
    const egress = open({
      origins: ["http://gpu.example.com:443"],
      resolve: () => Promise.resolve(["10.0.0.1"]),
      dial: noDial,
    });
    expect(await get(egress, "https://gpu.example.com/")).toBe("dns");
  });
});

describe("a redirect", () => {
  test("to a private address is a response like any other", async () => {
    const inside = await plainServer(ok);
    const port = await receiver((_request, response) => response.writeHead(307, { location: inside.origin }).end("go"));
    expect(await get(openTo(port), `https://${HOST}/`)).toEqual([307, "go"]);
    expect(inside.peers).toEqual([]);
  });

  test("that a client follows by itself leads nowhere", async () => {
    const inside = await plainServer(ok);
    const port = await receiver((_request, response) => response.writeHead(307, { location: inside.origin }).end());
    const { dispatcher } = openTo(port, { allowedOrigins: parseAllowedOrigins([inside.origin]) }).dispatcherFor(
      new URL(`https://${HOST}/`),
    );
    await expect(fetch(`https://${HOST}/`, { dispatcher: dispatcher! })).rejects.toMatchObject({
      cause: { reason: "blocked_address" },
    });
    expect(inside.peers).toEqual([]);
  });

  test("a dispatcher goes to its own origin, whatever it is asked", async () => {
    const egress = open({ origins: ["http://127.0.0.1:1"] });
    const { dispatcher } = egress.dispatcherFor(new URL("https://example.com/"));
    await expect(request("http://127.0.0.1:1/", { dispatcher: dispatcher! })).rejects.toMatchObject({
      reason: "blocked_address",
    });
  });
});

describe("what a provider is asked to fetch", () => {
  const never = new AbortController().signal;
  const inside = new URL("http://127.0.0.1:11434/v1");
  const outside = new URL("https://api.example.com/v1");
  const image = new URL("https://images.example.com/a.png");
  const openWith = (addresses: string[]) =>
    open({
      origins: [inside.origin],
      resolve: () => Promise.resolve(addresses),
      dial: () => Promise.reject(new Error("dialed")),
    });

  test("leads out of the network by all of its addresses, where the provider is inside", async () => {
    expect(await openWith([GLOBAL]).findObjection(inside, image, never)).toBeUndefined();
    for (const addresses of [["10.0.0.5"], [GLOBAL, "127.0.0.1"], ["fd00::1"], []])
      expect(await openWith(addresses).findObjection(inside, image, never)).toBe(
        "The name of the host has no public address.",
      );
    expect(await openWith([GLOBAL]).findObjection(inside, new URL("https://10.0.0.5/a.png"), never)).toContain(
      "address",
    );
  });

  test("is checked by its text alone where the provider is not", async () => {
    expect(await openWith(["10.0.0.5"]).findObjection(outside, image, never)).toBeUndefined();
    expect(await openWith([]).findObjection(outside, new URL("https://10.0.0.5/a.png"), never)).toContain("address");
  });
});

describe("what the operator has set", () => {
  test("a certificate authority holds here, too", async () => {
    const port = await receiver(ok);
    expect(await get(openTo(port), `https://${HOST}/`)).toEqual([200, "ok"]);
    const egress = createConnectionEgress({ ...outsideAt(port), allowedOrigins: new Set() });
    undo.push(() => egress.close());
    expect(await get(egress, `https://${HOST}/`)).toBe("tls");
  });

  test("the proxy gets the checked address; allowed origins are reached without it", async () => {
    const port = await receiver(ok);
    const { proxy, connects } = await startConnectProxy(port);
    const inside = await plainServer(ok);
    const egress = open({ proxy, resolve: () => Promise.resolve([GLOBAL]), origins: [inside.origin] });
    expect(await get(egress, `https://${HOST}/`)).toEqual([200, "ok"]);
    expect(await get(egress, `${inside.origin}/`)).toEqual([200, "ok"]);
    expect(connects.map(({ target }) => target)).toEqual([`${GLOBAL}:443`]);
    expect(await get(open({ proxy, resolve: () => Promise.resolve(["10.0.0.1"]) }), `https://${HOST}/`)).toBe("dns");
  });

  test("an allowed origin that speaks TLS is reached where it says, and its certificate is checked", async () => {
    const [own, foreign] = [
      authority.issue({ hosts: ["127.0.0.1"] }),
      authority.issue({ hosts: ["other.example.com"] }),
    ];
    const [port, wrongPort] = [await receiver(ok, own), await receiver(ok, foreign)];
    const egress = open({ origins: [`https://127.0.0.1:${port}`, `https://127.0.0.1:${wrongPort}`] });
    expect(await get(egress, `https://127.0.0.1:${port}/`)).toEqual([200, "ok"]);
    expect(await get(egress, `https://127.0.0.1:${wrongPort}/`)).toBe("tls");
  });

  test("an allowed origin that does not listen is reported as such", async () => {
    const { origin } = await plainServer(ok);
    await undo.pop()?.();
    expect(await get(open({ origins: [origin] }), `${origin}/`)).toBe("connect");
  });
});

describe("sockets", () => {
  test("are kept and used again", async () => {
    const { origin, peers } = await plainServer(ok);
    const egress = open({ origins: [origin] });
    for (let i = 0; i < 20; i++) expect(await get(egress, `${origin}/${i}`)).toEqual([200, "ok"]);
    // A body may end a moment before its socket is free.
    expect(peers.length).toBeLessThanOrEqual(2);
  });

  test("are as many as there are calls in flight", async () => {
    const waiting: ServerResponse[] = [];
    const { origin } = await plainServer((_request, response) => void waiting.push(response));
    const egress = open({ origins: [origin] });
    const calls = Array.from({ length: 300 }, (_, i) => get(egress, `${origin}/${i}`));
    await waitFor(() => waiting.length === 300);
    for (const response of waiting) response.end("ok");
    expect(new Set((await Promise.all(calls)).map(String))).toEqual(new Set(["200,ok"]));
  });

  test("that open at once ask for the name once", async () => {
    // None ends before all are there: its socket would be used again.
    const waiting: ServerResponse[] = [];
    const port = await receiver((_request, response) => void waiting.push(response));
    const { proxy, connects } = await startConnectProxy(port);
    const resolve = vi.fn(() => new Promise<string[]>((found) => setImmediate(found, [GLOBAL])));
    const egress = open({ proxy, resolve });
    const calls = Array.from({ length: 12 }, () => get(egress, `https://${HOST}/`));
    await waitFor(() => waiting.length === calls.length);
    for (const response of waiting.splice(0)) response.end("ok");
    await Promise.all(calls);
    expect([connects.length, resolve.mock.calls.length]).toEqual([calls.length, 1]);
    expect(await get(open({ proxy, resolve: () => Promise.reject(new Error("bug")) }), `https://${HOST}/`)).toBe(
      "Error: bug",
    );
  });

  test("older than a minute are not used again: the address is checked again", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const port = await receiver(ok);
    const { proxy, connects } = await startConnectProxy(port);
    let addresses = [GLOBAL];
    const egress = open({ proxy, resolve: () => Promise.resolve(addresses) });
    for (let i = 0; i < 20; i++) expect(await get(egress, `https://${HOST}/`)).toEqual([200, "ok"]);
    expect(connects.length).toBeLessThanOrEqual(2);
    addresses = ["10.0.0.1"];
    vi.setSystemTime(Date.now() + 59_000);
    expect(await get(egress, `https://${HOST}/`)).toEqual([200, "ok"]);
    vi.setSystemTime(Date.now() + 2_000);
    expect(await get(egress, `https://${HOST}/`)).toBe("dns");
  });

  test("that nobody uses are closed, in time by what the server says", async () => {
    const closed: string[] = [];
    const openAt = async (server: string, headers: Record<string, string>) => {
      const { origin, peers } = await plainServer((_request, response) => response.writeHead(200, headers).end("ok"));
      expect(await get(open({ origins: [origin] }), `${origin}/`)).toEqual([200, "ok"]);
      peers[0]?.once("close", () => closed.push(server));
    };
    await openAt("says nothing", {});
    // Undici hangs up two seconds before.
    await openAt("says three seconds", { connection: "keep-alive", "keep-alive": "timeout=3" });
    await waitFor(() => closed.length === 2);
    expect(closed).toEqual(["says three seconds", "says nothing"]);
  });

  test("of origins that are named once do not pile up, and those in use are left alone", async () => {
    const alive = new Set<Socket>();
    const waiting: ServerResponse[] = [];
    const server = createServer((request, response) => {
      if (request.headers.host === "busy.internal") waiting.push(response);
      else response.end("ok");
    }).on("connection", (socket: Socket) => void alive.add(socket.on("close", () => alive.delete(socket))));
    const port = await listen(server);
    const hosts = Array.from({ length: 1_000 }, (_, i) => `http://host-${i}.internal`);
    const dial: Dial = async () => {
      const socket = connectTcp(port, "127.0.0.1");
      await new Promise((connected) => socket.once("connect", connected));
      return socket;
    };
    const egress = open({ origins: ["http://busy.internal", ...hosts], dial });
    const busy = get(egress, "http://busy.internal/");
    await waitFor(() => waiting.length === 1);
    for (const host of hosts) expect(await get(egress, `${host}/`)).toEqual([200, "ok"]);
    await waitFor(() => alive.size <= 256);
    waiting[0]?.end("still there");
    expect(await busy).toEqual([200, "still there"]);
  });
});

describe("a hostile server", () => {
  test("with endless headers is cut off", async () => {
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = untilClosed(socket);
      flood(socket, "HTTP/1.1 200 OK\r\nx: ", Buffer.alloc(65_536, "x"));
    });
    expect(await get(openTo(port), `https://${HOST}/`)).toMatch(/UND_ERR_HEADERS_OVERFLOW|HeadersOverflowError/);
    await isClosed;
  });

  test("with an endless body is cut off, though nobody counts", async () => {
    let isClosed: Promise<unknown> | undefined;
    const port = await rawReceiver((socket) => {
      isClosed = untilClosed(socket);
      flood(socket, "HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536, "x"));
    });
    expect(await get(openTo(port), `https://${HOST}/`)).toMatch(/ResExceededMaxSize|ResponseExceededMaxSize/);
    await isClosed;
  });
});

describe("the end of the process", () => {
  test("ends what is in flight, and what is being connected; later calls fail at once", async () => {
    const { origin, peers } = await plainServer(() => {});
    const resolving = new Promise<string[]>(() => {});
    const egress = open({ origins: [origin], resolve: () => resolving });
    const { dispatcher } = egress.dispatcherFor(new URL(origin));
    const calls = [get(egress, `${origin}/`), get(egress, "https://example.com/")];
    await waitFor(() => peers.length === 1);
    await egress.close();
    expect(await Promise.all(calls)).toEqual(["canceled", "canceled"]);
    await expect(request(origin, { dispatcher: dispatcher! })).rejects.toMatchObject({ reason: "canceled" });
    await waitFor(() => peers[0]?.destroyed === true);
  });
});
