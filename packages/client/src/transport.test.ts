import { once } from "node:events";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { Rowmill, RowmillApiError, RowmillConnectionError, RowmillTimeoutError } from "./index.ts";
import { API_KEY, failure, json, startService } from "./testing/service.ts";

const run = { id: "run_1", state: "queued" };
/** Of a port at which nothing listens. */
async function closedOrigin(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

const newRun = { datasetId: "ds_1", jobSpecId: "spec_1", scope: { type: "all" } } as const;

describe("a create", () => {
  test("repeats one idempotency key and one body until the service responds", async () => {
    const service = await startService((response, _, number) => {
      if (number === 0) response.destroy();
      else if (number === 1) failure(response, 500, "internal_error");
      else if (number === 2) failure(response, 409, "idempotency_in_progress", { "retry-after": "1" });
      else json(response, 201, run);
    });
    expect(await service.client().runs.create(newRun)).toEqual(run);
    expect(service.received).toHaveLength(4);
    expect(new Set(service.received.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(new Set(service.received.map(({ body }) => body))).toEqual(new Set([JSON.stringify(newRun)]));
  });

  test("has a key of its own each time, or the caller's", async () => {
    const service = await startService((response) => json(response, 201, run));
    const rowmill = service.client();
    await rowmill.runs.create(newRun);
    await rowmill.runs.create(newRun);
    await rowmill.runs.create(newRun, { idempotencyKey: "mine" });
    const [first, second, third] = service.received.map(({ headers }) => headers["idempotency-key"]);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect(second).not.toBe(first);
    expect(third).toBe("mine");
  });

  test("is not repeated when the service refuses it", async () => {
    const service = await startService((response) => failure(response, 409, "idempotency_conflict"));
    await expect(service.client().runs.create(newRun)).rejects.toMatchObject({
      code: "idempotency_conflict",
      status: 409,
    });
    expect(service.received).toHaveLength(1);
  });
});

describe("repeating", () => {
  test("waits as Retry-After says", async () => {
    const service = await startService((response, _, number) => {
      if (number === 0) failure(response, 429, "rate_limited", { "retry-after": "7" });
      else json(response, 200, run);
    });
    await service.client().runs.get("run_1");
    expect(service.waits).toHaveLength(1);
    expect(service.waits[0]).toBeGreaterThanOrEqual(7000);
    expect(service.waits[0]).toBeLessThan(7600);
  });

  test("leaves a very long Retry-After to the caller", async () => {
    const service = await startService((response) =>
      failure(response, 503, "service_unavailable", { "retry-after": "3600" }),
    );
    await expect(service.client().runs.get("run_1")).rejects.toMatchObject({ status: 503 });
    expect(service.received).toHaveLength(1);
  });

  test("ends after maxRetries with the last error", async () => {
    const service = await startService((response) => failure(response, 502, "internal_error"));
    await expect(service.client({ maxRetries: 2 }).runs.get("run_1")).rejects.toMatchObject({ status: 502 });
    expect(service.received).toHaveLength(3);
  });

  test("of a change happens only when the service says it did nothing", async () => {
    const service = await startService((response, _, number) => {
      if (number === 0) failure(response, 503, "service_unavailable");
      else failure(response, 500, "internal_error");
    });
    await expect(service.client().runs.update("run_1", { name: "x" })).rejects.toMatchObject({ status: 500 });
    expect(service.received).toHaveLength(2);
    const broken = await startService((response) => void response.destroy());
    await expect(broken.client().runs.update("run_1", { name: "x" })).rejects.toBeInstanceOf(RowmillConnectionError);
    expect(broken.received).toHaveLength(1);
  });

  test("of a change happens where nothing listens, which has done nothing", async () => {
    const waits: number[] = [];
    const sleep = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    const nowhere = new Rowmill({ apiKey: API_KEY, baseUrl: await closedOrigin(), sleep });
    await expect(nowhere.runs.update("run_1", { name: "x" })).rejects.toMatchObject({ isUnsent: true });
    expect(waits).toHaveLength(6);
    // Half of each wait is random: an outage of so many seconds ends before the last attempt, whatever comes of it.
    expect(waits.reduce((sum, ms) => sum + ms)).toBeGreaterThanOrEqual(11_750);
  });

  test("of a change does not happen where a connection that was made has lost its way", async () => {
    let calls = 0;
    const cause = Object.assign(new Error("read EHOSTUNREACH"), { code: "EHOSTUNREACH", syscall: "read" });
    const lost = new Rowmill({
      apiKey: API_KEY,
      baseUrl: "http://127.0.0.1",
      fetch: () => (calls++, Promise.reject(new TypeError("fetch failed", { cause }))),
    });
    await expect(lost.runs.update("run_1", { name: "x" })).rejects.toMatchObject({ isUnsent: false });
    expect(calls).toBe(1);
  });

  test("of a delete takes 404 for done only when an earlier attempt may have done it", async () => {
    const lost = await startService((response, _, number) => {
      if (number === 0) response.destroy();
      else failure(response, 404, "not_found");
    });
    expect(await lost.client().runs.delete("run_1")).toBeUndefined();
    const missing = await startService((response) => failure(response, 404, "not_found"));
    await expect(missing.client().runs.delete("run_1")).rejects.toMatchObject({ code: "not_found" });
  });

  test("happens when a response breaks off within its body", async () => {
    const service = await startService((response, _, number) => {
      if (number > 0) return json(response, 200, run);
      response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
      response.write('{"id":', () => response.destroy());
    });
    expect(await service.client().runs.get("run_1")).toEqual(run);
    expect(service.received).toHaveLength(2);
  });
});

describe("an error", () => {
  test("carries what the service said", async () => {
    const error = {
      code: "insufficient_scope",
      message: "no",
      param: "p",
      details: [{ path: "/a", code: "c", message: "m" }],
      retryable: false,
      requestId: "req_9",
      docUrl: "https://docs",
      requiredScopes: ["runs:read"],
    };
    const service = await startService((response) => json(response, 403, { error }, { "x-more": "1" }));
    const thrown = await service
      .client()
      .runs.get("run_1")
      .then(
        () => undefined,
        (reason: unknown) => reason,
      );
    expect(thrown).toBeInstanceOf(RowmillApiError);
    const { requiredScopes, ...common } = error;
    expect(thrown).toMatchObject({ ...common, status: 403, error: { requiredScopes } });
    expect(thrown instanceof RowmillApiError && thrown.headers.get("x-more")).toBe("1");
  });

  test("of something else than the service is an error that names it", async () => {
    const service = await startService((response) => {
      response.writeHead(404, { "content-type": "text/html", "request-id": "req_7" });
      response.end("<h1>nginx</h1>");
    });
    await expect(service.client().runs.get("run_1")).rejects.toMatchObject({
      code: "unexpected_answer",
      status: 404,
      requestId: "req_7",
    });
    const page = await startService((response) => void response.end("<h1>hello</h1>"));
    await expect(page.client().runs.get("run_1")).rejects.toMatchObject({ code: "unexpected_answer", status: 200 });
    const other = await startService((response) => void response.end('{"status":"ok"}'));
    await expect(other.client().runs.list()).rejects.toMatchObject({ code: "unexpected_answer", status: 200 });
  });

  test("says where a redirect is, and a POST does not follow it", async () => {
    const other = "https://rowmill.example.com";
    const service = await startService((response) => void response.writeHead(301, { location: `${other}/x` }).end());
    await expect(service.client().runs.create(newRun)).rejects.toThrow(
      `${service.origin} responds with a redirect: set baseUrl to ${other}`,
    );
    expect(service.received).toHaveLength(1);
  });

  test("says that a GET was redirected to an address that gets no key", async () => {
    const secure = await startService((response) => failure(response, 401, "authentication_required"));
    const service = await startService(
      (response, { url }) => void response.writeHead(301, { location: `${secure.origin}${url.pathname}` }).end(),
    );
    await expect(service.client().runs.get("run_1")).rejects.toMatchObject({
      code: "unexpected_answer",
      message: `${service.origin} redirects to ${secure.origin}, which does not get the key of another address: set baseUrl to ${secure.origin}`,
    });
    await expect(secure.client().runs.get("run_1")).rejects.toMatchObject({ code: "authentication_required" });
  });

  test("says that an address does not speak TLS", async () => {
    const { origin } = await startService((response) => json(response, 200, run));
    const rowmill = new Rowmill({ baseUrl: origin.replace("http:", "https:"), apiKey: API_KEY, maxRetries: 0 });
    await expect(rowmill.runs.get("run_1")).rejects.toThrow(/: it does not speak TLS: an address .*http:/);
  });

  test("never holds the API key, nor does the client", async () => {
    const service = await startService((response, _, number) => {
      if (number === 0) failure(response, 400, "invalid_request");
      else response.destroy();
    });
    const rowmill = service.client({ maxRetries: 0 });
    const errors = await Promise.all(
      [rowmill.me(), rowmill.runs.create(newRun)].map((made) => made.catch((error: unknown) => error)),
    );
    expect(errors.every((error) => error instanceof Error)).toBe(true);
    const shown = inspect([rowmill, ...errors], { depth: 20, showHidden: true }) + JSON.stringify([rowmill, errors]);
    expect(shown).not.toContain(API_KEY);
    expect(() => new Rowmill({ apiKey: `${API_KEY}\n`, baseUrl: service.origin })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(API_KEY) as string }),
    );
  });
});

describe("time and signals", () => {
  test("a service that does not respond is a timeout, tried again", async () => {
    const service = await startService((response, _, number) => {
      if (number > 0) json(response, 200, run);
    });
    expect(await service.client().runs.get("run_1", { timeoutMs: 2_000 })).toEqual(run);
    await expect(
      (await startService(() => undefined)).client({ maxRetries: 0, timeoutMs: 20 }).runs.get("run_1"),
    ).rejects.toBeInstanceOf(RowmillTimeoutError);
  });

  test("a signal ends the request with its own reason, without another attempt", async () => {
    const controller = new AbortController();
    const service = await startService(() => controller.abort(new Error("enough")));
    await expect(service.client().runs.get("run_1", { signal: controller.signal })).rejects.toThrow("enough");
    expect(service.received).toHaveLength(1);
    await expect(
      service.client().runs.get("run_1", { signal: AbortSignal.abort(new Error("before")) }),
    ).rejects.toThrow("before");
    expect(service.received).toHaveLength(1);
  });

  test("a signal ends the wait between two attempts", async () => {
    const controller = new AbortController();
    const service = await startService((response) => {
      failure(response, 429, "rate_limited", { "retry-after": "100" });
      response.on("close", () => setTimeout(() => controller.abort(new Error("enough")), 10));
    });
    const rowmill = new Rowmill({ apiKey: API_KEY, baseUrl: service.origin });
    await expect(rowmill.runs.get("run_1", { signal: controller.signal })).rejects.toThrow("enough");
    expect(service.received).toHaveLength(1);
  });
});

describe("a request's line", () => {
  test("keeps the path of baseUrl, escapes ids and writes filters", async () => {
    const service = await startService((response) => json(response, 200, { data: [], nextCursor: null }));
    const rowmill = service.client({ baseUrl: `${service.origin}/rowmill/`, headers: { "x-team": "a" } });
    await rowmill.runs.outputs("a/b?c", { limit: 3 });
    await rowmill.runs.list({ state: ["failed", "canceled"], createdAfter: new Date(0), datasetId: undefined });
    await rowmill.runs.failures("run_1", { retryable: false });
    expect(service.received.map(({ url }) => `${url.pathname}${decodeURIComponent(url.search)}`)).toEqual([
      "/rowmill/v1/runs/a%2Fb%3Fc/outputs?limit=3",
      "/rowmill/v1/runs?state=failed,canceled&createdAfter=1970-01-01T00:00:00.000Z",
      "/rowmill/v1/runs/run_1/failures?retryable=false",
    ]);
    expect(service.received[0]?.headers).toMatchObject({ authorization: `Bearer ${API_KEY}`, "x-team": "a" });
  });

  test.each(["", ".", ".."])("refuses %j as an id: it names another path", async (id) => {
    const service = await startService((response) => json(response, 200, {}));
    await expect(service.client().runs.delete(id)).rejects.toBeInstanceOf(TypeError);
    expect(service.received).toHaveLength(0);
  });

  test.each(["ftp://host", "nowhere", "http://user:secret@host"])("refuses %s as baseUrl", (baseUrl) => {
    expect(() => new Rowmill({ apiKey: API_KEY, baseUrl })).toThrow("baseUrl must");
  });
});
