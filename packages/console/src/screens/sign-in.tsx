import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNotice } from "../components/notice.tsx";
import { Mark } from "../frame/sidebar.tsx";
import { signIn } from "../lib/session.ts";

export function SignIn() {
  const { to } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const [key, setKey] = useState("");
  const enter = useMutation({
    mutationFn: signIn,
    // An address of this console; anything else would lead away.
    onSuccess: () => navigate({ href: to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/", replace: true }),
  });
  const { mutate } = enter;
  useEffect(() => {
    document.title = "Sign in · Rowmill";
    const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
    if (token === undefined || !token.startsWith("rml_")) return;
    // It works once: it must not stay in the address or the history.
    history.replaceState(history.state, "", location.pathname + location.search);
    mutate({ by: "login_link", token });
  }, [mutate]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-[380px]">
        <div className="mb-6 flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold tracking-[-0.012em]">Sign in to Rowmill</h1>
        </div>
        <form
          className="card flex flex-col gap-4 p-5"
          onSubmit={(event) => {
            event.preventDefault();
            mutate({ by: "api_key", apiKey: key.trim() });
          }}
        >
          <Field
            label="API key"
            hint="Of your organization, or the operator's admin key. It is exchanged for a session and not kept in the browser."
          >
            <input
              className="input font-mono"
              type="password"
              autoComplete="current-password"
              required
              autoFocus
              spellCheck={false}
              placeholder="rmk_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </Field>
          {enter.error !== null && <ErrorNotice error={enter.error} />}
          <Button look="primary" type="submit" isBusy={enter.isPending}>
            Sign in
          </Button>
        </form>
        <p className="mt-4 text-soft">
          On the machine of the service, <code className="font-mono">npm start</code> prints a link that signs you in.
        </p>
      </div>
    </main>
  );
}
