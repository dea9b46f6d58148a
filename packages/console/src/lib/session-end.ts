/**
 * The end of the session that this page was opened in: its key was revoked, its time has passed, or somebody has signed out, or in, in
 * another tab. All tabs have one cookie, so nothing that was written here may be sent by it until the same person goes on.
 *
 * A sign-in and a sign-out are reported to the other tabs at once. Where the report comes late or not at all, the service decides: each
 * request names the key of its page (`client.ts`), and is refused with a 401 when the cookie is that of another one.
 */
import { focusManager } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import type { Session } from "@rowmill/client";
import { baseUrl, isSignedOut, queries } from "./client.ts";
import { listenToOtherTabs } from "./other-tabs.ts";
import { readSession, sessionQuery, workAs } from "./session.ts";

export interface SessionEnd {
  /** The session that has ended. */
  ended: Session;
  /** The session that another tab has begun, where this page does not go on with it by itself. */
  found: Session | null;
}
let end: SessionEnd | null = null;
/** How many sessions this page had before. A late response may report the end of one when the next has long begun. */
let sessionNumber = 0;
let pause: PromiseWithResolvers<void> | undefined;
const listeners = new Set<() => void>();

function setEnd(next: SessionEnd | null): void {
  end = next;
  for (const listener of listeners) listener();
}

/** Undefined while a session goes on. */
export const whenResumed = (): Promise<void> | undefined => pause?.promise;
export const currentSession = (): number => sessionNumber;

/** Covers the page. A request that is under way still belongs to the session that has ended. */
export function endSession(): void {
  const ended = queries.getQueryData(sessionQuery.queryKey);
  if (end !== null || ended === undefined) return;
  pause = Promise.withResolvers();
  // Nothing is asked for by itself meanwhile: each request would be refused.
  focusManager.setFocused(false);
  setEnd({ ended, found: null });
}

/** To the sign-in, as a page of its own: nothing of this one is known there. */
export function leaveSession(): void {
  // A person who stays, because of a file that is being sent, or comes back to this page, finds it covered.
  endSession();
  location.assign(`${baseUrl}sign-in`);
}

export function setFound(found: Session | null): void {
  if (end !== null) setEnd({ ...end, found });
}

/** Reads who has signed in meanwhile in this browser. */
export async function lookForSession(): Promise<Session | null> {
  try {
    const found = await readSession();
    setFound(found);
    return found;
  } catch (error) {
    if (isSignedOut(error)) setFound(null);
    // Without a response, nothing new is known.
    console.debug(error);
    return null;
  }
}

/** The page goes on as it is: with this session, everything that was written on it can be sent. */
export function resumeSession(session: Session): void {
  sessionNumber++;
  workAs(session);
  queries.setQueryData(sessionQuery.queryKey, session);
  focusManager.setFocused(undefined);
  setEnd(null);
  pause?.resolve();
  pause = undefined;
}

/**
 * Whether what is on the screen belongs to the session: it was written by one holder, and was read with their scopes. Keys that no
 * member holds do not state who uses them: with another one of those somebody has to say that it is theirs.
 */
export function successionOf(session: Session, ended: Session): "same" | "unknown" | "less" | "other" {
  if (!isSameHolder(session, ended)) return "other";
  if (scopesLostBy(session, ended).length > 0) return "less";
  return session.memberId === null && session.apiKeyId !== ended.apiKeyId ? "unknown" : "same";
}

export const isSameOrganization = (session: Session, ended: Session): boolean =>
  session.kind === ended.kind && session.organizationId === ended.organizationId;
const isSameHolder = (session: Session, ended: Session): boolean =>
  isSameOrganization(session, ended) && session.memberId === ended.memberId;

export const scopesLostBy = (session: Session, ended: Session): string[] =>
  ended.scopes.filter((scope) => !session.scopes.includes(scope));

/** Null while the session goes on. `onResume` reads again what is shown. */
export function useSessionEnd(onResume: () => Promise<void>): SessionEnd | null {
  const latest = useRef(onResume);
  latest.current = onResume;
  useEffect(() => {
    const stops = [
      queries.getQueryCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error" && isSignedOut(event.action.error)) endSession();
      }),
      queries.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "error" && isSignedOut(event.action.error)) endSession();
      }),
      listenToOtherTabs(() => {
        endSession();
        void goOnIfSame();
      }),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  useEffect(() => onSessionResume(() => void latest.current()), []);
  return useSyncExternalStore(listen, () => end);
}

/** Who has signed in again in another tab has done it for this one, too. */
export async function goOnIfSame(): Promise<void> {
  const found = await lookForSession();
  if (found !== null && end !== null && successionOf(found, end.ended) === "same") resumeSession(found);
}

export function onSessionResume(listener: () => void): () => void {
  let number = sessionNumber;
  return listen(() => {
    if (number === sessionNumber) return;
    number = sessionNumber;
    if (end === null) listener();
  });
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
