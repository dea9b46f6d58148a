/**
 * How far the run is, on stderr: a bar that is drawn again where somebody watches, else a line every few seconds. With
 * `--stream-json` an event a second on stdout.
 */
import type { FailureGroup, Run, RunMap } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { harmlessText } from "../frame/harmless-text.ts";
import type { SingleBar } from "cli-progress";
import { count, duration, plural, rowRate, usd } from "../frame/numbers.ts";
import { slowedPart, slowedSentence } from "./slowed-calls.ts";
import type { SlowedCalls } from "./slowed-calls.ts";
import { createPace } from "./pace.ts";
import type { Pace } from "./pace.ts";

export interface Progress {
  /** Where the rows stand is of use to a watched bar of a large run alone: in so many cells, or not at all. */
  cellsOf: (run: Run) => number | undefined;
  update(run: Run, seen: Seen): void;
  /** A line of its own, where a person reads along. */
  say(text: string): void;
  stop(): void;
}

/** What was read beside the run. */
export interface Seen {
  failures: readonly FailureGroup[];
  map?: RunMap | undefined;
  slowed?: SlowedCalls | undefined;
}

const LINE_INTERVAL_MS = 5_000;
const EVENT_INTERVAL_MS = 1_000;
const MAX_BAR_COLUMNS = 30;
/** Beside the bar stands the rest. */
const COLUMNS_BESIDE_BAR = 70;
/** ` 100%  ` between the bar and the rest. */
const PERCENT_COLUMNS = 8;
/** Rows of usual models take less: a rate of zero would leave a person without a reason. */
const STILL_SECONDS = 10;
/** The most frequent causes fit the line. */
const SHOWN_CODES = 2;

/** What it needs of a command. */
type Screen = Pick<Cli, "terminal" | "output" | "common">;

export async function showProgress(cli: Screen): Promise<Progress> {
  const shown = cli.output.mode === "text" && cli.common.quiet !== true;
  const inner = !shown ? silent : cli.terminal.isWatched ? await bar(cli) : lines(cli);
  let eventAt = 0;
  return {
    cellsOf: inner.cellsOf,
    update(run, seen) {
      inner.update(run, seen);
      if (cli.output.mode !== "stream-json" || Date.now() < eventAt) return;
      eventAt = Date.now() + EVENT_INTERVAL_MS;
      const { id, state, rows, progress, usage } = run;
      const { failures, slowed = null } = seen;
      cli.output.event("progress", { runId: id, state, rows, progress, usage, failures: codesOf(failures), slowed });
    },
    say: (text) => inner.say(text),
    stop: () => inner.stop(),
  };
}

const noCells = (): undefined => undefined;
const silent: Progress = { cellsOf: noCells, update: () => undefined, say: () => undefined, stop: () => undefined };

async function bar(cli: Screen): Promise<Progress> {
  const { MultiBar } = await import("cli-progress");
  const barColumns = Math.max(5, Math.min(MAX_BAR_COLUMNS, cli.terminal.columns - COLUMNS_BESIDE_BAR));
  const drawn = new MultiBar({
    stream: cli.terminal.stderr,
    format: "{bar} {percentage}%  {said}",
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: barColumns,
    hideCursor: true,
    clearOnComplete: true,
    linewrap: false,
    fps: 10,
    // Whatever is written meanwhile stands above.
    gracefulExit: false,
  });
  const pace = createPace();
  const stripColumns = Math.min(MAX_BAR_COLUMNS, cli.terminal.columns - legend.length - 1);
  let first: SingleBar | undefined;
  let second: SingleBar | undefined;
  return {
    cellsOf: (run) =>
      run.rows.total >= LARGE_RUN_ROWS && stripColumns >= LEAST_STRIP_COLUMNS ? stripColumns : undefined,
    update(run, { failures, map, slowed }) {
      const columns = cli.terminal.columns - barColumns - PERCENT_COLUMNS;
      const now = pace({ finished: finished(run), total: run.rows.total });
      const said = describe(run, failures, now, { columns, slowed });
      first ??= drawn.create(run.rows.total, 0);
      first.setTotal(run.rows.total);
      first.update(finished(run), { said: harmlessText(said) });
      if (map === undefined) return;
      second ??= drawn.create(1, 0, {}, { format: `{strip} ${legend}` });
      second.update(0, { strip: stripOf(map) });
    },
    say: (text) => drawn.log(`${harmlessText(text)}\n`),
    stop: () => drawn.stop(),
  };
}

