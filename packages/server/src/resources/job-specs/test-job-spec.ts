/** Tries a job spec on a few rows at once: the same processor, schemas and failures as in a run, and nothing is kept. */
import { JsonText } from "@rowmill/contract/json-text";
import type { Operations } from "@rowmill/contract";
import { failureCodes } from "@rowmill/contract/failures";
import type { FailureCode } from "@rowmill/contract/failures";
import type { ResultOf, Input } from "@rowmill/contract/operation";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { PrepareFunction } from "../../platform/http/handlers.ts";
import { ApiError, parseBodyId, serviceStopping } from "../../platform/http/errors.ts";
import { linesOf } from "../../platform/http/read-body.ts";
import { newUuid } from "../../platform/ids.ts";
import type { LateWrites } from "../../platform/database/late-writes.ts";
import type { Log } from "../../platform/log.ts";
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import type { Processors } from "../../processors/processors.ts";
import type { AttemptClock, InputRow, RowOutcome, RowUsage, RunContext, Step } from "../../processors/processor.ts";
import { MAX_TRACED_CALLS } from "../../processors/trace.ts";
import type { TracedCall } from "../../processors/processor.ts";
import { addUsage } from "../../processors/row-usage.ts";
import { readChunksFrom } from "../datasets/chunk-store.ts";
import { columnNamesOf, findReadyDataset } from "../datasets/datasets.ts";
import { readDefinition } from "./definition.ts";
import type { Definition } from "./definition.ts";
import { findUsableVersion } from "./job-specs.ts";
import { recordTestUsage } from "../usage/usage.ts";
import { checkSingleBraces } from "./template-references.ts";
import { createRowChecks } from "./row-checks.ts";
import type { RowChecks } from "./row-checks.ts";
import { storable, storableText } from "../../platform/text.ts";
import { plural } from "../../platform/plural.ts";
import { present } from "../../platform/present.ts";
import { sharedNow } from "../../platform/shared-time.ts";

const DEFAULT_COUNT = 5;
/** A person waits for the result of a test; a job spec that takes longer is tried by a run. */
const TEST_TIMEOUT_MS = 60_000;
/** Of calls under way when the service stops: they are paid for, and most models respond by then. A stop waits for requests a little longer. */
const STOP_GRACE_MS = 2_000;

export interface TestParts {
  processors: Processors;
  schemas: Schemas;
  log: Log;
  lateWrites: LateWrites;
  /** Aborts when the service stops: a moment later, rows in flight are abandoned, and finished ones are returned. */
  closing: AbortSignal;
}

type TestResult = Exclude<ResultOf<Operations["testJobSpec"]>, JsonText<unknown>>;

/** The calls are made without a transaction; nothing is written with the response. */
export const testJobSpec: PrepareFunction<"testJobSpec", TestParts> = async (db, caller, { params, body }, parts) => {
  const result = await tryRows(db, caller, params.jobSpecId, body, parts);
  return async () => result;
};

async function tryRows(
  db: Queryable,
  caller: OrganizationCaller,
  jobSpecId: string,
  body: Input<Operations["testJobSpec"]>["body"],
  parts: TestParts,
): Promise<JsonText<TestResult>> {
  const { organizationId } = caller;
  if ((body.rows === undefined) === (body.datasetId === undefined))
    throw new ApiError("invalid_request", "Send either `rows` or `datasetId`.", { param: "rows" });
  const version = await findUsableVersion(db, organizationId, jobSpecId, body.jobSpecVersion);
  const definition = readDefinition(version);
  const rows =
    body.rows === undefined
      ? await readFirstRows(db, organizationId, body.datasetId ?? "", body.count ?? DEFAULT_COUNT)
      : textsOf(body.rows).map((text, index) => ({ index, text }));
  checkSingleBraces(definition.processor, await columnsOf(db, organizationId, body));
  const testId = newUuid();
  // Written as each row ends, and not with the response: the calls were made, whatever becomes of the request and of this process.
  const recorded: Promise<void>[] = [];
  const noteUsage = (usage: RowUsage): void => {
    if ((usage.requests ?? 0) === 0) return;
    const used = { uuid: newUuid(), endedAt: sharedNow(), jobSpecId, jobSpecVersion: version.version, usage };
    const about = { organizationId, jobSpecId, usage };
    recorded.push(parts.lateWrites.write(() => recordTestUsage(db, caller, used), about));
  };
  const stop = endAfterGrace(parts.closing);
  try {
    const tryRow = await prepareTrial(
      parts,
      { organizationId, testId, noteUsage, isDetailed: body.details === true },
      definition,
      stop.ending,
    );
    const ended = await Promise.allSettled(rows.map((row) => tryRow(row)));
    await Promise.all(recorded);
    const trials = ended.map((trial) => {
      if (trial.status === "rejected") throw trial.reason;
      return trial.value;
    });
    // Another process can take the test; a response without any row would end it.
    if (trials.length > 0 && trials.every(isLost)) throw serviceStopping("no row of the test has ended");
    return describeTrials(trials);
  } finally {
    stop.forget();
  }
}

