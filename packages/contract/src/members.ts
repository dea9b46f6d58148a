/** Members of an organization: people, who came by an invitation. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import { roles } from "./roles.ts";
import { Closed, Enum, Id, Timestamp, component } from "./schemas.ts";

export const role = Enum(roles, {
  description:
    "`owner` may do everything; `developer` everything but make keys, invite people and change the organization; `operator` " +
    "keeps datasets, runs, exports, webhooks and alerts going; `viewer` reads.",
});
export const MemberSchema = component(
  "Member",
  Type.Object({
    id: Id("member"),
    organizationId: Id("organization"),
    name: Type.String(),
    email: Type.String(),
    role,
    invitationId: Id("invitation"),
    createdAt: Timestamp(),
  }),
);
export type Member = Static<typeof MemberSchema>;

const params = { organizationId: "organization" } as const;
const member = { organizationId: "organization", memberId: "member" } as const;
const read = { by: "organization_or_admin", scopes: ["invitations:read"] } as const;
const write = { by: "organization_or_admin", scopes: ["invitations:write"] } as const;

export const memberOperations = {
  listMembers: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/members",
    tag: "Invitations and members",
    summary: "List members",
    access: read,
    idempotency: "none",
    params,
    filters: {},
    response: { status: 200, schema: ListOf(MemberSchema) },
    errors: ["not_found"],
  }),
  getMember: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/members/{memberId}",
    tag: "Invitations and members",
    summary: "Read a member",
    access: read,
    idempotency: "none",
    params: member,
    response: { status: 200, schema: MemberSchema },
    errors: ["not_found"],
  }),
  updateMember: operation({
    method: "PATCH",
    path: "/v1/organizations/{organizationId}/members/{memberId}",
    tag: "Invitations and members",
    summary: "Change a member's role",
    description:
      "Holds at once for the keys that the member holds: the key of the invitation gets the scopes of the new role; all others " +
      "keep what the new role allows, and never get more. Pending invitations that the member made, and that give more than the " +
      "new role, are revoked. A key can only give or take away a role whose scopes it has. The last owner stays one: 409 " +
      "`invalid_state`.",
    access: write,
    idempotency: "none",
    params: member,
    body: Closed({ role }),
    response: { status: 200, schema: MemberSchema },
    errors: ["not_found", "invalid_state"],
  }),
  removeMember: operation({
    method: "DELETE",
    path: "/v1/organizations/{organizationId}/members/{memberId}",
    tag: "Invitations and members",
    summary: "Remove a member",
    description:
      "Revokes the keys that the member holds, the one of the invitation and those made with it, and the member's pending " +
      "invitations. A key that is to outlive its maker is made by the admin, or with a key that no member holds. A key can only " +
      "remove a member whose role's scopes it has. The last owner stays: 409 `invalid_state`.",
    access: write,
    idempotency: "none",
    params: member,
    response: { status: 204 },
    errors: ["not_found", "invalid_state"],
  }),
};
