import { useMutation } from "@tanstack/react-query";
import type { Session } from "@rowmill/client";
import { useEffect, useRef } from "react";
import { Button } from "../components/button.tsx";
import { useModal } from "../components/modal.ts";
import { Notice } from "../components/notice.tsx";
import { baseUrl } from "../lib/client.ts";
import {
  goOnIfSame,
  isSameOrganization,
  lookForSession,
  resumeSession,
  scopesLostBy,
  setFound,
  successionOf,
} from "../lib/session-end.ts";
import type { SessionEnd } from "../lib/session-end.ts";
import { createSession } from "../lib/session.ts";
import { discardUnsaved } from "../lib/unsaved.ts";
import { useUnsentFiles } from "../lib/uploads.ts";
import { Mark } from "./sidebar.tsx";
import { SignInForm } from "./sign-in-form.tsx";

/** As the cover says, without what was written. A file that is being sent is another matter: the browser asks for it. */
function openHome(): void {
  discardUnsaved();
  location.assign(baseUrl);
}

/** More would make a list of what is to be a sentence. */
const MAX_SCOPES_NAMED = 3;

/**
 * Covers the screen until the person who used it has signed in again, here or in another tab. What was written on the screen stays: it is
 * below, where it can neither be seen nor used.
 */
export function SessionEnded({ end }: { end: SessionEnd }) {
  const ref = useRef<HTMLDialogElement>(null);
  useModal(ref);
  useLooks();
  const { ended, found } = end;
  const enter = useMutation({
    mutationFn: (apiKey: string) => createSession({ by: "api_key", apiKey }),
    onSuccess: (session) => {
      const succession = successionOf(session, ended);
      if (succession === "other") openHome();
      else if (succession === "less") setFound(session);
      else resumeSession(session);
    },
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
        <Kept />
        {found !== null && <Found found={found} ended={ended} />}
        <SignInForm onSubmit={enter.mutate} isBusy={enter.isPending} error={enter.error} />
        <p className="mt-4 text-soft">
          With a key of another person or organization, the home page opens, and what you wrote here is lost.
        </p>
      </div>
    </dialog>
  );
}

function Kept() {
  const files = useUnsentFiles();
  return (
    <p className="mb-4 text-soft">
      The session has ended. The screen is kept, with what you wrote on it.
      {files > 0 &&
        (files === 1 ? " The file that was being sent waits." : ` The ${files} files that were being sent wait.`)}
    </p>
  );
}

/** What has signed in since, here or in another tab, where the screen does not go on by itself. */
function Found({ found, ended }: { found: Session; ended: Session }) {
  const goOn = useMutation({
    mutationFn: lookForSession,
    onSuccess: (session) => {
      // It may have been replaced since.
      if (session !== null && ["same", "unknown"].includes(successionOf(session, ended))) resumeSession(session);
    },
  });
  const succession = successionOf(found, ended);
  if (succession === "same") return null;
  return (
    <div className="mb-4">
      {succession === "other" && (
        <Notice
          tone="warn"
          title={`Another ${isSameOrganization(found, ended) ? "person" : "organization"} has signed in in this browser. What you wrote here is kept for you.`}
        />
      )}
      {succession === "less" && (
        <Notice
          tone="warn"
          title={`You are signed in with a key that may do less than the one before: it lacks ${named(scopesLostBy(found, ended))}.`}
          actions={<Button onClick={() => openHome()}>Discard and open the home page</Button>}
        >
          What you wrote here is kept for a key that may do as much.
        </Notice>
      )}
      {succession === "unknown" && (
        <Notice
          tone="info"
          title="Another key of the organization has signed in in this browser."
          actions={
            <Button onClick={() => goOn.mutate()} isBusy={goOn.isPending}>
              Go on
            </Button>
          }
        >
          Go on with it if it is yours.
        </Notice>
      )}
    </div>
  );
}

function named(scopes: readonly string[]): string {
  const rest = scopes.length - MAX_SCOPES_NAMED;
  if (rest > 1) return `${scopes.slice(0, MAX_SCOPES_NAMED).join(", ")} and ${rest} more scopes`;
  return new Intl.ListFormat("en").format(scopes);
}

/** The end may have been reported by a late response to a request of before, and another tab may sign in. */
function useLooks(): void {
  useEffect(() => {
    const look = (): void => {
      if (!document.hidden) void goOnIfSame();
    };
    look();
    document.addEventListener("visibilitychange", look);
    window.addEventListener("focus", look);
    return () => {
      document.removeEventListener("visibilitychange", look);
      window.removeEventListener("focus", look);
    };
  }, []);
}
