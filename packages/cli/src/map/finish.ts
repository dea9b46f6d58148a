/** The end: the output file, the last lines, and the exit code. */
import type { Body, Export, FailureGroup, Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import type { ExitName } from "../frame/exit-codes.ts";
import { count, duration, mebibytes, plural, usd } from "../frame/numbers.ts";
import { Problem } from "../frame/problem.ts";
import { statusLine } from "../frame/status-line.ts";
import { configurationAdvice, isOfSpec } from "./configuration-advice.ts";
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
  const startedAt = Date.now();
  try {
    const ended = await rowmill.exports.waitFor(created.id, {
      signal,
      pollSeconds: 0.2,
      onProgress: ({ status }) =>
        line.update(
          () => `The service writes the rows of ${path} (${duration((Date.now() - startedAt) / 1000)} so far)`,
          ["export", { exportId: created.id, status }],
        ),
    });
    if (ended.status !== "ready") throw exportFailed(ended);
    const { rowCount, sizeBytes, sha256 } = await rowmill.exports.downloadToFile(ended.id, path, {
      signal,
      onProgress: ({ bytesReceived, bytesTotal }) =>
        line.update(
          () => `${mebibytes(bytesReceived)} of ${mebibytes(bytesTotal ?? bytesReceived)} MiB of ${path}`,
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
  /** Of the rows that were shown before it, which a run of their own has processed. */
  triedUsd: number;
  failures: readonly FailureGroup[];
  file: WrittenFile | undefined;
  /** The command that processes again what did not succeed. */
  retryCommand: string;
  /** The command by another model: where the model does not exist, a retry fails again. */
  correctedCommand: string;
  /** What a person may want where every row succeeded. */
  nextCommand: string;
  seconds: number;
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
  const { run, costUsd, triedUsd, failures, file, seconds } = summary;
  const { rows, usage, error } = run;
  const isPaid = usage.requests > 0;
  const done = `${count(rows.succeeded)} of ${plural(rows.total, "row")} succeeded`;
  const others = (["failed", "canceled", "skipped"] as const).flatMap((name) =>
    rows[name] === 0 ? [] : [`${count(rows[name])} ${name}`],
  );
  const before = triedUsd === 0 ? "" : ` and ${usd(triedUsd)} for the first rows`;
  const cost = isPaid || before !== "" ? [`${costUsd === undefined ? "cost unknown" : usd(costUsd)}${before}`] : [];
  const lines = [`${run.id} ${run.state}: ${[done, ...others, ...cost, duration(seconds)].join(", ")}`];
  if (error !== null) lines.push(`Reason: ${error.message} (${error.code})`);
  if (rows.failed > 0)
    lines.push(
      `Failures: ${codesOf(failures)
        .map((group) => `${group.code} ${count(group.count)}`)
        .join(", ")}`,
    );
  const [worst] = codesOf(failures);
  const first = failures.find(({ code }) => code === worst?.code);
  if (first !== undefined) lines.push(...describeFailure(first));
  if (file !== undefined)
    lines.push(
      `${cli.terminal.style("stdout", "bold", file.path)}: ${plural(file.rowCount ?? 0, "row")}, SHA-256 ${file.sha256 ?? "?"}`,
    );
  lines.push(describeNext(summary));
  return lines.join("\n");
}

/** A retry cannot help before its cause is corrected. */
function describeNext({ run: { rows }, failures, retryCommand, correctedCommand, nextCommand }: Summary): string {
  if (rows.failed + rows.canceled + rows.skipped === 0) return `Next: ${nextCommand}`;
  const [worst] = codesOf(failures);
  if (worst === undefined || configurationAdvice[worst.code] === undefined) return `Next: ${retryCommand}`;
  return isOfSpec(worst.code) ? `Next: ${correctedCommand}` : `Next, after that: ${retryCommand}`;
}

function describeFailure({ code, sample }: FailureGroup): string[] {
  const advice = configurationAdvice[code];
  return [`  row ${sample.index + 1}: ${sample.message}`, ...(advice === undefined ? [] : [`  ${advice}`])];
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
}

/** A run that waits for somebody: why, and what to do. */
export function pausedProblem(run: Run, failures: readonly FailureGroup[], ways: WaysOn): Problem {
  const [worst] = failures;
  const left = `${count(run.rows.pending)} of ${plural(run.rows.total, "row")} are left`;
  if (run.stateReason === "budget_exhausted")
    return new Problem(
      `The budget of ${usd(run.budget?.maxCostUsd ?? 0)} is used up: what is left of it does not cover the next call; ${left}.`,
      `Nothing is lost: \`${ways.moreMoney}\` with a larger amount goes on.`,
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
