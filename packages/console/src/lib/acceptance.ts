/**
 * Accepts an invitation once, also where the response with its key was lost and the page was loaded again since. What the requests were
 * sent with is kept for as long as the tab is open: the service gives the key again to the same request, for ten minutes. Without the
 * token of the link, what is kept is of no use.
 */
import { RowmillApiError } from "@rowmill/client";
import type { AcceptedInvitation } from "@rowmill/client";
import { baseUrl, rowmill } from "./client.ts";
import { newKey } from "./once.ts";

/** Idempotency keys by the names that somebody has accepted with, the last one at the end. */
type Attempts = Record<string, string>;

/** Names one invitation among others, and lets nobody accept it. */
const TOKEN_END = 6;
const placeOf = (token: string): string => `rowmill-acceptance ${baseUrl} ${token.slice(-TOKEN_END)}`;

export async function acceptInvitation(token: string, name: string): Promise<AcceptedInvitation> {
  const { [name]: known, ...others } = readAttempts(token);
  const idempotencyKey = known ?? newKey();
  writeAttempts(token, { ...others, [name]: idempotencyKey });
  try {
    return await accept(token, name, idempotencyKey);
  } catch (error) {
    if (!(error instanceof RowmillApiError) || error.code !== "invalid_state") throw error;
    // It was accepted before: perhaps from here, with a name that was corrected since.
    for (const [other, key] of Object.entries(others).toReversed()) {
      const accepted = await accept(token, other, key).catch(() => undefined);
      if (accepted !== undefined) return accepted;
    }
    throw error;
  }
}

/** What the last request was sent with, whose response may have been lost. */
export const lastName = (token: string | undefined): string =>
  token === undefined ? "" : (Object.keys(readAttempts(token)).at(-1) ?? "");

export function forgetAttempts(token: string): void {
  try {
    sessionStorage.removeItem(placeOf(token));
  } catch (error) {
    console.debug(error);
  }
}

const accept = (token: string, name: string, idempotencyKey: string): Promise<AcceptedInvitation> =>
  rowmill.organizations.invitations.accept({ token, name }, { idempotencyKey });

function readAttempts(token: string): Attempts {
  try {
    return JSON.parse(sessionStorage.getItem(placeOf(token)) ?? "{}") as Attempts; // as it was written below
  } catch (error) {
    console.debug(error);
    return {};
  }
}

function writeAttempts(token: string, attempts: Attempts): void {
  try {
    sessionStorage.setItem(placeOf(token), JSON.stringify(attempts));
  } catch (error) {
    // A browser that keeps nothing for this page: the key is lost with it.
    console.debug(error);
  }
}
