import { Command, Option } from "@commander-js/extra-typings";
import type { Body, JobSpecTestResult } from "@rowmill/client";
import { withNamedConnections } from "../apply/connection-names.ts";
import { integer, readJsonObject } from "../frame/arguments.ts";
import type { Cli, CommandFile } from "../frame/command.ts";
import { diffLines } from "../frame/diff.ts";
import { parseExactly } from "../frame/exact-json.ts";
import { findId } from "../frame/find.ts";
import { ago, describeThing, pageSize, printList } from "../frame/lists.ts";
import { usd } from "../frame/numbers.ts";
import { usageProblem } from "../frame/problem.ts";
import { MAP_KEY } from "../map/things.ts";
import { describeTrial, triedRowsOf } from "../map/trial.ts";
import { shownOption } from "../runs/run-options.ts";
import { readRows } from "../runs/read-rows.ts";

const SPEC = "id, beginning of it, name, or @last";

export const specs: CommandFile = {
  examples: [
    ["rowmill specs", "the newest job specs"],
    ["rowmill specs show Industries", "what one does to a row; --json prints a body for `specs new`"],
    ["rowmill specs new spec.json --name Industries", "a job spec of a file; what it contains is validated"],
    ["rowmill specs new spec.json --to Industries", "a new version of one that exists"],
    ["rowmill specs new --from Trial --to Industries", "a new version, as another job spec is now"],
    ["rowmill specs test Industries --dataset customers.csv --count 5", "try it on a few rows, without a run"],
    ["rowmill specs diff Industries 1 2", "what changed between two versions"],
  ],
  create: (cli) =>
    new Command("specs")
      .description("List, make, try and compare job specs: what happens to a row.")
      .addOption(shownOption())
      .action(({ limit }) => listSpecs(cli, limit))
      .addCommand(
        new Command("show")
          .description("Show a job spec.")
          .argument("<spec>", SPEC)
          .addOption(new Option("--version <number>", "the newest, if absent").argParser(integer(1)))
          .action((spec, { version }) => showSpec(cli, spec, version)),
      )
      .addCommand(
        new Command("new")
          .description("Make a job spec, or a new version of one.")
          .argument("[file]", "its body as JSON; - for stdin")
          .option("--from <spec>", "the body of this job spec, in place of a file")
          .option("--name <text>", "its name; that in the body, if absent")
          .option("--to <spec>", "a new version of this job spec")
          .action((file, options) => newSpec(cli, file, options)),
      )
      .addCommand(
        new Command("test")
          .description("Try a job spec on a few rows at once, without a run. Calls are made and paid.")
          .argument("<spec>", SPEC)
          .option("--dataset <dataset>", "the first rows of this dataset")
          .option("--rows <file>", "rows of a file with JSON lines; - for stdin")
          .addOption(new Option("--count <count>", "how many, up to 20").argParser(integer(1)).default(5))
          .action((spec, options) => testSpec(cli, spec, options)),
      )
      .addCommand(
        new Command("diff")
          .description("Show what changed between two versions of a job spec.")
          .argument("<spec>", SPEC)
          .argument("[from]", "version; the one before the newest, if absent", integer(1))
          .argument("[to]", "version; the newest, if absent", integer(1))
          .action((spec, from, to) => diffSpec(cli, spec, from, to)),
      )
      .addCommand(
        new Command("archive")
          .description("Archive a job spec: no new runs, and those that use it go on.")
          .argument("<spec>", SPEC)
          .action((spec) => archiveSpec(cli, spec)),
      ),
};

async function listSpecs(cli: Cli, limit: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  await printList(cli, rowmill.jobSpecs.list({ limit: pageSize(limit) }, { signal: cli.signal }), {
    limit,
    empty: "There are no job specs yet: `rowmill specs new FILE` makes one.",
    columns: [
      ["job spec", ({ id }) => id],
      ["version", ({ latestVersion }) => latestVersion],
      ["does", ({ processor }) => doesWhat(processor)],
      ["changed", ({ updatedAt }) => ago(updatedAt)],
      ["name", ({ name }) => name],
    ],
  });
}

function doesWhat(processor: { type?: unknown; model?: unknown }): string {
  const { type, model } = processor;
  return typeof model === "string" ? model : String(type);
}

async function showSpec(cli: Cli, typed: string, version: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "spec", typed);
  const options = { signal: cli.signal, parseJson: parseExactly };
  const spec =
    version === undefined
      ? await rowmill.jobSpecs.get(id, options)
      : await rowmill.jobSpecs.versions.get(id, version, options);
  cli.output.result(spec, () => {
    const { processor, outputSchema, inputSchema, warnings = [], metadata: _, ...members } = { metadata: {}, ...spec };
    const definition = JSON.stringify({ processor, inputSchema, outputSchema }, null, 2);
    const said = warnings.map(({ message }) => `warning  ${message}`);
    return [describeThing(cli, members), ...said, "", definition].join("\n");
  });
}

/** What the service adds to a job spec and to a version of one. `specs show --json` prints it, and no body may have it. */
const ADDED_BY_THE_SERVICE = new Set([
  "id",
  "jobSpecId",
  "version",
  "latestVersion",
  "warnings",
  "archivedAt",
  "createdAt",
  "updatedAt",
]);

