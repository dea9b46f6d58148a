/** What the passes of a batch have in common. */
import type { Connection, Connections } from "../../processors/connection-parts.ts";
import { batchApiOf } from "../../processors/processors.ts";
import type { BatchApi, BatchFailure, BatchStep } from "../../processors/provider-batches.ts";
import type { LargeTexts } from "../../processors/large-texts.ts";
import type { Limiter } from "../../processors/limiter/permits.ts";
import type { ConnectionEgress } from "../../platform/egress/connection-egress.ts";
import { formatId } from "../../platform/ids.ts";
import type { LaneParts, PreparedRun } from "../lanes/prepared-runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import type { BatchRecord } from "../../resources/runs/provider-batch-records.ts";
import type { BatchEnd } from "./close-batch.ts";

export interface BatchPassParts extends LaneParts {
  connections: Connections;
  connectionEgress: ConnectionEgress;
  limiter: Limiter;
  largeTexts: LargeTexts;
  config: { ROWMILL_DATA_DIR: string; ROWMILL_BATCH_POLL_SECONDS: number };
}

/** How a pass ends: with the batch, or with the time of the next one. */
export type PassEnd =
  | ({ over: true } & BatchEnd)
  | { over: false; inSeconds: number; set?: Partial<Pick<BatchRecord, "polls" | "failures" | "readings">> };

export interface BatchPass {
  parts: BatchPassParts;
  batch: BatchRecord;
  /** As it was when the pass began. */
  run: RunRecord;
  /** Until then the batch is waited for. */
  until: Date;
  ready: () => Promise<PreparedRun & { step: BatchStep }>;
  /** Aborted when another worker has the pass, or the process stops. */
  signal: AbortSignal;
}

export interface BatchEndpoint {
  connection: Connection;
  api: BatchApi;
}

/** Undefined: the connection or its secret is gone, or it is not one of a model provider any more. */
export async function endpointOf(
  parts: BatchPassParts,
  batch: Pick<BatchRecord, "organizationId" | "connectionId">,
): Promise<BatchEndpoint | undefined> {
  const id = formatId("connection", batch.connectionId);
  const connection = await parts.connections.find(batch.organizationId, id);
  if (connection === undefined || connection.isSecretLost) return undefined;
  const { connectionEgress: egress, limiter, largeTexts } = parts;
  const api = batchApiOf({ egress, limiter, largeTexts }, connection);
  return api === undefined ? undefined : { connection, api };
}

/** A response names a request of the batch by the batch and the row. Letters, digits and a hyphen are what all providers take. */
export const customIdOf = (batch: Pick<BatchRecord, "id">, index: number): string =>
  `${batch.id.replaceAll("-", "")}-${index}`;

export function rowOfCustomId(batch: Pick<BatchRecord, "id">, customId: string): number | undefined {
  const prefix = `${batch.id.replaceAll("-", "")}-`;
  const number = customId.startsWith(prefix) ? customId.slice(prefix.length) : "";
  return /^\d{1,15}$/.test(number) ? Number(number) : undefined;
}

export const asError = ({ code, message }: Pick<BatchFailure, "code" | "message">) => ({ code, message });

/** The rows find out by themselves what is wrong, and say it. */
export const withoutConnection = (): PassEnd => ({
  over: true,
  state: "failed",
  rest: "real_time",
  error: { code: "secret_missing", message: "The connection of the batch is gone." },
});
