import type { Handlers } from "../../platform/http/handlers.ts";
import type { Services } from "../../services.ts";
import { getConnectionLimits } from "./connection-limits.ts";
import { openSecret } from "./connection-secrets.ts";
import {
  createConnection,
  deleteConnection,
  findConnection,
  getConnection,
  listConnections,
  updateConnection,
} from "./connections.ts";
import { recordTest, testConnection } from "./test-connection.ts";

export const connectionRoutes = ({ sealer, allowedOrigins, connectionEgress }: Services) => {
  const parts = { sealer, allowedOrigins };
  return {
    createConnection: (tx, caller, { body }) => createConnection(tx, caller, parts, body),
    listConnections: (db, caller, { filters, page }) => listConnections(db, caller, filters, page),
    getConnection: (db, caller, { params }) => getConnection(db, caller, params.connectionId),
    getConnectionLimits: (db, caller, { params }) => getConnectionLimits(db, caller, params.connectionId),
    updateConnection: (tx, caller, { params, body }) => updateConnection(tx, caller, parts, params.connectionId, body),
    deleteConnection: (tx, caller, { params }) => deleteConnection(tx, caller, params.connectionId),
    testConnection: {
      prepare: async (db, caller, { params }) => {
        const row = await findConnection(db, caller.organizationId, params.connectionId);
        const answer = await testConnection(connectionEgress, { ...row, secret: openSecret(sealer, row) });
        return async (tx) => {
          await recordTest(tx, caller, params.connectionId, answer);
          return answer;
        };
      },
    },
  } satisfies Partial<Handlers>;
};
