import { request } from "node:http";
import { expect, test } from "vitest";
import { Rowmill } from "@rowmill/client";
import { runMain } from "../../testing/service-process.ts";
import { readConfig } from "../../config.ts";
import { startTestService } from "../../testing/service.ts";

const APP = "https://app.example.com";
const service = await startTestService({ ROWMILL_CORS_ORIGINS: `${APP},http://localhost:5173` });
const own = await service.newOrganization();

interface Reply {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
}
/** Node's own request: fetch would not let us name an origin. */
const ask = (url: string, method: string, headers: Record<string, string>): Promise<Reply> =>
  new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, (response) => {
      response.resume().on("close", () => resolve({ status: response.statusCode, headers: response.headers }));
    })
      .on("error", reject)
      .end();
  });
const runs = `${service.url}/v1/runs`;
const authorization = `Bearer ${own.apiKey}`;
const preflight = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type,idempotency-key",
};

test("a named origin gets preflights and responses with the headers that a client reads", async () => {
  const asked = await ask(runs, "OPTIONS", { origin: APP, ...preflight });
  expect(asked).toMatchObject({
    status: 204,
    headers: { "access-control-allow-origin": APP, "access-control-max-age": "600", vary: "Origin" },
  });
  expect(asked.headers["access-control-allow-methods"]).toContain("PATCH");
  expect(asked.headers["access-control-allow-headers"]).toContain("Idempotency-Key");
  const got = await ask(runs, "GET", { origin: APP, authorization });
  expect(got).toMatchObject({ status: 200, headers: { "access-control-allow-origin": APP, vary: "Origin" } });
  for (const name of ["ETag", "Retry-After", "Request-Id", "Location", "Content-Disposition", "Upload-Offset"])
    expect(got.headers["access-control-expose-headers"]).toContain(name);
  expect(got.headers["access-control-allow-credentials"]).toBeUndefined();
});

test("errors, streams and pages can be read, too, and say what they depend on", async () => {
  const refused = await ask(runs, "GET", { origin: APP });
  expect(refused).toMatchObject({ status: 401, headers: { "access-control-allow-origin": APP } });
  const missing = await ask(`${service.url}/v1/nothing`, "GET", { origin: APP });
  expect(missing).toMatchObject({ status: 404, headers: { "access-control-allow-origin": APP } });
  const stream = await ask(`${service.url}/v1/events/stream?follow=false`, "GET", { origin: APP, authorization });
  expect(stream).toMatchObject({ status: 200, headers: { "access-control-allow-origin": APP } });
  const codes = await ask(`${service.url}/v1/error-codes`, "GET", { origin: APP });
  expect(String(codes.headers["vary"]).split(/, */).toSorted()).toEqual(["Accept", "Origin"]);
});

test("another origin gets nothing, and neither does a request without one", async () => {
  for (const origin of ["https://evil.example.com", `${APP}.evil.example.com`, "null", APP.toUpperCase(), `${APP}/`]) {
    const asked = await ask(runs, "OPTIONS", { origin, ...preflight });
    expect([origin, asked.status, asked.headers["access-control-allow-origin"]]).toEqual([origin, 405, undefined]);
    const got = await ask(runs, "GET", { origin, authorization });
    expect([origin, got.status, got.headers["access-control-allow-origin"]]).toEqual([origin, 200, undefined]);
  }
  const without = await ask(runs, "GET", { authorization });
  expect(without.headers).toMatchObject({ vary: "Origin" });
  expect(without.headers["access-control-allow-origin"]).toBeUndefined();
});

test("OPTIONS that is no preflight stays what it is", async () => {
  const upload = `${service.url}/v1/dataset-uploads/upl_01jd3v8m7qe6t9yb4c2xk5w0hz/content/resumable`;
  const reply = await ask(upload, "OPTIONS", { origin: APP });
  expect(reply.headers["tus-version"] ?? reply.status).toBeDefined();
  expect(reply.headers["access-control-allow-origin"]).toBe(APP);
});

test("* is every origin, still without credentials; unset is none", async () => {
  const open = await startTestService({ ...service.settings, ROWMILL_CORS_ORIGINS: "*" });
  const got = await ask(`${open.url}/v1/runs`, "GET", { origin: "https://anyone.example.com", authorization });
  expect(got.headers).toMatchObject({ "access-control-allow-origin": "*" });
  expect([got.headers["vary"], got.headers["access-control-allow-credentials"]]).toEqual([undefined, undefined]);
  const { ROWMILL_CORS_ORIGINS: _, ...rest } = service.settings;
  const closed = await startTestService(rest);
  const plain = await ask(`${closed.url}/v1/runs`, "OPTIONS", { origin: APP, ...preflight });
  expect([plain.status, plain.headers["access-control-allow-origin"]]).toEqual([405, undefined]);
  await expect(new Rowmill({ apiKey: own.apiKey, baseUrl: closed.url }).runs.list()).resolves.toBeDefined();
});

test.each([
  "app.example.com",
  "https://app.example.com/",
  "https://APP.example.com",
  "https://*.example.com",
  "ftp://x.example",
])("%s is no origin, which the settings say in a sentence", (text) => {
  expect(() => readConfig({ ROWMILL_CORS_ORIGINS: text })).toThrow(
    /ROWMILL_CORS_ORIGINS.*https:\/\/app\.example\.com or http:\/\/localhost:5173/,
  );
});

test("what is no origin stops the start with that sentence", async () => {
  const { code, output } = await runMain({ ROWMILL_CORS_ORIGINS: "app.example.com" });
  expect(code).toBe(1);
  expect(output).toMatch(/ROWMILL_CORS_ORIGINS.*https:\/\/app\.example\.com or http:\/\/localhost:5173/);
});
