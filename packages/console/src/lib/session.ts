/** Who is signed in, and what they may do. */
import { queryOptions, useSuspenseQuery } from "@tanstack/react-query";
import type { ApiKey, Session } from "@rowmill/client";
import { queries, rowmill } from "./client.ts";

export type Scope = ApiKey["scopes"][number];

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () => rowmill.session.get({ maxRetries: 0 }),
  staleTime: 60_000,
});

export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Whether the session has all of the scopes; `write` implies `read` already. */
export function useMay(...scopes: Scope[]): boolean {
  const { scopes: own } = useSession();
  return scopes.every((scope) => own.includes(scope));
}

export async function signIn(body: Parameters<typeof rowmill.session.create>[0]): Promise<Session> {
  const session = await rowmill.session.create(body);
  queries.clear();
  queries.setQueryData(sessionQuery.queryKey, session);
  return session;
}

export async function signOut(): Promise<void> {
  await rowmill.session.delete();
  queries.clear();
}
