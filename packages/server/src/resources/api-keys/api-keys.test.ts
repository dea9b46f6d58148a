import { beforeAll, describe, expect, test } from "vitest";
import type { ApiKey, CreatedApiKey } from "@rowmill/contract/api-keys";
import { defaultScopes, scopes } from "@rowmill/contract/scopes";
import type { Scope } from "@rowmill/contract/scopes";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const pathOf = (of: TestOrganization, id = "") => `/v1/organizations/${of.organizationId}/api-keys${id && `/${id}`}`;

async function newKey(body: Record<string, unknown> = {}, of = tenant, key = of.apiKey): Promise<CreatedApiKey> {
  const created = await of.api<CreatedApiKey>("POST", pathOf(of), { body: { name: "A key", ...body }, key });
  expectStatus(created, 201);
  return created.body;
}
const refusedFor = async (key: string): Promise<string | number> => {
  const response = await tenant.api("GET", "/v1/me", { key });
  return response.status === 200 ? 200 : response.body.error.code;
};

describe("a new key", () => {
  test("works at once, and is shown once", async () => {
    const { key, ...created } = await newKey({ name: "Shown once" });
    expect(key).toMatch(/^rmk_[0-9A-Za-z]{38}$/);
    expect(await refusedFor(key)).toBe(200);
    const shown = await tenant.api<ApiKey>("GET", pathOf(tenant, created.id));
    expect(shown.body).toEqual({ ...created, lastUsedAt: expect.any(String) as string });
    expect(shown.text).not.toContain(key);
    expect((await tenant.api("GET", pathOf(tenant))).text).not.toContain(key);
    expect(created.redactedKey).toBe(`${key.slice(0, 8)}…${key.slice(-4)}`);
  });

  test("is found where Location says", async () => {
    const created = await tenant.api("POST", pathOf(tenant), { body: { name: "Located" } });
    expect(created.headers["location"]).toBe(pathOf(tenant, created.body.id));
    expect((await tenant.api("GET", created.headers["location"] ?? "")).body.id).toBe(created.body.id);
  });

  test("is kept as a digest only", async () => {
    const { key } = await newKey();
    const rows = await service.query<{ row: string }>("select k::text as row from api_keys k where redacted_key = $1", [
      `${key.slice(0, 8)}…${key.slice(-4)}`,
    ]);
    expect(rows).toHaveLength(1);
    expect(rows[0]!.row).not.toContain(key.slice(8, 30));
    expect(service.logs().join("")).not.toContain(key);
  });

  test("without scopes gets all but those by which it could make itself more", async () => {
    const { scopes: given } = await newKey();
    expect(given.toSorted()).toEqual(defaultScopes.toSorted());
    for (const scope of ["api_keys:write", "invitations:write", "organization:write"])
      expect(given).not.toContain(scope);
  });

  test("with `*` made by the admin gets all", async () => {
    const created = await service.api<CreatedApiKey>("POST", pathOf(tenant), { body: { name: "All", scopes: ["*"] } });
    expect(created.body.scopes.toSorted()).toEqual(scopes.toSorted());
  });

  test("that may write may read", async () => {
    expect((await newKey({ scopes: ["runs:write"] })).scopes.toSorted()).toEqual(["runs:read", "runs:write"]);
  });

  test("counts as used within the minute", async () => {
    const { key, id } = await newKey();
    expect((await tenant.api<ApiKey>("GET", pathOf(tenant, id))).body.lastUsedAt).toBeNull();
    await tenant.api("GET", "/v1/me", { key });
    const used = await tenant.api<ApiKey>("GET", pathOf(tenant, id));
    expect(Date.now() - Date.parse(used.body.lastUsedAt ?? "")).toBeLessThan(600_000);
  });
});

describe("a key can only make keys with scopes it has", () => {
  const maker: Scope[] = ["api_keys:write", "runs:write", "datasets:read"];

  test.each<[Scope[]]>([[["runs:write"]], [["runs:read", "datasets:read"]], [["api_keys:write"]]])(
    "%j: yes",
    async (asked) => {
      const { key } = await newKey({ scopes: maker });
      expect((await newKey({ scopes: asked }, tenant, key)).scopes).toEqual(expect.arrayContaining(asked));
    },
  );

  test.each<[string[], string[]]>([
    [["datasets:write"], ["datasets:write"]],
    [
      ["runs:read", "exports:read", "audit:read"],
      ["exports:read", "audit:read"],
    ],
    [["*"], ["results:read", "organization:write"]],
  ])("%j: no, and the response names what is missing", async (asked, missing) => {
    const { key } = await newKey({ scopes: maker });
    const response = await tenant.api("POST", pathOf(tenant), { body: { name: "More", scopes: asked }, key });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      403,
      "insufficient_scope",
      "scopes",
    ]);
    expect(response.body.error["requiredScopes"]).toEqual(expect.arrayContaining(missing));
    expect(response.body.error["requiredScopes"]).not.toContain("runs:read");
  });

  test("and gets no more by naming none", async () => {
    const { key } = await newKey({ scopes: maker });
    expect((await newKey({}, tenant, key)).scopes.toSorted()).toEqual([
      "api_keys:read",
      "datasets:read",
      "runs:read",
      "runs:write",
    ]);
  });

  test("but cannot make one that may nothing at all", async () => {
    const { key } = await newKey({ scopes: ["api_keys:write"] });
    const response = await tenant.api<CreatedApiKey>("POST", pathOf(tenant), { body: { name: "Nothing" }, key });
    // `api_keys:write` is no default, and `api_keys:read`, which it includes, is one.
    expect(response.body.scopes).toEqual(["api_keys:read"]);
  });
});

