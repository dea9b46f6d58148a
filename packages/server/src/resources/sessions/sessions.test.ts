import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { Session } from "@rowmill/contract/sessions";
import type { ApiResponse } from "../../testing/api.ts";
import { newDataset, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const signIn = (body: object, headers: Record<string, string> = {}, of = service) =>
  of.api<Session>("PUT", "/v1/session", { key: null, body, headers });
const withKey = (apiKey: string) => signIn({ by: "api_key", apiKey });
const cookieOf = ({ headers }: ApiResponse<unknown>): string => headers["set-cookie"]?.split(";", 1)[0] ?? "";
const ask = (method: string, path: string, cookie: string, origin: string | null = service.url, body?: object) =>
  tenant.api(method, path, {
    key: null,
    body,
    headers: { Cookie: cookie, ...(origin === null ? {} : { Origin: origin }) },
  });
const newKey = async (body: object): Promise<CreatedApiKey> => {
  const path = `/v1/organizations/${tenant.organizationId}/api-keys`;
  return (await tenant.api<CreatedApiKey>("POST", path, { body: { name: "Signs in", ...body } })).body;
};
const tokenOf = (url: string): string => new URL(url).hash.replace("#token=", "");

describe("a key is exchanged for a session", () => {
  test("whose cookie no script and no other site can use, and which can do what the key can do", async () => {
    const { id, key, scopes } = await newKey({ scopes: ["runs:read", "job_specs:write"] });
    const reply = await withKey(key);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ by: "session", kind: "organization", apiKeyId: id, scopes });
    expect(reply.headers["set-cookie"]).toMatch(
      /^rowmill_session_\d+=rms_\w+; Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    expect(reply.headers["cache-control"]).toBe("no-store");
    expect(reply.text).not.toContain("rms_");
    const cookie = cookieOf(reply);
    expect((await ask("GET", "/v1/session", cookie)).body).toMatchObject({ by: "session", apiKeyId: id });
    expect((await ask("GET", "/v1/runs", cookie)).status).toBe(200);
    expect((await ask("GET", "/v1/webhook-endpoints", cookie)).body.error.code).toBe("insufficient_scope");
    const spec = { name: "By cookie", processor: { type: "mock" } };
    expect((await ask("POST", "/v1/job-specs", cookie, service.url, spec)).status).toBe(201);
  });

  test("which signing out ends at once", async () => {
    const cookie = cookieOf(await withKey(tenant.apiKey));
    const other = cookieOf(await withKey(tenant.apiKey));
    const out = await ask("DELETE", "/v1/session", cookie);
    expect([out.status, out.headers["set-cookie"]]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    expect((await ask("GET", "/v1/me", cookie)).body.error.code).toBe("session_ended");
    expect((await ask("GET", "/v1/me", other)).status).toBe(200);
  });

  test("whose streams end with it, and no others", async () => {
    const open = async (cookie: string): Promise<Response> => {
      const response = await fetch(`${service.url}/v1/events/stream`, { headers: { Cookie: cookie } });
      expect(response.status).toBe(200);
      return response;
    };
    const [own, other] = [cookieOf(await withKey(tenant.apiKey)), cookieOf(await withKey(tenant.apiKey))];
    const [ended, kept] = [await open(own), await open(other)];
    expect((await ask("DELETE", "/v1/session", own)).status).toBe(204);
    await expect(ended.text()).rejects.toThrow("terminated");
    await newDataset(tenant.api, numberedRows(1));
    let seen = "";
    for await (const chunk of kept.body ?? []) {
      seen += new TextDecoder().decode(chunk as Uint8Array);
      if (seen.includes("event: dataset.ready")) break;
    }
    expect(seen).toContain("event: dataset.ready");
  });

  test("which ends with its key", async () => {
    const { id, key } = await newKey({});
    const cookie = cookieOf(await withKey(key));
    expect((await ask("GET", "/v1/me", cookie)).status).toBe(200);
    await tenant.api("DELETE", `/v1/organizations/${tenant.organizationId}/api-keys/${id}`);
    expect((await ask("GET", "/v1/me", cookie)).body.error.code).toBe("api_key_revoked");
  });

  test("which lives no longer than its key", async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const reply = await withKey((await newKey({ expiresAt })).key);
    expect(reply.body.expiresAt).toBe(expiresAt);
    expect((await ask("GET", "/v1/me", cookieOf(reply))).status).toBe(200);
    await service.query("update sessions set expires_at = now() where expires_at = $1", [expiresAt]);
    expect((await ask("GET", "/v1/me", cookieOf(reply))).body.error.code).toBe("session_ended");
  });

  test("also the admin's, whose session can do what the admin can do", async () => {
    const reply = await withKey(service.adminKey);
    expect(reply.body).toMatchObject({ by: "session", kind: "admin", organizationId: null });
    expect((await ask("GET", "/v1/organizations", cookieOf(reply))).status).toBe(200);
    expect((await ask("GET", "/v1/runs", cookieOf(reply))).body.error.code).toBe("organization_key_required");
    expect((await ask("DELETE", "/v1/session", cookieOf(reply))).status).toBe(204);
    expect((await ask("GET", "/v1/me", cookieOf(reply))).body.error.code).toBe("session_ended");
    // Audit events are those of organizations: the operator reads it in the log.
    const logged = (what: string) =>
      service
        .logs()
        .filter((line) => line.includes(what))
        .map((line) => (JSON.parse(line) as { sessionId: string }).sessionId);
    expect(logged("a session with the admin key begins")).toContain(
      logged("a session with the admin key was ended")[0],
    );
  });

  test("but only if it may be used", async () => {
    expect((await withKey("rmk_unknown")).body).toMatchObject({ error: { code: "invalid_api_key" } });
    const { id, key } = await newKey({});
    await tenant.api("DELETE", `/v1/organizations/${tenant.organizationId}/api-keys/${id}`);
    const refused = await withKey(key);
    expect([refused.status, refused.headers["set-cookie"]]).toEqual([401, undefined]);
  });

  test("which makes no request for a page that was opened with another key", async () => {
    const { id, key } = await newKey({});
    const [first, admin] = [await withKey(key), await withKey(service.adminKey)];
    const askAs = (name: string, cookie: string, method = "GET", body?: object) =>
      tenant.api(method, method === "GET" ? "/v1/session" : "/v1/job-specs", {
        key: null,
        body,
        headers: { Cookie: cookie, Origin: service.url, "Rowmill-Session-Key": name },
      });
    expect((await askAs(id, cookieOf(first))).status).toBe(200);
    expect((await askAs("admin", cookieOf(admin))).status).toBe(200);
    const second = cookieOf(await withKey(tenant.apiKey));
    const spec = { name: "Written with the first key", processor: { type: "mock" } };
    for (const refused of [
      await askAs(id, second),
      await askAs(id, second, "POST", spec),
      await askAs("", second),
      await askAs(id, cookieOf(admin)),
      await askAs("admin", second),
    ])
      expect([refused.status, refused.body.error.code]).toEqual([401, "session_ended"]);
    expect((await tenant.api("GET", `/v1/job-specs?name=${encodeURIComponent(spec.name)}`)).body.data).toEqual([]);
    // Two sessions of one key are one.
    expect((await askAs(id, cookieOf(await withKey(key)), "POST", spec)).status).toBe(201);
    // A request that sends a key says by it who makes it.
    const headers = { "Rowmill-Session-Key": id };
    expect((await tenant.api("GET", "/v1/session", { headers })).status).toBe(200);
  });

  test("and a request with a key ignores it", async () => {
    const cookie = cookieOf(await withKey(tenant.apiKey));
    const asked = { key: service.adminKey, headers: { Cookie: cookie } };
    expect((await tenant.api("GET", "/v1/me", asked)).body).toMatchObject({ kind: "admin" });
    expect((await tenant.api("GET", "/v1/session")).body).toMatchObject({ by: "api_key", expiresAt: null });
    expect((await tenant.api("DELETE", "/v1/session")).body.error.code).toBe("invalid_state");
  });
});

