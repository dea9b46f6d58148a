/**
 * The first rows, before the rest is paid for. Model calls are made by a run whose outputs the cache keeps, so that the run over
 * everything does not pay for them again; what costs nothing is tried without a run.
 */
import type { JobSpecTestResult, Rowmill, Run } from "@rowmill/client";
import { isTerminal } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { duration, plural, usd } from "../frame/numbers.ts";
import { statusLine } from "../frame/status-line.ts";
import { formatTable } from "../frame/table.ts";
import { configurationAdvice } from "./cures.ts";
import type { Kind } from "./definition.ts";
import { pausedProblem } from "./finish.ts";
import type { WaysOn } from "./finish.ts";
import { finished } from "./progress.ts";
import { Problem } from "../frame/problem.ts";
import { keyOf } from "./identity.ts";
import { leftOfMaxCost } from "./max-cost.ts";
import { promptsOf, renderPrompt } from "./render-prompt.ts";
import type { TriedRow } from "./price.ts";
import { budgetOf, changeRun, continueRun, cutName, keysOf, makeRun } from "./things.ts";
import type { RunPlan } from "./things.ts";

export const TRIAL_ROWS = 5;
/** Metadata by which the run of the first rows is found again. */
const TRIAL_KEY = "rowmill.map.trial";
/** A model that needs longer for five rows is shown when it is done; the wait is said. */
const TRIAL_LIMIT_SECONDS = 600;

export interface Tried extends TriedRow {
  index: number;
  /** Undefined where the rows are of no dataset. */
  datasetRowId?: string;
  /** Undefined where the row failed. */
  output: unknown;
  failure: { code: string; message: string } | undefined;
  tokens: number | undefined;
  /** It was processed before, and cost nothing now. */
  isCached: boolean;
}

/** Where the price is only assumed, a cost of zero is not known either. */
export async function tryRows(
  cli: Cli,
  rowmill: Rowmill,
  plan: RunPlan,
  { kind, isPriceAssumed, command }: { kind: Kind; isPriceAssumed: boolean; command: string },
): Promise<Tried[]> {
  const isByRun = kind === "llm" || kind === "spec";
  const tried = isByRun ? await byRun(cli, rowmill, plan, command) : await byTest(cli, rowmill, plan);
  return tried
    .map((row) => (isPriceAssumed && row.costUsd === 0 ? { ...row, costUsd: undefined } : row))
    .toSorted((one, other) => one.index - other.index);
}

/** Which rows, and the key of their run. */
function firstRowsOf({ datasetId, jobSpecId, scope: whole }: RunPlan) {
  const count = "count" in whole ? Math.min(TRIAL_ROWS, whole.count) : TRIAL_ROWS;
  const scope = whole.type === "sample" ? { ...whole, count } : { type: "limit" as const, count };
  return { scope, key: keyOf("trial", datasetId, jobSpecId, scope) };
}

async function byRun(cli: Cli, rowmill: Rowmill, plan: RunPlan, command: string): Promise<Tried[]> {
  const { signal } = cli;
  const { id } = await runOfFirstRows(cli, rowmill, plan);
  const run = await waitForTrial(cli, rowmill, id, command);
  const durations = new Map<number, number | undefined>();
  for await (const row of rowmill.runs.rows(run.id, undefined, { signal }))
    durations.set(row.index, row.durationMs ?? undefined);
  const tried: Tried[] = [];
  for await (const { index, datasetRowId, data, usage } of rowmill.runs.outputs(run.id, undefined, { signal }))
    tried.push({
      index,
      datasetRowId,
      output: data,
      failure: undefined,
      ...used(usage),
      durationMs: durations.get(index),
    });
  for await (const { index, datasetRowId, code, message, usage } of rowmill.runs.failures(run.id, undefined, {
    signal,
  }))
    tried.push({
      index,
      datasetRowId,
      output: undefined,
      failure: { code, message },
      ...used(usage),
      durationMs: durations.get(index),
    });
  return tried;
}