/** Aborts a moment after `closing`. */
function endAfterGrace(closing: AbortSignal): { ending: AbortSignal; forget: () => void } {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const begin = (): void => {
    timer = setTimeout(() => ending.abort(), STOP_GRACE_MS);
  };
  if (closing.aborted) begin();
  else closing.addEventListener("abort", begin, { once: true });
  const forget = (): void => {
    clearTimeout(timer);
    closing.removeEventListener("abort", begin);
  };
  return { ending: ending.signal, forget };
}

interface Trial {
  index: number;
  durationMs: number;
  logs: string;
  calls?: TracedCall[];
  outcome: RowOutcome;
}

/**
 * A function that takes one row through the job spec. An error of ours is the row's failure, too; it rejects only where there
 * are too many tests at once. What a row has used is noted then as well.
 */
async function prepareTrial(
  { processors, schemas, log }: TestParts,
  {
    organizationId,
    testId: runId,
    noteUsage,
    isDetailed,
  }: { organizationId: string; testId: string; noteUsage: (usage: RowUsage) => void; isDetailed: boolean },
  definition: Definition,
  closing: AbortSignal,
): Promise<(row: InputRow) => Promise<Trial>> {
  const { processor } = definition;
  // Each test is a run of its own: what is called for it, such as an Idempotency-Key, is not taken for another test's.
  const context: RunContext = { organizationId, runId, rootRunId: runId, retryNumber: 0, isInteractive: true };
  const checks = createRowChecks(schemas, { organizationId, place: "interactive" }, definition);
  const step = await processors.of(processor).prepare(processor, context);
  const timeoutMs = Math.min(TEST_TIMEOUT_MS, (definition.timeoutSeconds ?? Infinity) * 1000);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, closing]);
  // The time spent waiting for a slot counts, too: a person waits here.
  // Also when the service stops: the step then ends the row by an outcome of its own, which says what it has used.
  const clock: AttemptClock = { offTheClock: (wait) => wait(), isTimeUp: () => signal.aborted };
  const startedAt = performance.now();

  /** A step of its own for each row: calls of rows beside each other must not be mixed. */
  const stepFor = async (calls: TracedCall[]): Promise<Step> => {
    if (!isDetailed) return step;
    const noteCall = (call: TracedCall): void => {
      calls.push(call);
      if (calls.length > MAX_TRACED_CALLS) calls.shift();
    };
    return processors.of(processor).prepare(processor, { ...context, noteCall });
  };

  const process: TrialParts["process"] = async (row, calls, noteUsage) => {
    const own: AttemptClock = { ...clock, noteUsage: (_row, usage) => noteUsage(usage) };
    const [outcome] =
      (await processors.of(processor).testRows?.(processor, [row], context, signal)) ??
      (await (await stepFor(calls)).processRows([row], signal, own));
    if (outcome === undefined) throw new Error("a processor gave no outcome for a row");
    return outcome;
  };

  /** What an error means for the row. */
  function failureOf(error: unknown, row: InputRow): RowOutcome {
    if (closing.aborted) return LOST;
    // Too many tests at once.
    if (error instanceof ApiError) throw error;
    if (signal.aborted) return failed("row_timeout", `The row took longer than ${plural(timeoutMs / 1000, "second")}.`);
    log.error({ err: error, organizationId, rowIndex: row.index }, "a processor failed in a test of a job spec");
    return failed("internal_error", "The service failed at this row. Its log says why.");
  }

  const isParsed = step.outputsAreParsed === true;
  return (row) =>
    tryRow({ process, failureOf, checks, noteUsage, isDetailed, isParsed, startedAt, signal, closing }, row);
}

interface TrialParts {
  /** `noteUsage` is called with what the row has used so far, which counts where there is no outcome. */
  process(
    row: InputRow,
    calls: TracedCall[],
    noteUsage: (usage: RowUsage) => void,
  ): Promise<RowOutcome & { logs?: string }>;
  failureOf(error: unknown, row: InputRow): RowOutcome;
  checks: RowChecks;
  noteUsage(usage: RowUsage): void;
  isDetailed: boolean;
  /** Outputs are known to be JSON. */
  isParsed: boolean;
  startedAt: number;
  signal: AbortSignal;
  closing: AbortSignal;
}

