/**
 * `--retry` with another prompt, code, request or choice of rows than before: that is another run, in which no row has failed yet. It would
 * process, and pay for, every row, where a person who adds `--retry` expects those that failed.
 */
import type { JobSpec, Rowmill, Run } from "@rowmill/client";
import { RowmillApiError, isTerminal } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { plural } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import type { Problem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";
import type { Destination } from "./destination.ts";
import { MAP_KEY, runKeyOf } from "./things.ts";
import type { RunPlan } from "./things.ts";

/** One page, newest first. A person who corrects a prompt has run the same rows a few runs before. */
const MAX_LOOKED_AT = 100;

interface Retry {
  cli: Cli;
  rowmill: Rowmill;
  plan: RunPlan;
  options: { output?: string };
  destination: Destination;
}

export async function refuseRetryOfNothing(retry: Retry): Promise<void> {
  const { cli, rowmill } = retry;
  const family = await findOtherRun(retry);
  if (family === undefined) return;
  const { earlier, newest } = family;
  const other = earlier.jobSpecId === retry.plan.jobSpecId ? "is of another choice of rows" : "is of another job spec";
  if (!isTerminal(newest)) throw refusal(`${newest.id} ${other}, and has not ended.`, endOf(newest));
  const spec = await rowmill.jobSpecs.get(earlier.jobSpecId, { signal: cli.signal });
  const left = spec.archivedAt === null ? await leftIn(retry, earlier) : notSucceeded(newest);
  if (left > 0)
    throw refusal(
      `${earlier.id} ${other}, and ${plural(left, "row")} of it did not succeed.`,
      spec.archivedAt === null ? commandsFor(retry, earlier, spec) : "That job spec is archived.",
    );
}

const refusal = (why: string, advice: string): Problem =>
  usageProblem(
    `There is nothing to retry with these options: they are another run, of every row. ${why}`,
    `${advice} For every row: leave out --retry.`,
  );

const endOf = ({ id, state }: Run): string =>
  `Let it end (\`rowmill ${state === "paused" ? "resume" : "watch"} ${id}\`) or cancel it (\`rowmill cancel ${id}\`), and repeat the command.`;

function commandsFor({ plan, options, destination }: Retry, earlier: Run, { latestVersion }: JobSpec): string {
  const { output } = options;
  const into = destination.type === "file" && output !== undefined ? ` -o ${quoted(output)} --force` : "";
  if (plan.jobSpecId === earlier.jobSpecId) return `For these alone: \`rowmill retry ${earlier.id}${into}\`.`;
  const retry = `rowmill retry ${earlier.id} --version ${latestVersion + 1}${into}`;
  return `For these alone: \`rowmill specs new --from ${plan.jobSpecId} --to ${earlier.jobSpecId}\`, then \`${retry}\`.`;
}

const notSucceeded = ({ rows }: Run): number => rows.failed + rows.canceled + rows.skipped;

/** Rows that have not succeeded in a retry run either. */
async function leftIn({ cli, rowmill }: Retry, earlier: Run): Promise<number> {
  if (notSucceeded(earlier) === 0) return 0;
  const selection = { type: "unfinished" as const };
  try {
    return (await rowmill.runs.estimateRetry(earlier.id, { selection }, { signal: cli.signal })).rows;
  } catch (error) {
    if (error instanceof RowmillApiError && error.code === "nothing_to_retry") return 0;
    throw error;
  }
}

/**
 * The newest one that `map` made of the same rows, or else of others of the same dataset, and the newest of its retry runs, of which
 * `rowmill retry` makes some.
 */
async function findOtherRun({ cli, rowmill, plan }: Retry): Promise<Record<"earlier" | "newest", Run> | undefined> {
  const { datasetId } = plan;
  const { data } = await rowmill.runs.list({ datasetId, limit: MAX_LOOKED_AT }, { signal: cli.signal });
  const earlier =
    data.find((run) => run.metadata[MAP_KEY] === runKeyOf({ ...plan, jobSpecId: run.jobSpecId })) ??
    data.find((run) => run.metadata[MAP_KEY] !== undefined);
  if (earlier === undefined) return undefined;
  return { earlier, newest: data.find(({ rootRunId }) => rootRunId === earlier.rootRunId) ?? earlier };
}
