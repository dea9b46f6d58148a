/** Servers and rows that mean harm, or are just broken. */
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import {
  respondJson,
  connection,
  containing,
  failureOf,
  flood,
  outputOf,
  rig,
  startRawServer,
  startServer,
} from "./http-testing.ts";

const MIB = 1024 * 1024;

describe("a response that never ends", () => {
  test.each([
    ["with a body", "HTTP/1.1 200 OK\r\n\r\n", "output_truncated"],
    ["in chunks", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "output_truncated"],
    ["that is a failure", "HTTP/1.1 500 No\r\n\r\n", "http_5xx"],
    ["with headers", "HTTP/1.1 200 OK\r\n", "output_truncated"],
  ])("%s is cut off at its limit", async (name, head, code) => {
    const gone = Promise.withResolvers<void>();
    const origin = await startRawServer((socket) => {
      socket.once("close", () => gone.resolve());
      const next =
        name === "in chunks"
          ? `4000\r\n${"x".repeat(0x4000)}\r\n`
          : name === "with headers"
            ? "a: b\r\n".repeat(1000)
            : Buffer.alloc(MIB, "x");
      flood(socket, head, next);
    });
    const { call } = await rig({ url: `${origin}/` }, { allowed: [origin] });
    const failure = failureOf(await call({}));
    expect(failure).toMatchObject({ code, retryable: code === "http_5xx" });
    await gone.promise;
  });

  test("drop by drop ends at the time of the whole request", async () => {
    const origin = await startRawServer((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 20);
      socket.on("close", () => clearInterval(timer));
    });
    const { call } = await rig({ url: `${origin}/`, timeoutMs: 300 }, { allowed: [origin] });
    expect(failureOf(await call({}))).toMatchObject({ code: "provider_timeout" });
  });
});

test("a server that never responds is abandoned after timeoutMs, and when the run is", async () => {
  const origin = await startRawServer(() => {});
  const slow = await rig({ url: `${origin}/`, timeoutMs: 50 }, { allowed: [origin] });
  expect(failureOf(await slow.call({}))).toMatchObject({
    code: "provider_timeout",
    message: containing("50 ms"),
  });
  const ending = new AbortController();
  const asked = Promise.withResolvers<void>();
  const silent = await startRawServer(() => asked.resolve());
  const endless = await rig({ url: "/", connection: "conn_1" }, { allowed: [silent], connection: connection(silent) });
  const outcome = endless.call({}, { signal: ending.signal });
  await asked.promise;
  ending.abort(new Error("the run was canceled"));
  await expect(outcome).rejects.toThrow("the run was canceled");
  expect(endless.ends).toEqual([{ outcome: "failed" }]);
  await expect(endless.call({}, { signal: ending.signal })).rejects.toThrow("the run was canceled");
});

