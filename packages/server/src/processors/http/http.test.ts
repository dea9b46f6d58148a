import { describe, expect, test } from "vitest";
import {
  AUTHORIZED,
  SECRET,
  respondJson,
  connection,
  echo,
  failureOf,
  outputOf,
  rig,
  startServer,
} from "./http-testing.ts";
import type { Received } from "./http-testing.ts";

describe("a request", () => {
  test("is made of the row: URL, headers, JSON body; the whole response is the output", async () => {
    const server = await startServer(echo);
    const { call } = await rig(
      {
        method: "POST",
        url: `${server.origin}/orders/{{row.id}}?note={{row.note}}`,
        headers: { "X-Note": "about {{row.id}}" },
        body: { id: "{{row.id}}", text: "Order {{row.id}}", list: [1, "{{row.tags}}"], exact: "{{row.amount}}" },
      },
      { allowed: [server.origin] },
    );
    const outcome = await call('{"id":7,"note":"a&b","tags":["x"],"amount":12345678901234567890.10}');
    const received = outputOf(outcome) as Received; // as the server echoes it
    expect(received).toMatchObject({ method: "POST", path: "/orders/7?note=a%26b" });
    expect(received.body).toBe('{"id":7,"text":"Order 7","list":[1,["x"]],"exact":12345678901234567890.10}');
    expect(received.headers).toMatchObject({
      "x-note": "about 7",
      "content-type": "application/json",
      "accept-encoding": "identity",
    });
    expect(outcome.usage).toEqual({ requests: 1 });
  });

  test("may have a text as its body, and a content type of its own", async () => {
    const server = await startServer(echo);
    const plain = await rig(
      { method: "PUT", url: `${server.origin}/`, body: "Name: {{row.name}}" },
      { allowed: [server.origin] },
    );
    expect(outputOf(await plain.call({ name: "Ada" }))).toMatchObject({
      body: "Name: Ada",
      headers: { "content-type": "text/plain; charset=utf-8" },
    });
    const xml = await rig(
      { method: "PATCH", url: `${server.origin}/`, body: "<a/>", headers: { "Content-Type": "application/xml" } },
      { allowed: [server.origin] },
    );
    expect(outputOf(await xml.call({}))).toMatchObject({ headers: { "content-type": "application/xml" } });
  });

  test.each<[string, string, unknown, string, string]>([
    ["an object", "{{row.body}}", { id: 1 }, '{"id":1}', "application/json"],
    ["a list", "{{row.body}}", [1, "2"], '[1,"2"]', "application/json"],
    ["a text, also one that is JSON", "{{row.body}}", '{"id":1}', '{"id":1}', "text/plain; charset=utf-8"],
    ["a number", "{{row.body}}", 7, "7", "text/plain; charset=utf-8"],
    ["an object as a text", "{{row.body | json}}", { id: 1 }, '{"id":1}', "text/plain; charset=utf-8"],
    ["an object within a text", "Body: {{row.body}}", { id: 1 }, 'Body: {"id":1}', "text/plain; charset=utf-8"],
  ])("whose body is %s of the row has the content type of that", async (_, body, value, sent, type) => {
    const server = await startServer(echo);
    const { call } = await rig({ method: "POST", url: `${server.origin}/`, body }, { allowed: [server.origin] });
    expect(outputOf(await call({ body: value }))).toMatchObject({ body: sent, headers: { "content-type": type } });
  });

  test("carries one Idempotency-Key per root run and row, unless the job spec has its own", async () => {
    const server = await startServer(echo);
    const keyOf = async (runId: string, rootRunId: string, index: number, headers = {}): Promise<unknown> => {
      const { call } = await rig(
        { method: "POST", url: `${server.origin}/`, headers },
        { allowed: [server.origin], runId, rootRunId },
      );
      const { headers: sent } = outputOf(await call({ id: "own" }, { index })) as Received; // as the server echoes it
      return sent["idempotency-key"];
    };
    const first = await keyOf("run_1", "run_1", 4);
    expect(first).toMatch(/^rowmill-[0-9a-f]{32}$/);
    expect(await keyOf("run_1", "run_1", 4)).toBe(first);
    expect(await keyOf("run_2", "run_1", 4)).toBe(first);
    expect(new Set([first, await keyOf("run_1", "run_1", 5), await keyOf("run_3", "run_3", 4)]).size).toBe(3);
    expect(await keyOf("run_1", "run_1", 4, { "Idempotency-Key": "{{row.id}}" })).toBe("own");
  });

  test("on a connection goes below its baseUrl, with its secret", async () => {
    const server = await startServer(respondJson({ fine: true }));
    const { call } = await rig(
      { url: "/items/{{row.id}}", connection: "conn_1", ...AUTHORIZED },
      { allowed: [server.origin], connection: connection(`${server.origin}/api`) },
    );
    expect(outputOf(await call({ id: "a/b" }))).toEqual({ fine: true });
    expect(server.requests).toMatchObject([
      { path: "/api/items/a%2Fb", headers: { authorization: `Bearer ${SECRET}` } },
    ]);
  });
});

