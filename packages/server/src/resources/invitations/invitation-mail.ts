/** What the invited person reads. */
import type { Role } from "@rowmill/contract/roles";
import type { Mail } from "../../platform/mail/mailer.ts";

interface InvitationMail {
  email: string;
  role: Role;
  organizationName: string;
  inviteUrl: string;
  expiresAt: Date;
}

export function invitationMail({ email, role, organizationName, inviteUrl, expiresAt }: InvitationMail): Mail {
  // The name is the tenant's own text: on one line it can pretend to be nothing but a name.
  const name = organizationName.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return {
    to: [email],
    subject: `Invitation to ${name} on Rowmill`,
    text: [
      `You are invited to join "${name}" on Rowmill as ${role}.`,
      "",
      "Accept here:",
      inviteUrl,
      "",
      `The link works once, until ${expiresAt.toISOString().slice(0, 16).replace("T", " ")} UTC.`,
      "If you did not expect this, ignore it: nothing happens without you.",
      "",
    ].join("\n"),
  };
}
