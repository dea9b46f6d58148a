/** Writes which rows of a claimed chunk are in flight, for `rows.running` of the run. */
import type { Statements } from "../../platform/database/database.ts";
import type { RowProgress } from "../rows/row-progress.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { byNumber } from "./chunk-key.ts";

export const reportInFlight = (
  client: Statements,
  runId: string,
  chunk: Pick<ClaimedChunk, "chunkNo" | "claimNo" | "firstRow">,
  progress: RowProgress,
): Promise<void> =>
  progress.report(async (inFlight) => {
    await client.query({
      name: "report_rows_in_flight",
      values: [runId, chunk.chunkNo, chunk.claimNo, inFlight.map((index) => index - chunk.firstRow)],
      text: `
        update run_chunks set in_flight = $4
        where run_id = $1 and chunk_no = $2 ${byNumber(client, "$1")} and claim_no = $3 and state = 'running'`,
    });
  });