describe("a response", () => {
  test.each<[string, Record<string, string>, string, string]>([
    ["JSON of any type", { "content-type": "text/html" }, " [1,\r\n 2] ", "[1,  2]"],
    ["exact numbers", {}, '{"n":12345678901234567890.10}', '{"n":12345678901234567890.10}'],
    ["text that is no JSON", { "content-type": "text/plain" }, "hello\nworld", String.raw`"hello\nworld"`],
    ["nothing", {}, "", "null"],
    ["Latin-1, as it says", { "content-type": "text/plain; charset=ISO-8859-1" }, "\xe4", '"ä"'],
    ["a byte order mark", { "content-type": "application/json" }, "\xef\xbb\xbf1", "1"],
  ])("is the output: %s", async (_name, headers, body, expected) => {
    const server = await startServer((_request, response) => void response.writeHead(200, headers).end(body, "latin1"));
    const { call } = await rig({ url: `${server.origin}/` }, { allowed: [server.origin] });
    expect(await call({})).toMatchObject({ ok: true, output: expected });
  });

  test("gives the value at responsePath, with its digits", async () => {
    const server = await startServer(
      (_request, response) => void response.end('{"data":{"items":[{"odd name":1.10}]}}'),
    );
    for (const responsePath of ['data.items.0["odd name"]', 'data.items[0]["odd name"]']) {
      const { call } = await rig({ url: `${server.origin}/`, responsePath }, { allowed: [server.origin] });
      expect(await call({})).toMatchObject({ ok: true, output: "1.10" });
    }
  });

  test.each([
    ["data.items.1.name", "data.items.1"],
    ["data.constructor", "data.constructor"],
    ["data.items.length", "data.items.length"],
    ["other", "other"],
  ])("without a value at %s is a failure that names what is missing", async (responsePath, path) => {
    const server = await startServer(respondJson({ data: { items: [{ name: "a" }] } }));
    const { call } = await rig({ url: `${server.origin}/`, responsePath }, { allowed: [server.origin] });
    expect(failureOf(await call({}))).toMatchObject({
      code: "output_schema_invalid",
      details: { path, status: 200, answer: '{"data":{"items":[{"name":"a"}]}}' },
    });
  });

  test.each<[string, Record<string, string>, string, string | undefined]>([
    ["says to be JSON and is not", { "content-type": "application/problem+json" }, "{", undefined],
    ["is no JSON where a path is asked", { "content-type": "text/plain" }, "hello", "a"],
    ["is empty where a path is asked", {}, "", "a"],
    ["is bytes and no text", {}, "\xff\xfe\xfd", undefined],
    ["is in a charset that nobody knows", { "content-type": "text/plain; charset=klingon" }, "x", undefined],
  ])("that %s is output_not_json", async (_name, headers, body, responsePath) => {
    const server = await startServer((_request, response) => void response.writeHead(200, headers).end(body, "latin1"));
    const { call } = await rig(
      { url: `${server.origin}/`, ...(responsePath === undefined ? {} : { responsePath }) },
      { allowed: [server.origin] },
    );
    expect(failureOf(await call({}))).toMatchObject({ code: "output_not_json" });
  });

  test.each<[number, string, boolean]>([
    [204, "http_4xx", false],
    [301, "http_4xx", false],
    [304, "http_4xx", false],
    [400, "http_4xx", false],
    [403, "http_4xx", false],
    [404, "http_4xx", false],
    [408, "http_4xx", true],
    [409, "http_4xx", true],
    [425, "http_4xx", true],
    [429, "http_4xx", true],
    [500, "http_5xx", true],
    [503, "http_5xx", true],
    [599, "http_5xx", true],
  ])("with a status that is not expected (%i) is %s", async (status, code, retryable) => {
    const server = await startServer((_request, response) => void response.writeHead(status).end());
    const { call } = await rig({ url: `${server.origin}/`, expect: { status: [200] } }, { allowed: [server.origin] });
    expect(failureOf(await call({}))).toMatchObject({ code, retryable, details: { status } });
  });

  test("with a status that the job spec expects is an output", async () => {
    const server = await startServer(respondJson({ error: "unknown" }, 404));
    const { call } = await rig(
      { url: `${server.origin}/`, expect: { status: [200, 404] } },
      { allowed: [server.origin] },
    );
    expect(outputOf(await call({}))).toEqual({ error: "unknown" });
  });

  test("that fails is quoted, up to 500 characters, without the secret", async () => {
    const server = await startServer(
      (request, response) =>
        void response
          .writeHead(422, { location: `/?key=${encodeURIComponent(SECRET)}` })
          .end(`${JSON.stringify(request.headers)} ${"x".repeat(600)}`),
    );
    const { call } = await rig(
      { url: "/", connection: "conn_1", headers: { authorization: "{{connection.secret}}" } },
      { allowed: [server.origin], connection: connection(server.origin) },
    );
    const { details } = failureOf(await call({}));
    expect(details).toMatchObject({ status: 422, location: "/?key=[secret]" });
    expect(details?.["answer"]).toHaveLength(500);
    expect(details?.["answer"]).toContain('"authorization":"[secret]"');
    expect(JSON.stringify(details)).not.toContain("s3cr3t");
  });

  test("that repeats the secret is kept without it", async () => {
    const server = await startServer(echo);
    const { call } = await rig(
      { url: "/", connection: "conn_1", ...AUTHORIZED },
      { allowed: [server.origin], connection: connection(server.origin) },
    );
    const outcome = await call({});
    expect(outputOf(outcome)).toMatchObject({ headers: { authorization: "Bearer [secret]" } });
  });

  test("401 to the connection's secret is a failure of configuration, at which a run stops early", async () => {
    const server = await startServer(respondJson({}, 401));
    const world = { allowed: [server.origin], connection: connection(server.origin) };
    const withSecret = await rig({ url: "/", connection: "conn_1", ...AUTHORIZED }, world);
    expect(failureOf(await withSecret.call({}))).toMatchObject({ code: "provider_auth_failed", retryable: false });
    const without = await rig({ url: "/", connection: "conn_1" }, world);
    expect(failureOf(await without.call({}))).toMatchObject({ code: "http_4xx", retryable: false });
  });
});

