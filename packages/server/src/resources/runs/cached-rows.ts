/**
 * Keys of the cache of outputs (`engine/chunks/row-cache.ts`): digests of everything that the step names (see `Step.cacheKeyOf`), and of
 * where its connections lead at this moment. Dry runs look up which of them the cache has.
 */
import { createHash } from "node:crypto";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { Statements } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import { traitsOf } from "../../processors/processors.ts";
import type { InputRow, Step } from "../../processors/processor.ts";

/** Undefined for a row whose output is never taken from the cache. */
export type CacheKeyOf = (row: InputRow) => Buffer | undefined;

export async function prepareCacheKeys(
  client: Statements,
  organizationId: string,
  processor: ProcessorConfig,
  keyOf: NonNullable<Step["cacheKeyOf"]>,
): Promise<CacheKeyOf> {
  const connectionIds = traitsOf(processor)
    .connectionsOf(processor)
    .map((id) => parseId("connection", id));
  const wayThere = await readWayThere(client, organizationId, connectionIds);
  return (row) => {
    const text = keyOf(row);
    return text === undefined ? undefined : createHash("sha256").update(wayThere).update("\n").update(text).digest();
  };
}

/** Those of the keys that the cache has, in hexadecimal digits. Whether their outputs fit the checks of the job spec is not looked at. */
export async function findCachedKeys(
  client: Statements,
  organizationId: string,
  keys: readonly Buffer[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set();
  const { rows } = await client.query<{ key: Buffer }>({
    name: "find_cached_keys",
    values: [organizationId, keys],
    text: "select key from row_cache where organization_id = $1 and key = any($2::bytea[]) and expires_at > now()",
  });
  return new Set(rows.map(({ key }) => key.toString("hex")));
}

/** Where the rows would be sent: an output from elsewhere is another one. */
async function readWayThere(
  client: Statements,
  organizationId: string,
  connectionIds: readonly (string | undefined)[],
): Promise<string> {
  const { rows } = await client.query<{ base_url: string }>({
    name: "read_base_urls",
    values: [organizationId, connectionIds],
    text: "select base_url from connections where organization_id = $1 and id = any($2::uuid[]) order by id",
  });
  return JSON.stringify(rows.map(({ base_url }) => base_url));
}
