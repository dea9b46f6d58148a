/** A key that was made with another can do no more, for no longer and no faster, and can be revoked with it. */
import { beforeAll, describe, expect, test } from "vitest";
import type { ApiKey, CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AcceptedInvitation, CreatedInvitation, Invitation } from "@rowmill/contract/invitations";
import { scopes } from "@rowmill/contract/scopes";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService({ ROWMILL_RATE_LIMIT_PER_MINUTE: "6000" });
  tenant = await service.newOrganization();
});

const keysOf = (of: TestOrganization, rest = "") => `/v1/organizations/${of.organizationId}/api-keys${rest}`;
const HOUR_MS = 3_600_000;
const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString();

async function newKey(key: string, body: Record<string, unknown> = {}): Promise<CreatedApiKey> {
  const created = await tenant.api<CreatedApiKey>("POST", keysOf(tenant), {
    body: { name: "A key", scopes: ["*"], ...body },
    key,
  });
  expectStatus(created, 201);
  return created.body;
}
const read = async ({ id }: { id: string }): Promise<ApiKey> =>
  (await tenant.api<ApiKey>("GET", keysOf(tenant, `/${id}`))).body;
const invite = async (key: string): Promise<CreatedInvitation> => {
  const email = `person-${Math.random().toString(36).slice(2)}@example.com`;
  const created = await tenant.api<CreatedInvitation>(
    "POST",
    `/v1/organizations/${tenant.organizationId}/invitations`,
    {
      body: { email, role: "owner" },
      key,
    },
  );
  expectStatus(created, 201);
  return created.body;
};
const accept = async ({ inviteUrl }: CreatedInvitation): Promise<AcceptedInvitation> => {
  const accepted = await service.api<AcceptedInvitation>("POST", "/v1/invitations/accept", {
    body: { token: new URL(inviteUrl).hash.replace("#token=", ""), name: "Ada" },
    key: null,
  });
  expectStatus(accepted, 200);
  return accepted.body;
};

describe("a key made with a key that expires", () => {
  test("expires with it, unless it is to expire before", async () => {
    const maker = await newKey(tenant.apiKey, { expiresAt: inHours(2) });
    expect((await newKey(maker.key)).expiresAt).toBe(maker.expiresAt);
    expect((await newKey(maker.key, { expiresAt: inHours(9) })).expiresAt).toBe(maker.expiresAt);
    const sooner = inHours(1);
    const child = await newKey(maker.key, { expiresAt: sooner });
    expect(child.expiresAt).toBe(sooner);
    expect((await newKey(child.key)).expiresAt).toBe(sooner);
  });

  test("so does the key of a member who was invited with it, and the invitation", async () => {
    const maker = await newKey(tenant.apiKey, { expiresAt: inHours(2), requestsPerMinute: 60 });
    const invitation = await invite(maker.key);
    expect(invitation).toMatchObject({ expiresAt: maker.expiresAt, createdByKeyId: maker.id });
    const { apiKey } = await accept(invitation);
    expect(apiKey).toMatchObject({ expiresAt: maker.expiresAt, requestsPerMinute: 60, createdByKeyId: maker.id });
  });
});

describe("a key made with a throttled key", () => {
  test("is throttled as much, or more", async () => {
    const maker = await newKey(tenant.apiKey, { requestsPerMinute: 100 });
    expect((await newKey(maker.key)).requestsPerMinute).toBe(100);
    expect((await newKey(maker.key, { requestsPerMinute: 101 })).requestsPerMinute).toBe(100);
    expect((await newKey(maker.key, { requestsPerMinute: 99 })).requestsPerMinute).toBe(99);
  });

  test("shares its limit: the requests of all count together", async () => {
    const maker = await newKey(tenant.apiKey, { requestsPerMinute: 6 });
    // Made by the maker, which uses up two of six.
    const children = [await newKey(maker.key), await newKey(maker.key, { requestsPerMinute: 5 })];
    const responses = [];
    for (let i = 0; i < 6; i++) responses.push(await tenant.api("GET", "/v1/me", { key: children[i % 2]!.key }));
    expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(1);
    expect((await tenant.api("GET", "/v1/me", { key: maker.key })).status).toBe(429);
    expect(responses[1]!.headers["ratelimit-policy"]).toMatch(/^"key";q=5;w=60, "maker-1";q=6;w=60, "organization";/);
  });

  test("is not the beginning of an endless line of limits", async () => {
    let key = tenant.apiKey;
    for (let limit = 100; limit > 95; limit--) ({ key } = await newKey(key, { requestsPerMinute: limit }));
    const refused = await tenant.api("POST", keysOf(tenant), { body: { name: "Deeper", requestsPerMinute: 95 }, key });
    expect([refused.status, refused.body.error.code]).toEqual([409, "limit_reached"]);
    expect((await newKey(key)).requestsPerMinute).toBe(96);
  });
});