describe("the other side's wish to wait", () => {
  test("is reported in seconds or as a date", async () => {
    let header = "7";
    const server = await startServer(
      (_request, response) => void response.writeHead(429, { "retry-after": header }).end(),
    );
    const { call } = await rig({ url: `${server.origin}/` }, { allowed: [server.origin] });
    expect(failureOf(await call({})).retryAfterMs).toBe(7000);
    header = new Date(Date.now() + 3_600_000).toUTCString();
    expect(failureOf(await call({})).retryAfterMs).toBeGreaterThan(3_500_000);
    header = "soon";
    expect(failureOf(await call({})).retryAfterMs).toBeUndefined();
  });

  test("slows everyone on the connection down", async () => {
    const statuses = [200, 429, 503, 500, 404];
    const server = await startServer(({ path }, response) => {
      response.writeHead(statuses[Number(path.slice(1))] ?? 0, { "retry-after": "3" }).end();
    });
    const { call, ends } = await rig(
      { url: "/{{row.n}}", connection: "conn_1" },
      { allowed: [server.origin], connection: connection(server.origin) },
    );
    for (const n of statuses.keys()) await call({ n });
    expect(ends).toEqual([
      { outcome: "responded" },
      { outcome: "rate_limited", retryAfterMs: 3000 },
      { outcome: "overloaded", retryAfterMs: 3000 },
      { outcome: "failed" },
      { outcome: "responded" },
    ]);
  });

  test("is learned from what the responses say of limits", async () => {
    const headers = {
      "x-ratelimit-limit-requests": "600",
      "x-ratelimit-remaining-requests": "599",
      "x-ratelimit-reset-requests": "100ms",
    };
    const server = await startServer((_request, response) => void response.writeHead(200, headers).end("1"));
    const { call, ends } = await rig(
      { url: "/", connection: "conn_1" },
      { allowed: [server.origin], connection: connection(server.origin) },
    );
    await call({});
    expect(ends).toMatchObject([{ outcome: "responded", learned: { requestsPerMinute: 600 } }]);
  });

  test("is nobody's without a connection", async () => {
    const server = await startServer(respondJson(1));
    const alone = await rig({ url: `${server.origin}/` }, { allowed: [server.origin] });
    await alone.call({});
    expect(alone.permits).toBe(0);
  });
});

