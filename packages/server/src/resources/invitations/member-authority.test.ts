/** Nobody takes away a role above their own, and a change of role widens no key but the role's own. */
import { beforeAll, describe, expect, test } from "vitest";
import type { CreatedApiKey } from "@rowmill/contract/api-keys";
import type { AcceptedInvitation, CreatedInvitation, Invitation } from "@rowmill/contract/invitations";
import { roleScopes } from "@rowmill/contract/roles";
import type { Role } from "@rowmill/contract/roles";
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

const pathOf = (rest: string) => `/v1/organizations/${tenant.organizationId}/${rest}`;
let people = 0;

async function invite(role: Role, key = tenant.apiKey): Promise<CreatedInvitation> {
  const body = { email: `member-${++people}@example.com`, role };
  const created = await tenant.api<CreatedInvitation>("POST", pathOf("invitations"), { body, key });
  expectStatus(created, 201);
  return created.body;
}
async function join(role: Role): Promise<AcceptedInvitation> {
  const token = new URL((await invite(role)).inviteUrl).hash.replace("#token=", "");
  const accepted = await service.api<AcceptedInvitation>("POST", "/v1/invitations/accept", {
    body: { token, name: "Ada" },
    key: null,
  });
  expectStatus(accepted, 200);
  return accepted.body;
}
async function newKey(scopes: readonly string[], key = tenant.apiKey): Promise<CreatedApiKey> {
  const created = await tenant.api<CreatedApiKey>("POST", pathOf("api-keys"), { body: { name: "A key", scopes }, key });
  expectStatus(created, 201);
  return created.body;
}
const changeRole = async (memberId: string, role: Role): Promise<void> =>
  expectStatus(await tenant.api("PATCH", pathOf(`members/${memberId}`), { body: { role } }), 200);
const scopesOf = async ({ key }: { key: string }): Promise<string[]> =>
  (await service.api<{ scopes: string[] }>("GET", "/v1/me", { key })).body.scopes.toSorted();

test("a member is removed only by a key that has the scopes of the member's role", async () => {
  const { member: owner } = await join("owner");
  const { member: viewer } = await join("viewer");
  const inviter = await newKey(["invitations:write", ...roleScopes.viewer]);
  const remove = (id: string) => tenant.api("DELETE", pathOf(`members/${id}`), { key: inviter.key });
  const refused = await remove(owner.id);
  expect([refused.status, refused.body.error.code]).toEqual([403, "insufficient_scope"]);
  expect(refused.body.error["requiredScopes"]).toContain("api_keys:write");
  expect((await tenant.api("GET", pathOf(`members/${owner.id}`))).status).toBe(200);
  expect((await remove(viewer.id)).status).toBe(204);
});

test("the removal of a member ends the member's keys at once, those of others not, and leaves an audit event", async () => {
  await join("owner");
  const { member, apiKey } = await join("owner");
  const other = await join("developer");
  const made = await newKey(roleScopes.viewer, apiKey.key);
  expect((await service.api("GET", "/v1/me", { key: apiKey.key })).status).toBe(200);
  expect((await tenant.api("DELETE", pathOf(`members/${member.id}`))).status).toBe(204);
  for (const key of [apiKey.key, made.key])
    await waitFor(async () => (await service.api("GET", "/v1/me", { key })).status === 401, { what: "the key ends" });
  expect((await service.api("GET", "/v1/me", { key: other.apiKey.key })).status).toBe(200);
  expect((await tenant.api("GET", pathOf(`members/${member.id}`))).status).toBe(404);
  const members = await tenant.api<{ data: { id: string }[] }>("GET", `${pathOf("members")}?limit=100`);
  expect(members.body.data.map(({ id }) => id)).not.toContain(member.id);
  expect((await tenant.api("DELETE", pathOf(`members/${member.id}`))).status).toBe(404);
  const audit = await tenant.api<{ data: { target: { id: string } }[] }>(
    "GET",
    pathOf("audit-events?type=member.removed"),
  );
  expect(audit.body.data.filter(({ target }) => target.id === member.id)).toHaveLength(1);
});

test("an invitation is revoked only by a key that has the scopes of its role", async () => {
  const inviter = await newKey(["invitations:write", ...roleScopes.viewer]);
  const revoke = async (role: Role) =>
    (await tenant.api("DELETE", pathOf(`invitations/${(await invite(role)).id}`), { key: inviter.key })).status;
  expect([await revoke("owner"), await revoke("viewer")]).toEqual([403, 204]);
});

describe("a change of role", () => {
  test("down and up again gives a key that was made narrower nothing", async () => {
    await join("owner");
    const { member, apiKey } = await join("owner");
    const reader = await newKey(roleScopes.viewer, apiKey.key);
    // A copy of the role's key, made by the member: it is not the role's own.
    const copy = await newKey(["*"], apiKey.key);
    await changeRole(member.id, "viewer");
    await changeRole(member.id, "owner");
    expect(await scopesOf(apiKey)).toEqual(roleScopes.owner.toSorted());
    for (const other of [reader, copy]) expect(await scopesOf(other)).toEqual(roleScopes.viewer.toSorted());
  });

  test("down, or the end of the membership, revokes invitations that gave more", async () => {
    await join("owner");
    const { member, apiKey } = await join("owner");
    const [toOwner, toViewer] = [await invite("owner", apiKey.key), await invite("viewer", apiKey.key)];
    const stateOf = async ({ id }: { id: string }) =>
      (await tenant.api<Invitation>("GET", pathOf(`invitations/${id}`))).body.state;
    await changeRole(member.id, "operator");
    expect([await stateOf(toOwner), await stateOf(toViewer)]).toEqual(["revoked", "pending"]);
    expectStatus(await tenant.api("DELETE", pathOf(`members/${member.id}`)), 204);
    expect(await stateOf(toViewer)).toBe("revoked");
  });
});
