/**
 * `rowmill map`: a file in, a table out.
 *
 *   input ─┐
 *          ├─▶ dataset ─▶ job spec ─▶ run found? ─ no ─▶ first rows ─▶ price ─▶ run ─▶ followed ─▶ file
 *   service┘                               └─ yes ─▶ went on ─────────────────────▲
 *
 * Everything that is made has a key that follows from its content (`identity.ts`), so the same command, started again after a kill at
 * any point, walks the same way and finds what is there.
 */
import type { Dataset, Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import { clientOf, findTarget } from "../frame/client.ts";
import type { Target } from "../frame/client.ts";
import type { Cli } from "../frame/command.ts";
import { count, plural } from "../frame/numbers.ts";
import { Interrupted, usageProblem } from "../frame/problem.ts";
import { capitalized } from "../frame/sentence.ts";
import type { LocalService } from "../local/join.ts";
import { placeModel, textOrFile } from "./connection.ts";
import type { Connected, ModelPlace } from "./connection.ts";
import { agreeToFailures, agreeToPrice, agreeToReplace } from "./consent.ts";
import { defineJob, readSources } from "./definition.ts";
import type { MapSources } from "./definition.ts";
import { parseDestination, requireOtherFile, sha256OfFile } from "./destination.ts";
import type { Destination } from "./destination.ts";
import { pausedProblem, reportEnd, writeFile } from "./finish.ts";
import type { WrittenFile } from "./finish.ts";
import { followRun } from "./follow.ts";
import type { Followed } from "./follow.ts";
import { keyOf } from "./identity.ts";
import { refuseRetryOfNothing } from "./retry-of-nothing.ts";
import { startOwnService } from "./own-service.ts";
import { describeAssumption, describePriceList } from "./list-prices.ts";
import { checkInput, openInput } from "./input.ts";
import type { InputFile } from "./input.ts";
import { maxCostOf } from "./max-cost.ts";
import { recall, remember } from "./memory.ts";
import type { MapOptions } from "./map-options.ts";
import { PRICE_BY_OPTION, PRICE_OF_CONNECTION, priceOf } from "./price.ts";
import { readInput } from "./read-input.ts";
import { withConnectionsOf } from "./named-connections.ts";
import { highestRowPrice } from "./row-price.ts";
import { rowsIn, scopeOf } from "./scope.ts";
import { writeRowsAsTheyFinish } from "./rows-out.ts";
import { continueRun, createRun, ensureJobSpec, findRun, retryRun } from "./things.ts";
import type { RunPlan, Scope } from "./things.ts";
import { TRIAL_ROWS, describeTrial, refuseConfiguration, showPrompts, tryRows, withinMaxCost } from "./trial.ts";
import { nextCommands } from "./shell-command.ts";
import type { NextCommands } from "./shell-command.ts";

export async function mapFile(cli: Cli, file: string, given: MapOptions): Promise<void> {
  const options = { ...given, ...(given.prompt === undefined ? {} : { prompt: textOrFile(given.prompt) }) };
  const sources = readSources(options);
  const destination = parseDestination(options.output);
  if (destination.type === "stdout" && cli.output.mode !== "text")
    throw usageProblem("--json and NDJSON rows cannot share stdout.", "Name a file with -o.");
  const scope = scopeOf(options);
  const target = await findTarget(cli);
  const place = sources.kind === "llm" ? placeModel(cli, options, target === undefined) : undefined;

  checkInput(file);
  requireOtherFile(file, destination);
  const commands = nextCommands(file, given);
  const typed = { cli, place, options, sources, destination, scope, ...commands };
  const wanted: Wanted = { ...typed, startedAt: Date.now(), isRetryAhead: options.retry === true };

  const own = target === undefined ? startOwnService(cli, options.keep === true) : undefined;
  let input: InputFile | undefined;
  try {
    input = await openInput(cli, file);
    for (;;) {
      const service = target ?? (await own?.join());
      if (service === undefined) throw new Error("there is no service");
      try {
        return await mapOn(service, input, wanted);
      } catch (error) {
        const why = (await own?.why(error)) ?? error;
        // Rows that were printed would be printed twice.
        if (wanted.arePrinted === true || own?.mayJoinAgain(why) !== true) throw why;
        cli.output.note(`${(why as Error).message} It is started again.`); // `mayJoinAgain` accepts errors only
      }
    }
  } catch (error) {
    // Before the run has begun and after it has ended; in between, following it says more. Ctrl-C at a question is no signal.
    const isLeft = error instanceof Interrupted ? error.comeBack === undefined : cli.signal.aborted;
    if (!isLeft) throw error;
    const command = wanted.isRetryAhead ? `${commands.command} --retry` : commands.command;
    cli.output.note(`\nStopped. What is done is kept; come back with:\n  ${command}`);
    throw new Interrupted(command);
  } finally {
    input?.close();
    own?.leave();
  }
}

/** What was typed. */
interface Wanted extends NextCommands {
  cli: Cli;
  place: ModelPlace | undefined;
  options: MapOptions;
  sources: MapSources;
  destination: Destination;
  scope: Scope;
  startedAt: number;
  /** Rows are on stdout. */
  arePrinted?: true;
  /** Rows that failed are to be processed again, and no run of them is made yet: the command that comes back has to say that, too. */
  isRetryAhead: boolean;
  /** What the first rows have cost, in US dollars. */
  triedUsd?: number;
  /** Its run was begun by an earlier command. */
  isContinued?: boolean;
}

async function mapOn(service: Target | LocalService, input: InputFile, wanted: Wanted): Promise<void> {
  const { cli, place, options, sources, scope } = wanted;
  const local = "gone" in service ? service : undefined;
  const rowmill = await clientOf(service, cli.output);
  const dataset = await readInput(cli, rowmill, input, options);
  const connected = await place?.connect(rowmill);
  const llm =
    place === undefined || connected === undefined
      ? undefined
      : { connectionId: connected.connectionId, model: place.model };
  const columns = dataset.columns.map(({ name }) => name);
  const defined = defineJob(options, sources, columns, llm);
  const definition = sources.kind === "llm" ? defined : await withConnectionsOf(cli, rowmill, defined);
  const name = input.name;
  const jobSpecId = await ensureJobSpec(cli, rowmill, name, definition);
  const settings = { maxCostUsd: options.maxCost, concurrency: options.concurrency };
  await processRows({
    ...wanted,
    rowmill,
    priceList: connected?.priceList ?? null,
    isPriceAssumed: connected?.isPriceAssumed === true,
    dataset,
    plan: { datasetId: dataset.id, jobSpecId, scope, name, settings },
    input,
    gone: local?.gone ?? new Promise<never>(() => undefined),
    endsWithCommands: local !== undefined && !local.isKept && options.keep !== true,
    identity: { file: input.sha256, spec: keyOf("definition", definition), scope: keyOf("scope", scope) },
    onRun: () => (wanted.isRetryAhead = false),
    onPrinted: () => (wanted.arePrinted = true),
  });
}

interface Job extends Wanted {
  rowmill: Rowmill;
  priceList: Connected["priceList"];
  isPriceAssumed: boolean;
  dataset: Dataset;
  plan: RunPlan;
  input: InputFile;
  gone: Promise<never>;
  endsWithCommands: boolean;
  identity: { file: string; spec: string; scope: string };
  onRun: () => void;
  onPrinted: () => void;
}

async function processRows(job: Job): Promise<void> {
  const { cli, rowmill, options, destination, plan } = job;
  let run = await findRun(cli, rowmill, plan);
  if (run === undefined && options.retry === true) await refuseRetryOfNothing(job);
  if (destination.type === "file") {
    const finished = await checkOutput(job, destination, run);
    if (finished !== undefined && run !== undefined) return report(job, run, finished);
  }
  job.isContinued = run !== undefined;
  const isUnfinished = run === undefined || !isTerminal(run) || (options.retry === true && run.state !== "succeeded");
  if (isUnfinished) await job.place?.requireServer();
  if (run === undefined) {
    await agreeOnNewRun(job);
    run = await createRun(cli, rowmill, await withinMaxCost(cli, rowmill, plan));
  } else if (isTerminal(run)) {
    const left = run.rows.failed + run.rows.canceled + run.rows.skipped;
    if (options.retry === true && left > 0) {
      await agreeOnRetry(job, run);
      run = await retryRun(cli, rowmill, run, plan.settings);
      cli.output.note(`Retrying ${plural(left, "row")} in ${run.id}.`);
    }
  } else {
    const done = run.rows.total - run.rows.pending - run.rows.running;
    cli.output.note(`Going on with ${run.id}: ${count(done)} of ${plural(run.rows.total, "row")} are done.`);
    const { settings } = run.parentRunId === null ? await withinMaxCost(cli, rowmill, plan, run) : plan;
    run = await continueRun(cli, rowmill, run, settings);
  }
  job.onRun();
  cli.output.event("run", { runId: run.id, datasetId: run.datasetId, jobSpecId: run.jobSpecId, state: run.state });
  noteRun(job, run.id, null);
  await followToEnd(job, run);
}

/** The file that is there already: ours and whole, or somebody else's, or that of another file or spec. */
async function checkOutput(
  { cli, options, identity, plan, dataset }: Job,
  { path }: Extract<Destination, { type: "file" }>,
  run: Run | undefined,
): Promise<WrittenFile | undefined> {
  const known = recall(cli.terminal.environment, path);
  const sha256 = await sha256OfFile(path);
  const isOurs = sha256 !== undefined && known?.outputSha256 === sha256;
  const changes = known === undefined ? [] : changesOf(known, identity);
  const isSame = known !== undefined && changes.length === 0;
  // A retry writes the same table again, more complete.
  const mayRetry = options.retry === true && run !== undefined && run.state !== "succeeded";
  if (isSame && isOurs && run !== undefined && isTerminal(run)) {
    if (mayRetry) return undefined;
    cli.output.note("The same file and spec were processed before; nothing was to do.");
    return { path, rowCount: rowsIn(plan.scope, dataset), sizeBytes: null, sha256 };
  }
  if (isSame && isOurs) return undefined;
  const changed =
    changes.length === 0
      ? ""
      : ` ${capitalized(changes.join(" and "))} changed since ${known?.runId ?? "the last run"}.`;
  if (sha256 !== undefined) await agreeToReplace(cli, options, path, changed);
  else if (changed !== "" && known?.outputSha256 === null && run === undefined)
    cli.output.note(`${changed.trim()} That run is left as it is; this one starts at the first row.`);
  return undefined;
}

function changesOf(known: { file: string; spec: string; scope: string }, now: Job["identity"]): string[] {
  return [
    ...(known.file === now.file ? [] : ["the content of the input"]),
    ...(known.spec === now.spec ? [] : ["what happens to a row"]),
    ...(known.scope === now.scope ? [] : ["the choice of rows"]),
  ];
}

/** Requests that change something elsewhere are not made for a look. */
function isTried({ cli, options, sources }: Job): boolean {
  if (!options.trial || options.yes === true || cli.output.mode !== "text" || !cli.terminal.isInteractive) return false;
  return sources.kind !== "mock" && sources.kind !== "http";
}

async function agreeOnNewRun(job: Job): Promise<void> {
  const { cli, rowmill, options, sources, dataset, plan } = job;
  if (sources.kind === "mock" || (sources.kind === "transform" && !cli.terminal.isInteractive)) return;
  const { datasetId, jobSpecId, scope } = plan;
  const estimate = await rowmill.runs.estimate({ datasetId, jobSpecId, scope }, { signal: cli.signal });
  const tried = isTried(job) ? await tryRows(cli, rowmill, plan, { ...job, kind: sources.kind }) : [];
  job.triedUsd = tried.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  if (tried.length > 0) {
    cli.output.note(`The first ${plural(tried.length, "row")} of ${count(dataset.rowCount)}:\n`);
    cli.output.note(`${describeTrial(cli, tried)}\n`);
    if (options.verbose === true) await showPrompts(cli, rowmill, plan, tried);
    refuseConfiguration(tried);
    if (tried.every(({ failure }) => failure !== undefined)) await agreeToFailures(cli);
  }
  if (sources.kind === "transform") return;
  if (job.priceList !== null) cli.output.note(describePriceList(job.priceList));
  if (job.isPriceAssumed) cli.output.note(describeAssumption(options.model));
  const left = Math.max(0, estimate.rows - (tried.length === 0 ? 0 : TRIAL_ROWS));
  const price = priceOf(left, tried, estimate, options.concurrency);
  const { settings } = await withinMaxCost(cli, rowmill, plan);
  await agreeToPrice(cli, { ...options, ...maxCostOf(settings) }, price, tried.length > 0, howToPrice(job));
}

async function agreeOnRetry(job: Job, run: Run): Promise<void> {
  const { cli, rowmill, options, sources } = job;
  if (sources.kind === "mock" || sources.kind === "transform") return;
  const estimate = await rowmill.runs.estimateRetry(
    run.id,
    { selection: { type: "unfinished" } },
    { signal: cli.signal },
  );
  await agreeToPrice(cli, options, priceOf(estimate.rows, [], estimate, options.concurrency), false, howToPrice(job));
}

async function followToEnd(job: Job, run: Run): Promise<void> {
  const { cli, rowmill, destination, gone, command, onPrinted } = job;
  if (destination.type === "stdout") onPrinted();
  const stopped = new AbortController();
  // Rows come while the run goes on; where it pauses or is left, so are they. After its end Ctrl-C is no longer taken over.
  const whileWanted = AbortSignal.any([stopped.signal, cli.signal]);
  const writing =
    destination.type === "stdout" ? writeRowsAsTheyFinish(cli, rowmill, run, whileWanted) : Promise.resolve(0);
  writing.catch(() => undefined); // awaited below, unless the run did not end
  let followed: Followed;
  try {
    followed = await Promise.race([
      followRun(cli, rowmill, run, gone, (left) => sayLeft(job, left)),
      rejectionOf(writing),
    ]);
  } catch (error) {
    stopped.abort();
    throw error;
  }
  if (followed.outcome !== "ended") stopped.abort();
  if (followed.outcome === "detached") throw new Interrupted(command);
  if (followed.outcome === "paused")
    throw pausedProblem(followed.run, followed.failures, {
      moreMoney: `${command} --max-cost AMOUNT`,
      again: "Repeat the command: it goes on where it was.",
      rowUsd: await highestRowPrice(rowmill, followed.run, cli.signal),
    });
  await writing;
  const file = destination.type === "file" ? await writeFile(cli, rowmill, followed.run, destination) : undefined;
  if (file !== undefined) noteRun(job, followed.run.id, file.sha256);
  await report(job, followed.run, file);
}

/** Never resolves. */
const rejectionOf = (work: Promise<unknown>): Promise<never> =>
  new Promise((_, reject) => {
    work.catch(reject);
  });

/** A job spec of a file names its connection. */
const howToPrice = ({ options, sources }: Job): string =>
  sources.kind === "spec" || options.connection !== undefined ? PRICE_OF_CONNECTION : PRICE_BY_OPTION;

async function report(job: Job, run: Run, file: WrittenFile | undefined): Promise<void> {
  const { cli, rowmill, command, correctedCommand, wholeCommand, startedAt, destination, triedUsd } = job;
  const failures = run.rows.failed === 0 ? [] : (await rowmill.runs.failureGroups(run.id)).data;
  // The file that was written now is in the way of the next one.
  const replacing = (typed: string): string => (file === undefined ? typed : `${typed} --force`);
  const isWhole = rowsIn(job.plan.scope, job.dataset) === job.dataset.rowCount;
  const isKnown = run.usage.costUsd !== null && !(job.isPriceAssumed && Number(run.usage.costUsd) === 0);
  reportEnd(cli, {
    run,
    costUsd: isKnown ? Number(run.usage.costUsd) : undefined,
    howToPrice: howToPrice(job),
    triedUsd: triedUsd ?? 0,
    failures,
    file,
    retryCommand: `${command} --retry`,
    correctedCommand: correctedCommand === undefined ? undefined : replacing(correctedCommand),
    changedCommand: replacing(command),
    nextCommand: wholeCommand === undefined || isWhole ? `rowmill results ${run.id}` : replacing(wholeCommand),
    seconds: (Date.now() - startedAt) / 1000,
    mayMissCalls: job.isContinued === true,
    areRowsPrinted: destination.type === "stdout",
  });
}

function sayLeft({ cli, endsWithCommands, command }: Job, run: Run): void {
  const goesOn = endsWithCommands ? "It goes on when a local service runs again" : "It goes on without you";
  cli.output.note(`\nLeft ${run.id}. ${goesOn}; come back with:\n  ${command}`);
}

function noteRun({ cli, destination, identity }: Job, runId: string, outputSha256: string | null): void {
  if (destination.type !== "file") return;
  const { environment } = cli.terminal;
  const before = recall(environment, destination.path);
  const kept = before !== undefined && changesOf(before, identity).length === 0 ? before.outputSha256 : null;
  remember(environment, destination.path, { ...identity, runId, outputSha256: outputSha256 ?? kept });
}