describe("a job spec is refused", () => {
  const world = { allowed: ["http://127.0.0.1:9"], connection: connection("https://api.example.com") };

  test.each<[string, Parameters<typeof rig>[0], string]>([
    ["a template that does not parse", { url: "https://a.com/{{row.x" }, "/url"],
    ["a private address", { url: "https://10.0.0.1/x" }, "/url"],
    ["plain http to the world", { url: "http://example.com/{{row.x}}" }, "/url"],
    ["the secret in the URL", { url: "/{{connection.secret}}", connection: "conn_1" }, "/url"],
    ["another host than the connection's", { url: "https://evil.com/", connection: "conn_1" }, "/url"],
    [
      "the secret in the body",
      { method: "POST", url: "/", connection: "conn_1", body: { a: ["{{connection.secret}}"] } },
      "/body/a/0",
    ],
    [
      "the secret in a text",
      { method: "POST", url: "/", connection: "conn_1", body: "{{connection.secret}}" },
      "/body",
    ],
    ["a body of a GET", { url: "https://a.com/", body: {} }, "/body"],
    ["a secret without a connection", { url: "https://a.com/", ...AUTHORIZED }, "/headers/authorization"],
    [
      "another member of the connection",
      { url: "/", connection: "conn_1", headers: { a: "{{connection.id}}" } },
      "/headers/a",
    ],
    [
      "a header that frames the request",
      { url: "https://a.com/", headers: { "Content-Length": "1" } },
      "/headers/Content-Length",
    ],
    ["a header with a line break", { url: "https://a.com/", headers: { a: "b\r\nc: d" } }, "/headers/a"],
    ["a header twice", { url: "https://a.com/", headers: { a: "1", A: "2" } }, "/headers/A"],
    ["a path with a filter", { url: "https://a.com/", responsePath: "a | json" }, "/responsePath"],
    ["a path that ends the tag", { url: "https://a.com/", responsePath: "a}} {{answer.b" }, "/responsePath"],
    ["an unknown connection", { url: "/", connection: "conn_2" }, "/connection"],
  ])("with the place of %s", async (_name, config, path) => {
    const { problems } = await rig(config, world);
    expect((await problems()).map((problem) => problem.path)).toEqual([path]);
  });

  test("for a connection to a model provider, and for one whose secret is missing", async () => {
    const config = { url: "/", connection: "conn_1", ...AUTHORIZED };
    for (const more of [{ type: "anthropic" as const }, { secret: null }]) {
      const { problems } = await rig(config, { connection: connection("https://api.example.com", more) });
      expect(await problems()).toMatchObject([{ path: "/connection" }]);
    }
  });

  test("and a good one is not", async () => {
    expect(await (await rig({ url: "/x/{{row.id}}", connection: "conn_1", ...AUTHORIZED }, world)).problems()).toEqual(
      [],
    );
    expect(await (await rig({ url: "http://127.0.0.1:9/x" }, world)).problems()).toEqual([]);
    expect(await (await rig({ url: "https://{{row.host}}/" }, world)).problems()).toEqual([]);
  });
});

test("a connection that is gone, or has lost its secret, fails the row", async () => {
  const config = { url: "/", connection: "conn_1", ...AUTHORIZED };
  for (const world of [{}, { connection: connection("https://api.example.com", { secret: null }) }])
    expect(failureOf(await (await rig(config, world)).call({}))).toMatchObject({ code: "secret_missing" });
});
