import type { ReplayChecks } from "../../platform/http/handlers.ts";
import { isKeyInUse } from "../api-keys/key-replays.ts";
import { checkInvitationReplay } from "./invitations.ts";

/** Who may get a link or a key again that an operation on invitations has given. */
export const invitationReplays = {
  createInvitation: checkInvitationReplay,
  acceptInvitation: (db, _caller, { apiKey }) => isKeyInUse(db, apiKey),
} satisfies Partial<ReplayChecks>;