/** What --max-cost allows is the budget of the first rows, too, without what they have cost before. */
async function runOfFirstRows(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Run> {
  const { datasetId, jobSpecId } = plan;
  const { scope, key } = firstRowsOf(plan);
  const trials = await findTrials(cli, rowmill, plan);
  const [known] = trials;
  if (known !== undefined && isTerminal(known) && known.rows.succeeded === known.rows.total) return known;
  const inProgress = known === undefined || isTerminal(known) ? undefined : known;
  const { maxCostUsd } = (await within(cli, rowmill, plan, trials.filter(isTerminal), inProgress)).settings;
  if (inProgress !== undefined) return continueRun(cli, rowmill, inProgress, { maxCostUsd, concurrency: undefined });
  const name = cutName(plan.name, ": first rows");
  const body = { datasetId, jobSpecId, scope, name, ...budgetOf(maxCostUsd), metadata: { [TRIAL_KEY]: key } };
  // Rows that failed are tried again: the cause may have been corrected since. Those that succeeded are in the cache.
  return makeRun(cli, rowmill, keysOf("trial", body, known?.id), (options) => rowmill.runs.create(body, options));
}

/** With a line for the person who waits: a model on this machine may need a minute for each row. */
async function waitForTrial(cli: Cli, rowmill: Rowmill, id: string, command: string): Promise<Run> {
  const line = statusLine(cli);
  const startedAt = Date.now();
  const show = (run: Run): void => {
    // Nobody resumes it by this command, which would wait for ever.
    if (run.state === "paused") throw pausedProblem(run, [], waysOn(id, command));
    line.update(() => describeWait(run, (Date.now() - startedAt) / 1000), ["trial", { runId: id, rows: run.rows }]);
  };
  try {
    return await rowmill.runs.waitFor(id, {
      signal: cli.signal,
      pollSeconds: 1,
      timeoutMs: TRIAL_LIMIT_SECONDS * 1000,
      onProgress: show,
    });
  } finally {
    line.stop();
  }
}

const waysOn = (id: string, command: string): WaysOn => ({
  // Were only their run given more, this command would refuse the amount of before.
  moreMoney: `${command} --max-cost AMOUNT`,
  again: `\`rowmill resume ${id}\` goes on with it; repeat the command then.`,
});

const describeWait = (run: Run, seconds: number): string =>
  `${finished(run)} of the first ${plural(run.rows.total, "row")} done (${duration(seconds)} so far)`;

/** Those of the same rows and spec, the newest first. */
async function findTrials(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Run[]> {
  const { datasetId, jobSpecId } = plan;
  const query = { datasetId, jobSpecId, metadata: { [TRIAL_KEY]: firstRowsOf(plan).key } };
  const found: Run[] = [];
  for await (const run of rowmill.runs.list(query, { signal: cli.signal })) found.push(run);
  return found;
}

/** The plan of the run over everything, with what the first rows have left of --max-cost. `run` is this run if it is in progress. */
export async function withinMaxCost(cli: Cli, rowmill: Rowmill, plan: RunPlan, run?: Run): Promise<RunPlan> {
  if (plan.settings.maxCostUsd === undefined) return plan;
  return within(cli, rowmill, plan, await findTrials(cli, rowmill, plan), run);
}

/** Where `trials` have left nothing of --max-cost, `run`, which is in progress, spends no more, and this throws. */
async function within(cli: Cli, rowmill: Rowmill, plan: RunPlan, trials: Run[], run?: Run): Promise<RunPlan> {
  const { maxCostUsd } = plan.settings;
  if (maxCostUsd === undefined) return plan;
  const stop = run === undefined ? undefined : () => spendNoMore(cli, rowmill, run);
  const left = await leftOfMaxCost(maxCostUsd, trials, stop);
  return { ...plan, settings: { ...plan.settings, maxCostUsd: left } };
}

/** It waits then for a larger budget. */
async function spendNoMore(cli: Cli, rowmill: Rowmill, run: Run): Promise<string> {
  await changeRun(cli, rowmill, run, { maxCostUsd: "0", concurrency: undefined });
  return `${run.id} makes no further call.`;
}

async function byTest(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Tried[]> {
  const { datasetId, jobSpecId } = plan;
  return triedRowsOf(await rowmill.jobSpecs.test(jobSpecId, { datasetId, count: TRIAL_ROWS }, { signal: cli.signal }));
}

/** In the order of the rows. */
export function triedRowsOf({ outputs, failures }: JobSpecTestResult): Tried[] {
  const succeeded = outputs.map(({ index, data, usage, durationMs }) => ({
    index,
    output: data,
    failure: undefined,
    ...used(usage),
    durationMs,
  }));
  const failed = failures.map(({ index, code, message, usage, durationMs }) => ({
    index,
    output: undefined,
    failure: { code, message },
    ...used(usage),
    durationMs,
  }));
  return [...succeeded, ...failed].toSorted((one, other) => one.index - other.index);
}

interface Usage {
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: string;
  cached?: true;
}

function used(usage: Usage | null): Pick<Tried, "tokens" | "costUsd" | "isCached"> {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  // What was in the cache says nothing of what the others cost.
  const isCached = usage?.cached === true;
  const costUsd = usage?.costUsd === undefined || isCached ? undefined : Number(usage.costUsd);
  return { tokens: tokens === 0 ? undefined : tokens, costUsd, isCached };
}

/** The prompts of the rows that were tried, as the model got them. */
export async function showPrompts(cli: Cli, rowmill: Rowmill, plan: RunPlan, tried: readonly Tried[]): Promise<void> {
  const { processor } = await rowmill.jobSpecs.get(plan.jobSpecId, { signal: cli.signal });
  const prompts = promptsOf(processor);
  for (const { index, datasetRowId } of tried) {
    if (datasetRowId === undefined || prompts.length === 0) continue;
    const { data } = await rowmill.datasets.row(plan.datasetId, datasetRowId, { signal: cli.signal });
    for (const { role, template } of prompts)
      cli.output.note(
        `${cli.terminal.style("stderr", "dim", `row ${index + 1}, ${role}:`)} ${renderPrompt(template, data)}`,
      );
  }
  cli.output.note("");
}

/** Every row would fail as those that were tried. */
export function refuseConfiguration(tried: readonly Tried[]): void {
  const [first] = tried;
  const code = first?.failure?.code;
  const advice = configurationAdvice(code ?? "");
  if (advice === undefined || !tried.every(({ failure }) => failure?.code === code)) return;
  throw new Problem(`Every row would fail: ${first?.failure?.message ?? ""} (${code})`, advice, {
    exit: "run_not_finished",
    code: code ?? "configuration",
  });
}

/** As a table: the row, its output or failure, tokens and cost. */
export function describeTrial(cli: Cli, tried: readonly Tried[]): string {
  const fields = [...new Set(tried.flatMap(({ output }) => (isObject(output) ? Object.keys(output) : [])))];
  const outputs = fields.length === 0 ? ["output"] : fields;
  const isPaid = tried.some(({ tokens, isCached }) => tokens !== undefined || isCached);
  const hasFailure = tried.some(({ failure }) => failure !== undefined);
  const header = ["row", ...outputs, ...(hasFailure ? ["failure"] : []), ...(isPaid ? ["tokens", "cost"] : [])];
  const rows = tried.map(({ index, output, failure, tokens, costUsd, isCached }) => [
    String(index + 1),
    ...outputs.map((field) => cellOf(isObject(output) ? output[field] : output)),
    ...(hasFailure ? [failure === undefined ? "" : `${failure.code}: ${failure.message}`] : []),
    ...(isPaid ? [tokens === undefined ? "" : String(tokens), costCell(costUsd, isCached)] : []),
  ]);
  return formatTable(header, rows, cli.terminal.columns);
}

const costCell = (costUsd: number | undefined, isCached: boolean): string =>
  isCached ? "cached" : costUsd === undefined ? "?" : usd(costUsd);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const cellOf = (value: unknown): string =>
  value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value);
