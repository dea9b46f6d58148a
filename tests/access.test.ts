/** Every operation, asked by those who may not: without a key, with a bad one, with too little, for somebody else's things. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { expandScopes, scopes } from "@rowmill/contract/scopes";
import type { Scope } from "@rowmill/contract/scopes";
import { parseId } from "@rowmill/server/platform/ids";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { entries, pathOf, requestTo } from "./support/operations.ts";
import type { Entry } from "./support/operations.ts";

let service: TestService;
let tenant: TestOrganization;
const bad = { revoked: "", expired: "", suspended: "" };

beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
  const revoked = await newKey(tenant, { name: "Revoked" });
  await tenant.api("DELETE", `/v1/organizations/${tenant.organizationId}/api-keys/${revoked.id}`);
  bad.revoked = revoked.key;
  const suspended = await service.newOrganization();
  bad.suspended = suspended.apiKey;
  await service.api("PATCH", `/v1/organizations/${suspended.organizationId}`, { body: { state: "suspended" } });
  const expired = await newKey(tenant, { name: "Expired" });
  bad.expired = expired.key;
  await service.query("update api_keys set expires_at = now() where id = $1", [parseId("apiKey", expired.id)]);
});

async function newKey(of: TestOrganization, body: Record<string, unknown>): Promise<CreatedApiKey> {
  const created = await of.api<CreatedApiKey>("POST", `/v1/organizations/${of.organizationId}/api-keys`, { body });
  expect(created.status).toBe(201);
  return created.body;
}

const ask = (entry: Entry, key: string | null, headers: Record<string, string> = {}) =>
  tenant.api(entry.o.method, pathOf(entry.o, { organizationId: tenant.organizationId }), {
    ...requestTo(entry),
    key,
    headers,
  });
const codeOf = async (entry: Entry, key: string | null, headers: Record<string, string> = {}) => {
  const response = await ask(entry, key, headers);
  return response.status < 400 ? response.status : response.body.error.code;
};

const guarded = entries.filter(({ o }) => o.access.by !== "public");

describe.each(guarded)("$id is refused", (entry) => {
  test("without a key", async () => {
    const response = await ask(entry, null);
    expect([response.status, response.body.error.code]).toEqual([401, "authentication_required"]);
    expect(response.headers["www-authenticate"]).toMatch(/^Bearer/);
    expect(await codeOf(entry, null, { Authorization: "" })).toBe("authentication_required");
  });

  test("with what is no key", async () => {
    for (const authorization of [
      "Bearer",
      "Bearer ",
      "Bearer rmk_unknown",
      `Bearer ${tenant.apiKey}x`,
      `Bearer ${tenant.apiKey.toUpperCase()}`,
      `Bearer ${tenant.apiKey} ${tenant.apiKey}`,
      `Basic ${Buffer.from(`${tenant.apiKey}:`).toString("base64")}`,
      tenant.apiKey,
      `Bearer ${"x".repeat(10_000)}`,
      "Bearer null",
      "Bearer ' or 1=1 --",
    ])
      expect([authorization.slice(0, 40), await codeOf(entry, null, { Authorization: authorization })]).toEqual([
        authorization.slice(0, 40),
        "invalid_api_key",
      ]);
  });

  test("with a key that was revoked, that has expired, of an organization that is suspended", async () => {
    expect(await codeOf(entry, bad.revoked)).toBe("api_key_revoked");
    expect(await codeOf(entry, bad.expired)).toBe("api_key_expired");
    expect(await codeOf(entry, bad.suspended)).toBe("organization_suspended");
  });
});

test.each(entries.filter(({ o }) => o.access.by === "organization"))("$id is not for the admin key", async (entry) => {
  const response = await ask(entry, service.adminKey);
  expect([response.status, response.body.error.code]).toEqual([403, "organization_key_required"]);
});

test.each(entries.filter(({ o }) => o.access.by === "admin"))("$id is for the admin key alone", async (entry) => {
  const response = await ask(entry, tenant.apiKey);
  expect([response.status, response.body.error.code]).toEqual([403, "admin_required"]);
});

describe("a key without a scope that the operation needs", () => {
  const keys = new Map<string, string>();
  /** A key with all scopes but this one, and those that include it. */
  async function keyWithout(scope: Scope): Promise<string> {
    const kept = scopes.filter((other) => !expandScopes([other]).has(scope));
    const key = keys.get(scope) ?? (await newKey(tenant, { name: scope, scopes: kept })).key;
    keys.set(scope, key);
    return key;
  }

  const scoped = entries.flatMap(({ id, o }) =>
    "scopes" in o.access ? o.access.scopes.map((scope) => ({ id, o, scope })) : [],
  );
  test.each(scoped)("$id is refused without $scope, and the response names it", async ({ id, o, scope }) => {
    const response = await ask({ id, o }, await keyWithout(scope));
    expect([response.status, response.body.error.code]).toEqual([403, "insufficient_scope"]);
    expect(response.body.error["requiredScopes"]).toEqual("scopes" in o.access ? o.access.scopes : []);
  });

  test.each(scoped)("$id needs no other scope than its own", async ({ id, o }) => {
    const needed = "scopes" in o.access ? o.access.scopes : [];
    const { key } = await newKey(tenant, { name: "Just enough", scopes: needed });
    expect((await ask({ id, o }, key)).status).not.toBe(403);
  });
});

