import { describe, expect, test } from "vitest";
import type { CreatedInvitation, Invitation } from "@rowmill/contract/invitations";
import type { Member } from "@rowmill/contract/members";
import { roleScopes, roles } from "@rowmill/contract/roles";
import type { Role } from "@rowmill/contract/roles";
import { expandScopes } from "@rowmill/contract/scopes";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { expectStatus } from "../../testing/api.ts";
import { openDatabase } from "../../platform/database/database.ts";
import { expireInvitations } from "./invitations.ts";
import { startInvitationService } from "./invitations-testing.ts";

const {
  service,
  tenant,
  invitationsOf,
  membersOf,
  newAddress,
  invite,
  tokenOf,
  accept,
  join,
  codeOf,
  makeDue,
  auditsOf,
} = await startInvitationService();

describe("an invitation", () => {
  test("is pending for a week, reports its link once, and is found where Location says", async () => {
    const created = await tenant.api<CreatedInvitation>("POST", invitationsOf(tenant), {
      body: { email: "Ada@Example.com", role: "developer" },
    });
    expectStatus(created, 201);
    const { inviteUrl, ...invitation } = created.body;
    expect(invitation).toMatchObject({ email: "Ada@Example.com", role: "developer", state: "pending", memberId: null });
    const days = (Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)) / 86_400_000;
    expect(days).toBe(7);
    expect(inviteUrl.startsWith(`${service.url}/accept-invitation#token=rmi_`)).toBe(true);
    const shown = await tenant.api<Invitation>("GET", created.headers["location"] ?? "");
    expect(shown.body).toEqual(invitation);
    const listed = await tenant.api<{ data: Invitation[] }>("GET", invitationsOf(tenant));
    expect(listed.body.data[0]).toEqual(invitation);
    expect((await auditsOf(created.headers["request-id"])).map(({ type }) => type)).toEqual(["invitation.created"]);
  });

  test("is kept with a digest of its token only", async () => {
    const token = tokenOf(await invite());
    const dump = await service.query<{ row: string }>("select i::text as row from invitations i");
    const audits = await service.query<{ row: string }>("select a::text as row from audit_events a");
    const responses = await service.query<{ row: string }>("select k::text as row from idempotency_keys k");
    expect(dump.length).toBeGreaterThan(0);
    for (const { row } of [...dump, ...audits, ...responses]) expect(row).not.toContain(token);
    expect(service.logs().join("")).not.toContain(token);
  });

  test("for an address that has a pending one is refused, in whatever case it is written", async () => {
    await invite("viewer", "Twice@example.com");
    for (const email of ["Twice@example.com", "twice@EXAMPLE.com"]) {
      const again = await tenant.api("POST", invitationsOf(tenant), { body: { email, role: "owner" } });
      expect([...codeOf(again), again.body.error.param]).toEqual([409, "already_exists", "email"]);
    }
    const elsewhere = await service.newOrganization();
    await invite("viewer", "twice@example.com", elsewhere);
  });

  test("is made once of many at once for one address", async () => {
    const email = newAddress();
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => tenant.api("POST", invitationsOf(tenant), { body: { email, role: "viewer" } })),
    );
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(5);
  });

  test("with a repeated Idempotency-Key gets its response again, link included", async () => {
    const request = { body: { email: newAddress(), role: "viewer" }, idempotencyKey: "same-invitation" };
    const first = await tenant.api<CreatedInvitation>("POST", invitationsOf(tenant), request);
    const second = await tenant.api<CreatedInvitation>("POST", invitationsOf(tenant), request);
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(second.body).toEqual(first.body);
  });

  test.each([
    "ada",
    "ada@",
    "@example.com",
    "a b@example.com",
    "a@b@c",
    "Ada <ada@example.com>",
    "a@b,c@d",
    "a@b\nBcc: c@d",
  ])("is refused for what is no address: %j", async (email) => {
    const response = await tenant.api("POST", invitationsOf(tenant), { body: { email, role: "viewer" } });
    expect([...codeOf(response), response.body.error.param]).toEqual([400, "invalid_request", "email"]);
  });

  test("gives no role whose scopes its maker lacks, and the response names them", async () => {
    const key = await tenant.api<CreatedApiKey>("POST", `/v1/organizations/${tenant.organizationId}/api-keys`, {
      body: { name: "Inviter", scopes: ["invitations:write", ...roleScopes.viewer] },
    });
    const ask = (role: Role) =>
      tenant.api("POST", invitationsOf(tenant), { body: { email: newAddress(), role }, key: key.body.key });
    expect((await ask("viewer")).status).toBe(201);
    for (const role of ["operator", "developer", "owner"] as const) {
      const refused = await ask(role);
      expect([...codeOf(refused), refused.body.error.param]).toEqual([403, "insufficient_scope", "role"]);
      expect(refused.body.error["requiredScopes"]).toContain("runs:write");
    }
  });

  test("can be made, seen and revoked by the admin", async () => {
    const created = await service.api<CreatedInvitation>("POST", invitationsOf(tenant), {
      body: { email: newAddress(), role: "owner" },
    });
    expectStatus(created, 201);
    expect((await service.api("DELETE", invitationsOf(tenant, `/${created.body.id}`))).status).toBe(204);
    expect((await service.api<Invitation>("GET", invitationsOf(tenant, `/${created.body.id}`))).body.state).toBe(
      "revoked",
    );
  });
});

