/** What working on a chunk takes, and how it ends. */
import type { LateWrites } from "../../platform/database/late-writes.ts";
import type { Log } from "../../platform/log.ts";
import type { ClaimedChunk, CommitTarget } from "./chunk-claims.ts";
import type { ChunkResults } from "./chunk-results.ts";
import type { RunPolicies } from "../policies/run-policies.ts";
import type { RowPlan } from "../rows/try-rows.ts";
import type { RunControl } from "../rows/run-control.ts";
import type { RowCache } from "./row-cache.ts";
import type { ChunkPlace } from "./trials.ts";

export interface ChunkWork {
  target: CommitTarget;
  datasetId: string;
  plan: Omit<RowPlan, "rowsPerCall">;
  /** Of this chunk. */
  control: RunControl;
  /** Most rows in the next call; it follows what the last ones took. */
  rowsPerCall: () => number;
  /** Undefined: every row is processed. */
  cache: RowCache | undefined;
  /** Exact duplicates within the run are processed once. */
  dedupes: boolean;
  /** Longest a finished row waits for its commit. */
  flushAfterMs: number;
  /** Commits results of the chunk, and records events for those who listen to rows. False: the claim is lost. */
  commit: (chunk: ClaimedChunk, results: ChunkResults, state: "done" | "running" | "pending") => Promise<boolean>;
  /** Counts what was paid for rows of the chunk, where a commit found that the claim is lost. */
  accountLost: (chunk: ClaimedChunk, usage: ChunkResults["usage"]) => Promise<void>;
  lateWrites: Pick<LateWrites, "write">;
  policies: RunPolicies;
  /** Runs it when nothing else is in progress in this process. */
  alone: ChunkPlace["alone"];
  log: Log;
}

/**
 * `released`: the rest is for another turn, what was finished is recorded. `resting`: so it is, and none of it is due before a time that is
 * recorded, too. `lost`: another worker has the chunk.
 */
export type ChunkEnd = "done" | "released" | "resting" | "lost";
