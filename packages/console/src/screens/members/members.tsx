/** Who belongs to the organization, who is invited, and the keys of programs. */
import { useSearch } from "@tanstack/react-router";
import type { ApiKey, Invitation, Member } from "@rowmill/client";
import { KeyRound, UserPlus } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Hidden } from "../../components/notice.tsx";
import { Page, Tabs } from "../../components/page.tsx";
import { rowmill } from "../../lib/client.ts";
import { stateOfKey } from "../../lib/keys.ts";
import { useList } from "../../lib/lists.ts";
import { useMay, useSession } from "../../lib/session.ts";
import { bind, screens } from "../../lib/screen-keys.ts";
import { useShortcuts } from "../../lib/shortcuts.ts";
import { InviteDialog } from "./invite-dialog.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import { Keys } from "./keys.tsx";
import { People } from "./people.tsx";

export function Members() {
  const search = useSearch({ from: "/frame/members" });
  const { organizationId } = useSession();
  const id = organizationId ?? "";
  const mayMembers = useMay("invitations:read");
  const mayInvite = useMay("invitations:write");
  const mayMakeKeys = useMay("api_keys:write");
  const [open, setOpen] = useState<Opened | null>(null);
  const isKeys = search.tab === "keys" || (search.tab === undefined && !mayMembers);
  const lists = useLists(id);
  useShortcuts([
    ...(mayInvite ? [bind(screens.members.keys.invite, () => setOpen("invite"))] : []),
    ...(mayMakeKeys ? [bind(screens.members.keys.createKey, () => setOpen("key"))] : []),
  ]);
  return (
    <Page
      title="Members and keys"
      tabTitle={isKeys ? "API keys" : "Members"}
      request={
        isKeys
          ? readRequest(`v1/organizations/${id}/api-keys`, "organizations.apiKeys.list", { ids: [id] })
          : readRequest(`v1/organizations/${id}/members`, "organizations.members.list", { ids: [id] })
      }
      lead={
        isKeys
          ? "A key lets a program in, with the scopes it needs and no more. It is shown once, when it is made."
          : "A member signs in with a key of their own, which has the scopes of their role."
      }
      actions={
        isKeys
          ? mayMakeKeys && (
              <Button look="primary" icon={KeyRound} onClick={() => setOpen("key")}>
                New key
              </Button>
            )
          : mayInvite && (
              <Button look="primary" icon={UserPlus} onClick={() => setOpen("invite")}>
                Invite
              </Button>
            )
      }
    >
      <MemberTabs isKeys={isKeys} lists={lists} />
      <Shown
        isKeys={isKeys}
        lists={lists}
        onInvite={mayInvite ? () => setOpen("invite") : undefined}
        onKey={mayMakeKeys ? () => setOpen("key") : undefined}
      />
      {open === "invite" && <InviteDialog onClose={() => setOpen(null)} />}
      {open === "key" && <KeyDialog onClose={() => setOpen(null)} />}
    </Page>
  );
}

type Opened = "invite" | "key";

/** The list of the chosen tab. */
function Shown({
  isKeys,
  lists: { members, invitations, keys },
  onInvite,
  onKey,
}: {
  isKeys: boolean;
  lists: ReturnType<typeof useLists>;
  onInvite: (() => void) | undefined;
  onKey: (() => void) | undefined;
}) {
  const mayMembers = useMay("invitations:read");
  const mayKeys = useMay("api_keys:read");
  if (isKeys)
    return mayKeys ? <Keys list={keys} onCreate={onKey} /> : <Hidden what="API keys are" scope="api_keys:read" />;
  return mayMembers ? (
    <People members={members} invitations={invitations} onInvite={onInvite} />
  ) : (
    <Hidden what="Members are" scope="invitations:read" />
  );
}

function useLists(id: string) {
  const mayMembers = useMay("invitations:read");
  const mayKeys = useMay("api_keys:read");
  const members = useList<Member>(
    ["members", "list"],
    (cursor) => rowmill.organizations.members.list(id, { cursor, limit: 200 }),
    { enabled: mayMembers },
  );
  const invitations = useList<Invitation>(
    ["members", "invitations"],
    (cursor) => rowmill.organizations.invitations.list(id, { cursor, limit: 200 }),
    { enabled: mayMembers },
  );
  const keys = useList<ApiKey>(
    ["members", "keys"],
    (cursor) => rowmill.organizations.apiKeys.list(id, { cursor, limit: 1000 }),
    { enabled: mayKeys },
  );
  return { members, invitations, keys };
}

/** Without a number where the list is not known. */
function MemberTabs({ isKeys, lists: { members, keys } }: { isKeys: boolean; lists: ReturnType<typeof useLists> }) {
  const search = useSearch({ from: "/frame/members" });
  const mayMembers = useMay("invitations:read");
  const mayKeys = useMay("api_keys:read");
  return (
    <Tabs
      label="Members and keys"
      isBySearch
      tabs={[
        {
          label: "Members",
          count: mayMembers && members.pageCount > 0 ? members.items.length : undefined,
          link: { to: "/members", search: isKeys ? { tab: "members" } : search },
        },
        {
          label: "API keys",
          count:
            mayKeys && keys.pageCount > 0 ? keys.items.filter((key) => stateOfKey(key) === "active").length : undefined,
          link: { to: "/members", search: isKeys ? search : { tab: "keys" } },
        },
      ]}
    />
  );
}
