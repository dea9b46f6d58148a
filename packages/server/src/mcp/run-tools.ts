/** Tools about job specs and runs: what happens to a row, its price, the run, its failures. */
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import { ScopeSchema, SelectionSchema } from "@rowmill/contract/run-rows";
import { MAX_WAIT_SECONDS } from "@rowmill/contract/wait";
import { Enum } from "@rowmill/contract/schemas";
import { Type } from "typebox";
import { randomUUID } from "node:crypto";
import { errorOf, resultOf } from "./tool-results.ts";
import { describeRun } from "./run-results.ts";
import { beginTask } from "./tasks.ts";
import { tool } from "./tool.ts";
import { plural } from "../platform/plural.ts";
import { present } from "../platform/present.ts";

/** Causes and rows of one look. */
const MAX_GROUPS = 20;
/** Rows that are tried at once unless more are asked for. */
const TRIED_ROWS = 3;
const MAX_TRIED_ROWS = 10;

const requestKey = Type.String({
  description: "A new text for each run that is meant; the same text repeats a lost call and starts nothing more.",
});
const maxCostUsd = Type.String({
  description: 'Budget in US dollars, such as "0.50". The run pauses when it is used up. Ask the user if unsure.',
});
const named = Type.Optional(Type.String());

const writeSpec = tool({
  name: "write_spec",
  title: "Write a job spec",
  description:
    "Says what happens to a row; with jobSpecId a new version. Processors: " +
    '{"type":"transform","code":"export default (row) => ({…})"}; ' +
    '{"type":"llm","connection":"conn_… (find it)","model":"…","messages":[{"role":"user","content":"… {{row.column}}"}],"outputSchema":{…}}; ' +
    '{"type":"http","method":"GET","url":"https://…/{{row.id}}"}; {"type":"mock"}. Errors name what is wrong.',
  effect: "writes",
  input: {
    name: Type.String(),
    processor: Type.Object({}),
    outputSchema: Type.Optional(Type.Object({}, { description: "JSON Schema of an output; of llm within processor." })),
    jobSpecId: named,
    requestKey: Type.Optional(Type.String({ description: "Repeat it to repeat a lost call." })),
  },
  async run({ call }, { name, processor, outputSchema, jobSpecId, requestKey: key }) {
    const definition = { processor, ...present({ outputSchema }) };
    const idempotencyKey = key ?? randomUUID();
    if (jobSpecId !== undefined) {
      const params = { jobSpecId };
      const made = await call("createJobSpecVersion", { params, body: definition, idempotencyKey });
      return resultOf(`Version ${made.version} of ${jobSpecId} is made. Try it before a run.`, made.warnings);
    }
    const made = await call("createJobSpec", { body: { name, ...definition }, idempotencyKey });
    return resultOf(`Job spec ${made.id} is made. Try it before a run.`, made.warnings);
  },
});

const trySpec = tool({
  name: "try_spec",
  title: "Try a job spec",
  description: "Processes a few rows of a dataset, or rows that you give, without a run. Model calls cost money.",
  effect: "writes",
  input: {
    jobSpecId: Type.String(),
    datasetId: Type.Optional(Type.String({ description: "Its first rows; either this or rows." })),
    count: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_TRIED_ROWS })),
    rows: Type.Optional(Type.Array(Type.Object({}))),
  },
  async run({ call }, { jobSpecId, datasetId, count = TRIED_ROWS, rows }) {
    if ((rows === undefined) === (datasetId === undefined)) return errorOf("Give either datasetId or rows.");
    if ((rows?.length ?? count) > MAX_TRIED_ROWS) return errorOf(`Try ${MAX_TRIED_ROWS} rows at most.`);
    const body = rows === undefined ? { datasetId, count } : { rows };
    const tried = await call("testJobSpec", { params: { jobSpecId }, body });
    const { outputs, failures } = tried;
    return resultOf(`${plural(outputs.length, "row")} succeeded, ${failures.length} failed. Outputs and failures:`, [
      ...outputs.map(({ index, data }) => ({ index, output: data })),
      ...failures.map(({ index, code, message }) => ({ index, code, message })),
    ]);
  },
});

