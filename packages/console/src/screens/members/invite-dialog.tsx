import { useQuery } from "@tanstack/react-query";
import type { CreatedInvitation } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { ShownOnce } from "../../components/shown-once.tsx";
import { Field } from "../../components/field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { duration, words } from "../../lib/format.ts";
import { ROLES, roles } from "../../lib/keys.ts";
import type { Role } from "../../lib/keys.ts";
import { serviceQuery } from "../../lib/service.ts";
import { useSession } from "../../lib/session.ts";

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { organizationId } = useSession();
  const { data: service } = useQuery(serviceQuery);
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const [made, setMade] = useState<CreatedInvitation | null>(null);
  const once = useOnce();
  async function invite(): Promise<void> {
    const body = { email: email.trim(), role };
    const { invitations } = rowmill.organizations;
    setMade(await once(body, (options) => invitations.create(organizationId ?? "", body, options)));
    await queries.invalidateQueries({ queryKey: ["members"] });
  }
  if (made?.inviteUrl !== undefined)
    return (
      <ShownOnce title={`The link for ${made.email}`} name="invitation's link" value={made.inviteUrl} onClose={onClose}>
        {service?.sendsMail === true ? "It was sent by e-mail, too. " : "This service sends no e-mail: pass it on. "}
        A person who has it becomes a member. It is shown this once, and works once.
      </ShownOnce>
    );
  return (
    <ActionDialog
      title="Invite somebody"
      width="max-w-md"
      action={service?.sendsMail === true ? "Send the invitation" : "Make the link"}
      isReady={email.includes("@")}
      onAct={invite}
      onClose={onClose}
    >
      <Field label="E-mail">
        <input
          className="input"
          type="email"
          autoFocus
          placeholder="ada@example.com"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
        />
      </Field>
      <RoleField role={role} onChange={setRole} />
      {service !== undefined && (
        <p className="text-soft">The link works once, within {duration(service.invitationExpiryHours * 3600)}.</p>
      )}
    </ActionDialog>
  );
}

function RoleField({ role: chosen, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Role</legend>
      {roles.map((name) => (
        <label key={name} className="flex items-baseline gap-2.5">
          <input
            type="radio"
            name="role"
            className="translate-y-px accent-fill"
            checked={chosen === name}
            onChange={() => onChange(name)}
          />
          <span>
            <span className="font-medium">{words(name)}</span>
            <span className="block text-soft">{ROLES[name]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
