import { createServer } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import type { Connection, ConnectionTest } from "@rowmill/contract/connections";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { outsideSettings, receiverSettings, startReceiver } from "../../testing/receiver.ts";
import type { Receiver, ReceiverResponse } from "../../testing/receiver.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { listen } from "../../testing/tls-receivers.ts";
import { endedUpload } from "../../testing/uploads.ts";

const SECRET = "sk-test-0123456789abcdefWXYZ";

let service: TestService;
let api: Api;
let provider: Receiver;

beforeAll(async () => {
  provider = await startReceiver("93.184.215.14");
  service = await startTestService(await outsideSettings(provider));
  api = (await service.newOrganization()).api;
});

/** What a test of such a connection finds, with a provider that responds so. */
async function find(body: object, reply: ReceiverResponse): Promise<ConnectionTest> {
  provider.respond(reply);
  const created = await api<Connection>("POST", "/v1/connections", {
    body: { name: "Tested", baseUrl: `https://${provider.host}/v1`, ...body },
  });
  expectStatus(created, 201);
  const tested = await api<ConnectionTest>("POST", `/v1/connections/${created.body.id}/test`);
  expectStatus(tested, 200);
  expectStatus(await api("DELETE", `/v1/connections/${created.body.id}`), 204);
  return tested.body;
}
const json = (value: unknown, status = 200): ReceiverResponse => ({ status, body: JSON.stringify(value) });
const openai = { type: "openai_compatible", secret: SECRET };
const lastRequest = () => provider.requests.at(-1);

describe("a provider that is there", () => {
  test("lists its models: openai_compatible, with the secret as a bearer", async () => {
    const found = await find(openai, json({ object: "list", data: [{ id: "small" }, { id: "large" }] }));
    expect(found).toMatchObject({ ok: true, status: 200, models: ["small", "large"] });
    expect(found.message).toBe("The provider was reached, and lists 2 models.");
    expect(found.durationMs).toBeGreaterThanOrEqual(0);
    expect(lastRequest()).toMatchObject({ method: "GET", path: "/v1/models" });
    expect(lastRequest()?.headers["authorization"]).toBe(`Bearer ${SECRET}`);
  });

  test("lists its models: anthropic, with the secret and the version it asks for", async () => {
    const found = await find({ type: "anthropic", secret: SECRET }, json({ data: [{ type: "model", id: "one" }] }));
    expect(found).toMatchObject({
      ok: true,
      models: ["one"],
      message: expect.stringContaining("lists 1 model.") as string,
    });
    expect(lastRequest()?.headers).toMatchObject({ "x-api-key": SECRET, "anthropic-version": "2023-06-01" });
    expect(lastRequest()?.headers["authorization"]).toBeUndefined();
  });

  test("has no model, and null in place of a list, as Ollama does", async () => {
    const found = await find({ type: "openai_compatible" }, json({ object: "list", data: null }));
    expect(found).toMatchObject({ ok: true, models: [] });
  });

  test("is asked without a secret where there is none", async () => {
    await find({ type: "openai_compatible" }, json({ data: [] }));
    expect(lastRequest()?.headers["authorization"]).toBeUndefined();
  });

  test("lists thousands, of which a hundred are shown; what is no name is left out", async () => {
    const data = [
      { id: 5 },
      null,
      "x",
      { id: "n".repeat(201) },
      ...Array.from({ length: 5_000 }, (_, i) => ({ id: `m${i}` })),
    ];
    const found = await find(openai, json({ data }));
    expect(found.message).toContain("lists 5000 models");
    expect(found.models).toEqual(Array.from({ length: 100 }, (_, i) => `m${i}`));
  });
});

