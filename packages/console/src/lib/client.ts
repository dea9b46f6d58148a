/** The one client: requests by the cookie of the session, to the service that has served this page. */
import { QueryClient } from "@tanstack/react-query";
import { Rowmill, RowmillApiError } from "@rowmill/client";
import { fetchAndCompareClocks } from "./clock.ts";

export const baseUrl = new URL(".", document.baseURI).href;

/** A tab that waits for somebody shows its trouble soon: the query tries again by itself. */
export const rowmill = new Rowmill({ baseUrl, usesCookie: true, maxRetries: 1, fetch: fetchAsHere });

let keyName: string | undefined;

/** The key that the session of this page was begun with, `admin` for the operator's. */
export function nameKey(name: string): void {
  keyName = name;
}

/** The service refuses a request whose cookie is that of another key (`PUT /v1/session`): all tabs have one cookie. */
export const keyHeaders = (): Record<string, string> =>
  keyName === undefined ? {} : { "rowmill-session-key": keyName };

/** `fetch` for the session of this page. */
export function fetchAsHere(url: string, init: RequestInit): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of Object.entries(keyHeaders())) headers.set(name, value);
  return fetchAndCompareClocks(url, { ...init, headers });
}

const isRefused = (error: unknown): boolean =>
  error instanceof RowmillApiError && error.status >= 400 && error.status < 500 && error.status !== 429;

export const isSignedOut = (error: unknown): boolean => error instanceof RowmillApiError && error.status === 401;

/** What was sent by the cookie of a session that is over. One whose key was revoked has the code of that. */
export const hasEnded = (error: unknown): boolean =>
  error instanceof RowmillApiError && (error.code === "authentication_required" || error.code === "session_ended");

export const queries = new QueryClient({
  defaultOptions: {
    // A browser that has no network may still reach a service on its own machine: what a request says counts, not what it believes.
    mutations: { networkMode: "always" },
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 2_000,
      retry: (count, error) => !isRefused(error) && count < 2,
      // A shape that is equal keeps its identity, and nothing is drawn again.
      structuralSharing: true,
    },
  },
});