async function tryRow(parts: TrialParts, row: InputRow): Promise<Trial> {
  const { checks, signal, closing } = parts;
  let logs = "";
  const calls: TracedCall[] = [];
  let usage: RowUsage | undefined;
  let usedSoFar: RowUsage | undefined;
  let outcome: RowOutcome;
  try {
    const [refused] = await checks.checkInputs([row], signal);
    const made = refused ?? (await parts.process(row, calls, (used) => (usedSoFar = used)));
    ({ usage } = made);
    usedSoFar = undefined;
    if (usage !== undefined) parts.noteUsage(usage);
    logs = "logs" in made && typeof made.logs === "string" ? made.logs : "";
    const [checked] = await checks.checkOutputs([made], signal);
    outcome = checked ?? made;
    if (closing.aborted && !outcome.ok && outcome.failure.code === "row_timeout")
      outcome = { ...LOST, ...present({ usage }) };
  } catch (error) {
    if (usedSoFar !== undefined) parts.noteUsage(usedSoFar);
    usage ??= usedSoFar;
    outcome = { ...parts.failureOf(error, row), ...present({ usage }) };
  }
  const durationMs = Math.round(performance.now() - parts.startedAt);
  return {
    index: row.index,
    durationMs,
    logs: storableText(logs),
    ...(parts.isDetailed ? { calls } : {}),
    outcome: parts.isParsed ? outcome : parseOutput(outcome),
  };
}

const failed = (code: FailureCode, message: string): Extract<RowOutcome, { ok: false }> => ({
  ok: false,
  failure: { code, message },
});

const LOST = failed("worker_lost", "The service stopped before the row was finished.");

const isLost = ({ outcome }: Trial): boolean => !outcome.ok && outcome.failure.code === LOST.failure.code;

/** The outcome itself, or the failure that an output is which is not JSON, as in a run. */
function parseOutput(outcome: RowOutcome): RowOutcome {
  if (!outcome.ok) return outcome;
  try {
    JSON.parse(outcome.output);
    return outcome;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { ...failed("output_not_json", `The output is not JSON: ${reason}`), ...present({ usage: outcome.usage }) };
  }
}

/** Outputs are passed on as they stand: to parse and print megabytes again would hold the thread that serves everybody. */
function describeTrials(trials: readonly Trial[]): JsonText<TestResult> {
  const outputs: string[] = [];
  const failures: TestResult["failures"] = [];
  let total: RowUsage | undefined;
  for (const { outcome, ...trial } of trials) {
    total = addUsage(total, outcome.usage);
    const row = { ...trial, usage: outcome.usage ?? null };
    if (outcome.ok) {
      outputs.push(`${JSON.stringify(row).slice(0, -1)},"data":${outcome.output}}`);
      continue;
    }
    const { code, message, details, retryable } = storable(outcome.failure);
    failures.push({
      ...row,
      code,
      class: failureCodes[code].class,
      retryable: retryable ?? failureCodes[code].retryable,
      message,
      details: details ?? null,
    });
  }
  const { inputTokens = 0, outputTokens = 0, requests = 0, unpricedRequests = 0, costUsd = "0" } = total ?? {};
  const totals: TestResult["totals"] = {
    inputTokens,
    outputTokens,
    requests,
    unpricedRequests,
    costUsd: unpricedRequests > 0 ? null : costUsd,
  };
  return new JsonText(
    `{"outputs":[${outputs.join(",")}],"failures":${JSON.stringify(failures)},"totals":${JSON.stringify(totals)}}`,
  );
}

/** What the body reader has left of a row may be its text alone. */
const textsOf = (rows: readonly object[]): readonly string[] => linesOf(rows) ?? rows.map((row) => JSON.stringify(row));

async function columnsOf(
  db: Queryable,
  organizationId: string,
  { datasetId, rows = [] }: Input<Operations["testJobSpec"]>["body"],
): Promise<string[]> {
  if (datasetId === undefined)
    return [...new Set(textsOf(rows).flatMap((text) => Object.keys(JSON.parse(text) as object)))];
  const uuid = parseBodyId("dataset", datasetId, "datasetId");
  return columnNamesOf(await findReadyDataset(db, { organizationId }, uuid, "datasetId"));
}

async function readFirstRows(
  db: Queryable,
  organizationId: string,
  datasetId: string,
  count: number,
): Promise<InputRow[]> {
  const uuid = parseBodyId("dataset", datasetId, "datasetId");
  await findReadyDataset(db, { organizationId }, uuid, "datasetId");
  const rows: InputRow[] = [];
  for await (const chunk of readChunksFrom(statementsOf(db), uuid, 0)) {
    for (const [i, text] of chunk.lines.entries()) {
      if (rows.length === count) return rows;
      rows.push({ index: chunk.firstRow + i, text });
    }
  }
  return rows;
}
