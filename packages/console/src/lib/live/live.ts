/**
 * Live updates of this tab. Where the browser has shared workers, all tabs have one stream; elsewhere a tab has its own, while it is
 * in sight. Without a stream (no scope for it, a proxy that holds it back, a service that is away) the screens ask by themselves:
 * `pollEvery` says how often.
 */
import { useEffect, useSyncExternalStore } from "react";
import { baseUrl, keyHeaders, queries, rowmill } from "../client.ts";
import { sessionQuery, useSession } from "../session.ts";
import { LiveUpdates } from "./apply.ts";
import { eventTypesFor, followEvents } from "./connection.ts";
import type { LiveMessage } from "./connection.ts";
import type { LiveRequest } from "./live-worker.ts";

/** With a stream, a screen is read again this often in any case: what an event has not said is not wrong for ever. */
const SELDOM_MS = 60_000;

let isConnected = false;
const listeners = new Set<() => void>();
const updates = new LiveUpdates(queries, (id) => rowmill.runs.get(id));

/** Milliseconds to the next look: as asked where nothing announces a change, seldom where events do. */
export const pollEvery = (ms: number): number => (isConnected ? SELDOM_MS : ms);

export const useIsLive = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isConnected,
  );

/** Follows the events while the frame is there, and has a session. */
export function useLiveUpdates(isSignedIn: boolean): void {
  const { scopes, apiKeyId } = useSession();
  const types = eventTypesFor(scopes).join(",");
  useEffect(() => {
    if (types === "" || apiKeyId === null || !isSignedIn) return;
    return follow(types.split(","), apiKeyId);
  }, [types, apiKeyId, isSignedIn]);
}

function follow(types: string[], name: string): () => void {
  let isDirty = false;
  const take = (message: LiveMessage): void => {
    if (message.type === "state") return setState(message);
    // Nobody looks: one read when somebody does.
    if (document.hidden) isDirty = true;
    else updates.apply(message.events);
  };
  const onVisible = (): void => {
    if (document.hidden || !isDirty) return;
    isDirty = false;
    updates.refreshAll();
  };
  document.addEventListener("visibilitychange", onVisible);
  const leave = typeof SharedWorker === "undefined" ? followHere(types, take) : followTogether(types, name, take);
  return () => {
    document.removeEventListener("visibilitychange", onVisible);
    leave();
    isConnected = false;
  };
}

function followTogether(types: string[], name: string, take: (message: LiveMessage) => void): () => void {
  // One for each key: who signs in with another one gets a stream of its own.
  const open = (): MessagePort => {
    const worker = new SharedWorker(new URL("./live-worker.ts", import.meta.url), { type: "module", name });
    // A worker that cannot be loaded: its build is gone, or the browser refuses it. The screens ask by themselves.
    worker.addEventListener("error", () => setConnected(false));
    worker.port.addEventListener("message", ({ data }: MessageEvent<LiveMessage>) => take(data));
    worker.port.start();
    worker.port.postMessage({ type: "start", baseUrl, headers: keyHeaders(), types } satisfies LiveRequest);
    return worker.port;
  };
  let port = open();
  const leave = (): void => port.postMessage({ type: "leave" } satisfies LiveRequest);
  // A page that the browser has kept for the way back.
  const onShow = ({ persisted }: PageTransitionEvent): void => {
    if (!persisted) return;
    port = open();
    updates.refreshAll();
  };
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", onShow);
  return () => {
    window.removeEventListener("pagehide", leave);
    window.removeEventListener("pageshow", onShow);
    leave();
  };
}

function followHere(types: string[], take: (message: LiveMessage) => void): () => void {
  let own: AbortController | undefined;
  const look = (): void => {
    own?.abort();
    if (document.hidden) return setConnected(false);
    own = new AbortController();
    void followEvents(rowmill.events, types, take, own.signal);
    updates.refreshAll();
  };
  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    own?.abort();
  };
}

function setState({ state, isSignedOut }: LiveMessage & { type: "state" }): void {
  setConnected(state === "connected");
  if (isSignedOut) void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
}

function setConnected(next: boolean): void {
  if (next === isConnected) return;
  isConnected = next;
  for (const listener of listeners) listener();
  // With a stream: what happened before it stood, and perhaps another build of the console. Without: the screens begin to ask.
  updates.refreshAll();
}
