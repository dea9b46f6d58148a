import type { Handlers, ReplayChecks } from "../../platform/http/handlers.ts";
import { isKeyInUse } from "../api-keys/key-replays.ts";
import { checkInvitationReplay, createInvitation, getInvitation, listInvitations } from "./invitations.ts";
import type { InvitationParts } from "./invitations.ts";
import { acceptInvitation, getMember, listMembers, removeMember, updateMember } from "./members.ts";
import { revokeInvitation } from "./revoke-invitations.ts";

export const invitationRoutes = (parts: InvitationParts) =>
  ({
    createInvitation: (tx, caller, { params, body }) =>
      createInvitation(tx, parts, caller, params.organizationId, body),
    listInvitations: (db, _caller, { params, filters, page }) =>
      listInvitations(db, params.organizationId, filters, page),
    getInvitation: (db, _caller, { params }) => getInvitation(db, params.organizationId, params.invitationId),
    revokeInvitation: (tx, caller, { params }) =>
      revokeInvitation(tx, caller, params.organizationId, params.invitationId),
    acceptInvitation: (tx, caller, { body }) => acceptInvitation(tx, parts.limits, caller, body),
    listMembers: (db, _caller, { params, page }) => listMembers(db, params.organizationId, page),
    getMember: (db, _caller, { params }) => getMember(db, params.organizationId, params.memberId),
    updateMember: (tx, caller, { params, body }) =>
      updateMember(tx, caller, params.organizationId, params.memberId, body),
    removeMember: (tx, caller, { params }) => removeMember(tx, caller, params.organizationId, params.memberId),
  }) satisfies Partial<Handlers>;

export const invitationReplays = {
  createInvitation: checkInvitationReplay,
  acceptInvitation: (db, _caller, { apiKey }) => isKeyInUse(db, apiKey),
} satisfies Partial<ReplayChecks>;