describe("accepting", () => {
  test.each(roles)("makes a member with a key that has the scopes of the role %s", async (role) => {
    const invitation = await invite(role);
    const accepted = await accept(tokenOf(invitation), "Grace Hopper");
    expectStatus(accepted, 200);
    const { member, apiKey } = accepted.body;
    expect(member).toMatchObject({ name: "Grace Hopper", email: invitation.email, role, invitationId: invitation.id });
    expect(apiKey.scopes.toSorted()).toEqual([...expandScopes(roleScopes[role])].toSorted());
    expect(apiKey.memberId).toBe(member.id);
    const me = await service.api("GET", "/v1/me", { key: apiKey.key });
    expect(me.body).toMatchObject({ organizationId: tenant.organizationId, apiKeyId: apiKey.id });
    const now = await tenant.api<Invitation>("GET", invitationsOf(tenant, `/${invitation.id}`));
    expect(now.body).toMatchObject({ state: "accepted", memberId: member.id });
    const audits = await auditsOf(accepted.headers["request-id"]);
    expect(audits.map(({ type }) => type).toSorted()).toEqual([
      "api_key.created",
      "invitation.accepted",
      "member.created",
    ]);
    for (const audit of audits)
      expect(audit).toMatchObject({ actorType: "member", actorId: member.id, apiKeyId: null });
  });

  test("works once", async () => {
    const token = tokenOf(await invite());
    expectStatus(await accept(token), 200);
    expect(codeOf(await accept(token))).toEqual([409, "invalid_state"]);
  });

  test("with one token from many sides makes one member", async () => {
    const invitation = await invite();
    const responses = await Promise.all(Array.from({ length: 6 }, () => accept(tokenOf(invitation))));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(5);
    const { data } = (await tenant.api<{ data: Member[] }>("GET", membersOf(tenant, "?limit=1000"))).body;
    expect(data.filter(({ email }) => email === invitation.email)).toHaveLength(1);
  });

  test("that is repeated with its Idempotency-Key gives the same key again; what is stored does not show it", async () => {
    const token = tokenOf(await invite());
    const first = await accept(token, "Ada", "accept-once");
    const second = await accept(token, "Ada", "accept-once");
    expect(second.headers["idempotent-replayed"]).toBe("true");
    expect(second.body).toEqual(first.body);
    const stored = await service.query<{ row: string }>("select k::text as row from idempotency_keys k");
    for (const { row } of stored) expect(row).not.toContain(first.body.apiKey.key);
  });

  test("is refused when the time is over, with that reason", async () => {
    const invitation = await invite();
    await makeDue(invitation.email);
    const late = await accept(tokenOf(invitation));
    expect(codeOf(late)).toEqual([409, "invalid_state"]);
    expect(late.text).toMatch(/expired/);
  });

  test("is refused when the invitation was revoked", async () => {
    const invitation = await invite();
    expect((await tenant.api("DELETE", invitationsOf(tenant, `/${invitation.id}`))).status).toBe(204);
    const late = await accept(tokenOf(invitation));
    expect(codeOf(late)).toEqual([409, "invalid_state"]);
    expect(late.text).toMatch(/revoked/);
  });

  test("is refused for a token that nobody was given", async () => {
    const token = tokenOf(await invite());
    for (const wrong of [`${token}x`, token.toLowerCase(), "rmi_", tenant.apiKey, "' or 1=1 --"])
      expect(codeOf(await accept(wrong))).toEqual([404, "not_found"]);
  });

  test("is refused while the organization is suspended, and works afterwards", async () => {
    const organization = await service.newOrganization();
    const token = tokenOf(await invite("viewer", newAddress(), organization));
    const path = `/v1/organizations/${organization.organizationId}`;
    await service.api("PATCH", path, { body: { state: "suspended" } });
    expect(codeOf(await accept(token))).toEqual([403, "organization_suspended"]);
    await service.api("PATCH", path, { body: { state: "active" } });
    expectStatus(await accept(token), 200);
  });

  test("over the limit of keys is refused and leaves the invitation as it was", async () => {
    const organization = await service.newOrganization();
    const path = `/v1/organizations/${organization.organizationId}`;
    const token = tokenOf(await invite("viewer", newAddress(), organization));
    await service.api("PATCH", path, { body: { limits: { apiKeys: 1 } } });
    expect(codeOf(await accept(token))).toEqual([409, "limit_reached"]);
    await service.api("PATCH", path, { body: { limits: { apiKeys: 2 } } });
    expectStatus(await accept(token), 200);
  });

  test("leaves no room for a second membership of the address", async () => {
    const { member } = await join("viewer");
    const again = await tenant.api("POST", invitationsOf(tenant), {
      body: { email: member.email.toUpperCase(), role: "viewer" },
    });
    expect([...codeOf(again), again.body.error.param]).toEqual([409, "already_exists", "email"]);
  });
});

