/** Who has started runs: the name of the key where the own key may read it, else its id. */
import type { Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";

/** One request; the runs of older keys have their ids. */
const MOST_KEYS = 1000;

/** The organization whose keys the own key may read. A request that it may not send would be in the audit. */
async function organizationWithKeys(cli: Cli, rowmill: Rowmill): Promise<string | undefined> {
  const { organizationId, scopes } = await rowmill.me({ signal: cli.signal });
  return organizationId !== null && scopes.includes("api_keys:read") ? organizationId : undefined;
}

/** Null where it is not known. */
export async function starterOf(cli: Cli, rowmill: Rowmill, { apiKeyId }: Run): Promise<string | null> {
  // An older service has no such member.
  if (typeof apiKeyId !== "string") return null;
  const organizationId = await organizationWithKeys(cli, rowmill);
  if (organizationId === undefined) return apiKeyId;
  const { name } = await rowmill.organizations.apiKeys.get(organizationId, apiKeyId, { signal: cli.signal });
  return `${name} (${apiKeyId})`;
}

/** Undefined where all of them are of one key: it would distinguish nothing. */
export async function startersOf(
  cli: Cli,
  rowmill: Rowmill,
  runs: readonly Run[],
): Promise<((run: Run) => string | null) | undefined> {
  if (new Set(runs.map(({ apiKeyId }) => apiKeyId)).size < 2) return undefined;
  const organizationId = await organizationWithKeys(cli, rowmill);
  if (organizationId === undefined) return ({ apiKeyId }) => apiKeyId;
  const query = { limit: MOST_KEYS };
  const { data } = await rowmill.organizations.apiKeys.list(organizationId, query, { signal: cli.signal });
  const names = new Map(data.map(({ id, name }) => [id, name]));
  return ({ apiKeyId }) => (apiKeyId === null ? null : (names.get(apiKeyId) ?? apiKeyId));
}
