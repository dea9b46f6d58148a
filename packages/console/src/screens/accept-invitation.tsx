/** The link of an invitation: a name, and the new member is signed in. */
import type { AcceptedInvitation } from "@rowmill/client";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Button } from "../components/button.tsx";
import { Copy } from "../components/copy.tsx";
import { Field } from "../components/field.tsx";
import { ActionError, Notice } from "../components/notice.tsx";
import { Mark } from "../frame/sidebar.tsx";
import { acceptInvitation, forgetAttempts, lastName } from "../lib/acceptance.ts";
import { signIn } from "../lib/session.ts";

const TOKEN = /^#token=(rmi_[\w-]+)$/;
const KEY_IS_GONE =
  "This invitation was accepted some time ago, and its key is no longer shown. Ask who invited you for another one.";
const tokenInAddress = (): string | undefined => TOKEN.exec(location.hash)?.[1];

export function AcceptInvitation() {
  const [name, setName] = useState(() => lastName(tokenInAddress()));
  const accepted = useRef<AcceptedInvitation>(undefined);
  const token = useToken(() => (accepted.current = undefined));
  useEffect(() => {
    document.title = "Invitation · Rowmill";
  }, []);
  const accept = useMutation({
    mutationFn: async (token: string) => {
      // Where only the sign-in has failed, the link is used, and the key is here.
      accepted.current ??= await acceptInvitation(token, name.trim());
      const { apiKey, member } = accepted.current;
      const { key } = apiKey;
      if (key === undefined) throw new Error(KEY_IS_GONE);
      history.replaceState(history.state, "", location.pathname);
      forgetAttempts(token);
      const session = await signIn({ by: "api_key", apiKey: key });
      return { key, role: member.role, organization: session.organizationName };
    },
  });
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-[420px]">
        <div className="mb-6 flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold tracking-[-0.012em]">
            {accept.data === undefined
              ? "You are invited to Rowmill"
              : `Welcome to ${accept.data.organization ?? "Rowmill"}`}
          </h1>
        </div>
        {token === undefined ? (
          <Notice tone="warn" title="The link is not whole.">
            The part behind # is missing. Copy the whole link out of the invitation, or ask for another one.
          </Notice>
        ) : accept.data === undefined ? (
          <NameForm
            name={name}
            onName={setName}
            error={accept.error}
            isBusy={accept.isPending}
            onAccept={() => accept.mutate(token)}
          />
        ) : (
          <Accepted role={accept.data.role} apiKey={accept.data.key} />
        )}
      </div>
    </main>
  );
}

/**
 * It stays in the address until it is used: after a reload of the page the invitation is still there. A link that is pasted where this page
 * is open changes the address, and does not load the page again.
 */
function useToken(onOther: () => void): string | undefined {
  const [token, setToken] = useState(tokenInAddress);
  useEffect(() => {
    const read = (): void => {
      const next = tokenInAddress();
      if (next === undefined) return;
      onOther();
      setToken(next);
    };
    window.addEventListener("hashchange", read);
    return () => window.removeEventListener("hashchange", read);
  }, []);
  return token;
}

function NameForm({
  name,
  onName,
  error,
  isBusy,
  onAccept,
}: {
  name: string;
  onName: (name: string) => void;
  error: unknown;
  isBusy: boolean;
  onAccept: () => void;
}) {
  return (
    <form
      className="card flex flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        onAccept();
      }}
    >
      <Field label="Your name" hint="Others in the organization see it beside what you do.">
        <input
          className="input"
          autoFocus
          required
          maxLength={100}
          autoComplete="name"
          value={name}
          onChange={({ target }) => onName(target.value)}
        />
      </Field>
      {error !== null && <ActionError error={error} />}
      <Button look="primary" type="submit" isBusy={isBusy}>
        Accept the invitation
      </Button>
    </form>
  );
}

function Accepted({ role, apiKey }: { role: string; apiKey: string }) {
  const navigate = useNavigate();
  return (
    <div className="card flex flex-col gap-4 p-5">
      <p>
        You are signed in with the role <strong className="font-semibold">{role}</strong>.
      </p>
      <div>
        <p className="font-medium">Your API key</p>
        <p className="text-soft">
          It signs you in again and works for programs. It is shown only now: keep it in a password manager.
        </p>
        <Copy text={apiKey} label="Copy the key">
          {apiKey}
        </Copy>
      </div>
      <Button look="primary" onClick={() => void navigate({ to: "/", replace: true })}>
        Go to the console
      </Button>
    </div>
  );
}
