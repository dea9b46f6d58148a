/** What is recorded of changes. Listing them has a route of its own, with its own tests. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";

let service: TestService;
let tenant: TestOrganization;
beforeAll(async () => {
  service = await startTestService();
  tenant = await service.newOrganization();
});

interface AuditRow {
  type: string;
  actor_type: string;
  actor_id: string | null;
  api_key_id: string | null;
  target_type: string;
  target_id: string;
  ip: string;
  request_id: string;
  changes: Record<string, unknown>;
}
const auditsOf = (targetId: string) =>
  service.query<AuditRow>("select * from audit_events where target_id = $1 order by id", [targetId]);

describe("every change", () => {
  test("of the admin is recorded with who, what, from where and in which request", async () => {
    const created = await service.api("POST", "/v1/organizations", { body: { name: "Audited", slug: "audited" } });
    await service.api("PATCH", `/v1/organizations/${created.body.id}`, { body: { state: "suspended" } });
    await service.api("PATCH", `/v1/organizations/${created.body.id}`, { body: { state: "active", name: "Renamed" } });
    const audits = await auditsOf(created.body.id);
    expect(audits.map(({ type }) => type)).toEqual([
      "organization.created",
      "organization.suspended",
      "organization.updated",
    ]);
    expect(audits[0]).toMatchObject({
      actor_type: "admin",
      actor_id: null,
      api_key_id: null,
      target_type: "organization",
      ip: "127.0.0.1",
      request_id: created.headers["request-id"],
      changes: { name: "Audited", slug: "audited" },
    });
  });

  test("of an API key is recorded with the key, and without any secret", async () => {
    const path = `/v1/organizations/${tenant.organizationId}/api-keys`;
    const created = await tenant.api<CreatedApiKey>("POST", path, { body: { name: "Audited" } });
    await tenant.api("DELETE", `${path}/${created.body.id}`);
    const audits = await auditsOf(created.body.id);
    expect(audits.map(({ type }) => type)).toEqual(["api_key.created", "api_key.revoked"]);
    for (const audit of audits) {
      expect(audit).toMatchObject({ actor_type: "api_key", target_type: "api_key" });
      expect(audit.actor_id).toBe(audit.api_key_id);
      expect(JSON.stringify(audit)).not.toContain(created.body.key);
    }
  });

  test("that fails is not recorded", async () => {
    const before = await service.query<{ count: number }>("select count(*)::int as count from audit_events");
    await service.api("POST", "/v1/organizations", { body: { name: "" } });
    await service.api("POST", "/v1/organizations", { body: { name: "Again", slug: "audited" } });
    await service.api("PATCH", "/v1/organizations/org_01jd3v8m7qe6t9yb4c2xk5w0hz", { body: { name: "Nobody" } });
    expect(await service.query("select count(*)::int as count from audit_events")).toEqual(before);
  });
});

test.each(["update audit_events set type = 'nothing.happened'", "delete from audit_events", "truncate audit_events"])(
  "nobody can do this, not even in the database: %s",
  async (statement) => {
    await expect(service.query(statement)).rejects.toThrow("audit events are append-only");
  },
);