describe("what is no HTTP", () => {
  test.each([
    ["another language", "SSH-2.0-OpenSSH_9.9\r\n"],
    ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
    ["less than was promised", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"],
    ["nothing", ""],
  ])("%s is a network error", async (_name, bytes) => {
    const origin = await startRawServer((socket) => void socket.end(bytes));
    const { call } = await rig({ url: `${origin}/` }, { allowed: [origin] });
    expect(failureOf(await call({}))).toMatchObject({ code: "network_error" });
  });
});

describe("a body that is packed", () => {
  const packed: [string, (bytes: Buffer) => Buffer][] = [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["zstd", zstdCompressSync],
  ];

  test.each(packed)("by %s is unpacked, though none was asked for", async (encoding, pack) => {
    const server = await startServer(
      (_request, response) =>
        void response.writeHead(200, { "content-encoding": encoding }).end(pack(Buffer.from('{"a":1}'))),
    );
    const { call } = await rig({ url: `${server.origin}/` }, { allowed: [server.origin] });
    expect(outputOf(await call({}))).toEqual({ a: 1 });
  });

  test.each(packed)("by %s to more than the limit is a failure, and not unpacked", async (encoding, pack) => {
    const bomb = pack(Buffer.alloc(16 * MIB));
    expect(bomb.length).toBeLessThan(MIB);
    const server = await startServer(
      ({ path }, response) =>
        void response.writeHead(Number(path.slice(1)), { "content-encoding": encoding }).end(bomb),
    );
    const { call } = await rig({ url: `${server.origin}/{{row.status}}` }, { allowed: [server.origin] });
    expect(failureOf(await call({ status: 200 }))).toMatchObject({ code: "output_truncated", retryable: false });
    const refused = failureOf(await call({ status: 500 }));
    expect(refused).toMatchObject({ code: "http_5xx" });
    expect(refused.details).not.toHaveProperty("answer");
  });

  test.each(packed)(
    "by %s that ends early is a failure of the network, which is tried again",
    async (encoding, pack) => {
      const cut = pack(Buffer.from('{"a":1}')).subarray(0, -1);
      const server = await startServer(({ path }, response) => {
        const length = path === "/whole" ? { "content-length": cut.length } : {};
        response.writeHead(200, { "content-encoding": encoding, ...length }).end(cut);
      });
      const { call } = await rig({ url: `${server.origin}/{{row.path}}` }, { allowed: [server.origin] });
      expect(failureOf(await call({ path: "cut" }))).toMatchObject({ code: "network_error" });
      // Of its length, and so as it was sent.
      expect(failureOf(await call({ path: "whole" }))).toMatchObject({ code: "output_not_json" });
    },
  );

  test("by something unknown, or not at all, is a failure", async () => {
    const server = await startServer(
      ({ path }, response) => void response.writeHead(200, { "content-encoding": path.slice(1) }).end("plain"),
    );
    const { call } = await rig({ url: `${server.origin}/{{row.by}}` }, { allowed: [server.origin] });
    for (const by of ["rot13", "gzip", "constructor"])
      expect(failureOf(await call({ by }))).toMatchObject({ code: "output_not_json" });
  });
});

test("a redirect is not followed, wherever it leads", async () => {
  const inner = await startServer(respondJson("the inner network"));
  const server = await startServer(
    (_request, response) => void response.writeHead(302, { location: `${inner.origin}/secret` }).end(),
  );
  const { call } = await rig({ url: `${server.origin}/` }, { allowed: [server.origin, inner.origin] });
  expect(failureOf(await call({}))).toMatchObject({
    code: "http_4xx",
    retryable: false,
    message: containing("redirects are not followed"),
    details: { status: 302, location: `${inner.origin}/secret` },
  });
  expect(inner.requests).toEqual([]);
});

describe("a row cannot", () => {
  test("reach what the guard denies, by a host or URL of its own", async () => {
    const inner = await startServer(respondJson("the inner network"));
    const port = new URL(inner.origin).port;
    const byHost = await rig({ url: "https://{{row.host}}/" }, {});
    for (const host of [`127.0.0.1:${port}`, "[::1]", "10.0.0.1", "localhost", "2130706433", "metadata.internal"])
      expect(failureOf(await byHost.call({ host }))).toMatchObject({ code: "egress_denied" });
    const byUrl = await rig({ url: "{{row.url}}" }, {});
    for (const url of [`${inner.origin}/`, "http://169.254.169.254/latest", "https://me:word@example.com/"])
      expect(failureOf(await byUrl.call({ url }))).toMatchObject({ code: "egress_denied" });
    expect(inner.requests).toEqual([]);
  });

  test("begin a header or a request of its own", async () => {
    const server = await startServer(respondJson(1));
    const { call } = await rig(
      { method: "POST", url: `${server.origin}/{{row.v}}`, headers: { "x-value": "{{row.v}}" }, body: "{{row.v}}" },
      { allowed: [server.origin] },
    );
    for (const v of ["a\r\nevil: 1", "a\nb", "a\0b", "日本", "x".repeat(20_000)])
      expect(failureOf(await call({ v }))).toMatchObject({ code: "template_error" });
    expect(server.requests).toEqual([]);
  });

  test("name what it does not have", async () => {
    const { call } = await rig({ url: "https://example.com/{{row.a.b}}" }, {});
    expect(failureOf(await call({ a: {} }))).toMatchObject({ code: "template_error", details: { path: "row.a.b" } });
    expect(failureOf(await call('{"__proto__":{"a":{"b":1}}}'))).toMatchObject({ code: "template_error" });
  });
});

test("a storm of failures leaves the processor as it was", async () => {
  const statuses = [500, 429, 302, 404, 200, 503];
  const server = await startServer(({ path }, response, raw) => {
    const n = Number(path.slice(1));
    if (n % 7 === 6) raw.socket.destroy();
    else response.writeHead(statuses[n % 7] ?? 200).end(`"${"x".repeat(n % 7 === 0 ? 100_000 : 10)}"`);
  });
  const { call } = await rig({ url: `${server.origin}/{{row.n}}` }, { allowed: [server.origin] });
  const outcomes = await Promise.all(Array.from({ length: 700 }, (_, n) => call({ n })));
  const counts = new Map<string, number>();
  for (const outcome of outcomes) {
    const what = outcome.ok ? "ok" : outcome.failure.code;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  expect(Object.fromEntries(counts)).toEqual({ ok: 100, http_4xx: 300, http_5xx: 200, network_error: 100 });
});

describe("headers that come twice", () => {
  test.each([
    ["content-encoding: gzip", "200 OK", { code: "output_not_json", message: containing("gzip, gzip") }],
    ["location: /a", "302 Found", { code: "http_4xx", details: { status: 302, location: "/a, /a" } }],
    ["retry-after: 1", "429 Too Many Requests", { code: "http_4xx", retryable: true }],
  ])("%s, are a failure of the row and not of the service", async (header, status, expected) => {
    const origin = await startRawServer((socket) =>
      socket.end(`HTTP/1.1 ${status}\r\n${header}\r\n${header}\r\ncontent-length: 2\r\n\r\n{}`),
    );
    const { call } = await rig(
      { url: "/", connection: "conn_1", headers: { authorization: "Bearer {{connection.secret}}" } },
      { allowed: [origin], connection: connection(origin) },
    );
    expect(failureOf(await call({}))).toMatchObject(expected);
  });
});

test("responses that are nested deeper than anything that reads them are the row's failure", async () => {
  const deep = `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const { origin } = await startServer((_request, response) => void response.end(deep));
  for (const responsePath of [undefined, "a"]) {
    const { call } = await rig(
      { url: `${origin}/`, ...(responsePath === undefined ? {} : { responsePath }) },
      { allowed: [origin] },
    );
    expect(failureOf(await call({}))).toMatchObject({ code: "output_not_json", message: containing("deeper") });
  }
});

test("a row cannot climb with slashes that only some servers read as such", async () => {
  const { origin, requests } = await startServer(respondJson({}));
  const { call } = await rig({ url: `${origin}/customers/{{row.id}}` }, { allowed: [origin] });
  for (const id of ["../../admin", "x/../../admin", "..\\admin", "a/.", "./a"])
    expect(failureOf(await call({ id }))).toMatchObject({ code: "template_error", message: containing(". or ..") });
  expect(outputOf(await call({ id: "a/b..c/.d" }))).toEqual({});
  expect(requests.map(({ path }) => path)).toEqual(["/customers/a%2Fb..c%2F.d"]);
});

test("rows whose responses may be large are not all in flight at once, and all are completed", async () => {
  const ROWS = 300;
  // Half of two gigabytes, which is the most that there is for all, at 8 MiB each.
  const MOST_AT_ONCE = 128;
  let inFlight = 0;
  let most = 0;
  const { origin } = await startServer((_request, response) => {
    most = Math.max(most, ++inFlight);
    // As long as all of them need to get here.
    setTimeout(() => {
      inFlight--;
      response.end("{}");
    }, 300);
  });
  const { step } = await rig({ url: `${origin}/`, maxResponseBytes: 8 * MIB }, { allowed: [origin] });
  const rows = Array.from({ length: ROWS }, (_, index) => ({ index, text: "{}" }));
  const outcomes = await step.processRows(rows, new AbortController().signal);
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(ROWS);
  expect(most).toBeLessThanOrEqual(MOST_AT_ONCE);
});
