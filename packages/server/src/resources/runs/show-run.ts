/** A run as the contract describes it. */
import { DEFAULT_MAX_WAIT_SECONDS } from "@rowmill/contract/job-spec-policies";
import type { RunRowCounts } from "@rowmill/contract/run-counts";
import { stateReasons } from "@rowmill/contract/run-reasons";
import type { Run } from "@rowmill/contract/runs";
import type { Selectable } from "kysely";
import type { FinalCounts, RunsTable } from "../../platform/database/run-tables.ts";
import { formatId, formatIdOrNull } from "../../platform/ids.ts";
import { showUsd } from "../../platform/usd.ts";
import { errorWithAdvice } from "./error-advice.ts";
import { nextStepsOf } from "./next-steps.ts";
import { sharedNow } from "../../platform/shared-time.ts";

type RunRow = Selectable<RunsTable>;

export interface RunCounts extends FinalCounts {
  /** Unfinished rows of chunks that are claimed, or at a provider. */
  running: number;
  /** By the clock of the database, as the start of the run is. */
  countedAt?: Date;
}

/** `isArchived`: its job spec is. */
export function showCounted(run: RunRow, counts: RunCounts, isArchived: boolean): Run {
  const id = formatId("run", run.id);
  const jobSpecId = formatId("jobSpec", run.jobSpecId);
  return {
    id,
    name: run.name,
    state: run.state,
    stateReason: run.stateReason,
    stateReasonMessage: run.stateReason === null ? null : stateReasons[run.stateReason].meaning,
    error: errorWithAdvice(run.error, isArchived),
    nextSteps: nextStepsOf({
      id,
      jobSpecId,
      state: run.state,
      stateReason: run.stateReason,
      failed: counts.failed,
      unfinished: unfinishedOf(run, counts),
      isArchived,
    }),
    datasetId: formatId("dataset", run.datasetId),
    jobSpecId,
    jobSpecVersion: run.jobSpecVersion,
    scope: run.scope,
    priority: run.priority,
    concurrency: run.concurrency,
    failurePolicy: run.failurePolicy,
    budget: run.budget,
    execution: showExecution(run),
    deadlineAt: run.deadlineAt?.toISOString() ?? null,
    rows: showRows(run, counts),
    progress: showProgress(run, counts),
    usage: showUsage(counts),
    parentRunId: formatIdOrNull("run", run.parentRunId),
    rootRunId: run.rootRunId === run.id ? id : formatId("run", run.rootRunId),
    retryNumber: run.retryNumber,
    selection: run.selection,
    apiKeyId: formatIdOrNull("apiKey", run.apiKeyId),
    metadata: run.metadata,
    createdAt: run.createdAt.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    finishedAt: run.finishedAt?.toISOString() ?? null,
    updatedAt: run.updatedAt.toISOString(),
  };
}

const unfinishedOf = (run: RunRow, { succeeded, failed }: RunCounts): number => run.rowTotal - succeeded - failed;

const showExecution = ({ execution, realTimeSince, batchProblem }: RunRow): Run["execution"] => ({
  mode: execution?.mode ?? "realtime",
  maxWaitSeconds: execution?.mode === "provider_batch" ? (execution.maxWaitSeconds ?? DEFAULT_MAX_WAIT_SECONDS) : null,
  realTimeSince: realTimeSince?.toISOString() ?? null,
  problem: batchProblem,
});

function showRows(run: RunRow, counts: RunCounts): RunRowCounts {
  const rest = unfinishedOf(run, counts);
  const hasEnded = run.finishedAt !== null;
  return {
    total: run.rowTotal,
    pending: hasEnded ? 0 : rest - counts.running,
    running: hasEnded ? 0 : counts.running,
    succeeded: counts.succeeded,
    failed: counts.failed,
    canceled: run.state === "canceled" ? rest : 0,
    skipped: hasEnded && run.state !== "canceled" ? rest : 0,
  };
}

function showProgress(run: RunRow, counts: RunCounts): Run["progress"] {
  const hasEnded = run.finishedAt !== null;
  const finished = counts.succeeded + counts.failed;
  const seconds =
    run.startedAt === null
      ? 0
      : ((run.finishedAt ?? counts.countedAt ?? sharedNow()).getTime() - run.startedAt.getTime()) / 1000;
  const rowsPerSecond = finished === 0 || seconds <= 0 ? null : Number((finished / seconds).toPrecision(3));
  const isGoingOn = !hasEnded && run.state === "running";
  return {
    percent: percentOf(run, finished),
    rowsPerSecond,
    etaSeconds: isGoingOn && rowsPerSecond !== null ? Math.ceil(unfinishedOf(run, counts) / rowsPerSecond) : null,
  };
}

/** 100 says that the run has ended with a result for each row: what is canceled or skipped was not processed. */
const percentOf = ({ rowTotal, finishedAt }: RunRow, finished: number): number =>
  finishedAt !== null && finished === rowTotal ? 100 : round(Math.min(99.9, (finished / rowTotal) * 100), 1);

function showUsage(counts: RunCounts): Run["usage"] {
  const unpricedRequests = counts.unpricedRequests ?? 0;
  return {
    inputTokens: counts.inputTokens,
    outputTokens: counts.outputTokens,
    requests: counts.requests,
    attempts: counts.attempts,
    unpricedRequests,
    // A part of the costs would pass for all of them.
    costUsd: unpricedRequests > 0 ? null : showUsd(counts.costUsd),
  };
}

const round = (value: number, places: number): number => Math.round(value * 10 ** places) / 10 ** places;
