/** Who is signed in, and what they may do. */
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import { Rowmill } from "@rowmill/client";
import type { ApiKey, Session } from "@rowmill/client";
import { baseUrl, isSignedOut, nameKey, queries, rowmill } from "./client.ts";
import { reportToOtherTabs } from "./other-tabs.ts";

export type Scope = ApiKey["scopes"][number];

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    const session = await rowmill.session.get({ maxRetries: 0 });
    workAs(session);
    return session;
  },
  staleTime: 60_000,
});

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Whether the session has all of the scopes; `write` implies `read` already. */
export function useMay(...scopes: Scope[]): boolean {
  const { scopes: own } = useSession();
  return scopes.every((scope) => own.includes(scope));
}

/** From now on, this page sends what it sends by sessions of this key only. */
export const workAs = ({ apiKeyId }: Session): void => nameKey(apiKeyId ?? "admin");

/** Whose session it is that the browser has, whether or not this page was opened in it. */
export const readSession = (): Promise<Session> => browser.session.get();
const browser = new Rowmill({ baseUrl, usesCookie: true, maxRetries: 0 });

export async function createSession(body: Parameters<typeof rowmill.session.create>[0]): Promise<Session> {
  const session = await rowmill.session.create(body);
  reportToOtherTabs();
  return session;
}

export async function signIn(body: Parameters<typeof rowmill.session.create>[0]): Promise<Session> {
  const session = await createSession(body);
  queries.clear();
  workAs(session);
  queries.setQueryData(sessionQuery.queryKey, session);
  return session;
}

export async function deleteSession(): Promise<void> {
  try {
    await rowmill.session.delete();
  } catch (error) {
    // It has ended already.
    if (!isSignedOut(error)) throw error;
  }
  reportToOtherTabs();
}
