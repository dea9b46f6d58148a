import { useMutation } from "@tanstack/react-query";
import type { Invitation, Member } from "@rowmill/client";
import { MailX, UserMinus } from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Confirm } from "../../components/dialog.tsx";
import { More, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { readError } from "../../components/notice.tsx";
import { Empty, Section } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { visible, words } from "../../lib/format.ts";
import { ROLES, roles } from "../../lib/keys.ts";
import type { Role } from "../../lib/keys.ts";
import type { Listed } from "../../lib/lists.ts";
import { useMay, useSession } from "../../lib/session.ts";
import { UNSEEN } from "../../lib/unseen.ts";

const refresh = (): Promise<void> => queries.invalidateQueries({ queryKey: ["members"] });

export function People({
  members,
  invitations,
  onInvite,
}: {
  members: Listed<Member>;
  invitations: Listed<Invitation>;
  onInvite: (() => void) | undefined;
}) {
  const { organizationId } = useSession();
  const [removed, setRemoved] = useState<Member | null>(null);
  const [revoked, setRevoked] = useState<Invitation | null>(null);
  const pending = invitations.items.filter(({ state }) => state === "pending");
  const others = invitations.items.filter(({ state }) => state !== "pending");
  return (
    <>
      <ListStatus list={members} />
      {pending.length > 0 && (
        <Section title="Invited">
          <PendingInvitations items={pending} onRevoke={setRevoked} />
        </Section>
      )}
      {members.items.length > 0 && (
        <Section title="Members">
          <MemberTable organizationId={organizationId ?? ""} items={members.items} onRemove={setRemoved} />
          <More list={members} />
        </Section>
      )}
      {members.items.length === 0 && !members.isLoading && members.error === null && <Nobody onInvite={onInvite} />}
      {others.length > 0 && <EarlierInvitations items={others} />}
      {removed !== null && <ConfirmRemoval member={removed} onClose={() => setRemoved(null)} />}
      {revoked !== null && <ConfirmRevocation invitation={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}

function ConfirmRemoval({ member: removed, onClose }: { member: Member; onClose: () => void }) {
  const { organizationId } = useSession();
  return (
    <Confirm
      title={`Remove ${removed.name}?`}
      action="Remove"
      onClose={onClose}
      onConfirm={async () => {
        await rowmill.organizations.members.remove(organizationId ?? "", removed.id);
        await refresh();
      }}
    >
      The keys that {visible(removed.name)} holds are revoked at once, with those made with them. Runs and datasets
      stay.
    </Confirm>
  );
}

function ConfirmRevocation({ invitation: revoked, onClose }: { invitation: Invitation; onClose: () => void }) {
  const { organizationId } = useSession();
  return (
    <Confirm
      title={`Revoke the invitation of ${revoked.email}?`}
      action="Revoke"
      onClose={onClose}
      onConfirm={async () => {
        await rowmill.organizations.invitations.revoke(organizationId ?? "", revoked.id);
        await refresh();
      }}
    >
      Its link stops working. You can invite the same address again.
    </Confirm>
  );
}

function MemberTable({
  organizationId,
  items,
  onRemove,
}: {
  organizationId: string;
  items: readonly Member[];
  onRemove: (member: Member) => void;
}) {
  const mayWrite = useMay("invitations:write");
  const columns: Column<Member>[] = [
    { id: "name", head: "Name", className: "max-w-sm", cell: (member) => <MemberName member={member} /> },
    {
      id: "role",
      head: "Role",
      cell: (member) =>
        mayWrite ? (
          <RoleChoice organizationId={organizationId} member={member} />
        ) : (
          <span title={ROLES[member.role]}>{words(member.role)}</span>
        ),
    },
    { id: "since", head: "Member since", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...(mayWrite ? [actionColumn("Remove", UserMinus, onRemove)] : []),
  ];
  return <Table label="Members" items={items} keyOf={({ id }) => id} columns={columns} />;
}

function MemberName({ member }: { member: Member }) {
  const { memberId } = useSession();
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">
        {visible(member.name)}
        {member.id === memberId && <span className="ml-2 font-normal text-soft">you</span>}
      </p>
      <p className="text-xs [overflow-wrap:anywhere] text-soft">{visible(member.email)}</p>
    </>
  );
}

function RoleChoice({ organizationId, member }: { organizationId: string; member: Member }) {
  const change = useMutation({
    mutationFn: (role: Role) => rowmill.organizations.members.update(organizationId, member.id, { role }),
    onSuccess: (_, role) =>
      toast(`${member.name} is ${role === "owner" || role === "operator" ? "an" : "a"} ${role} now.`),
    onError: (error) => toast(readError(error).title, "bad"),
    onSettled: refresh,
    meta: UNSEEN,
  });
  return (
    <select
      aria-label={`Role of ${member.name}`}
      className="input w-auto!"
      value={change.isPending ? change.variables : member.role}
      aria-disabled={change.isPending}
      onChange={({ target }) => change.isPending || change.mutate(target.value as Role)}
    >
      {roles.map((role) => (
        <option key={role} value={role}>
          {words(role)}
        </option>
      ))}
    </select>
  );
}

function PendingInvitations({
  items,
  onRevoke,
}: {
  items: readonly Invitation[];
  onRevoke: (invitation: Invitation) => void;
}) {
  const mayWrite = useMay("invitations:write");
  const columns: Column<Invitation>[] = [
    ...INVITATION_COLUMNS,
    { id: "expires", head: "Expires", align: "right", wide: true, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    ...(mayWrite ? [actionColumn("Revoke", MailX, onRevoke)] : []),
  ];
  return <Table label="Pending invitations" items={items} keyOf={({ id }) => id} columns={columns} />;
}

function EarlierInvitations({ items }: { items: readonly Invitation[] }) {
  return (
    <details>
      <summary className="font-medium text-soft hover:text-ink">Earlier invitations ({items.length})</summary>
      <div className="mt-2.5">
        <Table
          label="Earlier invitations"
          items={items}
          keyOf={({ id }) => id}
          columns={[
            ...INVITATION_COLUMNS,
            { id: "state", head: "State", align: "right", cell: ({ state }) => <State state={state} /> },
          ]}
        />
      </div>
    </details>
  );
}

function Nobody({ onInvite }: { onInvite: (() => void) | undefined }) {
  return (
    <Empty
      title="No members yet."
      actions={
        onInvite !== undefined && (
          <Button look="primary" onClick={onInvite}>
            Invite somebody
          </Button>
        )
      }
    >
      Until now everybody works with keys that were made for the organization. A member has a key and a role of their
      own: the audit names them, and removing them ends what they hold.
    </Empty>
  );
}

/** On a phone, the name of the person needs the place of the word. */
const actionColumn = <T,>(name: string, icon: LucideIcon, onClick: (item: T) => void): Column<T> => ({
  id: name,
  head: <span className="sr-only">{name}</span>,
  align: "right",
  cell: (item) => (
    <Button
      look="quiet"
      aria-label={name}
      title={name}
      icon={icon}
      className="max-sm:w-8 max-sm:px-0!"
      onClick={() => onClick(item)}
    >
      <span className="max-sm:hidden">{name}</span>
    </Button>
  ),
});

const INVITATION_COLUMNS: Column<Invitation>[] = [
  {
    id: "email",
    head: "E-mail",
    className: "max-w-sm",
    cell: ({ email }) => <span className="font-medium [overflow-wrap:anywhere]">{visible(email)}</span>,
  },
  { id: "role", head: "Role", cell: ({ role }) => words(role) },
  { id: "created", head: "Invited", align: "right", wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
];
