/** What makes two requests the same: members' order and the query's order make no difference. */
import canonicalize from "canonicalize";
import { createHash } from "node:crypto";

/** Query parameters in one order. */
export function sortedQuery(search: URLSearchParams): string {
  const query = new URLSearchParams(search);
  query.sort();
  return query.toString();
}

export const fingerprintOf = (body: unknown, query: string): Buffer =>
  createHash("sha256")
    .update(`${query}\n${body === undefined ? "" : (canonicalize(body) ?? "")}`)
    .digest();
