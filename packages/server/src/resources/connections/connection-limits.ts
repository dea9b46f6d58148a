import { MAX_LIMITED_MODELS } from "@rowmill/contract/connection-limits";
import type { OperationFunction } from "../../platform/http/handlers.ts";
import { formatId } from "../../platform/ids.ts";
import { readLimiters } from "../../processors/limiter/read-limiters.ts";
import { findConnection } from "./connections.ts";

export const getConnectionLimits: OperationFunction<"getConnectionLimits"> = async (
  db,
  { organizationId },
  { params },
) => {
  const id = params.connectionId;
  await findConnection(db, { organizationId }, id);
  const states = await readLimiters(db, organizationId, id, MAX_LIMITED_MODELS);
  return {
    connectionId: formatId("connection", id),
    models: states.map(({ slowedAt, lastUsedAt, ...state }) => ({
      ...state,
      slowedAt: slowedAt?.toISOString() ?? null,
      lastUsedAt: lastUsedAt.toISOString(),
    })),
  };
};
