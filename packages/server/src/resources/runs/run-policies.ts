/**
 * What ends or pauses a run early. The failure policy ends it when more rows fail than the customer allows; the breaker
 * pauses it when its first rows fail for a reason that lies in its configuration, before it spends the rest.
 */
import { failureCodeNames, failureCodes } from "@rowmill/contract/failures";
import type { Database, Queryable } from "../../platform/database/database.ts";
import type { RunParts } from "./create-run.ts";
import { endRun } from "./finish-run.ts";
import { pauseRunBecause } from "./run-actions.ts";
import { countRuns, lockRun } from "./runs.ts";
import type { RunRecord } from "./runs.ts";

/** Share of configuration failures among the first rows at which the breaker opens. */
const BREAKER_SHARE = 0.9;
const BREAKER_ROWS = 25;
const DEFAULT_MIN_EVALUATED_ROWS = 100;
/** Counting a run adds up its chunks: after ordinary commits once in this time is enough. */
const COUNT_EVERY_MS = 250;

export const BREAKER_OPEN = "breaker_open";

const configurationCodes = failureCodeNames.filter((code) => failureCodes[code].class === "configuration");

/** Whether the run has that many finished rows already, so that the breaker has nothing more to say. */
export async function hasPassedBreaker(db: Queryable, runId: string, rows: number): Promise<boolean> {
  const found = await db.selectFrom("runResults").select("rowIndex").where("runId", "=", runId).limit(rows).execute();
  return found.length >= rows;
}

const countedAt = new Map<string, number>();

/** `soon` may skip the look if there was one a moment ago; the end of the run looks again. */
export async function checkPolicies(
  database: Database,
  parts: RunParts,
  run: RunRecord,
  when: "now" | "soon",
): Promise<void> {
  await checkBreaker(database, run);
  if (run.failurePolicy === null) return;
  const last = countedAt.get(run.id) ?? 0;
  if (when === "soon" && Date.now() - last < COUNT_EVERY_MS) return;
  countedAt.set(run.id, Date.now());
  const counts = (await countRuns(database.db, [run.id])).get(run.id);
  if (!counts) return;
  const broken = brokenPolicy(run, counts.succeeded, counts.failed);
  if (broken === undefined) return;
  countedAt.delete(run.id);
  await database.transaction(async (tx) => {
    const current = await lockRun(tx, run.organizationId, run.id);
    if (current.state === "running")
      await endRun(tx, parts, current, "failed", { code: "failure_policy", message: broken });
  });
}

/** A sentence on what was exceeded. */
export function brokenPolicy(
  run: Pick<RunRecord, "failurePolicy">,
  succeeded: number,
  failed: number,
): string | undefined {
  const policy = run.failurePolicy;
  if (policy === null) return undefined;
  if (policy.maxFailedRows !== undefined && failed > policy.maxFailedRows)
    return `${failed} rows failed, and the failure policy allows ${policy.maxFailedRows}.`;
  const evaluated = succeeded + failed;
  if (policy.maxFailedPercent === undefined || evaluated < (policy.minEvaluatedRows ?? DEFAULT_MIN_EVALUATED_ROWS))
    return undefined;
  const percent = (failed / evaluated) * 100;
  if (percent <= policy.maxFailedPercent) return undefined;
  return `${percent.toFixed(1)} % of ${evaluated} rows failed, and the failure policy allows ${policy.maxFailedPercent} %.`;
}

/** Judged once per process and run: on its first rows in the order in which they ended. */
async function checkBreaker(database: Database, run: RunRecord): Promise<void> {
  if (judged.has(run.id)) return;
  const first = await database.db
    .selectFrom("runResults")
    .select("code")
    .where("runId", "=", run.id)
    .orderBy("rowIndex")
    .limit(BREAKER_ROWS * 4)
    .execute();
  if (first.length < BREAKER_ROWS) return;
  judged.add(run.id);
  if (judged.size > MAX_REMEMBERED) judged.clear();
  const configuration = first.filter(
    (row) => row.code !== null && (configurationCodes as string[]).includes(row.code),
  ).length;
  if (configuration / first.length < BREAKER_SHARE) return;
  await database.transaction(async (tx) => {
    const current = await lockRun(tx, run.organizationId, run.id);
    // Resumed by a person who knows: it is not paused for the same reason again.
    if (current.state === "running" && current.laneGeneration === 0) await pauseRunBecause(tx, current, BREAKER_OPEN);
  });
}

/** Looking again costs one short read, so forgetting is cheap. */
const MAX_REMEMBERED = 10_000;
const judged = new Set<string>();
