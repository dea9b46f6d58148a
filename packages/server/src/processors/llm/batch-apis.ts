/** The batch endpoints that a connection has. */
import type { Connection } from "../connection-parts.ts";
import type { BatchApi, BatchParts } from "../provider-batches.ts";
import { anthropicBatches } from "./batches-anthropic.ts";
import { openaiBatches } from "./batches-openai.ts";

/** Undefined: there is no model behind it. */
export function batchApiOf(parts: BatchParts, connection: Connection): BatchApi | undefined {
  if (connection.type === "http") return undefined;
  return connection.type === "anthropic" ? anthropicBatches(parts, connection) : openaiBatches(parts, connection);
}
