/** The end: the output file, the last lines, and the exit code. */
import type { Body, Export, FailureGroup, Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import type { ExitName } from "../frame/exit-codes.ts";
import { count, duration, mebibytes, plural, usd } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import { shownPath } from "../frame/shown-path.ts";
import { statusLine } from "../frame/status-line.ts";
import { WRONG_SCHEMA, cureOf } from "./cures.ts";
import type { Cure } from "./cures.ts";
import type { Destination } from "./destination.ts";
import { codesOf } from "./progress.ts";

export interface WrittenFile {
  path: string;
  rowCount: number | null;
  sizeBytes: number | null;
  sha256: string | null;
}

/** One line for each row of the run. */
const TABLE = { type: "resolved_results", layout: "flat" } as const;

/** A table over all retries of the run, unless `content` asks for something else. The file has its name only when it is whole. */
export async function writeFile(
  cli: Cli,
  rowmill: Rowmill,
  run: Run,
  { path, format, compression }: Extract<Destination, { type: "file" }>,
  content: Omit<Body<"createExport">, "format" | "compression"> = TABLE,
): Promise<WrittenFile> {
  const { signal } = cli;
  const body = { ...content, format };
  const packed = compression === "none" ? {} : { compression };
  const created = await rowmill.exports.create(run.id, { ...body, ...packed }, { signal });
  const line = statusLine(cli);
  const shown = shownPath(path, cli.terminal.directory);
  const startedAt = Date.now();
  try {
    const ended = await rowmill.exports.waitFor(created.id, {
      signal,
      pollSeconds: 0.2,
      onProgress: ({ status }) =>
        line.update(
          () => `The service writes the rows of ${shown} (${duration((Date.now() - startedAt) / 1000)} so far)`,
          ["export", { exportId: created.id, status }],
        ),
    });
    if (ended.status !== "ready") throw exportFailed(ended);
    const { rowCount, sizeBytes, sha256 } = await rowmill.exports.downloadToFile(ended.id, path, {
      signal,
      onProgress: ({ bytesReceived, bytesTotal }) =>
        line.update(
          () => `${mebibytes(bytesReceived)} of ${mebibytes(bytesTotal ?? bytesReceived)} MiB of ${shown}`,
          ["download", { exportId: created.id, bytesReceived, bytesTotal }],
        ),
    });
    return { path, rowCount, sizeBytes, sha256 };
  } finally {
    line.stop();
  }
}

export interface Summary {
  run: Run;
  /** Of this run; undefined where a price is not known. */
  costUsd: number | undefined;
  /** How a price is given, where none is known. */
  howToPrice: string;
  /** Of the rows that were shown before it, which a run of their own has processed. */
  triedUsd: number;
  failures: readonly FailureGroup[];
  file: WrittenFile | undefined;
  /** The command that processes again what did not succeed. */
  retryCommand: string;
  /** The command by another model; undefined where it names none. */
  correctedCommand: string | undefined;
  /** What makes or starts the job with a change. */
  changedCommand: string;
  /** What a person may want where every row succeeded. */
  nextCommand: string;
  seconds: number;
  /** Whether the run was begun before: the calls of a process that was killed meanwhile are not counted. */
  mayMissCalls: boolean;
  /** Rows are on stdout, so that these lines go to stderr. */
  areRowsPrinted: boolean;
}

export function reportEnd(cli: Cli, summary: Summary): void {
  const { run, costUsd, failures, file } = summary;
  const { id, state, stateReason, error, rows, usage } = run;
  const value = {
    run: { id, state, stateReason, error, rows, usage },
    costUsd: costUsd ?? null,
    failures: codesOf(failures),
    output: file ?? null,
  };
  const text = describeEnd(cli, summary);
  if (summary.areRowsPrinted && cli.output.mode === "text") cli.output.note(text);
  else cli.output.result(value, () => text);
  cli.exitWith(exitOf(run, file));
}

function describeEnd(cli: Cli, summary: Summary): string {
  const { run, costUsd, howToPrice, triedUsd, failures, file, seconds } = summary;
  const { rows, usage, error } = run;
  // What an HTTP service asks for its responses nobody counts: zero would say that they cost nothing.
  const isCounted = usage.inputTokens + usage.outputTokens > 0 || costUsd !== 0;
  const isPaid = usage.requests > 0 && isCounted;
  const done = `${count(rows.succeeded)} of ${plural(rows.total, "row")} succeeded`;
  const others = (["failed", "canceled", "skipped"] as const).flatMap((name) =>
    rows[name] === 0 ? [] : [`${count(rows[name])} ${name}`],
  );
  const before = triedUsd === 0 ? "" : ` and ${usd(triedUsd)} for the first rows`;
  const cost =
    isPaid || before !== ""
      ? [`${costUsd === undefined ? `price not known (${howToPrice})` : usd(costUsd)}${before}`]
      : [];
  // Outputs of the cache, and those of equal rows, need none.
  const isCallsShown = !summary.mayMissCalls && usage.requests > 0 && 2 * usage.requests <= rows.total;
  const calls = isCallsShown ? [plural(usage.requests, "request")] : [];
  const lines = [`${run.id} ${run.state}: ${[done, ...others, ...calls, ...cost, duration(seconds)].join(", ")}`];
  if (error !== null) lines.push(`Reason: ${error.message} (${error.code})`);
  if (rows.failed > 0)
    lines.push(
      `Failures: ${codesOf(failures)
        .map((group) => `${group.code} ${count(group.count)}`)
        .join(", ")}`,
    );
  lines.push(...describeFailures(run, failures));
  if (file !== undefined)
    lines.push(
      `${cli.terminal.style("stdout", "bold", shownPath(file.path, cli.terminal.directory))}: ${plural(file.rowCount ?? 0, "row")}, SHA-256 ${file.sha256 ?? "?"}`,
    );
  lines.push(describeNext(summary));
  return lines.join("\n");
}

/** Other causes than the most frequent one, of which it is said what has to change. */
const SHOWN_CURES = 3;

/** Of the most frequent cause. */
function cureIn({ rows, usage }: Run, group: FailureGroup): Cure | undefined {
  const isOfModel = usage.inputTokens + usage.outputTokens > 0;
  const isSchemaWrong = group.code === "output_schema_invalid" && rows.succeeded === 0 && !isOfModel;
  return isSchemaWrong ? WRONG_SCHEMA : cureOf(group);
}

/** A row of the most frequent cause, and what has to change before a retry can help. */
function describeFailures(run: Run, failures: readonly FailureGroup[]): string[] {
  const [first, ...others] = codesOf(failures).flatMap(
    ({ code }) => failures.find((group) => group.code === code) ?? [],
  );
  if (first === undefined) return [];
  const { sample } = first;
  const advice = cureIn(run, first)?.advice;
  const further = others.flatMap((group) => {
    const cure = cureOf(group);
    return cure === undefined ? [] : [`  ${group.code}: ${cure.advice}`];
  });
  return [
    `  row ${sample.index + 1}: ${sample.message}`,
    ...(advice === undefined ? [] : [`  ${advice}`]),
    ...further.slice(0, SHOWN_CURES),
  ];
}

/** A retry cannot help before its cause is corrected. */
function describeNext(summary: Summary): string {
  const { run, failures, retryCommand, correctedCommand, changedCommand, nextCommand } = summary;
  const { rows } = run;
  if (rows.failed + rows.canceled + rows.skipped === 0) return `Next: ${nextCommand}`;
  const [worst] = codesOf(failures);
  const group = failures.find(({ code }) => code === worst?.code);
  const changes = group === undefined ? undefined : cureIn(run, group)?.changes;
  if (changes === undefined) return `Next: ${retryCommand}`;
  if (changes === "elsewhere") return `Next, after that: ${retryCommand}`;
  if (changes === "model" && correctedCommand !== undefined) return `Next: ${correctedCommand}`;
  return `Next, with the change: ${changedCommand}`;
}

const exits: Record<Run["state"], ExitName> = {
  succeeded: "success",
  partially_succeeded: "rows_failed",
  failed: "run_not_finished",
  canceled: "run_not_finished",
  expired: "run_not_finished",
  queued: "error",
  running: "error",
  paused: "run_not_finished",
  canceling: "error",
};

function exitOf({ state, error, stateReason, rows }: Run, file: WrittenFile | undefined): ExitName {
  if (error?.code === "budget_exceeded" || stateReason === "budget_exhausted") return "no_consent";
  // None of the rows of a retry succeeded; those before it did, and are in the table.
  const isPartOfTable = file?.rowCount !== undefined && file.rowCount !== null && file.rowCount > rows.total;
  return state === "failed" && error === null && isPartOfTable ? "rows_failed" : exits[state];
}

/** What goes on with a run that waits for somebody. */
export interface WaysOn {
  /** Of the command that gives it a larger budget. */
  moreMoney: string;
  /** After its cause was corrected. */
  again: string;
  /** The high end of the estimate of one more row, in US dollars, where that is known. */
  rowUsd?: number | undefined;
}

/** How large a budget may have to be. The cost of rows that were made is a better basis than an estimate. */
function describeNeed({ rows, usage }: Run, rowUsd = 0): string {
  const ended = rows.succeeded + rows.failed;
  const spent = Number(usage.costUsd ?? 0);
  const need =
    ended > 0 && spent > 0
      ? ` At ${usd(spent / ended)} a row so far, the whole run costs about ${usd((spent / ended) * rows.total)}.`
      : rowUsd === 0
        ? ""
        : ` A row may cost up to about ${usd(rowUsd)}.`;
  return need === ""
    ? ""
    : `${need} Calls reserve the most that they can cost, which is more; a job spec that limits output tokens reserves less.`;
}

/** A run that waits for somebody: why, and what to do. */
export function pausedProblem(run: Run, failures: readonly FailureGroup[], ways: WaysOn): Problem {
  const [worst] = failures;
  const { pending, total } = run.rows;
  const left = `${count(pending)} of ${plural(total, "row")} ${pending === 1 ? "is" : "are"} left`;
  if (run.stateReason === "budget_exhausted")
    return new Problem(
      `The budget of ${usd(run.budget?.maxCostUsd ?? 0)} is used up: what is left of it does not cover the next call; ${left}.`,
      `Nothing is lost: \`${ways.moreMoney}\` with a larger amount goes on.${describeNeed(run, ways.rowUsd)}`,
      { exit: "no_consent", code: "budget_exhausted" },
    );
  if (run.stateReason === "insufficient_storage")
    return new Problem(
      `The run ${run.id} is paused because the disk of the service is full; ${left}.`,
      `Free some space. ${ways.again}`,
      { exit: "run_not_finished", code: "insufficient_storage" },
    );
  if (run.stateReason === "breaker_open")
    return new Problem(
      `The run was paused because nearly all of its first rows failed: ${worst?.sample.message ?? "see its failures"} (${worst?.code ?? "unknown"}).`,
      `Correct the cause. ${ways.again}`,
      { exit: "run_not_finished", code: "breaker_open" },
    );
  return new Problem(
    `The run ${run.id} is paused${run.stateReason === null ? "" : ` (${run.stateReason})`}; ${left}.`,
    ways.again,
    {
      exit: "run_not_finished",
      code: "run_paused",
    },
  );
}

const exportFailed = ({ id, status, error }: Export): Problem =>
  new Problem(
    `The output could not be written: the export ${id} is ${status}${error === null ? "" : ` (${error.message})`}.`,
    error?.code === "unknown_column"
      ? "Correct the names after --columns."
      : "Repeat the command: the rows are not processed again.",
    // A column that was named does not exist.
    { code: error?.code ?? "export_failed", exit: error?.code === "unknown_column" ? "usage" : "error" },
  );