const estimateRun = tool({
  name: "estimate_run",
  title: "Estimate a run",
  description: "Rows, cost and time of a run, as ranges. Nothing is started or paid.",
  effect: "reads",
  input: { datasetId: Type.String(), jobSpecId: Type.String(), scope: Type.Optional(ScopeSchema) },
  async run({ call }, { datasetId, jobSpecId, scope = { type: "all" } }) {
    const body = { datasetId, jobSpecId, scope, dryRun: true };
    const { rows, estimate, problems } = (await call("createRun", {
      body,
      idempotencyKey: randomUUID(),
    })) as unknown as RunEstimate; // a dry run returns no run
    const { cachedSampledRows: cached, costUsd, durationSeconds, sampledRows, unpricedModels } = estimate;
    const known = cached === undefined || cached === 0 ? "" : ` (the cache has ${cached} of ${sampledRows} looked up)`;
    const cost = costUsd === null ? "at a price that is not known" : `$${costUsd.low} to $${costUsd.high}`;
    const time =
      durationSeconds === null ? "" : `, ${durationSeconds.low} to ${plural(durationSeconds.high, "second")}`;
    return resultOf(`${plural(rows, "row")}${known}, ${cost}${time}.`, [
      ...problems,
      ...(unpricedModels.length === 0 ? [] : [{ unpricedModels }]),
    ]);
  },
});

const startRun = tool({
  name: "start_run",
  title: "Start a run",
  description:
    "Processes the rows of a dataset by a job spec, durably, within a budget. All rows unless scope says which.",
  effect: "writes",
  input: {
    datasetId: Type.String(),
    jobSpecId: Type.String(),
    maxCostUsd,
    requestKey,
    scope: Type.Optional(Type.Object({}, { description: "As of estimate_run." })),
    name: named,
  },
  async run(
    { call, isTaskKnown },
    { requestKey: idempotencyKey, maxCostUsd: limit, scope = { type: "all" }, ...rest },
  ) {
    const body = { ...rest, scope, budget: budgetOf(limit) };
    return beginTask(call, isTaskKnown, await call("createRun", { body, idempotencyKey }));
  },
});

const waitForRun = tool({
  name: "wait_for_run",
  title: "Wait for a run",
  description: `State and counts of a run, when it has ended or paused, or after up to ${MAX_WAIT_SECONDS} seconds. Call it again until it has ended or is paused.`,
  effect: "reads",
  input: {
    runId: Type.String(),
    seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS })),
  },
  async run({ call }, { runId, seconds = MAX_WAIT_SECONDS }) {
    const waitSeconds = seconds === 0 ? undefined : seconds;
    return describeRun(await call("getRun", { params: { runId }, query: { waitSeconds } }));
  },
});

const inspectFailures = tool({
  name: "inspect_failures",
  title: "Inspect failures",
  description: "Why rows of a run failed, by cause, the most frequent first, each with a sample.",
  effect: "reads",
  input: { runId: Type.String() },
  async run({ call }, { runId }) {
    const { data } = await call("listFailureGroups", { params: { runId }, query: { limit: MAX_GROUPS } });
    const shown = data.map(({ code, count, retryable, path, sample }) => ({
      code,
      count,
      retryable,
      path,
      sampleIndex: sample.index,
      sampleMessage: sample.message,
    }));
    return resultOf(data.length === 0 ? "No row has failed." : `${plural(data.length, "cause")}:`, shown);
  },
});

const retryRun = tool({
  name: "retry_run",
  title: "Retry a run",
  description: "A new run over rows of an ended one: those that are unfinished, unless selection says which.",
  effect: "writes",
  input: {
    runId: Type.String(),
    maxCostUsd,
    requestKey,
    selection: Type.Optional(SelectionSchema),
    jobSpecVersion: Type.Optional(Type.Integer({ description: "Another version, such as a corrected one." })),
  },
  async run({ call, isTaskKnown }, { runId, requestKey: idempotencyKey, maxCostUsd: limit, ...rest }) {
    const body = { ...rest, budget: budgetOf(limit) };
    return beginTask(call, isTaskKnown, await call("retryRun", { params: { runId }, body, idempotencyKey }));
  },
});

const actions = { pause: "pauseRun", resume: "resumeRun", cancel: "cancelRun" } as const;

const controlRun = tool({
  name: "control_run",
  title: "Pause, resume or cancel a run",
  description: "Finished rows are kept. cancel cannot be undone; maxCostUsd with resume raises the budget first.",
  effect: "destroys",
  input: {
    runId: Type.String(),
    action: Enum(Object.keys(actions) as (keyof typeof actions)[]),
    maxCostUsd: Type.Optional(Type.String()),
  },
  async run({ call }, { runId, action, maxCostUsd: limit }) {
    const params = { runId };
    if (limit !== undefined) {
      if (action !== "resume") return errorOf("maxCostUsd goes with resume only.");
      await call("updateRun", { params, body: { budget: budgetOf(limit) } });
    }
    return describeRun(await call(actions[action], { params }));
  },
});

const budgetOf = (maxCost: string) => ({ maxCostUsd: maxCost, onExceeded: "pause" });

export const runTools = [writeSpec, trySpec, estimateRun, startRun, waitForRun, inspectFailures, retryRun, controlRun];