/** Smaller runs are over soon, and have few chunks. */
const LARGE_RUN_ROWS = 100_000;
/** Fewer say nothing. */
const LEAST_STRIP_COLUMNS = 10;
const cellStates = { done: "█", failures: "▓", running: "▒", waiting: "░" } as const;
const legend = Object.entries(cellStates)
  .map(([state, character]) => `${character} ${state}`)
  .join("  ");

/** A character for each cell: the chunks of a run from the first row to the last, and what is done, failed, or under way. */
export const stripOf = ({ cells }: RunMap): string =>
  cells
    .map(({ rows, succeeded, failed, runningChunks }) => {
      if (runningChunks > 0) return cellStates.running;
      if (failed > 0) return cellStates.failures;
      return succeeded === rows ? cellStates.done : cellStates.waiting;
    })
    .join("");

function lines(cli: Screen): Progress {
  let nextAt = Date.now() + LINE_INTERVAL_MS;
  const pace = createPace();
  let isSlowedSaid = false;
  return {
    cellsOf: noCells,
    update(run, { failures, slowed }) {
      if (slowed !== undefined && !isSlowedSaid) {
        isSlowedSaid = true;
        cli.output.note(slowedSentence(slowed));
      }
      const now = pace({ finished: finished(run), total: run.rows.total });
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + LINE_INTERVAL_MS;
      const of = `${count(finished(run))} of ${plural(run.rows.total, "row")}`;
      cli.output.note(`${of} (${run.progress.percent.toFixed(1)} %), ${describe(run, failures, now, { slowed })}`);
    },
    say: (text) => cli.output.note(text),
    stop: () => undefined,
  };
}

/**
 * `1,234 rows/s, 12 s left, $0.42 of $5.00, 12 failed: output_schema_invalid 12`, with as many causes as fit. Where even the rest
 * is too long, the rate is left out, then the budget, and then what holds calls back.
 */
export function describe(
  { rows, usage, budget, state, stateReason }: Pick<Run, "rows" | "usage" | "budget" | "state" | "stateReason">,
  failures: readonly FailureGroup[],
  { rowsPerSecond, secondsLeft, stillSeconds }: Pace,
  { columns = Number.POSITIVE_INFINITY, slowed }: { columns?: number; slowed?: SlowedCalls | undefined } = {},
): string {
  const spent = usage.costUsd === null ? "price not known" : usd(usage.costUsd);
  // A sum of zero says nothing, or that the price is not known.
  const isPaid = (usage.requests > 0 && Number(usage.costUsd) !== 0) || usage.costUsd === null || budget !== null;
  const codes = codesOf(failures);
  // Causes are read at another moment than the run: a sum of both would not add up.
  const failed = codes.length === 0 ? rows.failed : codes.reduce((sum, group) => sum + group.count, 0);
  const isStill = state === "running" && stillSeconds >= STILL_SECONDS;
  const partsWith = (isRateShown: boolean, isBudgetShown: boolean, isSlowedShown = true): string =>
    [
      ...(state === "queued" ? ["queued"] : []),
      ...(state === "paused" ? [`paused${stateReason === null ? "" : ` (${stateReason})`}`] : []),
      ...(isStill ? [`no row has finished for ${duration(stillSeconds)}, ${count(rows.running)} in flight`] : []),
      ...(!isRateShown || rowsPerSecond === null || isStill ? [] : [rowRate(rowsPerSecond)]),
      ...(secondsLeft === null ? [] : [`${duration(secondsLeft)} left`]),
      ...(slowed === undefined || !isSlowedShown ? [] : [slowedPart(slowed)]),
      ...(isPaid ? [budget === null || !isBudgetShown ? spent : `${spent} of ${usd(budget.maxCostUsd)}`] : []),
      ...(failed === 0 ? [] : [`${count(failed)} failed`]),
    ].join(", ");
  const parts = partsWith(true, true);
  for (let shown = Math.min(SHOWN_CODES, codes.length); shown > 0; shown--) {
    const causes = codes.slice(0, shown).map((group) => `${group.code} ${count(group.count)}`);
    const text = `${parts}: ${causes.join(", ")}`;
    if (text.length <= columns) return text;
  }
  const shorter = [parts, partsWith(false, true), partsWith(false, false)];
  return shorter.find((text) => text.length <= columns) ?? partsWith(false, false, false);
}

/** Groups differ by more than their code. */
export function codesOf(groups: readonly FailureGroup[]): { code: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { code, count } of groups) counts.set(code, (counts.get(code) ?? 0) + count);
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((one, other) => other.count - one.count);
}

export const finished = ({ rows }: Run): number => rows.total - rows.pending - rows.running;