test("no cache keeps for others what a cookie may read", async () => {
  const cookie = cookieOf(await withKey(tenant.apiKey));
  const tagged = await tenant.api("POST", "/v1/job-specs", { body: { name: "Seen", processor: { type: "mock" } } });
  for (const path of ["/v1/session", "/v1/me", "/v1/runs", `/v1/job-specs/${tagged.body.id}`, "/v1/runs/run_nonsense"])
    expect([path, (await ask("GET", path, cookie)).headers["cache-control"]]).toEqual([path, "private, no-cache"]);
  const events = await ask("GET", "/v1/events/stream?follow=false", cookie);
  expect(events.headers["cache-control"]).toBe("no-store");
  expect((await tenant.api("GET", "/v1/runs")).headers["cache-control"]).toBeUndefined();
});

test("a change by cookie is refused unless it comes from a page of the service", async () => {
  const cookie = cookieOf(await withKey(tenant.apiKey));
  const spec = { name: "From elsewhere", processor: { type: "mock" } };
  const { hostname, port } = new URL(service.url);
  for (const origin of [null, "null", "https://evil.example", `https://${hostname}:1`, `http://localhost:${port}`])
    expect([origin, (await ask("POST", "/v1/job-specs", cookie, origin, spec)).body.error?.code]).toEqual([
      origin,
      "origin_not_allowed",
    ]);
  expect((await ask("GET", "/v1/runs", cookie, null)).status).toBe(200);
  const planted = await signIn({ by: "api_key", apiKey: tenant.apiKey }, { Origin: "https://evil.example" });
  expect([planted.status, planted.headers["set-cookie"]]).toEqual([403, undefined]);
});

