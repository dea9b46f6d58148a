import { Command, Option } from "@commander-js/extra-typings";
import type { Run } from "@rowmill/client";
import { commaSeparated } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { describeThing, pageSize, printList } from "../frame/lists.ts";
import { count } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import { costOf, runColumns } from "../runs/cells.ts";
import { shownOption } from "../runs/run-options.ts";
import { findStarter, starterOf, startersOf } from "../runs/started-by.ts";

const STATES: Record<Run["state"], true> = {
  queued: true,
  running: true,
  paused: true,
  canceling: true,
  succeeded: true,
  partially_succeeded: true,
  failed: true,
  canceled: true,
  expired: true,
};

export const runs: CommandFile = {
  examples: [
    ["rowmill runs", "the newest runs with their states and counts"],
    ["rowmill runs --state running,paused", "those that have not ended"],
    ["rowmill runs --key ci --state running,paused", "what a key has started that has not ended"],
    ["rowmill runs show @last", "the last run, with the command's next steps"],
    ["rowmill runs --json | jq -r '.data[0].id'", "the id of the newest run"],
  ],
  create: (cli) =>
    new Command("runs")
      .description("List and show runs.")
      .addOption(
        new Option("--state <states>", `only runs in these states: ${Object.keys(STATES).join(", ")}`).argParser(
          commaSeparated,
        ),
      )
      .option("--dataset <dataset>", "only runs of this dataset")
      .option("--spec <spec>", "only runs of this job spec")
      .option("--key <key>", "only runs that this API key has started: id, or name")
      .addOption(shownOption())
      .action((options) => listRuns(cli, options))
      .addCommand(
        new Command("show")
          .description("Show a run.")
          .argument("[run]", "id, beginning of it, name, or @last", "@last")
          .action((run) => showRun(cli, run)),
      )
      .addCommand(
        new Command("delete")
          .description("Delete a run that has ended, with its results.")
          .argument("<run>", "id, beginning of it, or name")
          .action((run) => deleteRun(cli, run)),
      ),
};

interface ListOptions {
  state?: string[];
  dataset?: string;
  spec?: string;
  key?: string;
  limit?: number;
}

async function listRuns(cli: Cli, { state, dataset, spec, key, limit }: ListOptions): Promise<void> {
  const rowmill = await cli.client();
  const query = {
    limit: pageSize(limit),
    ...(state === undefined ? {} : { state: state.map(stateOf) }),
    ...(dataset === undefined ? {} : { datasetId: await findId(rowmill, "dataset", dataset) }),
    ...(spec === undefined ? {} : { jobSpecId: await findId(rowmill, "spec", spec) }),
    ...(key === undefined ? {} : { apiKeyId: await findStarter(cli, rowmill, key) }),
  };
  await printList(cli, rowmill.runs.list(query, { signal: cli.signal }), {
    limit,
    empty: "There are no such runs.",
    columns: async (shown) => runColumns(await startersOf(cli, rowmill, shown)),
  });
}

function stateOf(text: string): Run["state"] {
  const states = Object.keys(STATES) as Run["state"][]; // of the record above
  const known = states.find((state) => state === text);
  if (known === undefined) throw usageProblem(`There is no state "${text}".`, `States are ${states.join(", ")}.`);
  return known;
}

async function showRun(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const run = await rowmill.runs.get(await findId(rowmill, "run", typed), { signal: cli.signal });
  const startedBy = cli.output.mode === "text" ? await starterOf(cli, rowmill, run) : null;
  cli.output.result(run, () => {
    const { rows, error, progress } = run;
    const counts = Object.entries(rows).filter(([name, value]) => name !== "total" && value > 0);
    return describeThing(cli, {
      run: run.id,
      name: run.name,
      state: run.stateReason === null ? run.state : `${run.state} (${run.stateReason})`,
      reason: error === null ? null : `${error.message} (${error.code})`,
      rows: `${count(rows.total)}: ${counts.map(([name, value]) => `${count(value)} ${name}`).join(", ")}`,
      progress: `${progress.percent.toFixed(1)} %`,
      cost: costOf(run),
      dataset: run.datasetId,
      "job spec": `${run.jobSpecId}, version ${run.jobSpecVersion}`,
      "retry of": run.parentRunId,
      "started by": startedBy,
      created: run.createdAt,
      started: run.startedAt,
      finished: run.finishedAt,
      next: nextStep(run),
    });
  });
}

function nextStep({ id, state, stateReason, rows }: Run): string | null {
  if (state === "paused")
    return `rowmill resume ${id}${stateReason === "budget_exhausted" ? " --max-cost AMOUNT" : ""}`;
  if (state === "queued" || state === "running" || state === "canceling") return `rowmill watch ${id}`;
  if (rows.failed > 0) return `rowmill failures ${id}`;
  return rows.succeeded > 0 ? `rowmill export ${id} -o table.csv` : null;
}

async function deleteRun(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "run", typed);
  await rowmill.runs.delete(id, { signal: cli.signal });
  cli.output.result({ id, deleted: true }, () => `${id} is deleted.`);
}
