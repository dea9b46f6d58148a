/** Invitations. Members come of them: `members.ts`. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { CreatedApiKeySchema } from "./api-keys.ts";
import type { CreatedApiKey } from "./api-keys.ts";
import { operation } from "./operation.ts";
import { ListOf, enumFilter } from "./pagination.ts";
import { MemberSchema, role } from "./members.ts";
import { Closed, Enum, Id, Name, Nullable, OneTimeSecret, Timestamp, component, EMAIL_HINT } from "./schemas.ts";

export const invitationStates = ["pending", "accepted", "revoked", "expired"] as const;
export type InvitationState = (typeof invitationStates)[number];

const members = {
  id: Id("invitation"),
  organizationId: Id("organization"),
  email: Type.String(),
  role,
  state: Enum(invitationStates),
  memberId: Nullable(Id("member", "Who accepted it.")),
  createdByKeyId: Nullable(Id("apiKey", "The key it was made with; null when the admin made it.")),
  expiresAt: Timestamp("When it can no longer be accepted."),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
};
export const InvitationSchema = component("Invitation", Type.Object(members));
export type Invitation = Static<typeof InvitationSchema>;

export const CreatedInvitationSchema = component(
  "CreatedInvitation",
  Type.Object({
    ...members,
    inviteUrl: OneTimeSecret(
      "Where the invitation is accepted; the token stands behind `#token=`. Shown only in this response.",
    ),
  }),
);
export type CreatedInvitation = Static<typeof CreatedInvitationSchema> & { inviteUrl: string };

export const AcceptedInvitationSchema = component(
  "AcceptedInvitation",
  Type.Object({
    member: MemberSchema,
    apiKey: CreatedApiKeySchema,
  }),
);
export type AcceptedInvitation = Static<typeof AcceptedInvitationSchema> & { apiKey: CreatedApiKey };

const params = { organizationId: "organization" } as const;
const invitation = { organizationId: "organization", invitationId: "invitation" } as const;
const read = { by: "organization_or_admin", scopes: ["invitations:read"] } as const;
const write = { by: "organization_or_admin", scopes: ["invitations:write"] } as const;

export const invitationOperations = {
  createInvitation: operation({
    method: "POST",
    path: "/v1/organizations/{organizationId}/invitations",
    tag: "Invitations and members",
    summary: "Create an organization invitation",
    description:
      "Sends the link by e-mail where the service has an SMTP server; in any case `inviteUrl` holds it. It can be used once, " +
      "within 7 days unless the operator has set another time, and before the key that makes it expires. A key can only give a role " +
      "whose scopes it has. The key that the new member gets expires with the key that made the invitation, and shares its limit " +
      "of requests, as a key made with it does.",
    access: write,
    idempotency: "required",
    params,
    body: Closed({
      email: Type.String({
        maxLength: 254,
        // One address and nothing else: no name, no list, nothing that could become a header.
        pattern: '^[^\\s\\x00-\\x1f\\x7f@<>(),;:"\\\\\\[\\]]{1,64}@[^\\s\\x00-\\x1f\\x7f@<>(),;:"\\\\\\[\\]]{1,253}$',
        "x-hint": EMAIL_HINT,
        description: "Upper and lower case make no difference.",
        examples: ["ada@example.com"],
      }),
      role,
    }),
    response: { status: 201, schema: CreatedInvitationSchema },
    secretMembers: ["/inviteUrl"],
    location: "/v1/organizations/{organizationId}/invitations/{id}",
    errors: ["not_found", "already_exists", "limit_reached"],
  }),
  listInvitations: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/invitations",
    tag: "Invitations and members",
    summary: "List invitations",
    access: read,
    idempotency: "none",
    params,
    filters: { state: enumFilter(invitationStates, "Only invitations in these states.") },
    response: { status: 200, schema: ListOf(InvitationSchema) },
    errors: ["not_found"],
  }),
  getInvitation: operation({
    method: "GET",
    path: "/v1/organizations/{organizationId}/invitations/{invitationId}",
    tag: "Invitations and members",
    summary: "Read an invitation",
    access: read,
    idempotency: "none",
    params: invitation,
    response: { status: 200, schema: InvitationSchema },
    errors: ["not_found"],
  }),
  revokeInvitation: operation({
    method: "DELETE",
    path: "/v1/organizations/{organizationId}/invitations/{invitationId}",
    tag: "Invitations and members",
    summary: "Revoke an invitation",
    description:
      "Its link stops working; it stays in the list as `revoked`. One that was accepted has become a member: remove that. A key " +
      "can only take back a role whose scopes it has.",
    access: write,
    idempotency: "none",
    params: invitation,
    response: { status: 204 },
    errors: ["not_found", "invalid_state"],
  }),
  acceptInvitation: operation({
    method: "POST",
    path: "/v1/invitations/accept",
    tag: "Invitations and members",
    summary: "Accept an invitation",
    description:
      "Needs no key: the token of the link is enough, once. Makes a member and a key with the scopes of the role; the key is " +
      "shown in this response only, and in repeats with the same `Idempotency-Key` within ten minutes.",
    access: { by: "public" },
    idempotency: "honoured",
    body: Closed({
      token: Type.String({
        minLength: 1,
        maxLength: 200,
        description: "What stands behind `#token=` in the link.",
        examples: ["rmi_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0u00iZxM"],
      }),
      name: Name("What people call you.", "Ada"),
    }),
    response: { status: 200, schema: AcceptedInvitationSchema },
    secretMembers: ["/apiKey/key"],
    errors: ["not_found", "invalid_state", "already_exists", "limit_reached", "organization_suspended"],
  }),
};