describe("a provider that refuses", () => {
  test.each([
    [401, openai, "refuses the secret (401)"],
    [403, openai, "refuses the secret (403)"],
    [401, { type: "openai_compatible" }, "the connection has none"],
    [404, openai, "most base URLs end in /v1"],
    [429, openai, "asks to wait"],
    [500, openai, "an error of its own"],
    [503, { type: "anthropic" }, "responds with 503"],
    [302, openai, "leads elsewhere (302), which is never followed"],
    [418, openai, "responds with 418"],
  ])("by status %i", async (status, body, message) => {
    const found = await find(body, {
      status,
      headers: { location: "https://169.254.169.254/" },
      body: "<html>secret page</html>",
    });
    expect(found).toMatchObject({ ok: false, status, message: expect.stringContaining(message) as string });
    expect(found).not.toHaveProperty("models");
    expect(found.message).not.toContain("html");
  });

  test("is quoted in short, without the secret", async () => {
    const said = `Incorrect API key: ${SECRET}.\n${"You can find your key. ".repeat(50)}`;
    const found = await find(openai, json({ error: { message: said, type: "invalid_request_error" } }, 401));
    expect(found.message).toContain("It says: Incorrect API key: [secret]. You can find");
    expect(found.message).not.toContain(SECRET);
    expect(found.message.length).toBeLessThan(400);
    expect((await find(openai, json({ error: "no such key" }, 401))).message).toContain("It says: no such key");
    const cut = `${"-".repeat(300 - SECRET.length + 1)}${SECRET}`;
    const escaped = SECRET.replaceAll(/./g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`);
    for (const echo of [cut, encodeURIComponent(SECRET), Buffer.from(`:${SECRET}`).toString("base64"), escaped]) {
      const { message } = await find(openai, { status: 401, body: `{"error": "${echo}"}` });
      expect(message).toMatch(/\[secret\]|-…?$/);
      expect(message).not.toContain(SECRET.slice(0, 8));
      expect(message).not.toContain("u0073");
    }
    const listed = await find(openai, json({ data: [{ id: `of ${SECRET}` }] }));
    expect(listed.models).toEqual(["of [secret]"]);
  });

  test.each([
    ["a page", "<html></html>"],
    ["nothing", ""],
    ["another JSON", '{"models":[]}'],
    ["a list", "[]"],
    ["null", "null"],
    ["five MiB", `{"data":["${"x".repeat(5 * 1024 * 1024)}"]}`],
  ])("by sending %s where its models should be", async (_what, body) => {
    const found = await find(openai, { status: 200, body });
    expect(found).toMatchObject({
      ok: false,
      status: 200,
      message: expect.stringContaining("not a list of models") as string,
    });
  });
});

describe("an http connection", () => {
  const http = { type: "http", secret: SECRET };
  test.each([
    [200, true],
    [404, true],
    [401, false],
    [403, false],
    [500, false],
    [301, false],
  ])("that responds %i has been reached", async (status, ok) => {
    expect(await find(http, { status })).toMatchObject({ ok, status });
    expect(lastRequest()).toMatchObject({ method: "GET", path: "/v1" });
    expect(JSON.stringify(lastRequest()?.headers)).not.toContain(SECRET);
  });
});

describe("what cannot be reached", () => {
  test("is a receiver of webhooks inside the operator's network, by connections, `http` rows and uploads", async () => {
    const inside = await startReceiver();
    const { api: tenant } = await (await startTestService(receiverSettings(inside))).newOrganization();
    const baseUrl = `https://${inside.host}`;
    const created = await tenant("POST", "/v1/connections", { body: { type: "http", name: "Inside", baseUrl } });
    expect((await tenant("POST", `/v1/connections/${created.body.id}/test`)).body).toMatchObject({ ok: false });
    for (const processor of [
      { type: "http", method: "DELETE", url: `${baseUrl}/rows/{{row.id}}` },
      { type: "http", method: "GET", connection: created.body.id, url: "/rows" },
    ]) {
      const spec = await tenant("POST", "/v1/job-specs", { body: { name: "Inside", processor } });
      expectStatus(spec, 201);
      const tested = await tenant("POST", `/v1/job-specs/${spec.body.id}/test`, { body: { rows: [{ id: 1 }] } });
      expect(tested.body.failures).toMatchObject([{ code: "network_error" }]);
    }
    const source = { type: "url", url: `${baseUrl}/rows.jsonl` };
    const upload = await tenant("POST", "/v1/dataset-uploads", { body: { name: "Inside", source } });
    expect((await endedUpload(tenant, upload.body.id)).errors).toMatchObject([{ code: "download_failed" }]);
    expect(inside.requests).toEqual([]);
  });

  test("hangs up", async () => {
    expect(await find(openai, "hang_up")).toMatchObject({ ok: false, status: null });
  });

  test("says nothing for ten seconds", async () => {
    const found = await find(openai, "never");
    expect(found).toMatchObject({ ok: false, status: null, message: "No complete response within 10 seconds." });
  });

  test("was allowed by the operator once, and is not any more", async () => {
    const inside = createServer((_request, response) => void response.end());
    const origin = `http://127.0.0.1:${await listen(inside)}`;
    const admitting = await startTestService({ ROWMILL_CONNECTION_ALLOWED_ORIGINS: origin });
    const tenant = await admitting.newOrganization();
    const created = await tenant.api("POST", "/v1/connections", { body: { type: "http", name: "x", baseUrl: origin } });
    const path = `/v1/connections/${created.body.id}/test`;
    expect((await tenant.api("POST", path)).body).toMatchObject({ ok: true, status: 200 });
    const { ROWMILL_CONNECTION_ALLOWED_ORIGINS: _allowed, ...settings } = admitting.settings;
    await admitting.stop();
    const without = await startTestService(settings);
    const found = await without.api("POST", path, { key: tenant.apiKey });
    expect(found.body).toMatchObject({
      ok: false,
      status: null,
      message: expect.stringContaining("must begin with https") as string,
    });
  });
});

test("a repeat of the request asks nobody again; another one does", async () => {
  provider.respond(json({ data: [] }));
  const created = await api("POST", "/v1/connections", {
    body: { ...openai, name: "Repeated", baseUrl: `https://${provider.host}/v1` },
  });
  const path = `/v1/connections/${created.body.id}/test`;
  const before = provider.requests.length;
  const first = await api("POST", path, { idempotencyKey: "tested-once" });
  const second = await api("POST", path, { idempotencyKey: "tested-once" });
  expect([second.text, second.headers["idempotent-replayed"]]).toEqual([first.text, "true"]);
  expect(provider.requests.length).toBe(before + 1);
  await api("POST", path);
  expect(provider.requests.length).toBe(before + 2);
});
