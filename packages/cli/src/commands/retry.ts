import { Command, Option } from "@commander-js/extra-typings";
import { isTerminal } from "@rowmill/client";
import type { Body, Rowmill } from "@rowmill/client";
import { commaSeparated, integer } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { agreeToPrice, agreeToReplace } from "../map/consent.ts";
import { priceOf } from "../map/price.ts";
import { budgetOf } from "../map/things.ts";
import { followToEnd, reportStarted, tableFile } from "../runs/follow-to-end.ts";
import { detachOption, maxCostOption, outputOption, yesOption } from "../runs/run-options.ts";
import { startedByOther } from "../runs/started-by.ts";

export const retry: CommandFile = {
  examples: [
    ["rowmill retry", "the rows of the last run that did not succeed"],
    ["rowmill retry run_01jd3v --code provider_timeout,network_error --max-cost 2", "the rows of two causes"],
    ["rowmill retry @last --retryable --yes -o labeled.csv", "those that may succeed with nothing changed"],
    ["rowmill retry run_01jd3v --version 2 --yes", "by the second version of the job spec, which corrects the first"],
  ],
  create: (cli) =>
    new Command("retry")
      .description("Process rows of a run again, in a run of their own. Results that succeeded are kept.")
      .argument("[run]", "id, beginning of it, name, or @last", "@last")
      .addOption(new Option("--code <codes>", "rows that failed for these causes").argParser(commaSeparated))
      .addOption(new Option("--retryable", "rows that may succeed with nothing changed").conflicts("code"))
      .addOption(new Option("--all", "every row, also those that succeeded").conflicts(["code", "retryable"]))
      .addOption(
        new Option("--version <number>", "version of the job spec; that of the run, if absent").argParser(integer(1)),
      )
      .addOption(detachOption())
      .addOption(outputOption())
      .option("--force", "replace a file that exists")
      .addOption(yesOption())
      .addOption(maxCostOption())
      .action((typed, options) => startRetry(cli, typed, options)),
};

interface RetryOptions {
  code?: string[];
  retryable?: true;
  all?: true;
  version?: number;
  detach?: true;
  output?: string;
  force?: true;
  yes?: true;
  maxCost?: string;
}

type Selection = NonNullable<NonNullable<Body<"retryRun">>["selection"]>;

async function startRetry(cli: Cli, typed: string, options: RetryOptions): Promise<void> {
  const file = tableFile(options.output);
  if (file !== undefined) await agreeToReplace(cli, options, file.path);
  const rowmill = await cli.client();
  const { signal } = cli;
  const id = await findId(rowmill, "run", typed);
  const { version } = options;
  const body = {
    selection: selectionOf(options),
    ...(version === undefined ? {} : { jobSpecVersion: version }),
    ...budgetOf(options.maxCost),
  };
  await warnOfRetries(cli, rowmill, id);
  const estimate = await rowmill.runs.estimateRetry(id, body, { signal });
  if (estimate.estimate.basis !== "no_calls")
    await agreeToPrice(cli, options, priceOf(estimate.rows, [], estimate), false);
  const started = await rowmill.runs.retry(id, body, { signal });
  if (options.detach !== true) return followToEnd(cli, started, file);
  return reportStarted(cli, started);
}

/** The service does not refuse the second retry of the same rows: another model may be tried on them at the same time. */
async function warnOfRetries(cli: Cli, rowmill: Rowmill, id: string): Promise<void> {
  const { runs } = await rowmill.runs.lineage(id, { signal: cli.signal });
  for (const run of runs)
    if (run.id !== id && !isTerminal(run))
      cli.output.note(
        `Retry ${run.id}${await startedByOther(cli, rowmill, run)} has not ended: rows that it has not finished yet may be processed, and paid, twice. ` +
          `\`rowmill watch ${run.id}\` waits for it.`,
      );
}

function selectionOf({ code, retryable, all }: RetryOptions): Selection {
  // The service refuses a code that does not exist, and names those that do.
  if (code !== undefined) return { type: "codes", codes: code } as Selection;
  if (retryable === true) return { type: "retryable_failures" };
  return { type: all === true ? "all" : "unfinished" };
}
