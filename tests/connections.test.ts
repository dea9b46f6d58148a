/** What arrives on a connection before it is a request, and what breaks off in the middle of one. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { waitFor } from "@rowmill/server/testing/wait";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});
afterEach(async () => {
  // Whatever was sent, the next one is served.
  expect((await tenant.api("GET", "/v1/me")).status).toBe(200);
});

/** Sends bytes and returns what comes back until the other side closes; `isCut`: closes after sending. */
async function exchange(bytes: string | Buffer, isCut = false): Promise<string> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "close");
  let response = "";
  socket.setEncoding("utf8");
  socket.on("data", (text: string) => (response += text));
  // A reset is an end like any other here.
  socket.on("error", () => {});
  socket.write(bytes);
  if (isCut) await new Promise<void>((resolve) => socket.write("", () => resolve(void socket.destroy())));
  await closed;
  return response;
}

const get = (headers: string): string => `GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
const authorization = (): string => `Authorization: Bearer ${tenant.apiKey}\r\n`;

describe("what is no HTTP", () => {
  test.each([
    ["noise", Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x00])],
    ["text", "hello\r\n\r\n"],
    ["another version", "GET /v1/me HTTP/9.9\r\nHost: x\r\n\r\n"],
    ["a header without a colon", "GET /v1/me HTTP/1.1\r\nHost x\r\n\r\n"],
    ["a space before the colon", "GET /v1/me HTTP/1.1\r\nHost : x\r\n\r\n"],
    ["a NUL in a header", "GET /v1/me HTTP/1.1\r\nHost: x\r\nX-A: \u0000\r\n\r\n"],
    ["two lengths", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}"],
    [
      "a length and chunks",
      "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    ],
    ["a negative length", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n"],
    ["chunks that are none", "POST /v1/runs HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"],
  ])("%s gets a 400, and the connection ends", async (_what, bytes) => {
    expect(await exchange(bytes)).toMatch(/^HTTP\/1\.1 (400|401) /);
  });

  test("headers without end, and an address without end, get a 431", async () => {
    expect(await exchange(get(`X-Long: ${"x".repeat(20_000)}\r\n`))).toMatch(/^HTTP\/1\.1 431 /);
    expect(await exchange(`GET /v1/me?${"x".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe("what a client may send, though few do", () => {
  test("several requests in one go are served in their order", async () => {
    const one = `GET /v1/me HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`;
    const response = await exchange(one + one + get(authorization()));
    expect(response.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(3);
  });

  test("an absolute address, and a client that asks before it sends", async () => {
    const host = new URL(service.url).host;
    expect(
      await exchange(
        `GET ${service.url}/v1/me HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${authorization()}\r\n`,
      ),
    ).toMatch(/ (200|404) /);
    const body = '{"name":"x"}';
    const response = await exchange(
      `PATCH /v1/datasets/ds_01jd3v8m7qe6t9yb4c2xk5w0hz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${authorization()}` +
        `Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(response).toMatch(/100 Continue[\s\S]* 404 /);
  });

  test("hundred headers of the same name", async () => {
    expect(await exchange(get(authorization() + "X-A: b\r\n".repeat(100)))).toMatch(/ 200 /);
  });
});

describe("what breaks off", () => {
  test("a body that ends before its length does nothing and leaves nothing", async () => {
    const head =
      `POST /v1/job-specs HTTP/1.1\r\nHost: x\r\n${authorization()}Content-Type: application/json\r\n` +
      "Idempotency-Key: broken-off\r\nContent-Length: 60\r\n\r\n";
    for (let i = 0; i < 20; i++) await exchange(`${head}{"name":"Broken off","processor":{"type":"mock"}}`, true);
    expect((await tenant.api("GET", "/v1/job-specs")).body.data).toEqual([]);
    expect(await service.query("select 1 from idempotency_keys where key = 'broken-off'")).toEqual([]);
  });

  test("clients that hang up at once hold no connection of the database", async () => {
    const request = `GET /v1/runs HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`;
    await Promise.all(Array.from({ length: 100 }, () => exchange(request, true)));
    const busy = () =>
      service.query(
        "select 1 from pg_stat_activity where datname = current_database() and application_name = 'rowmill' and state <> 'idle'",
      );
    expect(await waitFor(async () => (await busy()).length === 0)).toBe(true);
  });

  test("no request is logged with its key, and none of this is an error of the service", () => {
    expect(service.logs().join("")).not.toContain(tenant.apiKey);
    const errors = service.logs().filter((line) => line.includes('"level":50'));
    expect(errors).toEqual([]);
  });
});
