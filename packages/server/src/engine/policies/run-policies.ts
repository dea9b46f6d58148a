/**
 * What ends or pauses a run early. The failure policy ends it when more rows fail than the customer allows; the breaker
 * pauses it when its first rows fail for a reason that lies in its configuration, before it spends the rest.
 */
import { failureCodeNames, failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import { sql, statementsOf } from "../../platform/database/database.ts";
import type { OrganizationDatabase, Queryable } from "../../platform/database/database.ts";
import { isRowOf } from "../../platform/database/row-key.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { RETRY_WITH_FASTER_VERSION } from "../../resources/runs/error-advice.ts";
import { brokenPolicy, failurePolicyError } from "../../resources/runs/failure-policy.ts";
import { endRun, hasClaimedChunk } from "../../resources/runs/finish-run.ts";
import { laneCount } from "../../resources/runs/lanes.ts";
import {
  BUDGET_EXCEEDED,
  BUDGET_EXHAUSTED,
  cancelMessage,
  isBeingCanceled,
  pauseMessage,
  pauseRunBecause,
  pauseUntilCanceled,
} from "../../resources/runs/run-actions.ts";
import type { FinishedRowOutcome } from "../rows/try-rows.ts";
import type { RunControl } from "../rows/run-control.ts";
import { countRuns, lockRun } from "../../resources/runs/runs.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";
import { readFailureMessage } from "../../resources/runs/stored-results/failures.ts";
import { readRowEnds } from "../../resources/runs/stored-results/samples.ts";
import { plural } from "../../platform/plural.ts";

/** Share of configuration failures among the first rows at which the breaker opens. */
const BREAKER_SHARE = 0.9;
const BREAKER_ROWS = 25;
/** After so many rows that ended otherwise among the first ones, the share can not be reached any more. */
const ROWS_THAT_KEEP_IT_CLOSED = BREAKER_ROWS - Math.ceil(BREAKER_ROWS * BREAKER_SHARE) + 1;
/** A run whose breaker opens has tried fewer rows than this. */
const MOST_ROWS_BEFORE_BREAKER = 100;
/** A run with this many finished rows was evaluated long ago, perhaps by a process that has ended. */
const BREAKER_LOOKS_AT_ROWS = 1_000;
/** Counting a run adds up its chunks: once in this time is enough. The end of the run looks again. */
const COUNT_EVERY_MS = 250;

const configurationCodes: ReadonlySet<string> = new Set(
  failureCodeNames.filter((code) => failureCodes[code].class === "configuration"),
);

/** Of the message of a failure: enough to know it by. */
const MAX_QUOTED_CHARACTERS = 300;

export const BREAKER_OPEN = "breaker_open";

/** Failures of rows that kept a thread, which all organizations share, until a time limit of the service ended them. */
const timeLimitCodes: ReadonlySet<FailureCode> = new Set(["transform_timeout", "schema_check_limit"]);
/**
 * A run of which so many rows hit a time limit, and no fewer than half of those that ended, is ended: each such row takes as
 * long as ten thousand ordinary ones, and after twenty the next ones are hardly another matter.
 */
const MAX_ROWS_OVER_TIME = 20;
const TIME_LIMIT_SHARE = 0.5;
/** `error.code` of a run that was ended for it. */
export const TIME_LIMIT_EXCEEDED = "time_limit_exceeded";

/** What a process remembers of a run's policies while it works on it. */
export interface PolicyWatch {
  isPastBreaker: boolean;
  /** Of the first rows, those that did not fail for the configuration. */
  soundRows: number;
  /** `performance.now()` of the last count for the failure policy. */
  countedAt: number;
  endedRows: number;
  /** Of these, rows that a time limit of the service has ended. */
  rowsOverTime: number;
}

export const newPolicyWatch = (): PolicyWatch => ({
  isPastBreaker: false,
  soundRows: 0,
  countedAt: Number.NEGATIVE_INFINITY,
  endedRows: 0,
  rowsOverTime: 0,
});

/** Most runs are past the breaker with their first rows, before anything of it is asked of the database. */
export function noteOutcomes(watch: PolicyWatch, rows: readonly FinishedRowOutcome[]): void {
  watch.endedRows += rows.length;
  for (const { outcome } of rows) if (!outcome.ok && timeLimitCodes.has(outcome.failure.code)) watch.rowsOverTime++;
  if (watch.isPastBreaker) return;
  for (const { outcome } of rows) if (outcome.ok || !configurationCodes.has(outcome.failure.code)) watch.soundRows++;
  watch.isPastBreaker = watch.soundRows >= ROWS_THAT_KEEP_IT_CLOSED;
}

/**
 * The most rows a lane takes before it asks again, undefined when the breaker was evaluated. One row less than it needs may
 * be finished, and every lane have rows in flight, when it opens: together that stays below what a broken run may spend.
 */
export function probeRows(watch: PolicyWatch, run: Pick<RunRecord, "chunkCount" | "concurrency">): number | undefined {
  if (watch.isPastBreaker) return undefined;
  const share = Math.floor((MOST_ROWS_BEFORE_BREAKER - (BREAKER_ROWS - 1)) / laneCount(run));
  return Math.min(BREAKER_ROWS, share);
}

/** The policies of a run as one turn of a lane applies them. */
export interface RunPolicies {
  /** Called with rows as they end, before they are recorded. */
  noteOutcomes(rows: readonly FinishedRowOutcome[]): void;
  /** While it returns a number, at most so many rows are taken and then committed, for the breaker to evaluate. */
  probeRows(): number | undefined;
  /** Called after every commit. Drains the turn when a policy has paused or ended the run. */
  check(): Promise<void>;
}

/** `currentRun`: what of the run may change while the turn lasts counts as it is now. */
export const applyPolicies = (
  parts: RunParts & { database: OrganizationDatabase },
  watch: PolicyWatch,
  currentRun: () => RunRecord,
  control: RunControl,
): RunPolicies => ({
  noteOutcomes: (rows) => noteOutcomes(watch, rows),
  probeRows: () => probeRows(watch, currentRun()),
  async check() {
    if (control.reason === "policy") return;
    if ((await checkPolicies(parts.database, currentRun(), watch, parts)) === "stop") control.drain("policy");
  },
});

/** `stop`: the run is paused or has ended. */
export async function checkPolicies(
  database: OrganizationDatabase,
  run: RunRecord,
  watch: PolicyWatch,
  parts: RunParts,
): Promise<"go_on" | "stop"> {
  if (isOverTime(watch)) return endForTime(database, run, watch, parts);
  const wasPastBreaker = watch.isPastBreaker;
  if (!wasPastBreaker) {
    const breaker = await evaluateBreaker(database, run);
    if (breaker === "open") return "stop";
    if (breaker === "fine") watch.isPastBreaker = true;
  }
  if (run.failurePolicy === null) return "go_on";
  if (wasPastBreaker && performance.now() - watch.countedAt < COUNT_EVERY_MS) return "go_on";
  watch.countedAt = performance.now();
  const counts = (await countRuns(database.db, [run.id])).get(run.id);
  if (!counts || brokenPolicy(run, counts.succeeded, counts.failed) === undefined) return "go_on";
  return database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    // It may have been changed meanwhile.
    const broken = brokenPolicy(current, counts.succeeded, counts.failed);
    if (broken === undefined) return "go_on";
    if (current.state === "running") await endRun(tx, current, "failed", failurePolicyError(broken), parts);
    return "stop";
  });
}

