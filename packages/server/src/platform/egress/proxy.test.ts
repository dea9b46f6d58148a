import { once } from "node:events";
import { createServer as createTcpServer, type Socket } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { undo } from "../../testing/cleanup.ts";
import {
  authority,
  failed,
  flood,
  GLOBAL,
  HOST,
  listen,
  open,
  post,
  rawReceiver,
  receiver,
  untilClosed,
} from "../../testing/tls-receivers.ts";
import { SILENCE, startConnectProxy } from "../../testing/connect-proxy.ts";
import { parseEgressProxy, type EgressProxy } from "./proxy.ts";

const resolve = () => Promise.resolve([GLOBAL]);

describe("with a proxy of the operator", () => {
  test("the checked address is what it is asked for; the name is in the handshake and the request only", async () => {
    const names: unknown[] = [];
    const port = await receiver(
      (request, response) => {
        names.push(request.headers.host);
        response.end("through");
      },
      {
        ...authority.issue({ hosts: [HOST] }),
        SNICallback: (name, done) => {
          names.push(name);
          done(null);
        },
      },
    );
    const { proxy, connects } = await startConnectProxy(port);
    const outcome = await open({ proxy, resolve }).send(post());
    expect(outcome).toMatchObject({ outcome: "response", status: 200, body: Buffer.from("through") });
    expect(connects).toEqual([{ target: `${GLOBAL}:443`, host: `${GLOBAL}:443`, authorization: undefined }]);
    expect(names).toEqual([HOST, HOST]);
  });

  test("its user and password go to the proxy, and not to the receiver", async () => {
    let seen = {};
    const port = await receiver((request, response) => {
      seen = request.headers;
      response.end();
    });
    const { proxy, connects } = await startConnectProxy(port);
    const withUser = parseEgressProxy(`http://row%40mill:p%3Ass@127.0.0.1:${proxy.port}`);
    await expect(open({ proxy: withUser, resolve }).send(post())).resolves.toMatchObject({ status: 200 });
    expect(connects).toMatchObject([{ authorization: `Basic ${Buffer.from("row@mill:p:ss").toString("base64")}` }]);
    expect(Object.keys(seen)).not.toContain("proxy-authorization");
  });

  test.each([
    ["an address that is not public", ["10.0.0.1"]],
    ["a private address beside a public one", [GLOBAL, "fd00::1"]],
  ])("%s is refused before the proxy is asked", async (_name, addresses) => {
    const { proxy, connects } = await startConnectProxy(1);
    const egress = open({ proxy, resolve: () => Promise.resolve(addresses) });
    await expect(egress.send(post())).resolves.toEqual(failed("dns"));
    await expect(egress.send(post({ url: "https://169.254.169.254/" }))).resolves.toEqual(failed("blocked_address"));
    expect(connects).toEqual([]);
  });

  test("the overrides go past it", async () => {
    const port = await receiver((_request, response) => response.end());
    const { proxy, connects } = await startConnectProxy(1);
    const connectOverrides = new Map([[`${HOST}:443`, { host: "127.0.0.1", port }]]);
    await expect(open({ proxy, resolve, connectOverrides }).send(post())).resolves.toMatchObject({ status: 200 });
    expect(connects).toEqual([]);
  });

  test("the certificate is checked as ever", async () => {
    const port = await receiver((_request, response) => response.end(), authority.issue({ hosts: ["a.example.com"] }));
    const { proxy } = await startConnectProxy(port);
    await expect(open({ proxy, resolve }).send(post())).resolves.toEqual(failed("tls"));
  });

  test("an address that it cannot reach does not keep it from the next", async () => {
    const port = await receiver((_request, response) => response.end());
    const addresses = ["8.8.8.1", "8.8.8.2", "2606:4700::1"];
    const { proxy, connects } = await startConnectProxy(port, {
      "8.8.8.1:443": "HTTP/1.1 502 Bad Gateway\r\n\r\n",
      "8.8.8.2:443": SILENCE,
    });
    const egress = open({ proxy, resolve: () => Promise.resolve(addresses) });
    await expect(egress.send(post())).resolves.toMatchObject({ status: 200 });
    expect(connects.map(({ target }) => target)).toEqual(["8.8.8.1:443", "8.8.8.2:443", "[2606:4700::1]:443"]);
  });

  test("a long response is cut off, and one that is never finished ends with the time of the call", async () => {
    const endless = await rawReceiver((socket) => flood(socket, "HTTP/1.1 200 OK\r\n\r\n", Buffer.alloc(65_536, "x")));
    const { proxy } = await startConnectProxy(endless);
    await expect(open({ proxy, resolve }).send(post())).resolves.toEqual(failed("response_too_large"));
    const silent = await startConnectProxy(await rawReceiver(() => {}));
    const outcome = await open({ proxy: silent.proxy, resolve }).send(post({ timeoutMs: 300 }));
    expect(outcome).toMatchObject({ reason: "timeout", message: "No complete response within 300 ms." });
  });
});

