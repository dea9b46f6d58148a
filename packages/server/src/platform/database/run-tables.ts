/** The tables of runs: the runs themselves, their chunks and results, and what they spend. */
import type { Generated, GeneratedAlways } from "kysely";
import type { Execution, FailurePolicy } from "@rowmill/contract/job-spec-policies";
import type { StateReason } from "@rowmill/contract/run-reasons";
import type { Scope, Selection } from "@rowmill/contract/run-rows";
import type { BatchProblemCode } from "@rowmill/contract/run-execution";
import type { Budget } from "@rowmill/contract/run-options";
import type { RunState } from "@rowmill/contract/runs";
import type {
  Jsonb,
  JsonbWithDefault,
  Maybe,
  NullableJsonb,
  NullableTime,
  Time,
  TimeWithDefault,
} from "./column-types.ts";

export interface FinalCounts {
  succeeded: number;
  failed: number;
  attempts: number;
  inputTokens: number;
  outputTokens: number;
  requests: number;
  costUsd: string;
  /** Absent in runs that ended before calls without a price were counted. */
  unpricedRequests?: number;
}

/** Runs that compute, and runs whose rows wait for others; see `runs/lanes.ts`. */
export type LaneKind = "computing" | "waiting";

export interface RunsTable {
  organizationId: string;
  id: string;
  name: Maybe<string>;
  datasetId: string;
  jobSpecId: string;
  jobSpecVersion: number;
  scope: Jsonb<Scope>;
  priority: Generated<number>;
  concurrency: Maybe<number>;
  failurePolicy: NullableJsonb<FailurePolicy>;
  budget: NullableJsonb<Budget>;
  apiKeyId: Maybe<string>;
  laneKind: Generated<LaneKind>;
  execution: NullableJsonb<Execution>;
  realTimeSince: NullableTime;
  batchProblem: NullableJsonb<{ code: BatchProblemCode; message: string }>;
  deadlineAt: NullableTime;
  metadata: JsonbWithDefault<Record<string, string>>;
  state: RunState;
  stateReason: Maybe<StateReason>;
  error: NullableJsonb<{ code: string; message: string }>;
  parentRunId: Maybe<string>;
  rootRunId: string;
  retryNumber: Generated<number>;
  selection: NullableJsonb<Selection>;
  eventSequence: Generated<number>;
  rowSucceededEvents: Generated<number>;
  rowFailedEvents: Generated<number>;
  laneGeneration: Generated<number>;
  rowTotal: number;
  chunkCount: number;
  /** False before the start of a run over a range: `range-chunks.ts`. */
  chunksMade: Generated<boolean>;
  resultBytes: Generated<number>;
  resultsSettled: Generated<boolean>;
  storageBytes: GeneratedAlways<number>;
  finalCounts: NullableJsonb<FinalCounts>;
  createdAt: TimeWithDefault;
  startedAt: NullableTime;
  finishedAt: NullableTime;
  updatedAt: TimeWithDefault;
  deletedAt: NullableTime;
}

export interface RunChunksTable {
  organizationId: string;
  runId: string;
  chunkNo: number;
  firstRow: number;
  lastRow: number;
  rowCount: number;
  picked: Maybe<number[]>;
  state: Generated<"pending" | "submitted" | "running" | "done">;
  claimedBy: Maybe<string>;
  claimNo: Generated<number>;
  succeeded: Generated<number>;
  failed: Generated<number>;
  attempts: Generated<number>;
  inputTokens: Generated<number>;
  outputTokens: Generated<number>;
  requests: Generated<number>;
  costUsd: Generated<string>;
  unpricedRequests: Generated<number>;
  resultBytes: Generated<number>;
  /** The number of the last segment that was written. */
  lastPart: Generated<number>;
  deaths: Generated<number>;
  suspectRow: Maybe<number>;
  suspects: NullableJsonb<Record<string, number>>;
  isTrial: Generated<boolean>;
  failures: Generated<number>;
  notBefore: Maybe<Date>;
  batchId: Maybe<string>;
  inRealTime: Generated<boolean>;
  /** json */
  booked: Maybe<string>;
  inFlight: Maybe<number[]>;
}

export interface ProviderBatchesTable {
  organizationId: string;
  id: string;
  runId: string;
  connectionId: string;
  model: string;
  state: Generated<"preparing" | "submitted" | "ended" | "failed" | "canceled">;
  providerBatchId: Maybe<string>;
  requests: Generated<number>;
  requestBytes: Generated<number>;
  mostRequests: Maybe<number>;
  reservedUsd: Generated<string>;
  turnNo: Generated<number>;
  turnJob: Maybe<string>;
  polls: Generated<number>;
  failures: Generated<number>;
  readings: Generated<number>;
  submitStartedAt: NullableTime;
  submittedAt: NullableTime;
  polledAt: NullableTime;
  nextTurnAt: NullableTime;
  cancelRequestedAt: NullableTime;
  createdAt: TimeWithDefault;
  finishedAt: NullableTime;
  error: NullableJsonb<{ code: string; message: string }>;
}

export interface RunBudgetsTable {
  organizationId: string;
  runId: string;
  spentUsd: Generated<string>;
  holds: JsonbWithDefault<Record<string, { usd: string; until: number }>>;
  exhaustedAtUsd: Maybe<string>;
}

export interface RowCacheTable {
  organizationId: string;
  key: Buffer;
  output: string;
  createdAt: TimeWithDefault;
  expiresAt: Time;
}

export interface RunRowKeysTable {
  organizationId: string;
  runId: string;
  key: Buffer;
  rowIndex: number;
}

export interface UsageDaysTable {
  organizationId: string;
  /** A date, as text. */
  day: Date;
  /** Of a test: an id that no run has. */
  runId: string;
  isTest: Generated<boolean>;
  jobSpecId: string;
  /** Null: the use is older than this column, and its run was deleted. */
  jobSpecVersion: Maybe<number>;
  apiKeyId: Maybe<string>;
  rows: Generated<number>;
  attempts: Generated<number>;
  inputTokens: Generated<number>;
  outputTokens: Generated<number>;
  requests: Generated<number>;
  unpricedRequests: Generated<number>;
  costUsd: Generated<string>;
}

/** Successful results of rows of a chunk: see `stored-results/segment-format.ts`. */
export interface RunSegmentsTable {
  organizationId: string;
  runId: string;
  chunkNo: number;
  partNo: number;
  firstRow: number;
  rowCount: number;
  size: number;
  finishedAt: Time;
  positions: Buffer;
  heads: Maybe<Buffer>;
  body: Buffer;
}

export interface RunFailuresTable {
  organizationId: string;
  runId: string;
  rowIndex: number;
  attempts: number;
  durationMs: number;
  finishedAt: Time;
  code: string;
  retryable: boolean;
  /** json, as the next one */
  failure: Maybe<string>;
  usage: Maybe<string>;
  /** Of a failure: `details.path`, the first 200 characters. */
  failurePath: GeneratedAlways<string | null>;
}
