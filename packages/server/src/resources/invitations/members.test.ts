/** Members of an organization: their roles, their keys, and their end. */
import { describe, expect, test } from "vitest";
import type { ApiKey } from "@rowmill/contract/api-keys";
import type { Member } from "@rowmill/contract/members";
import { roleScopes, roles } from "@rowmill/contract/roles";
import type { Role } from "@rowmill/contract/roles";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import { expectStatus } from "../../testing/api.ts";
import { startInvitationService } from "./invitations-testing.ts";

const { service, tenant, invitationsOf, membersOf, keysOf, invite, join, codeOf, auditsOf } =
  await startInvitationService();

describe("a member", () => {
  test("that is removed has no keys left: neither its own nor those it made", async () => {
    await join("owner");
    const { member, apiKey } = await join("owner");
    const made = await tenant.api<CreatedApiKey>("POST", `/v1/organizations/${tenant.organizationId}/api-keys`, {
      body: { name: "By a member" },
      key: apiKey.key,
    });
    expect(made.body.memberId).toBe(member.id);
    expect((await auditsOf(made.headers["request-id"]))[0]).toMatchObject({
      actorType: "member",
      actorId: member.id,
      apiKeyId: apiKey.id,
    });
    const removed = await tenant.api("DELETE", membersOf(tenant, `/${member.id}`));
    expect(removed.status).toBe(204);
    for (const { key } of [apiKey, made.body])
      expect(codeOf(await service.api("GET", "/v1/me", { key }))).toEqual([401, "api_key_revoked"]);
    expect((await tenant.api("GET", membersOf(tenant, `/${member.id}`))).status).toBe(404);
    expect((await tenant.api("DELETE", membersOf(tenant, `/${member.id}`))).status).toBe(404);
    expect((await tenant.api("GET", membersOf(tenant))).text).not.toContain(member.id);
    const shown = await tenant.api<ApiKey>("GET", `/v1/organizations/${tenant.organizationId}/api-keys/${apiKey.id}`);
    expect(shown.body.revokedAt).not.toBeNull();
    expect((await auditsOf(removed.headers["request-id"])).map(({ type }) => type).toSorted()).toEqual([
      "api_key.revoked",
      "api_key.revoked",
      "member.removed",
    ]);
    await invite("viewer", member.email);
  });

  test("gets another role, and its keys with it: the role's own all of it, narrower ones never more", async () => {
    const { member, apiKey } = await join("owner");
    await join("owner");
    const narrow = await tenant.api<CreatedApiKey>("POST", keysOf(tenant), {
      body: { name: "Narrow", scopes: ["runs:read", "runs:write", "api_keys:write"] },
      key: apiKey.key,
    });
    const change = async (role: Role) => {
      const changed = await tenant.api<Member>("PATCH", membersOf(tenant, `/${member.id}`), { body: { role } });
      expectStatus(changed, 200);
      expect(changed.body).toEqual({ ...member, role });
      return changed;
    };
    const scopesOf = async ({ key }: { key: string }) =>
      (await service.api<{ scopes: string[] }>("GET", "/v1/me", { key })).body.scopes.toSorted();

    const demoted = await change("viewer");
    expect(await scopesOf(apiKey)).toEqual(roleScopes.viewer.toSorted());
    expect(await scopesOf(narrow.body)).toEqual(["runs:read"]);
    const refused = await tenant.api("POST", keysOf(tenant), { body: { name: "No more" }, key: apiKey.key });
    expect(codeOf(refused)).toEqual([403, "insufficient_scope"]);
    const audits = await auditsOf(demoted.headers["request-id"]);
    expect(audits.map(({ type }) => type).toSorted()).toEqual(["api_key.updated", "api_key.updated", "member.updated"]);
    expect(audits.find(({ type }) => type === "member.updated")).toMatchObject({
      target: { type: "member", id: member.id },
      changes: { role: "viewer", formerRole: "owner" },
    });

    await change("developer");
    expect(await scopesOf(apiKey)).toEqual(roleScopes.developer.toSorted());
    expect(await scopesOf(narrow.body)).toEqual(["runs:read"]);
    expect(await auditsOf((await change("developer")).headers["request-id"])).toEqual([]);
  });

  test("that is the last owner is neither demoted nor removed, and of two at once only one is", async () => {
    const organization = await service.newOrganization();
    const owners = [await join("owner", organization), await join("owner", organization)];
    await join("developer", organization);
    const responses = await Promise.all(
      owners.map(({ member }, i) =>
        i === 0
          ? organization.api("PATCH", membersOf(organization, `/${member.id}`), { body: { role: "viewer" } })
          : organization.api("DELETE", membersOf(organization, `/${member.id}`)),
      ),
    );
    expect(responses.filter(({ status }) => status === 409)).toHaveLength(1);
    const last = owners[responses.findIndex(({ status }) => status === 409)]?.member.id;
    for (const key of [organization.apiKey, service.adminKey]) {
      const demoted = await organization.api("PATCH", membersOf(organization, `/${last}`), {
        body: { role: "developer" },
        key,
      });
      expect(codeOf(demoted)).toEqual([409, "invalid_state"]);
      expect(codeOf(await organization.api("DELETE", membersOf(organization, `/${last}`), { key }))).toEqual([
        409,
        "invalid_state",
      ]);
    }
    expect((await organization.api<Member>("GET", membersOf(organization, `/${last}`))).body.role).toBe("owner");
  });

  test("is given and loses a role only by a key that has its scopes", async () => {
    const { member } = await join("viewer");
    const { member: owner } = await join("owner");
    const { body: inviter } = await tenant.api<CreatedApiKey>("POST", keysOf(tenant), {
      body: { name: "Inviter", scopes: ["invitations:write", ...roleScopes.viewer] },
    });
    for (const [id, role] of [
      [member.id, "owner"],
      [owner.id, "viewer"],
    ] as const) {
      const refused = await tenant.api("PATCH", membersOf(tenant, `/${id}`), { body: { role }, key: inviter.key });
      expect(codeOf(refused)).toEqual([403, "insufficient_scope"]);
    }
    const unknown = await tenant.api("PATCH", membersOf(tenant, `/${member.id}`), { body: { role: "king" } });
    expect(unknown.status).toBe(400);
  });

  test("is listed newest first, page by page, and read by its id", async () => {
    const organization = await service.newOrganization();
    const ids = [];
    for (const role of roles) ids.push((await join(role, organization)).member.id);
    const listed: string[] = [];
    for (let cursor = ""; ;) {
      const page: { data: Member[]; nextCursor: string | null } = (
        await organization.api<{ data: Member[]; nextCursor: string | null }>(
          "GET",
          membersOf(organization, `?limit=3${cursor}`),
        )
      ).body;
      listed.push(...page.data.map(({ id }) => id));
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(listed).toEqual(ids.toReversed());
    expect((await organization.api<Member>("GET", membersOf(organization, `/${ids[0]}`))).body.role).toBe(roles[0]);
  });

  test("of another organization does not exist here, nor does its invitation", async () => {
    const stranger = await service.newOrganization();
    const { member } = await join("viewer");
    for (const [method, path] of [
      ["GET", membersOf(stranger, `/${member.id}`)],
      ["DELETE", membersOf(stranger, `/${member.id}`)],
      ["PATCH", membersOf(stranger, `/${member.id}`)],
      ["GET", invitationsOf(stranger, `/${member.invitationId}`)],
      ["DELETE", invitationsOf(stranger, `/${member.invitationId}`)],
      ["GET", membersOf(tenant)],
      ["GET", invitationsOf(tenant)],
    ] as const)
      expect([
        method,
        path,
        (await stranger.api(method, path, method === "PATCH" ? { body: { role: "owner" } } : {})).status,
      ]).toEqual([method, path, 404]);
    expect((await tenant.api("GET", membersOf(tenant, `/${member.id}`))).status).toBe(200);
  });
});

test("there is no list of an organization that does not exist, even for the admin", async () => {
  for (const list of ["invitations", "members", "audit-events"])
    expect((await service.api("GET", `/v1/organizations/org_01jd3v8m7qe6t9yb4c2xk5w0hz/${list}`)).status).toBe(404);
});