describe("expiry", () => {
  test("ends a key at its time", async () => {
    const { id, key } = await newKey({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await refusedFor(key)).toBe(200);
    // Once it has been read, its end follows from the clock alone.
    await service.query("update api_keys set expires_at = now() + interval '1 second' where id = $1", [
      parseId("apiKey", id),
    ]);
    expect(await waitFor(async () => (await refusedFor(key)) === "api_key_expired")).toBe(true);
  });

  test.each(["2020-01-01T00:00:00Z", new Date().toISOString()])("must lie in the future: %s", async (expiresAt) => {
    const response = await tenant.api("POST", pathOf(tenant), { body: { name: "Late", expiresAt } });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      "invalid_request",
      "expiresAt",
    ]);
  });

  test("is given in any time zone and shown in UTC", async () => {
    expect((await newKey({ expiresAt: "2126-11-20T10:30:00.5+01:00" })).expiresAt).toBe("2126-11-20T09:30:00.500Z");
  });
});

describe("revoking", () => {
  test("ends a key at once, on every process", async () => {
    const other = await startTestService(service.settings);
    const { key, id } = await newKey();
    expect((await other.api("GET", "/v1/me", { key })).status).toBe(200);
    expect((await tenant.api("DELETE", pathOf(tenant, id))).status).toBe(204);
    expect(await refusedFor(key)).toBe("api_key_revoked");
    expect((await other.api("GET", "/v1/me", { key })).body.error.code).toBe("api_key_revoked");
    await other.stop();
  });

  test("twice is done once: the time stays, and one audit event reports it", async () => {
    const { id } = await newKey();
    expect((await tenant.api("DELETE", pathOf(tenant, id))).status).toBe(204);
    const first = (await tenant.api<ApiKey>("GET", pathOf(tenant, id))).body.revokedAt;
    expect((await tenant.api("DELETE", pathOf(tenant, id))).status).toBe(204);
    expect((await tenant.api<ApiKey>("GET", pathOf(tenant, id))).body.revokedAt).toBe(first);
    const audits = await service.query("select 1 from audit_events where target_id = $1 and type = 'api_key.revoked'", [
      id,
    ]);
    expect(audits).toHaveLength(1);
  });

  test("at the same time from many sides is reported once", async () => {
    const { id } = await newKey();
    const responses = await Promise.all(Array.from({ length: 6 }, () => tenant.api("DELETE", pathOf(tenant, id))));
    expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(204));
    const audits = await service.query("select 1 from audit_events where target_id = $1 and type = 'api_key.revoked'", [
      id,
    ]);
    expect(audits).toHaveLength(1);
  });

  test("may be the last thing that a key does", async () => {
    const { key, id } = await newKey({ scopes: ["api_keys:write"] });
    expect((await tenant.api("DELETE", pathOf(tenant, id), { key })).status).toBe(204);
    expect(await refusedFor(key)).toBe("api_key_revoked");
  });
});

describe("another organization", () => {
  test("sees none of the keys, with its own path or with this one's", async () => {
    const stranger = await service.newOrganization();
    const { id } = await newKey();
    for (const [method, path] of [
      ["GET", pathOf(tenant)],
      ["GET", pathOf(tenant, id)],
      ["DELETE", pathOf(tenant, id)],
      ["GET", pathOf(stranger, id)],
      ["DELETE", pathOf(stranger, id)],
    ] as const) {
      const response = await stranger.api(method, path);
      expect([method, path, response.status]).toEqual([method, path, 404]);
    }
    expect((await stranger.api("POST", pathOf(tenant), { body: { name: "Mine now" } })).status).toBe(404);
    expect((await tenant.api<ApiKey>("GET", pathOf(tenant, id))).body.revokedAt).toBeNull();
    expect((await stranger.api("GET", pathOf(stranger))).body.data).toHaveLength(1);
  });

  test("that does not exist has no keys, even for the admin", async () => {
    const path = pathOf({ ...tenant, organizationId: "org_01jd3v8m7qe6t9yb4c2xk5w0hz" });
    expect((await service.api("GET", path)).status).toBe(404);
    expect((await service.api("POST", path, { body: { name: "Lost" } })).status).toBe(404);
  });
});

describe("the limit of active keys", () => {
  test("holds against many creates at once; revoked and expired keys do not count", async () => {
    const organization = await service.newOrganization();
    await service.api("PATCH", `/v1/organizations/${organization.organizationId}`, {
      body: { limits: { apiKeys: 4 } },
    });
    const create = () => organization.api<CreatedApiKey>("POST", pathOf(organization), { body: { name: "One more" } });
    const responses = await Promise.all(Array.from({ length: 10 }, create));
    const made = responses.filter(({ status }) => status === 201);
    expect(made).toHaveLength(3);
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expect(response.status).toBe(409);
      expect(response.text).toContain("limit_reached");
    }
    await organization.api("DELETE", pathOf(organization, made[0]!.body.id));
    expect((await create()).status).toBe(201);
    expect((await create()).status).toBe(409);
  });
});

test("the list is newest first, revoked keys included, page by page", async () => {
  const organization = await service.newOrganization();
  const made = [];
  for (const name of ["A", "B", "C", "D"]) made.push(await newKey({ name }, organization));
  await organization.api("DELETE", pathOf(organization, made[1]!.id));
  const names: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: { data: ApiKey[]; nextCursor: string | null } = (
      await organization.api<{ data: ApiKey[]; nextCursor: string | null }>(
        "GET",
        `${pathOf(organization)}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`,
      )
    ).body;
    expect(page.data.length).toBeLessThanOrEqual(2);
    names.push(...page.data.map(({ name }) => name));
    cursor = page.nextCursor;
  }
  expect(names).toEqual(["D", "C", "B", "A", "Everything"]);
});
