import { Pool } from "undici";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { completion, startOddProvider } from "./llm-testing.ts";
import type { OddProvider } from "./llm-testing.ts";
import { sendRequest } from "./transport.ts";

let provider: OddProvider;
let pool: Pool;

beforeEach(async () => {
  provider = await startOddProvider(({ path }) => (path === "/silent" ? "silence" : completion("fine")));
  pool = new Pool(provider.origin, { connections: 1 });
});
afterEach(async () => {
  await pool.destroy();
  await provider.close();
});

const never = new AbortController().signal;
const request = (path: string) => ({
  url: `${provider.origin}${path}`,
  headers: { "content-type": "application/json" },
  body: "{}",
});

test("a response comes with its status, its headers and its text", async () => {
  expect(await sendRequest(pool, request("/v1?a=b"), never)).toMatchObject({
    outcome: "responded",
    response: { status: 200, headers: { "content-type": "application/json" } },
  });
  expect(provider.seen[0]?.path).toBe("/v1?a=b");
});

test("a provider that says nothing has timed out, and may have done the work", async () => {
  expect(await sendRequest(pool, request("/silent"), never, { timeoutMs: 2_000 })).toMatchObject({
    outcome: "failed",
    wasSent: true,
    failure: { code: "provider_timeout" },
  });
});

describe("a request that waits for a socket", () => {
  test("was not sent when it is abandoned, and never will be", async () => {
    const stopping = new AbortController();
    const first = sendRequest(pool, request("/silent"), never, { timeoutMs: 2_000 });
    const second = sendRequest(pool, request("/second"), stopping.signal);
    const third = sendRequest(pool, request("/third"), never, { timeoutMs: 20 });
    stopping.abort();
    expect(await second).toEqual({ outcome: "aborted", wasSent: false });
    expect(await third).toMatchObject({ outcome: "failed", wasSent: false });
    await first;
    await sendRequest(pool, request("/last"), never);
    expect(provider.seen.map(({ path }) => path)).toEqual(["/silent", "/last"]);
  });
});

test("a dispatcher that is closed is a failure, too", async () => {
  await pool.destroy();
  expect(await sendRequest(pool, request("/"), never)).toMatchObject({ outcome: "failed", wasSent: false });
});