describe("an invitation whose time is over", () => {
  test("is shown and filtered as expired at once, and makes room for a new one", async () => {
    const organization = await service.newOrganization();
    const [old, fresh] = [
      await invite("viewer", newAddress(), organization),
      await invite("viewer", newAddress(), organization),
    ];
    await makeDue(old.email);
    const listed = async (state: string) =>
      (
        await organization.api<{ data: Invitation[] }>("GET", invitationsOf(organization, `?state=${state}`))
      ).body.data.map(({ id, state: shown }) => [id, shown]);
    expect(await listed("pending")).toEqual([[fresh.id, "pending"]]);
    expect(await listed("expired")).toEqual([[old.id, "expired"]]);
    expect(await listed("pending,expired")).toEqual([
      [fresh.id, "pending"],
      [old.id, "expired"],
    ]);
    const renewed = await invite("viewer", old.email, organization);
    expect(await listed("expired")).toEqual([[old.id, "expired"]]);
    expect((await listed("pending")).map(([id]) => id)).toEqual([renewed.id, fresh.id]);
    expect(await listed("accepted,revoked")).toEqual([]);
  });

  test("is written as expired while another worker has one of the same organization", async () => {
    const [first, second] = [await invite(), await invite()];
    const url = new URL(service.settings["ROWMILL_DATABASE_URL"] ?? "");
    url.searchParams.set("options", "-c lock_timeout=5s");
    const database = openDatabase(url.href, { max: 2, onError: () => {} });
    try {
      await makeDue(second.email);
      await database.transaction(async (tx) => {
        await tx.selectFrom("invitations").select("id").where("email", "=", second.email).forUpdate().execute();
        await makeDue(first.email);
        await expireInvitations(database);
      });
      const stored = await service.query("select state from invitations where email = $1", [first.email]);
      expect(stored).toEqual([{ state: "expired" }]);
    } finally {
      await database.close();
    }
  });

  test("need not be revoked, an accepted one cannot", async () => {
    const old = await invite();
    await makeDue(old.email);
    expect((await tenant.api("DELETE", invitationsOf(tenant, `/${old.id}`))).status).toBe(204);
    expect((await tenant.api<Invitation>("GET", invitationsOf(tenant, `/${old.id}`))).body.state).toBe("expired");
    const { member } = await join("viewer");
    const refused = await tenant.api("DELETE", invitationsOf(tenant, `/${member.invitationId}`));
    expect(codeOf(refused)).toEqual([409, "invalid_state"]);
  });
});