describe("revoking a key", () => {
  test("leaves what was made with it, which names its maker", async () => {
    const maker = await newKey(tenant.apiKey);
    const child = await newKey(maker.key);
    expect(child.createdByKeyId).toBe(maker.id);
    expect((await tenant.api("DELETE", keysOf(tenant, `/${maker.id}`))).status).toBe(204);
    expect((await read(child)).revokedAt).toBeNull();
  });

  test("with cascade ends the keys made with it and with those, and invitations, even after it was revoked", async () => {
    const maker = await newKey(tenant.apiKey);
    const child = await newKey(maker.key);
    const grandchild = await newKey(child.key);
    const { apiKey: ofMember } = await accept(await invite(grandchild.key));
    const pending = await invite(grandchild.key);
    const unrelated = await newKey(tenant.apiKey);
    // Keys between that were revoked before hide nothing.
    for (const { id } of [maker, child]) await tenant.api("DELETE", keysOf(tenant, `/${id}?cascade=false`));
    const response = await tenant.api("DELETE", keysOf(tenant, `/${maker.id}?cascade=true`));
    expect(response.status).toBe(204);
    for (const key of [maker, child, grandchild, ofMember]) {
      expect((await read(key)).revokedAt).not.toBeNull();
      expect((await tenant.api("GET", "/v1/me", { key: key.key })).body.error.code).toBe("api_key_revoked");
    }
    const path = `/v1/organizations/${tenant.organizationId}/invitations/${pending.id}`;
    expect((await tenant.api<Invitation>("GET", path)).body.state).toBe("revoked");
    expect((await read(unrelated)).revokedAt).toBeNull();
    const audits = await service.query<{ targetId: string }>(
      `select target_id as "targetId" from audit_events where request_id = $1 and type = 'api_key.revoked'`,
      [response.headers["request-id"]],
    );
    expect(audits.map(({ targetId }) => targetId).toSorted()).toEqual([grandchild.id, ofMember.id].toSorted());
  });

  test("with cascade at the moment in which it makes keys leaves none of them", async () => {
    const maker = await newKey(tenant.apiKey);
    const create = () =>
      tenant.api<CreatedApiKey>("POST", keysOf(tenant), { body: { name: "Late", scopes: ["*"] }, key: maker.key });
    const creates = Array.from({ length: 4 }, create);
    const revoked = tenant.api("DELETE", keysOf(tenant, `/${maker.id}?cascade=true`));
    const responses = await Promise.all([...creates, create(), create()]);
    expect((await revoked).status).toBe(204);
    const made = responses.filter(({ status }) => status === 201);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(responses.length - made.length);
    for (const { body } of made) expect((await read(body)).revokedAt).not.toBeNull();
  });

  test("takes no other value of cascade than true and false", async () => {
    const refused = await tenant.api("DELETE", keysOf(tenant, "/key_01jd3v8m7qe6t9yb4c2xk5w0hz?cascade=yes"));
    expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_parameter"]);
  });
});

test("a key that the admin makes has no maker and is not clamped", async () => {
  const made = await service.api<CreatedApiKey>("POST", keysOf(tenant), { body: { name: "All", scopes: ["*"] } });
  expect(made.body).toMatchObject({ createdByKeyId: null, expiresAt: null, requestsPerMinute: null });
  expect(made.body.scopes).toHaveLength(scopes.length);
});
