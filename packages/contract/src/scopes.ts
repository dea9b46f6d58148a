/** What an API key may do: `resource:read`, `resource:write` (implies read), and `audit:read`. */
const readWrite = [
  "datasets",
  "job_specs",
  "runs",
  "results",
  "exports",
  "webhooks",
  "alerts",
  "organization",
  "api_keys",
  "invitations",
  "connections",
] as const;
type ReadWrite = (typeof readWrite)[number];
export type Scope = `${ReadWrite}:read` | `${ReadWrite}:write` | "audit:read";

export const scopes: readonly Scope[] = [
  ...readWrite.flatMap((name) => [`${name}:read`, `${name}:write`] as const),
  "audit:read",
];

/** What a key gets when its creator names no scopes. */
export const defaultScopes: readonly Scope[] = scopes.filter(
  (scope) => scope !== "api_keys:write" && scope !== "invitations:write" && scope !== "organization:write",
);

export const isScope = (text: string): text is Scope => (scopes as readonly string[]).includes(text);

/** `*` stands for all scopes, `x:write` for `x:read` too. */
export function expandScopes(granted: Iterable<string>): Set<Scope> {
  const all = new Set<Scope>();
  for (const scope of granted) {
    if (scope === "*") return new Set(scopes);
    if (!isScope(scope)) continue;
    all.add(scope);
    const read = scope.replace(/:write$/, ":read");
    if (isScope(read)) all.add(read);
  }
  return all;
}
