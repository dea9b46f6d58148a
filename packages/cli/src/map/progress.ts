/**
 * How far the run is, on stderr: a bar that is drawn again where somebody watches, else a line every few seconds. With
 * `--stream-json` an event a second on stdout.
 */
import type { FailureGroup, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { harmlessText } from "../frame/harmless-text.ts";
import { count, duration, usd } from "../frame/numbers.ts";
import { createPace } from "./pace.ts";
import type { Pace } from "./pace.ts";

export interface Progress {
  update(run: Run, failures: readonly FailureGroup[]): void;
  stop(): void;
}

const LINE_INTERVAL_MS = 5_000;
const EVENT_INTERVAL_MS = 1_000;
const MAX_BAR_COLUMNS = 30;
/** Beside the bar stands the rest. */
const COLUMNS_BESIDE_BAR = 70;
/** ` 100%  ` between the bar and the rest. */
const PERCENT_COLUMNS = 8;
/** The most frequent causes fit the line. */
const SHOWN_CODES = 2;

/** What it needs of a command. */
type Screen = Pick<Cli, "terminal" | "output" | "common">;

export async function showProgress(cli: Screen): Promise<Progress> {
  const shown = cli.output.mode === "text" && cli.common.quiet !== true;
  const inner = !shown ? silent : cli.terminal.isWatched ? await bar(cli) : lines(cli);
  let eventAt = 0;
  return {
    update(run, failures) {
      inner.update(run, failures);
      if (cli.output.mode !== "stream-json" || Date.now() < eventAt) return;
      eventAt = Date.now() + EVENT_INTERVAL_MS;
      const { id, state, rows, progress, usage } = run;
      cli.output.event("progress", { runId: id, state, rows, progress, usage, failures: codesOf(failures) });
    },
    stop: () => inner.stop(),
  };
}

const silent: Progress = { update: () => undefined, stop: () => undefined };

async function bar(cli: Screen): Promise<Progress> {
  const { default: cliProgress } = await import("cli-progress");
  const barColumns = Math.max(5, Math.min(MAX_BAR_COLUMNS, cli.terminal.columns - COLUMNS_BESIDE_BAR));
  const drawn = new cliProgress.SingleBar({
    stream: cli.terminal.stderr,
    format: "{bar} {percentage}%  {said}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: barColumns,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    fps: 10,
  });
  let isStarted = false;
  const pace = createPace();
  return {
    update(run, failures) {
      const columns = cli.terminal.columns - barColumns - PERCENT_COLUMNS;
      const said = describe(run, failures, pace({ finished: finished(run), total: run.rows.total }), columns);
      const payload = { said: harmlessText(said) };
      if (isStarted) {
        drawn.setTotal(run.rows.total);
        drawn.update(finished(run), payload);
      } else drawn.start(run.rows.total, finished(run), payload);
      isStarted = true;
    },
    stop() {
      if (isStarted) drawn.stop();
    },
  };
}

function lines(cli: Screen): Progress {
  let nextAt = Date.now() + LINE_INTERVAL_MS;
  const pace = createPace();
  return {
    update(run, failures) {
      const now = pace({ finished: finished(run), total: run.rows.total });
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + LINE_INTERVAL_MS;
      const of = `${count(finished(run))} of ${count(run.rows.total)} rows`;
      cli.output.note(`${of} (${run.progress.percent.toFixed(1)} %), ${describe(run, failures, now)}`);
    },
    stop: () => undefined,
  };
}

/** `1,234 rows/s, 12 s left, $0.42 of $5.00, 12 failed: output_schema_invalid 12`, with as many causes as fit. */
export function describe(
  { rows, usage, budget, state, stateReason }: Pick<Run, "rows" | "usage" | "budget" | "state" | "stateReason">,
  failures: readonly FailureGroup[],
  { rowsPerSecond, secondsLeft }: Pace,
  columns = Number.POSITIVE_INFINITY,
): string {
  const spent = usage.costUsd === null ? "cost unknown" : usd(usage.costUsd);
  const isPaid = usage.requests > 0 || budget !== null;
  const codes = codesOf(failures);
  // Causes are read at another moment than the run: a sum of both would not add up.
  const failed = codes.length === 0 ? rows.failed : codes.reduce((sum, group) => sum + group.count, 0);
  const parts = [
    ...(state === "queued" ? ["queued"] : []),
    ...(state === "paused" ? [`paused${stateReason === null ? "" : ` (${stateReason})`}`] : []),
    ...(rowsPerSecond === null ? [] : [`${count(rowsPerSecond)} rows/s`]),
    ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
    ...(isPaid ? [budget === null ? spent : `${spent} of ${usd(budget.maxCostUsd)}`] : []),
    ...(failed === 0 ? [] : [`${count(failed)} failed`]),
  ].join(", ");
  for (let shown = Math.min(SHOWN_CODES, codes.length); shown > 0; shown--) {
    const causes = codes.slice(0, shown).map((group) => `${group.code} ${count(group.count)}`);
    const text = `${parts}: ${causes.join(", ")}`;
    if (text.length <= columns) return text;
  }
  return parts;
}

/** Groups differ by more than their code. */
export function codesOf(groups: readonly FailureGroup[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { code, count } of groups) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count);
}

export const finished = ({ rows }: Run): number => rows.total - rows.pending - rows.running;
