/** What a request costs before anything is done for it, and whose address it counts for. */
import { Client } from "pg";
import { expect, test, vi } from "vitest";
import type { AuditEvent } from "@rowmill/contract/audit-events";
import { newApiKey } from "../auth/keys.ts";
import { expectStatus } from "../../testing/api.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";

const limits = { ROWMILL_RATE_LIMIT_PER_MINUTE: "60", ROWMILL_RATE_LIMIT_BURST: "20" };

/** Nothing is refilled: the same requests are refused on every machine. */
const withoutTime = { clockOfAddresses: () => 0 };

const deniedOf = async ({ api, organizationId }: TestOrganization): Promise<AuditEvent[]> => {
  const path = `/v1/organizations/${organizationId}/audit-events?type=auth.denied`;
  const { body } = await api<{ data: AuditEvent[] }>("GET", path);
  return body.data;
};

test("requests for another organization's path cost the key's tokens, and are recorded", async () => {
  const service = await startTestService({ ...limits });
  const [own, other] = [await service.newOrganization(), await service.newOrganization()];
  const ask = () => own.api("GET", `/v1/organizations/${other.organizationId}/api-keys`);
  const responses = await Promise.all(Array.from({ length: 60 }, ask));
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 404).length).toBeGreaterThan(0);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
  expect(new Set(statuses)).toEqual(new Set([404, 429]));
  const denied = await waitFor(async () => {
    const rows = await service.query<{ code: string }>(
      "select changes->>'code' as code from audit_events where type = 'auth.denied'",
    );
    return rows.length === 0 ? undefined : rows;
  });
  expect(denied[0]?.code).toBe("not_found");
});

test("guessed keys cost no question to the database once their address has no token left; known keys go on", async () => {
  const service = await startTestService(
    { ROWMILL_RATE_LIMIT_PER_MINUTE: "100000", ROWMILL_RATE_LIMIT_BURST: "1000" },
    withoutTime,
  );
  const tenant = await service.newOrganization();
  expectStatus(await tenant.api("GET", "/v1/me"), 200);
  const guess = () => tenant.api("GET", "/v1/me", { key: newApiKey() });
  const statements = vi.spyOn(Client.prototype, "query");
  const responses = await Promise.all(Array.from({ length: 250 }, guess));
  const looked = statements.mock.calls.filter(([query]) => JSON.stringify(query).includes("digest")).length;
  const lookedUp = responses.filter(({ status }) => status === 401).length;
  expect(responses.length - lookedUp).toBe(50);
  expect(looked).toBeLessThanOrEqual(lookedUp);
  expectStatus(await tenant.api("GET", "/v1/me"), 200);
});

test("behind a trusted proxy each client has its own address; a header from anybody else counts for nothing", async () => {
  const proxied = await startTestService({ ...limits, ROWMILL_TRUSTED_PROXIES: "127.0.0.0/8, ::1" }, withoutTime);
  const from = (address: string, service = proxied) =>
    service.api("GET", "/v1/me", { key: null, headers: { "X-Forwarded-For": `203.0.113.66, ${address}` } });
  const drain = async (address: string, service = proxied): Promise<void> => {
    const responses = await Promise.all(Array.from({ length: 250 }, () => from(address, service)));
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(50);
  };
  await drain("198.51.100.1");
  expectStatus(await from("198.51.100.2"), 401);
  await drain("2001:db8:1:2::1");
  expectStatus(await from("2001:db8:1:3::1"), 401);

  const tenant = await proxied.newOrganization();
  const dataset = await tenant.api("GET", "/v1/organizations", { headers: { "X-Forwarded-For": "198.51.100.9" } });
  expect(dataset.status).toBe(403);
  const [denied] = await waitFor(async () => {
    const events = await deniedOf(tenant);
    return events.length === 0 ? undefined : events;
  });
  expect(denied?.ip).toBe("198.51.100.9");

  const direct = await startTestService({ ...limits }, withoutTime);
  await drain("198.51.100.1", direct);
  expect((await from("198.51.100.2", direct)).status).toBe(429);
});

test("a proxy that is no address stops the start", async () => {
  await expect(startTestService({ ROWMILL_TRUSTED_PROXIES: "nginx" })).rejects.toThrow("CIDR");
});
