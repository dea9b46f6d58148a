import { useMutation } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { Mark } from "../frame/sidebar.tsx";
import { SignInForm } from "../frame/sign-in-form.tsx";
import { signIn } from "../lib/session.ts";

export function SignIn() {
  const { to } = useSearch({ from: "/sign-in" });
  const navigate = useNavigate();
  const enter = useMutation({
    mutationFn: signIn,
    // An address of this console; anything else would lead away.
    onSuccess: () => navigate({ href: to !== undefined && /^\/(?![/\\])/.test(to) ? to : "/", replace: true }),
  });
  const { mutate } = enter;
  useEffect(() => {
    document.title = "Sign in · Rowmill";
    const redeem = (): void => {
      const token = /^#token=([\w-]+)$/.exec(location.hash)?.[1];
      if (token === undefined || !token.startsWith("rml_")) return;
      // It works once: it must not stay in the address or the history.
      history.replaceState(history.state, "", location.pathname + location.search);
      mutate({ by: "login_link", token });
    };
    redeem();
    // A link that is pasted where this page is open changes its address, and does not load it again.
    window.addEventListener("hashchange", redeem);
    return () => window.removeEventListener("hashchange", redeem);
  }, [mutate]);
  return (
    <main className="flex min-h-dvh flex-col items-center justify-center px-4 py-10">
      <div className="w-full max-w-[380px]">
        <div className="mb-6 flex items-center gap-3">
          <Mark />
          <h1 className="text-xl font-semibold tracking-[-0.012em]">Sign in to Rowmill</h1>
        </div>
        <SignInForm
          onSubmit={(apiKey) => mutate({ by: "api_key", apiKey })}
          isBusy={enter.isPending}
          error={enter.error}
        />
        <p className="mt-4 text-soft">
          On the machine of the service, <code className="font-mono">npm start</code> and{" "}
          <code className="font-mono">rowmill dev</code> print a link that signs you in.
        </p>
      </div>
    </main>
  );
}
