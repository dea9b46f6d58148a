import { focusManager, useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { Session } from "@rowmill/client";
import { useEffect, useRef } from "react";
import { useModal } from "../components/modal.ts";
import { baseUrl, isSignedOut, queries, rowmill } from "../lib/client.ts";
import { sessionQuery, useSession } from "../lib/session.ts";
import { sendKeptBack } from "../lib/uploads.ts";
import { Mark } from "./sidebar.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** The session of an open screen is over: its key was revoked, its time has passed, or somebody has signed out in another tab. */
export function useSessionEnd(onEnd: () => void): void {
  const latest = useRef(onEnd);
  latest.current = onEnd;
  useEffect(() => {
    const stops = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error" && isSignedOut(event.action.error))
          latest.current();
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error" && isSignedOut(event.action.error))
          latest.current();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
}

/**
 * Covers the screen until its organization has signed in again, here or in another tab. What was written on the screen stays: it is
 * below, where it can neither be seen nor used.
 */
export function SessionEnded({ onResume }: { onResume: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useModal(ref);
  const { goesOn, resume } = useResume(onResume);
  // Who has signed in to another organization in another tab has not abandoned what was written here.
  useSessionOfOthers(async (session) => {
    if (goesOn(session)) await resume(session);
  });
  const enter = useMutation({
    mutationFn: (apiKey: string) => rowmill.session.create({ by: "api_key", apiKey }),
    onSuccess: resume,
  });
  return (
    <dialog
      ref={ref}
      aria-labelledby="session-ended"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog in spite of that where somebody asks for it twice.
      onClose={() => ref.current?.showModal()}
      onKeyDown={(event) => {
        // Nothing is behind it that could be used.
        if (event.key === "Escape") event.preventDefault();
      }}
      className="m-0 h-dvh max-h-dvh w-dvw max-w-none bg-ground px-4 py-10 open:flex open:flex-col open:items-center open:justify-center"
    >
      <div className="w-full max-w-[380px]">
        <div className="mb-4 flex items-center gap-3">
          <Mark />
          <h2 id="session-ended" className="text-xl font-semibold tracking-[-0.012em]">
            Sign in to go on
          </h2>
        </div>
        <p className="mb-4 text-soft">The session has ended. The screen is kept, with what you wrote on it.</p>
        <SignInForm onSubmit={enter.mutate} isBusy={enter.isPending} error={enter.error} />
        <p className="mt-4 text-soft">
          With a key of another organization, or one that may do less, the home page opens, and what you wrote here is
          lost.
        </p>
      </div>
    </dialog>
  );
}

function useResume(onResume: () => void) {
  const ended = useSession();
  const router = useRouter();
  /** What is on the screen belongs to the organization that was signed in, and was read with its scopes. */
  const goesOn = (session: Session): boolean =>
    session.kind === ended.kind &&
    session.organizationId === ended.organizationId &&
    ended.scopes.every((scope) => session.scopes.includes(scope));
  const resume = async (session: Session): Promise<void> => {
    if (!goesOn(session)) {
      location.assign(baseUrl);
      return;
    }
    queries.setQueryData(sessionQuery.queryKey, session);
    focusManager.setFocused(undefined);
    onResume();
    sendKeptBack();
    // A part of the screen that was read without a session shows an error; the rest is read again where it stands.
    await queries.resetQueries({ predicate: ({ state }) => state.error !== null && state.data === undefined });
    await router.invalidate();
    await queries.invalidateQueries();
  };
  return { goesOn, resume };
}

/** The end may have been reported by a late response to a request of before, and another tab may sign in. */
function useSessionOfOthers(resume: (session: Session) => Promise<void>): void {
  const latest = useRef(resume);
  latest.current = resume;
  useEffect(() => {
    // Nothing is asked for by itself meanwhile: each request would be refused.
    focusManager.setFocused(false);
    const look = (): void => {
      if (document.hidden) return;
      rowmill.session.get({ maxRetries: 0 }).then(
        (session) => latest.current(session),
        (error: unknown) => console.debug(error),
      );
    };
    look();
    document.addEventListener("visibilitychange", look);
    window.addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("focus", look);
      focusManager.setFocused(undefined);
    };
  }, []);
}
