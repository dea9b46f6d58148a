/**
 * `--retry` with another prompt, code or request than before: that is another run, in which no row has failed yet. It would process, and
 * pay for, every row, where a person who adds `--retry` expects those that failed.
 */
import type { Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { plural } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";
import { MAP_KEY, runKeyOf } from "./things.ts";
import type { RunPlan } from "./things.ts";

/** One page, newest first. A person who corrects a prompt has run the same rows a few runs before. */
const MAX_LOOKED_AT = 100;

/** `output`: where the table is to be written, if to a file. */
export async function refuseRetryOfNothing(cli: Cli, rowmill: Rowmill, plan: RunPlan, output?: string): Promise<void> {
  const earlier = await findRunOfOtherSpec(cli, rowmill, plan);
  if (earlier === undefined) return;
  const left = leftIn(earlier);
  if (left === 0) return;
  const { latestVersion } = await rowmill.jobSpecs.get(earlier.jobSpecId, { signal: cli.signal });
  const retry = `rowmill retry ${earlier.id} --version ${latestVersion + 1}${output === undefined ? "" : ` -o ${quoted(output)} --force`}`;
  throw usageProblem(
    `There is nothing to retry with these options: they are another run, of every row. ${earlier.id} has done something else with the same rows, and ${plural(left, "row")} of it did not succeed.`,
    `For these alone: \`rowmill specs show ${plan.jobSpecId} --json | rowmill specs new - --to ${earlier.jobSpecId}\`, then \`${retry}\`. For every row: leave out --retry.`,
  );
}

const leftIn = ({ rows }: Run): number => rows.failed + rows.canceled + rows.skipped;

/** The newest one that `map` made of the same rows, where it has ended. */
async function findRunOfOtherSpec(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Run | undefined> {
  const { datasetId } = plan;
  const { data } = await rowmill.runs.list({ datasetId, limit: MAX_LOOKED_AT }, { signal: cli.signal });
  return data.find(
    (run) => isTerminal(run) && run.metadata[MAP_KEY] === runKeyOf({ ...plan, jobSpecId: run.jobSpecId }),
  );
}