export const isOverTime = ({ rowsOverTime, endedRows }: PolicyWatch): boolean =>
  rowsOverTime >= MAX_ROWS_OVER_TIME && rowsOverTime >= endedRows * TIME_LIMIT_SHARE;

async function endForTime(
  database: OrganizationDatabase,
  run: RunRecord,
  { rowsOverTime, endedRows }: PolicyWatch,
  parts: RunParts,
): Promise<"stop"> {
  const message =
    `${rowsOverTime} of ${plural(endedRows, "row")} hit a time limit of the service, so the run was ended. The failures name the limit. ` +
    RETRY_WITH_FASTER_VERSION;
  await database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    if (current.state === "running") await endRun(tx, current, "failed", { code: TIME_LIMIT_EXCEEDED, message }, parts);
  });
  return "stop";
}

/** The budget refused a call: no further row is begun. What is in flight is paid for, and may end. */
export async function stopForBudget(database: OrganizationDatabase, run: RunRecord): Promise<void> {
  await database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    if (current.state !== "running" || current.budget === null) return;
    if (current.budget.onExceeded === "cancel") await pauseUntilCanceled(tx, current, cancelMessage(current.budget));
    else await pauseRunBecause(tx, current, BUDGET_EXHAUSTED, pauseMessage(current.budget));
  });
}