test("behind https and a path, the cookie is for them alone", async () => {
  const proxied = await startTestService({ ROWMILL_PUBLIC_URL: "https://data.example.com/rowmill" });
  const reply = await signIn({ by: "api_key", apiKey: proxied.adminKey }, {}, proxied);
  expect(reply.headers["set-cookie"]).toMatch(/^rowmill_session=rms_\w+; .*; Path=\/rowmill\/; HttpOnly; .*; Secure$/);
  const headers = { Cookie: cookieOf(reply), Origin: "https://data.example.com" };
  // A proxy passes its own name on; a page of that name without https may come from anybody on the network's path.
  const plain = { ...headers, Host: "data.example.com", Origin: "http://data.example.com" };
  const refused = await proxied.api("DELETE", "/v1/session", { key: null, headers: plain });
  expect([refused.status, refused.body]).toMatchObject([403, { error: { code: "origin_not_allowed" } }]);
  const other = { ...headers, Host: "other.example.com", Origin: "https://other.example.com" };
  expect((await proxied.api("PUT", "/v1/session", { key: null, headers: other, body: {} })).status).toBe(400);
  expect((await proxied.api("DELETE", "/v1/session", { key: null, headers })).status).toBe(204);
});

describe("a login link", () => {
  test("of a new service makes the first organization, signs in to it, and works once", async () => {
    const empty = await startTestService();
    const token = tokenOf(empty.loginUrl);
    const reply = await signIn({ by: "login_link", token }, {}, empty);
    expect(reply.body).toMatchObject({ by: "session", kind: "organization", organizationName: "My organization" });
    const headers = { Cookie: cookieOf(reply), Origin: empty.url };
    const spec = { name: "First", processor: { type: "mock" } };
    expect((await empty.api("POST", "/v1/job-specs", { key: null, headers, body: spec })).status).toBe(201);
    const again = await signIn({ by: "login_link", token }, {}, empty);
    expect([again.status, again.body]).toMatchObject([401, { error: { code: "login_link_invalid" } }]);
    // Its key is for this session alone.
    const made = await empty.query<{ isRevoked: boolean }>(
      `select revoked_at is not null as "isRevoked" from api_keys`,
    );
    expect(made).toEqual([{ isRevoked: false }]);
    expect((await empty.api("DELETE", "/v1/session", { key: null, headers })).status).toBe(204);
    expect(await empty.query(`select 1 from api_keys where revoked_at is null`)).toEqual([]);
  });

  test("that was not used in its time makes nothing", async () => {
    const late = await startTestService();
    await late.query("update login_links set expires_at = now() - interval '1 second'");
    const refused = await signIn({ by: "login_link", token: tokenOf(late.loginUrl) }, {}, late);
    expect([refused.status, refused.body]).toMatchObject([401, { error: { code: "login_link_invalid" } }]);
    expect(await late.query("select 1 from api_keys union all select 1 from organizations")).toEqual([]);
  });

  test("signs in as the admin where there are several organizations", async () => {
    const several = await startTestService();
    await several.newOrganization();
    await several.newOrganization();
    const reply = await signIn({ by: "login_link", token: tokenOf(several.loginUrl) }, {}, several);
    expect(reply.body).toMatchObject({ kind: "admin" });
  });

  test("makes no key beyond the limit of the organization, and stays good for later", async () => {
    const full = await startTestService();
    const { organizationId } = await full.newOrganization();
    const setKeys = (apiKeys: number) =>
      full.api("PATCH", `/v1/organizations/${organizationId}`, { key: full.adminKey, body: { limits: { apiKeys } } });
    expect((await setKeys(1)).status).toBe(200);
    const body = { by: "login_link", token: tokenOf(full.loginUrl) };
    const refused = await signIn(body, {}, full);
    expect([refused.status, refused.body]).toMatchObject([409, { error: { code: "limit_reached" } }]);
    expect((await setKeys(2)).status).toBe(200);
    expect((await signIn(body, {}, full)).body).toMatchObject({ kind: "organization", organizationId });
  });

  test("is not made where the service can be reached from elsewhere", async () => {
    const proxied = await startTestService({ ROWMILL_PUBLIC_URL: "https://data.example.com" });
    expect(proxied.loginUrl).toBe("");
  });
});
