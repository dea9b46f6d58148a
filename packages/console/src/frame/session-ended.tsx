import { focusManager, useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { Session } from "@rowmill/client";
import { useEffect, useRef, useState } from "react";
import { Button } from "../components/button.tsx";
import { useModal } from "../components/modal.ts";
import { baseUrl, isSignedOut, queries, rowmill } from "../lib/client.ts";
import { sessionQuery, useSession } from "../lib/session.ts";
import { keepBack, sendKeptBack } from "../lib/uploads.ts";
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
 * Covers the screen until the person who used it has signed in again, here or in another tab. What was written on the screen stays: it is
 * below, where it can neither be seen nor used.
 */
export function SessionEnded({ onResume }: { onResume: () => void }) {
  const ref = useRef<HTMLDialogElement>(null);
  useModal(ref);
  const { ended, resume } = useResume(onResume);
  const [found, setFound] = useState<Session | null>(null);
  useEffect(keepBack, []);
  // Who has signed in as somebody else in another tab has not abandoned what was written here.
  useSessionOfOthers(async (session) => {
    setFound(session);
    if (successionOf(session, ended) === "same") await resume(session);
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
        {found !== null && <Found found={found} ended={ended} onResume={resume} onOther={setFound} />}
        <SignInForm onSubmit={enter.mutate} isBusy={enter.isPending} error={enter.error} />
        <p className="mt-4 text-soft">
          With a key of another person or organization, or one that may do less, the home page opens, and what you wrote
          here is lost.
        </p>
      </div>
    </dialog>
  );
}

interface FoundProps {
  found: Session;
  ended: Session;
  onResume: (session: Session) => Promise<void>;
  onOther: (session: Session) => void;
}

/** What another tab has signed in as, where the screen does not go on by itself. */
function Found({ found, ended, onResume, onOther }: FoundProps) {
  const goOn = useMutation({
    mutationFn: () => rowmill.session.get({ maxRetries: 0 }),
    // It may have been replaced since.
    onSuccess: (session) => (successionOf(session, ended) === "other" ? onOther(session) : onResume(session)),
  });
  if (!isSameHolder(found, ended)) {
    const who = found.kind === ended.kind && found.organizationId !== ended.organizationId ? "organization" : "person";
    return (
      <p
        role="status"
        className="mb-4"
      >{`Another ${who} has signed in in this browser. What you wrote here is kept for you.`}</p>
    );
  }
  if (successionOf(found, ended) !== "unknown") return null;
  return (
    <div role="status" className="mb-4 flex flex-col items-start gap-2">
      <p>Another key of the organization has signed in in this browser. Go on with it if it is yours.</p>
      <Button onClick={() => goOn.mutate()} isBusy={goOn.isPending}>
        Go on
      </Button>
    </div>
  );
}

const isSameHolder = (session: Session, ended: Session): boolean =>
  session.kind === ended.kind && session.organizationId === ended.organizationId && session.memberId === ended.memberId;

/**
 * Whether what is on the screen belongs to the session: it was written by one holder, and was read with their scopes. Keys that no
 * member holds do not state who uses them: with another one of those somebody has to say that it is theirs.
 */
function successionOf(session: Session, ended: Session): "same" | "unknown" | "other" {
  if (!isSameHolder(session, ended) || !ended.scopes.every((scope) => session.scopes.includes(scope))) return "other";
  return session.memberId === null && session.apiKeyId !== ended.apiKeyId ? "unknown" : "same";
}

function useResume(onResume: () => void) {
  const current = useSession();
  // A read of the session meanwhile says who has signed in since.
  const [ended] = useState(current);
  const router = useRouter();
  const resume = async (session: Session): Promise<void> => {
    if (successionOf(session, ended) === "other") {
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
  return { ended, resume };
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