/** `onExceeded: cancel`: the run ends as soon as nothing of it is in flight any more. */
export async function cancelIfOverBudget(
  database: OrganizationDatabase,
  run: Pick<RunRecord, "organizationId" | "id">,
  parts: RunParts,
): Promise<void> {
  await database.transaction(async (tx) => {
    const current = await tx
      .selectFrom("runs")
      .selectAll()
      .where(isRowOf("runs", run, run.id))
      .where("state", "=", "paused")
      .where("stateReason", "=", BUDGET_EXHAUSTED)
      .forUpdate()
      .executeTakeFirst();
    if (current?.budget?.onExceeded !== "cancel" || (await hasClaimedChunk(tx, run.id, "atProviders"))) return;
    // The amount that was used up: it may have been changed since.
    const error = isBeingCanceled(current)
      ? current.error
      : { code: BUDGET_EXCEEDED, message: cancelMessage(current.budget) };
    await endRun(tx, current, "canceled", error, parts);
  });
}

/** Where it opens, the run is paused. */
export async function evaluateBreaker(
  database: OrganizationDatabase,
  run: RunRecord,
): Promise<"undecided" | "fine" | "open"> {
  const finished = await readRowEnds(statementsOf(database.db), run.id, BREAKER_LOOKS_AT_ROWS);
  if (finished.length < BREAKER_ROWS) return "undecided";
  if (finished.length >= BREAKER_LOOKS_AT_ROWS) return "fine";
  const first = finished.toSorted((a, b) => a.finishedUs - b.finishedUs).slice(0, BREAKER_ROWS);
  const broken = first.filter(({ code }) => code !== null && configurationCodes.has(code));
  if (broken.length / first.length < BREAKER_SHARE) return "fine";
  return database.transaction(async (tx) => {
    const current = await lockRun(tx, run, run.id);
    if (current.state !== "running") return "open";
    // Resumed by a person who knows: it is not paused for the same reason again.
    if (await wasPausedBecause(tx, run, BREAKER_OPEN)) return "fine";
    await pauseRunBecause(tx, current, BREAKER_OPEN, await describeBreaker(tx, run, broken, first.length));
    return "open";
  });
}

/** Which codes, how often, and what one of the failures says. */
async function describeBreaker(
  db: Queryable,
  run: RunRecord,
  broken: readonly { code: string | null }[],
  rows: number,
): Promise<string> {
  const counts = new Map<string, number>();
  for (const { code } of broken) if (code !== null) counts.set(code, (counts.get(code) ?? 0) + 1);
  const codes = [...counts].toSorted((a, b) => b[1] - a[1]).map(([code, count]) => `${code} (${count})`);
  const example = await readFailureMessage(statementsOf(db), run.id, [...counts.keys()], MAX_QUOTED_CHARACTERS);
  return (
    `${broken.length} of the first ${rows} rows failed because of the job spec or its connection: ${codes.join(", ")}.` +
    (example === undefined ? "" : ` One of them: ${example}`)
  );
}

/** As the run's events show. */
async function wasPausedBecause(db: Queryable, run: RunRecord, reason: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from events
    where run_id = ${run.id} and sequence is not null and type = 'run.paused' and payload::json->'data'->>'reason' = ${reason}
    limit 1`.execute(db);
  return rows.length > 0;
}
