import { beforeAll, describe, expect, test } from "vitest";
import type { Organization } from "@rowmill/contract/organizations";
import type { ServiceHealth, ServiceInfo } from "@rowmill/contract/service";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});

async function create(body: Record<string, unknown>): Promise<Organization> {
  const created = await service.api<Organization>("POST", "/v1/organizations", { body });
  expectStatus(created, 201);
  return created.body;
}
const read = async (id: string): Promise<Organization> =>
  (await service.api<Organization>("GET", `/v1/organizations/${id}`)).body;
const change = (id: string, body: Record<string, unknown>) =>
  service.api<Organization>("PATCH", `/v1/organizations/${id}`, { body });

describe("a new organization", () => {
  test("is active, has the service's limits and uses nothing", async () => {
    const made = await create({ name: "Acme" });
    expect(made).toMatchObject({
      name: "Acme",
      slug: null,
      state: "active",
      limits: { rowsPerRun: null, runsInProgress: 100, webhookEndpoints: 200, apiKeys: 500 },
      usage: { runsInProgress: 0, webhookEndpoints: 0, apiKeys: 0, datasets: 0 },
      metadata: {},
    });
    expect(await read(made.id)).toEqual(made);
  });

  test("may have the name of another, but not its slug", async () => {
    await create({ name: "Twin", slug: "twin-1" });
    await create({ name: "Twin", slug: "twin-2" });
    const response = await service.api("POST", "/v1/organizations", { body: { name: "Triplet", slug: "twin-1" } });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      409,
      "already_exists",
      "slug",
    ]);
  });

  test("of many with one slug at once, one is made", async () => {
    const responses = await Promise.all(
      Array.from({ length: 6 }, () =>
        service.api("POST", "/v1/organizations", { body: { name: "Race", slug: "race" } }),
      ),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(5);
  });

  test.each(["-a", "a-", "A", "a b", "a_b", "ä", "", "a".repeat(64)])("takes no slug such as %j", async (slug) => {
    const response = await service.api("POST", "/v1/organizations", { body: { name: "Odd", slug } });
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      400,
      "invalid_request",
      "slug",
    ]);
  });

  test("keeps names and labels exactly", async () => {
    const name = `  O'Brien "&" <b>Söhne</b> 🐘 \\ %s \u200f `;
    const metadata = { ключ: "значение\n", __proto: "x", constructor: "y", ["k".repeat(40)]: "v".repeat(500), "": "" };
    const made = await create({ name, metadata });
    expect(await read(made.id)).toMatchObject({ name, metadata });
  });
});

describe("a change", () => {
  test("touches what it names and nothing else", async () => {
    const made = await create({ name: "Before", slug: "before", metadata: { a: "1" } });
    expect((await change(made.id, { name: "After" })).body).toMatchObject({
      name: "After",
      slug: "before",
      metadata: { a: "1" },
    });
    expect((await change(made.id, { metadata: { b: "2" } })).body).toMatchObject({
      name: "After",
      metadata: { b: "2" },
    });
    expect((await change(made.id, { metadata: {} })).body.metadata).toEqual({});
    const changed = await change(made.id, {});
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ name: "After", slug: "before", state: "active" });
    expect(Date.parse(changed.body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(made.updatedAt));
    expect(changed.body.createdAt).toBe(made.createdAt);
  });

  test("of limits keeps those that it does not name; null gives one back to the service's default", async () => {
    const { id } = await create({ name: "Limits" });
    await change(id, { limits: { apiKeys: 7, runsInProgress: 3 } });
    expect((await change(id, { limits: { runsInProgress: 9 } })).body.limits).toMatchObject({
      apiKeys: 7,
      runsInProgress: 9,
    });
    expect((await change(id, { limits: { apiKeys: null } })).body.limits).toMatchObject({
      apiKeys: 500,
      runsInProgress: 9,
    });
  });

  test("of what does not exist is a 404", async () => {
    expect((await change("org_01jd3v8m7qe6t9yb4c2xk5w0hz", { name: "x" })).status).toBe(404);
  });
});

