import { Command, Option } from "@commander-js/extra-typings";
import { integer } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findDatasetAndSpec } from "../frame/find.ts";
import { agreeToPrice, agreeToReplace } from "../map/consent.ts";
import { priceOf } from "../map/price.ts";
import { scopeOf } from "../map/scope.ts";
import { budgetOf } from "../map/things.ts";
import { followToEnd, reportStarted, tableFile } from "../runs/follow-to-end.ts";
import {
  RUN_GROUP,
  detachOption,
  limitOption,
  maxCostOption,
  outputOption,
  sampleOption,
  seedOption,
  yesOption,
} from "../runs/run-options.ts";

export const run: CommandFile = {
  examples: [
    ["rowmill run customers.csv Industries --max-cost 5 -o labeled.csv", "every row of a dataset by a job spec"],
    ["rowmill run @last Industries --sample 50 --seed 1 --yes", "50 rows of the newest dataset, at any price"],
    ["rowmill run ds_01jd3v spec_01jd3w --detach --yes --json | jq -r .id", "start it, and print its id"],
  ],
  create: (cli) =>
    new Command("run")
      .description("Process a dataset by a job spec, both of the service, and wait for the end.")
      .argument("<dataset>", "id, beginning of it, name, or @last")
      .argument("<spec>", "id, beginning of it, name, or @last")
      .option("--name <text>", "name of the run")
      .addOption(
        new Option("--version <number>", "version of the job spec; the newest, if absent").argParser(integer(1)),
      )
      .addOption(detachOption())
      .addOption(outputOption())
      .option("--force", "replace a file that exists")
      .addOption(limitOption())
      .addOption(sampleOption())
      .addOption(seedOption())
      .addOption(yesOption())
      .addOption(maxCostOption())
      .addOption(
        new Option("--concurrency <count>", "most rows in flight at once").argParser(integer(1)).helpGroup(RUN_GROUP),
      )
      .action((dataset, spec, options) => startRun(cli, dataset, spec, options)),
};

interface RunOptions {
  name?: string;
  version?: number;
  detach?: true;
  output?: string;
  force?: true;
  limit?: number;
  sample?: number;
  seed?: number;
  yes?: true;
  maxCost?: string;
  concurrency?: number;
}

async function startRun(cli: Cli, dataset: string, spec: string, options: RunOptions): Promise<void> {
  const scope = scopeOf(options);
  const file = tableFile(options.output);
  if (file !== undefined) await agreeToReplace(cli, options, file.path);
  const rowmill = await cli.client();
  const { signal } = cli;
  const { name, version, concurrency, maxCost } = options;
  const body = {
    ...(await findDatasetAndSpec(rowmill, dataset, spec)),
    scope,
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { jobSpecVersion: version }),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...budgetOf(maxCost),
  };
  const estimate = await rowmill.runs.estimate(body, { signal });
  if (estimate.estimate.basis !== "no_calls")
    await agreeToPrice(cli, options, priceOf(estimate.rows, [], estimate, concurrency), false);
  const started = await rowmill.runs.create(body, { signal });
  if (options.detach !== true) return followToEnd(cli, started, file);
  return reportStarted(cli, started);
}
