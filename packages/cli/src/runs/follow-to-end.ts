/** A run that is watched until it has ended: progress, the table, the last lines, the exit code. */
import type { Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { Interrupted, usageProblem } from "../frame/problem.ts";
import { parseDestination } from "../map/destination.ts";
import { pausedProblem, reportEnd, writeFile } from "../map/finish.ts";
import { followRun } from "../map/follow.ts";
import { PRICE_OF_CONNECTION } from "../map/price.ts";
import { highestRowPrice } from "../map/row-price.ts";
import { quoted } from "../frame/shell-words.ts";

/** The file of `-o`; undefined where nobody wants one. Checked before anything is started. */
export function tableFile(output: string | undefined) {
  if (output === undefined) return undefined;
  const destination = parseDestination(output);
  if (destination.type === "file") return destination;
  throw usageProblem("This command does not print rows.", "Name a file with -o, or print them with `rowmill results`.");
}

export async function followToEnd(cli: Cli, run: Run, file: ReturnType<typeof tableFile>): Promise<void> {
  const { rowmill, gone, endsWithCommands } = await cli.service();
  const startedAt = Date.now();
  cli.output.event("run", { runId: run.id, datasetId: run.datasetId, jobSpecId: run.jobSpecId, state: run.state });
  const followed = await followRun(cli, rowmill, run, gone, ({ id }) => {
    const goesOn = endsWithCommands ? "It goes on when a local service runs again" : "It goes on without you";
    cli.output.note(`\nLeft ${id}. ${goesOn}; come back with:\n  rowmill watch ${id}`);
  });
  if (followed.outcome === "detached") throw new Interrupted(`rowmill watch ${run.id}`);
  if (followed.outcome === "paused")
    throw pausedProblem(followed.run, followed.failures, {
      moreMoney: `rowmill resume ${run.id} --max-cost AMOUNT`,
      again: `\`rowmill resume ${run.id}\` goes on where it was.`,
      rowUsd: await highestRowPrice(rowmill, followed.run, cli.signal),
    });
  await reportRun(cli, rowmill, followed.run, file, startedAt);
}

/** Of a run that nobody waits for. */
export async function reportStarted(cli: Cli, run: Run): Promise<void> {
  cli.output.result(run, () => `${run.id} has started: \`rowmill watch ${run.id}\` shows how far it is.`);
  const { endsWithCommands } = await cli.service();
  if (endsWithCommands)
    cli.output.note("The local service ends with its commands: the run goes on while one of them runs.");
}

async function reportRun(
  cli: Cli,
  rowmill: Rowmill,
  run: Run,
  file: ReturnType<typeof tableFile>,
  startedAt: number,
): Promise<void> {
  const written = file === undefined ? undefined : await writeFile(cli, rowmill, run, file);
  const failures = run.rows.failed === 0 ? [] : (await rowmill.runs.failureGroups(run.id)).data;
  reportEnd(cli, {
    run,
    costUsd: run.usage.costUsd === null ? undefined : Number(run.usage.costUsd),
    howToPrice: PRICE_OF_CONNECTION,
    triedUsd: 0,
    failures,
    file: written,
    retryCommand: `rowmill retry ${run.id}${file === undefined ? "" : ` -o ${quoted(file.path)} --force`}`,
    correctedCommand: undefined,
    changedCommand: `rowmill specs new FILE --to ${run.jobSpecId}`,
    nextCommand: `rowmill results ${run.id}`,
    seconds: (Date.now() - startedAt) / 1000,
    mayMissCalls: true,
    areRowsPrinted: false,
  });
}
