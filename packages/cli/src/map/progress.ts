/**
 * How far the run is, on stderr: a bar that is drawn again where somebody watches, else a line every few seconds. With
 * `--stream-json` an event a second on stdout.
 */
import type { FailureGroup, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { harmlessText } from "../frame/harmless-text.ts";
import { count, duration, usd } from "../frame/numbers.ts";

export interface Progress {
  update(run: Run, failures: readonly FailureGroup[]): void;
  stop(): void;
}

const LINE_INTERVAL_MS = 5_000;
const EVENT_INTERVAL_MS = 1_000;
const MAX_BAR_COLUMNS = 30;
/** Beside the bar stands the rest. */
const COLUMNS_BESIDE_BAR = 70;
/** The most frequent causes fit the line. */
const SHOWN_CODES = 2;

export async function showProgress(cli: Cli): Promise<Progress> {
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

async function bar(cli: Cli): Promise<Progress> {
  const { default: cliProgress } = await import("cli-progress");
  const drawn = new cliProgress.SingleBar({
    stream: cli.terminal.stderr,
    format: "{bar} {percentage}%  {said}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: Math.max(5, Math.min(MAX_BAR_COLUMNS, cli.terminal.columns - COLUMNS_BESIDE_BAR)),
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    fps: 10,
  });
  let isStarted = false;
  return {
    update(run, failures) {
      const payload = { said: harmlessText(describe(run, failures)) };
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

function lines(cli: Cli): Progress {
  let nextAt = Date.now() + LINE_INTERVAL_MS;
  return {
    update(run, failures) {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + LINE_INTERVAL_MS;
      const of = `${count(finished(run))} of ${count(run.rows.total)} rows`;
      cli.output.note(`${of} (${run.progress.percent.toFixed(1)} %), ${describe(run, failures)}`);
    },
    stop: () => undefined,
  };
}

/** `1,234 rows/s, 12 s left, $0.42 of $5.00, 12 failed: output_schema_invalid 12` */
function describe(
  { rows, progress, usage, budget, state, stateReason }: Run,
  failures: readonly FailureGroup[],
): string {
  const spent = usage.costUsd === null ? "cost unknown" : usd(usage.costUsd);
  const isPaid = usage.requests > 0 || budget !== null;
  const codes = codesOf(failures)
    .slice(0, SHOWN_CODES)
    .map(({ code, count: failed }) => `${code} ${count(failed)}`);
  return [
    ...(state === "queued" ? ["queued"] : []),
    ...(state === "paused" ? [`paused${stateReason === null ? "" : ` (${stateReason})`}`] : []),
    ...(progress.rowsPerSecond === null ? [] : [`${count(progress.rowsPerSecond)} rows/s`]),
    ...(progress.etaSeconds === null ? [] : [`${duration(progress.etaSeconds)} left`]),
    ...(isPaid ? [budget === null ? spent : `${spent} of ${usd(budget.maxCostUsd)}`] : []),
    ...(rows.failed === 0 ? [] : [`${count(rows.failed)} failed${codes.length === 0 ? "" : `: ${codes.join(", ")}`}`]),
  ].join(", ");
}

/** Groups differ by more than their code. */
export function codesOf(groups: readonly FailureGroup[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { code, count } of groups) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count);
}

export const finished = ({ rows }: Run): number => rows.total - rows.pending - rows.running;