describe("the way in", () => {
  test("a key is checked before a byte of the body is read", async () => {
    for (const entry of guarded.filter(({ o }) => o.body !== undefined)) {
      const response = await tenant.api(entry.o.method, pathOf(entry.o), { body: "{", key: null });
      expect(response.status).toBe(401);
    }
  });

  test.each(entries.filter(({ o }) => o.access.by === "public"))("$id needs no key, and minds none", async (entry) => {
    const [without, withNonsense] = [await ask(entry, null), await ask(entry, "rmk_nonsense")];
    // Without a right body, one that takes a body refuses that.
    expect(without.status).toBe(entry.o.body ? 400 : entry.o.response.status);
    expect(withNonsense.status).toBe(without.status);
  });

  test("the word Bearer may be written in any case", async () => {
    expect(
      (await tenant.api("GET", "/v1/me", { headers: { Authorization: `bearer   ${tenant.apiKey}` } })).status,
    ).toBe(200);
  });
});

describe("ids in the path", () => {
  const withParams = entries.filter(({ o }) => Object.keys(o.params ?? {}).length > 0);

  /** With each parameter, one after the other, made into this; the others unknown but right. */
  async function expectNotFound(entry: Entry, wrong: string): Promise<void> {
    for (const name of Object.keys(entry.o.params ?? {})) {
      const ids = { organizationId: tenant.organizationId, [name]: wrong };
      const key = entry.o.access.by === "admin" ? service.adminKey : tenant.apiKey;
      const response = await tenant.api(entry.o.method, pathOf(entry.o, ids), { ...requestTo(entry), key });
      expect([wrong, response.status, response.body.error.code]).toEqual([wrong, 404, "not_found"]);
    }
  }

  test.each(withParams)("$id responds 404 for what is no id of its kind", async (entry) => {
    for (const wrong of [
      "x",
      "0",
      "-1",
      "1.5",
      "null",
      "undefined",
      "%00",
      "%F0%9F%98%80",
      "'",
      "req_01jd3v8m7qe6t9yb4c2xk5w0hz",
      "run_01jd3v8m7qe6t9yb4c2xk5w0h",
      "run_01jd3v8m7qe6t9yb4c2xk5w0hzz",
      "run_81jd3v8m7qe6t9yb4c2xk5w0hz",
      "RUN_01JD3V8M7QE6T9YB4C2XK5W0HZ",
      "run_01jd3v8m7qe6t9yb4c2xk5w0hu",
      "row_01jd3v8m7qe6t9yb4c2xk5w0hz",
      "01939c1a-1c2d-7000-8000-000000000000",
      "9".repeat(30),
      "a".repeat(5000),
    ])
      await expectNotFound(entry, wrong);
  });
});