describe("a suspended organization", () => {
  test("is shut out at once, on every process, until it is active again", async () => {
    const other = await startTestService(service.settings);
    const tenant = await service.newOrganization();
    await change(tenant.organizationId, { state: "suspended" });
    for (const by of [service, other]) {
      const response = await by.api("GET", "/v1/datasets", { key: tenant.apiKey });
      expect([response.status, response.body.error.code]).toEqual([403, "organization_suspended"]);
    }
    expect((await read(tenant.organizationId)).state).toBe("suspended");
    await change(tenant.organizationId, { state: "active" });
    expect((await tenant.api("GET", "/v1/datasets")).status).toBe(200);
    await other.stop();
  });
});

test("an organization reads itself and no other, and not the list", async () => {
  const [one, two] = [await service.newOrganization(), await service.newOrganization()];
  expect((await one.api<Organization>("GET", `/v1/organizations/${one.organizationId}`)).body).toMatchObject({
    id: one.organizationId,
    usage: { apiKeys: 1 },
  });
  expect((await one.api("GET", `/v1/organizations/${two.organizationId}`)).status).toBe(404);
  expect((await one.api("GET", "/v1/organizations")).body.error.code).toBe("admin_required");
});

test("an organization changes its own name, and neither its limits nor its state", async () => {
  const [one, two] = [await service.newOrganization(), await service.newOrganization()];
  const path = `/v1/organizations/${one.organizationId}`;
  const renamed = await one.api<Organization>("PATCH", path, { body: { name: "Ours", metadata: { team: "a" } } });
  expectStatus(renamed, 200);
  expect(renamed.body).toMatchObject({ name: "Ours", metadata: { team: "a" }, state: "active" });
  for (const body of [{ limits: { runsInProgress: 9 } }, { name: "x", state: "active" }]) {
    const { status, body: response } = await one.api("PATCH", path, { body });
    expect([status, response.error.code]).toEqual([403, "admin_required"]);
  }
  expect((await two.api("PATCH", path, { body: { name: "Theirs" } })).status).toBe(404);
  expect((await read(one.organizationId)).name).toBe("Ours");
});

test("the service reports what it keeps to everybody, and how it fares to the admin", async () => {
  const { api } = await service.newOrganization();
  const info = await api<ServiceInfo>("GET", "/v1/service");
  expect(info.body).toMatchObject({
    webhookHeaderPrefix: "Service",
    sendsMail: false,
    retention: { exportHours: 168 },
  });
  const health = await service.api<ServiceHealth>("GET", "/v1/service/health");
  expect(health.body).toMatchObject({ isHealthy: true, pendingWebhookDeliveries: 0 });
  expect(health.body.checks.map(({ name, ok }) => [name, ok])).toEqual([
    ["database", true],
    ["store", true],
    ["disk", true],
    ["encryption_key", true],
    // The machine of the tests may have no name servers.
    ["egress", expect.any(Boolean)],
  ]);
  expect((await api("GET", "/v1/service/health")).body.error.code).toBe("admin_required");
});

test("the list holds every organization once, newest first", async () => {
  const made = [];
  for (let i = 0; i < 5; i++) made.push((await create({ name: `Listed ${i}` })).id);
  const listed: string[] = [];
  for (let path: string | undefined = "/v1/organizations?limit=3"; path !== undefined;) {
    const { body }: { body: { data: { id: string }[]; nextCursor: string | null } } = await service.api("GET", path);
    listed.push(...body.data.map(({ id }) => id));
    path = body.nextCursor === null ? undefined : `/v1/organizations?limit=3&cursor=${body.nextCursor}`;
  }
  expect(new Set(listed).size).toBe(listed.length);
  expect(listed.slice(0, 5)).toEqual(made.toReversed());
});
