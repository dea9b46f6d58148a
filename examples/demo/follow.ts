/** Watches a run to its end with the command line's bar, across a kill of the service. */
import { isTerminal } from "@rowmill/client";
import type { FailureGroup, Rowmill, Run } from "@rowmill/client";
import { setTimeout as pause } from "node:timers/promises";
import { count, duration, plural, usd } from "../../packages/cli/src/frame/numbers.ts";
import { finished, showProgress } from "../../packages/cli/src/map/progress.ts";
import { say, screen } from "./screen.ts";

const LOOK_INTERVAL_MS = 150;
/** Rows that are done when the service is killed. */
const KILL_SHARE = 0.4;

export interface Followed {
  run: Run;
  failures: readonly FailureGroup[];
}

/** `kill` is called once, in the middle, and returns when the service is back. */
export async function follow(
  rowmill: Rowmill,
  created: Run,
  isResumed: boolean,
  kill?: (run: Run) => Promise<void>,
): Promise<Followed> {
  let run = await rowmill.runs.get(created.id);
  // What was done before this part of the demo began, and when it began: a sum over both would count the time between them.
  let [doneBefore, since] = [isResumed ? finished(run) : 0, Date.now()];
  if (isTerminal(run) && isResumed) return end(rowmill, run, "before the interruption");
  if (doneBefore > 0) say(`${run.id} goes on: ${count(doneBefore)} of ${plural(run.rows.total, "row")} are done.`);
  let progress = await showProgress(screen);
  let failures: readonly FailureGroup[] = [];
  for (;;) {
    run = await rowmill.runs.get(run.id);
    if (run.rows.failed > 0) failures = (await rowmill.runs.failureGroups(run.id)).data;
    progress.update(run, { failures });
    if (isTerminal(run)) break;
    if (kill !== undefined && finished(run) >= run.rows.total * KILL_SHARE) {
      progress.stop();
      await kill(run);
      kill = undefined;
      run = await rowmill.runs.get(run.id);
      [doneBefore, since] = [finished(run), Date.now()];
      say(`${count(doneBefore)} rows are recorded. The others go on:`);
      progress = await showProgress(screen);
    }
    await pause(LOOK_INTERVAL_MS);
  }
  progress.stop();
  return end(rowmill, run, speedOf(run, doneBefore, (Date.now() - since) / 1000));
}

function speedOf(run: Run, doneBefore: number, seconds: number): string {
  const done = finished(run) - doneBefore;
  const speed = `${duration(seconds)}, ${count(done / Math.max(seconds, 0.001))} rows/s`;
  return doneBefore === 0 ? `in ${speed}` : `${count(done)} of them since the interruption, in ${speed}`;
}

async function end(rowmill: Rowmill, run: Run, how: string): Promise<Followed> {
  const { id, state, rows, usage, budget } = run;
  const cost = `${usd(usage.costUsd ?? 0)}${budget === null ? "" : ` of ${usd(budget.maxCostUsd)}`}`;
  say(`${id} ${state}: ${count(rows.succeeded)} of ${plural(rows.total, "row")} succeeded, ${cost}`);
  say(how);
  return { run, failures: rows.failed === 0 ? [] : (await rowmill.runs.failureGroups(id)).data };
}
