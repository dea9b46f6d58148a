/** What makes two requests the same: members' order and the query's order make no difference. */
import canonicalize from "canonicalize";
import { createHash } from "node:crypto";

/** Query parameters in one order. */
export function sortedQuery(search: URLSearchParams | undefined): string {
  if (search === undefined) return "";
  const query = new URLSearchParams(search);
  query.sort();
  return query.toString();
}

/** `digits`: what the body says beyond its value (`exact-lines.ts`). */
export const fingerprintOf = (body: unknown, query: string, digits = ""): Buffer =>
  createHash("sha256")
    .update(`${query}\n${body === undefined ? "" : (canonicalize(body) ?? "")}${digits === "" ? "" : `\n${digits}`}`)
    .digest();
