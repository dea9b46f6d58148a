/** The batch endpoints that a connection has. */
import type { Connection } from "../../connection-parts.ts";
import { anthropicBatches } from "./anthropic.ts";
import type { BatchApi } from "./batch.ts";
import type { BatchParts } from "./calls.ts";
import { openaiBatches } from "./openai.ts";

export function batchApiOf(parts: BatchParts, connection: Connection): BatchApi {
  return connection.type === "anthropic" ? anthropicBatches(parts, connection) : openaiBatches(parts, connection);
}