describe("a proxy that fails is reported as a failed connection", () => {
  test.each([
    [
      "refuses",
      "HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno",
      "The proxy of the service made no connection (403).",
    ],
    [
      "wants a password",
      "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n",
      "The proxy of the service made no connection (407).",
    ],
    [
      "cannot reach the receiver",
      "HTTP/1.1 502 Bad Gateway\r\n\r\n",
      "The proxy of the service made no connection (502).",
    ],
    [
      "answers in the receiver's place",
      "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
      "The proxy of the service made no connection (200).",
    ],
    [
      "redirects",
      "HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\n\r\n",
      "The proxy of the service made no connection (302).",
    ],
    ["hangs up", "", "The proxy of the service cannot be used (ECONNRESET)."],
    [
      "sends headers without end",
      `HTTP/1.1 200 OK\r\nx: ${"y".repeat(20_000)}`,
      "The proxy of the service cannot be used (HPE_HEADER_OVERFLOW).",
    ],
    [
      "speaks something else",
      "SSH-2.0-OpenSSH_9.6\r\n",
      "The proxy of the service cannot be used (HPE_INVALID_CONSTANT).",
    ],
  ])("that %s", async (_name, reply, message) => {
    const port = await listen(createTcpServer((socket) => socket.once("data", () => socket.end(reply))));
    const outcome = await open({ proxy: { host: "127.0.0.1", port }, resolve }).send(post());
    expect(outcome).toMatchObject({ outcome: "failed", reason: "connect", message });
  });

  test("that does not listen", async () => {
    const { proxy } = await startConnectProxy(1);
    await undo.pop()?.();
    await expect(open({ proxy, resolve }).send(post())).resolves.toMatchObject({
      reason: "connect",
      message: "The proxy of the service cannot be used (ECONNREFUSED).",
    });
  });

  test("that never responds is abandoned after 5 seconds, like any connection", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    undo.push(() => void vi.useRealTimers());
    const server = createTcpServer();
    const asked = once(server, "connection");
    const proxy = { host: "127.0.0.1", port: await listen(server) };
    const sending = open({ proxy, resolve }).send(post({ timeoutMs: 60_000 }));
    const [socket] = (await asked) as [Socket];
    const isClosed = untilClosed(socket.resume());
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(sending).resolves.toMatchObject({ reason: "timeout", message: "No connection within 5 seconds." });
    await isClosed;
  });

  test("and a canceled call leaves no connection to it", async () => {
    const abort = new AbortController();
    const server = createTcpServer();
    const asked = once(server, "connection");
    const proxy = { host: "127.0.0.1", port: await listen(server) };
    const sending = open({ proxy, resolve }).send(post({ signal: abort.signal }));
    const [socket] = (await asked) as [Socket];
    const isClosed = untilClosed(socket.resume());
    abort.abort();
    await expect(sending).resolves.toEqual(failed("canceled"));
    await isClosed;
  });
});

describe("the setting of the proxy", () => {
  test.each<[string, EgressProxy]>([
    ["http://proxy.example.com:3128", { host: "proxy.example.com", port: 3128 }],
    ["http://10.0.0.5:80/", { host: "10.0.0.5", port: 80 }],
    ["http://[::1]:3128", { host: "::1", port: 3128 }],
    ["http://user@proxy:3128", { host: "proxy", port: 3128, authorization: "Basic dXNlcjo=" }],
    ["http://user:p%40ss@proxy:3128", { host: "proxy", port: 3128, authorization: "Basic dXNlcjpwQHNz" }],
  ])("%s is read", (text, proxy) => {
    expect(parseEgressProxy(text)).toEqual(proxy);
  });

  test.each([
    "",
    "proxy:3128",
    "https://proxy:3128",
    "socks5://proxy:1080",
    "http://proxy",
    "http://proxy:99999",
    "http://proxy:3128/path",
    "http://proxy:3128?x",
    "http://secret:p%zz@proxy:3128",
  ])("%j is refused in a sentence that does not repeat it", (text) => {
    expect(() => parseEgressProxy(text)).toThrow(/^The proxy must look like (?!.*secret)/);
  });
});
