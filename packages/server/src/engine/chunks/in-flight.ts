/** Rows of a claimed chunk that have begun and have no recorded result, as the worker reports them for `rows.running` of the run. */
import type { Statements } from "../../platform/database/database.ts";
import type { ChunkResults, ClaimedChunk } from "./chunk-claims.ts";

export interface InFlight {
  begin(indexes: readonly number[]): void;
  /** Rows that were not tried after all. */
  release(indexes: readonly number[]): void;
  /** Rows whose results are committed. */
  record(results: Pick<ChunkResults, "successes" | "failures">): void;
  /** Writes what has changed since the last report. */
  report(client: Statements): Promise<void>;
}

export function trackInFlight(runId: string, chunk: Pick<ClaimedChunk, "chunkNo" | "claimNo" | "firstRow">): InFlight {
  const begun = new Set<number>();
  let isChanged = true;
  const remove = (indexes: readonly number[]): void => {
    for (const index of indexes) if (begun.delete(index)) isChanged = true;
  };
  return {
    begin(indexes) {
      for (const index of indexes) begun.add(index);
      isChanged = true;
    },
    release: remove,
    record({ successes, failures }) {
      remove([...successes, ...failures].map(({ index }) => index));
    },
    async report(client) {
      if (!isChanged) return;
      isChanged = false;
      try {
        await client.query({
          name: "report_rows_in_flight",
          values: [runId, chunk.chunkNo, chunk.claimNo, [...begun].map((index) => index - chunk.firstRow)],
          text: "update run_chunks set in_flight = $4 where run_id = $1 and chunk_no = $2 and claim_no = $3 and state = 'running'",
        });
      } catch (error) {
        isChanged = true;
        throw error;
      }
    },
  };
}
