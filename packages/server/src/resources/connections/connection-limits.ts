import { MAX_LIMITED_MODELS } from "@rowmill/contract/connection-limits";
import type { ConnectionLimits } from "@rowmill/contract/connection-limits";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import type { Queryable } from "../../platform/database/database.ts";
import { formatId } from "../../platform/ids.ts";
import { readLimiters } from "../../processors/limiter/read-limiters.ts";
import { findConnection } from "./connections.ts";

export async function getConnectionLimits(
  db: Queryable,
  { organizationId }: OrganizationCaller,
  id: string,
): Promise<ConnectionLimits> {
  await findConnection(db, organizationId, id);
  const states = await readLimiters(db, organizationId, id, MAX_LIMITED_MODELS);
  return {
    connectionId: formatId("connection", id),
    models: states.map(({ lastUsedAt, ...state }) => ({ ...state, lastUsedAt: lastUsedAt.toISOString() })),
  };
}
