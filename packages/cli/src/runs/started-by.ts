/** Who has started runs: the name of the key where the own key may read it, else its id. */
import type { Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { resolveId } from "../frame/ids.ts";
import { Problem } from "../frame/problem.ts";

/** One request; the runs of older keys have their ids. */
const MOST_KEYS = 1000;

/** The organization whose keys the own key may read. A request that it may not send would be in the audit. */
async function organizationWithKeys(cli: Cli, rowmill: Rowmill): Promise<string | undefined> {
  const { organizationId, scopes } = await rowmill.me({ signal: cli.signal });
  return organizationId !== null && scopes.includes("api_keys:read") ? organizationId : undefined;
}

/** The id of a key. One that is typed as such needs no key to be read; a name means the key that is not revoked. */
export async function findStarter(cli: Cli, rowmill: Rowmill, typed: string): Promise<string> {
  return resolveId("API key", "key", typed, async function* () {
    const organizationId = await organizationWithKeys(cli, rowmill);
    if (organizationId === undefined)
      throw new Problem("Your key may not read the names of keys.", "Write the id of the key, as runs show it.", {
        exit: "not_allowed",
        code: "forbidden",
      });
    const all = rowmill.organizations.apiKeys.list(organizationId, undefined, { signal: cli.signal });
    for await (const { id, name, revokedAt } of all) yield { id, name, isUsable: revokedAt === null };
  });
}

/** Null where it is not known. */
export async function starterOf(
  cli: Cli,
  rowmill: Rowmill,
  { apiKeyId }: Pick<Run, "apiKeyId">,
): Promise<string | null> {
  // An older service has no such member.
  if (typeof apiKeyId !== "string") return null;
  const organizationId = await organizationWithKeys(cli, rowmill);
  if (organizationId === undefined) return apiKeyId;
  const { name } = await rowmill.organizations.apiKeys.get(organizationId, apiKeyId, { signal: cli.signal });
  return `${name} (${apiKeyId})`;
}

/** Within a sentence about a run. Of the own key, whose runs a person knows, it is empty. */
export async function startedByOther(cli: Cli, rowmill: Rowmill, run: Pick<Run, "apiKeyId">): Promise<string> {
  const { apiKeyId: own } = await rowmill.me({ signal: cli.signal });
  const starter = run.apiKeyId === own ? null : await starterOf(cli, rowmill, run);
  return starter === null ? "" : `, which ${starter} has started,`;
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
