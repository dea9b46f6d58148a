/** What an address says of the view. A value that the screen does not know is left out of the address, and that is reported. */
import { toast } from "../components/toast.tsx";

/** The values that a search parameter may have: a pattern, all of them, or what is true of them. */
type Allowed = RegExp | readonly string[] | ((text: string) => boolean);

/** What the service or the screen looks at: names, ids, codes. */
export const ANY = /^/;
export const NUMBER = /^\d{1,9}$/;
/** One of the calendar: `2026-02-30` has the form of a day, and is not a day. */
export const DAY = (text: string): boolean => {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
};
/** Some of the values, separated by commas. */
export const someOf = (values: readonly string[]): RegExp =>
  new RegExp(`^(?:${values.join("|")})(?:,(?:${values.join("|")}))*$`);

/** Reads search parameters as texts. Any other value becomes undefined, which also takes it out of the address. */
export const searchOf =
  <const K extends string>(parameters: Record<K, Allowed>) =>
  (search: Record<string, unknown>): { [N in K]?: string } => {
    const found: Record<string, string | undefined> = {};
    for (const [name, allowed] of Object.entries<Allowed>(parameters)) {
      const value = search[name];
      if (value === undefined) continue;
      const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
      const isKnown = text === undefined || text === "" || isAllowed(allowed, text);
      found[name] = isKnown ? text : undefined;
    }
    return found as { [N in K]?: string }; // only names of `parameters` were set
  };

function isAllowed(allowed: Allowed, text: string): boolean {
  if (typeof allowed === "function") return allowed(text);
  return allowed instanceof RegExp ? allowed.test(text) : allowed.includes(text);
}

/** As it was typed, or followed from elsewhere. */
const first = { pathname: location.pathname, search: location.search };

/** Says which values of the address that the tab was opened with are no longer in it. */
export function reportLeftOut(): void {
  if (location.pathname !== first.pathname) return;
  const kept = new URLSearchParams(location.search);
  const leftOut = [...new URLSearchParams(first.search)].filter(([name, value]) => value !== "" && !kept.has(name));
  if (leftOut.length === 0) return;
  const named = leftOut.map(([name, value]) => `${name}=${value.slice(0, 40)}`).join(", ");
  toast(`This screen does not know ${named}. It is left out of the address.`, "bad");
  first.search = "";
}