/** The body of what `specs show --json` prints, in which null stands for what is absent. */
function bodyOf(shown: Record<string, unknown>): Record<string, unknown> {
  const body = Object.fromEntries(
    Object.entries(shown).filter(([member, value]) => value !== null && !ADDED_BY_THE_SERVICE.has(member)),
  );
  const { metadata } = body;
  if (typeof metadata !== "object" || metadata === null || !(MAP_KEY in metadata)) return body;
  // `map` finds its own job specs by it, and would take a copy for the original.
  const { [MAP_KEY]: _, ...own } = metadata as Record<string, unknown>; // an object
  return { ...body, metadata: own };
}

interface NewOptions {
  from?: string;
  name?: string;
  to?: string;
}

async function newSpec(cli: Cli, file: string | undefined, { from, name, to }: NewOptions): Promise<void> {
  if ((file === undefined) === (from === undefined))
    throw usageProblem("A job spec needs one body.", "Name a file, or a job spec with --from.");
  const typed = file === undefined ? undefined : await readJsonObject(cli.terminal, file);
  const rowmill = await cli.client();
  const { signal } = cli;
  const options = { signal, parseJson: parseExactly };
  const shown = typed ?? { ...(await rowmill.jobSpecs.get(await findId(rowmill, "spec", from ?? ""), options)) };
  const read = await withNamedConnections(rowmill, bodyOf(shown));
  if (to !== undefined) {
    const { name: _, description: __, metadata: ___, ...definition } = read;
    const id = await findId(rowmill, "spec", to);
    // The service validates what a file contains.
    const made = await rowmill.jobSpecs.versions.create(id, definition as Body<"createJobSpecVersion">, options);
    return cli.output.result(
      made,
      () => `${id} has version ${made.version} now: \`rowmill specs diff ${id}\` compares.`,
    );
  }
  const body = { ...read, name: name ?? read["name"] };
  if (body.name === undefined)
    throw usageProblem("The job spec has no name.", 'Add --name NAME, or "name" in the file.');
  const made = await rowmill.jobSpecs.create(body as Body<"createJobSpec">, options);
  for (const { message } of made.warnings ?? []) cli.output.note(`Warning: ${message}`);
  cli.output.result(made, () => `${made.id} ${made.name} is made. Next: rowmill specs test ${made.id} --dataset @last`);
}

interface TestOptions {
  dataset?: string;
  rows?: string;
  count: number;
}

async function testSpec(cli: Cli, typed: string, { dataset, rows, count }: TestOptions): Promise<void> {
  if ((dataset === undefined) === (rows === undefined))
    throw usageProblem("A test needs rows.", "Add --dataset NAME or --rows FILE.");
  const given = rows === undefined ? undefined : await readRows(cli.terminal, rows, count);
  const rowmill = await cli.client();
  const id = await findId(rowmill, "spec", typed);
  const body =
    given === undefined ? { datasetId: await findId(rowmill, "dataset", dataset ?? ""), count } : { rows: given };
  const tested = await rowmill.jobSpecs.test(id, body, { signal: cli.signal });
  cli.output.result(tested, () => describeTest(cli, tested));
  if (tested.failures.length > 0) cli.exitWith("rows_failed");
}

function describeTest(cli: Cli, tested: JobSpecTestResult): string {
  const { outputs, failures, totals } = tested;
  const paid = totals.requests === 0 ? "" : `, ${totals.costUsd === null ? "cost unknown" : usd(totals.costUsd)}`;
  return `${describeTrial(cli, triedRowsOf(tested))}\n\n${outputs.length} succeeded, ${failures.length} failed${paid}.`;
}

async function diffSpec(cli: Cli, typed: string, from: number | undefined, to: number | undefined): Promise<void> {
  const rowmill = await cli.client();
  const { signal } = cli;
  const id = await findId(rowmill, "spec", typed);
  const newest = to ?? (await rowmill.jobSpecs.get(id, { signal })).latestVersion;
  const older = from ?? newest - 1;
  if (older < 1) throw usageProblem(`${id} has one version only.`, "`rowmill specs new FILE --to SPEC` makes another.");
  const definition = async (version: number): Promise<object> => {
    const {
      id: _,
      createdAt: __,
      version: ___,
      ...rest
    } = await rowmill.jobSpecs.versions.get(id, version, { signal, parseJson: parseExactly });
    return rest;
  };
  const [before, after] = [await definition(older), await definition(newest)];
  cli.output.result({ id, from: older, to: newest, before, after }, () => {
    const lines = diffLines(JSON.stringify(before, null, 2), JSON.stringify(after, null, 2));
    if (lines.every((line) => line.startsWith(" "))) return `Versions ${older} and ${newest} are the same.`;
    return lines.map((line) => colored(cli, line)).join("\n");
  });
}

function colored(cli: Cli, line: string): string {
  if (line.startsWith("+")) return cli.terminal.style("stdout", "green", line);
  return line.startsWith("-") ? cli.terminal.style("stdout", "red", line) : line;
}

async function archiveSpec(cli: Cli, typed: string): Promise<void> {
  const rowmill = await cli.client();
  const id = await findId(rowmill, "spec", typed);
  await rowmill.jobSpecs.archive(id, { signal: cli.signal });
  cli.output.result({ id, archived: true }, () => `${id} is archived.`);
}
