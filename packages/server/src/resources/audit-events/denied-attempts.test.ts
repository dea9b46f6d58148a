import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AuditEvent } from "@rowmill/contract/audit-events";
import { parseId } from "../../platform/ids.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

const keysOf = (of: TestOrganization, rest = "") => `/v1/organizations/${of.organizationId}/api-keys${rest}`;
async function newKey(body: object = {}, of = tenant): Promise<CreatedApiKey> {
  return (await of.api<CreatedApiKey>("POST", keysOf(of), { body: { name: "Denied", ...body } })).body;
}
/** Newest first, as the admin sees them: of a suspended organization, too. */
async function deniedOf(key: { id: string }, of = tenant): Promise<AuditEvent[]> {
  const path = `/v1/organizations/${of.organizationId}/audit-events?type=auth.denied&apiKeyId=${key.id}`;
  return (await service.api<{ data: AuditEvent[] }>("GET", path)).body.data;
}
/** As if the last minute had passed. */
const passMinute = () => service.query("update denied_attempts set recorded_at = recorded_at - interval '61 seconds'");

describe("a denied attempt is recorded", () => {
  test("of a key without the scope, with the scope that it lacks", async () => {
    const key = await newKey({ scopes: ["runs:read"] });
    const response = await tenant.api("GET", "/v1/datasets?limit=1", { key: key.key });
    expect(response.status).toBe(403);
    expect(await deniedOf(key)).toMatchObject([
      {
        type: "auth.denied",
        actorType: "api_key",
        actorId: key.id,
        apiKeyId: key.id,
        target: { type: "api_key", id: key.id },
        ip: "127.0.0.1",
        requestId: response.headers["request-id"],
        changes: {
          code: "insufficient_scope",
          method: "GET",
          path: "/v1/datasets",
          count: 1,
          requiredScopes: ["datasets:read"],
        },
      },
    ]);
  });

  test("of a key that wants to give away what it has not", async () => {
    const key = await newKey({ scopes: ["api_keys:write"] });
    const response = await tenant.api("POST", keysOf(tenant), { body: { name: "More", scopes: ["*"] }, key: key.key });
    expect(response.status).toBe(403);
    expect((await deniedOf(key))[0]).toMatchObject({
      requestId: response.headers["request-id"],
      changes: { code: "insufficient_scope", method: "POST", path: keysOf(tenant), count: 1 },
    });
  });

  test("of a key that does what only the admin may", async () => {
    const key = await newKey();
    await tenant.api("GET", "/v1/organizations", { key: key.key });
    expect((await deniedOf(key))[0]?.changes).toMatchObject({ code: "admin_required", path: "/v1/organizations" });
  });

  test("of a key that was revoked, or has expired", async () => {
    const revoked = await newKey();
    await tenant.api("DELETE", keysOf(tenant, `/${revoked.id}`));
    await tenant.api("GET", "/v1/me", { key: revoked.key });
    expect((await deniedOf(revoked))[0]?.changes).toMatchObject({ code: "api_key_revoked", path: "/v1/me" });
    const expired = await newKey();
    await service.query("update api_keys set expires_at = now() where id = $1", [parseId("apiKey", expired.id)]);
    expect((await tenant.api("GET", "/v1/me", { key: expired.key })).status).toBe(401);
    expect((await deniedOf(expired))[0]?.changes).toMatchObject({ code: "api_key_expired" });
  });

  test("of a key whose organization is suspended", async () => {
    const suspended = await service.newOrganization();
    const key = await newKey({}, suspended);
    const path = `/v1/organizations/${suspended.organizationId}`;
    await service.api("PATCH", path, { body: { state: "suspended" } });
    await suspended.api("GET", "/v1/runs", { key: key.key });
    expect((await deniedOf(key, suspended))[0]?.changes).toMatchObject({ code: "organization_suspended" });
  });
});

test("what nobody's key tries, and what is merely not found, is not recorded", async () => {
  const count = () => service.query("select count(*)::int as count from audit_events");
  const before = await count();
  await tenant.api("GET", "/v1/me", { key: null });
  await tenant.api("GET", "/v1/me", { key: "rmk_unknown" });
  await tenant.api("GET", "/v1/runs", { key: service.adminKey });
  await tenant.api("GET", "/v1/runs/run_unknown");
  await tenant.api("POST", "/v1/runs", { body: {} });
  expect(await count()).toEqual(before);
});

describe("a flood of denied attempts", () => {
  const knock = (of: TestService, key: CreatedApiKey, times: number) =>
    Promise.all(Array.from({ length: times }, () => of.api("GET", "/v1/datasets", { key: key.key })));

  test("of one key and reason is one event, and in the next minute one with the number of the others", async () => {
    const [first, other] = [await startTestService(service.settings), await startTestService(service.settings)];
    const key = await newKey({ scopes: ["runs:read"] });
    await Promise.all([knock(first, key, 40), knock(other, key, 40)]);
    expect((await deniedOf(key)).map(({ changes }) => changes["count"])).toEqual([1]);
    // Another reason is another event.
    await tenant.api("GET", "/v1/organizations", { key: key.key });
    expect((await deniedOf(key)).map(({ changes }) => changes["code"])).toEqual([
      "admin_required",
      "insufficient_scope",
    ]);
    // What a process has counted it writes when it stops, and a worker records it after the minute.
    await first.stop();
    await passMinute();
    await other.stop();
    const counts = await waitFor(async () => {
      const seen = (await deniedOf(key)).map(({ changes }) => Number(changes["count"]));
      return seen.reduce((sum, count) => sum + count) === 80 + 1 && seen;
    });
    expect(counts.slice(-2)).toEqual([1, 1]);
    // One, and another one where a worker came between the two stops.
    expect(counts.length).toBeLessThanOrEqual(4);
  });

  test("that has ended is recorded to its last one", async () => {
    const own = await startTestService();
    const organization = await own.newOrganization();
    const key = await newKey({ scopes: ["runs:read"] }, organization);
    await knock(own, key, 25);
    await own.stop();
    // After the minute, a worker that starts finds what is left.
    const again = await startTestService({ ...own.settings });
    await again.query("update denied_attempts set recorded_at = recorded_at - interval '61 seconds'");
    await again.stop();
    const last = await startTestService({ ...own.settings });
    const counts = await waitFor(async () => {
      const rows = await last.query<{ count: number }>(
        "select (changes->>'count')::int as count from audit_events where type = 'auth.denied' order by id",
      );
      return rows.length === 2 && rows.map(({ count }) => count);
    });
    expect(counts).toEqual([1, 24]);
  });
});
