/** Revokes a key, and what was made with it if that is asked for. */
import type { ApiKey } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Notice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { plural, visible } from "../../lib/format.ts";
import { descendantsOf, stateOfKey } from "../../lib/keys.ts";
import { leaveSession } from "../../lib/session-end.ts";
import { useSession } from "../../lib/session.ts";

export function RevokeDialog({
  apiKey,
  keys,
  isOwn,
  onClose,
}: {
  apiKey: ApiKey;
  keys: readonly ApiKey[];
  isOwn: boolean;
  onClose: () => void;
}) {
  const { organizationId } = useSession();
  const below = descendantsOf(apiKey, keys).filter((key) => stateOfKey(key) === "active");
  const [isCascade, setCascade] = useState(false);
  async function revoke(): Promise<void> {
    await rowmill.organizations.apiKeys.revoke(organizationId ?? "", apiKey.id, { cascade: isCascade });
    onClose();
    if (isOwn) return leaveSession();
    await queries.invalidateQueries({ queryKey: ["members"] });
  }
  return (
    <ActionDialog
      title={`Revoke ${apiKey.name}?`}
      width="max-w-md"
      look="danger"
      action={isCascade && below.length > 0 ? `Revoke ${plural(below.length + 1, "key")}` : "Revoke the key"}
      closing="Keep"
      onAct={revoke}
      onClose={onClose}
    >
      <p>It stops working at once, on every process. Runs that were started with it go on.</p>
      {isOwn && <Notice tone="warn" title="You are signed in with this key: you will be signed out." />}
      <label className="flex items-baseline gap-2.5">
        <input
          type="checkbox"
          className="translate-y-px accent-fill"
          checked={isCascade}
          onChange={({ target }) => setCascade(target.checked)}
        />
        <span>
          Also revoke everything that was made with it
          <span className="block text-soft">
            {below.length === 0
              ? "No active key was; pending invitations and the keys of members whom it invited may be."
              : `${plural(below.length, "active key")}: ${below
                  .slice(0, 5)
                  .map(({ name }) => visible(name))
                  .join(
                    ", ",
                  )}${below.length > 5 ? ", …" : ""}; with pending invitations, and the keys of members whom they invited.`}
          </span>
        </span>
      </label>
    </ActionDialog>
  );
}
