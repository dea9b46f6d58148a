/**
 * Dry runs: what a run or a retry run would take and cost. It is refused for the reasons for which the run would be; some of its
 * rows are rendered as the run would render them, and nobody is called.
 */
import { isDeepStrictEqual } from "node:util";
import type { Operations } from "@rowmill/contract";
import type { Input } from "@rowmill/contract/operation";
import type { Execution } from "@rowmill/contract/job-spec-policies";
import { failureCodes } from "@rowmill/contract/failures";
import { MAX_ESTIMATE_PROBLEMS } from "@rowmill/contract/run-estimates";
import type { RunEstimate } from "@rowmill/contract/run-estimates";
import type { Selectable } from "kysely";
import type { OrganizationCaller } from "../../platform/auth/caller.ts";
import { statementsOf } from "../../platform/database/database.ts";
import type { Queryable } from "../../platform/database/database.ts";
import type { DatasetsTable, JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { ConcurrencyGate } from "../../platform/http/concurrency-gate.ts";
import { parseBodyId } from "../../platform/http/errors.ts";
import { makeRowId, rowIdPrefix } from "../../platform/ids.ts";
import type { Schemas } from "../../platform/json-schema/schemas.ts";
import { traitsOf } from "../../processors/processors.ts";
import type { Processors } from "../../processors/processors.ts";
import type { Estimator, RowEstimate, InputRow } from "../../processors/processor.ts";
import { columnNamesOf, findDataset, findReadyDataset } from "../datasets/datasets.ts";
import { readDefinition } from "../job-specs/definition.ts";
import type { Definition } from "../job-specs/definition.ts";
import { findUsableVersion } from "../job-specs/job-specs.ts";
import { checkSingleBraces } from "../job-specs/template-references.ts";
import { createRowChecks } from "../job-specs/row-checks.ts";
import type { RowChecks } from "../job-specs/row-checks.ts";
import { findCachedKeys, prepareCacheKeys } from "./cached-rows.ts";
import { checkBudgetPrices } from "./budget-prices.ts";
import { checkNewRun, executionOf } from "./create-run.ts";
import type { RequestParts } from "./create-run.ts";
import { readEarlierResults } from "./earlier-results.ts";
import { planScopeSample, planSelectionSample, readSample } from "./estimate-sample.ts";
import type { SamplePlan } from "./estimate-sample.ts";
import { suggestionsFor } from "./estimate-suggestions.ts";
import { estimateTotals, estimateWithCache } from "./estimate-totals.ts";
import type { SampledRow } from "./estimate-totals.ts";
import { pickRows } from "./filter-scope.ts";
import { DEFAULT_SELECTION, checkRetryable, nothingToRetry } from "./retry.ts";
import { findRun } from "./runs.ts";
import { rowsOfScope } from "./scopes.ts";

/** Of one organization, in this process: each reads and renders for up to ten seconds. */
export const createDryRunGate = (): ConcurrencyGate =>
  new ConcurrencyGate({
    atOnce: 2,
    refusal: (count) => `${count} dry runs are at work: wait for them.`,
    retryAfterSeconds: 5,
  });

export interface EstimateParts extends RequestParts {
  dryRunGate: ConcurrencyGate;
}

export async function estimateRun(
  db: Queryable,
  caller: OrganizationCaller,
  body: Input<Operations["createRun"]>["body"],
  parts: EstimateParts,
): Promise<RunEstimate> {
  const { organizationId } = caller;
  const { scope } = body;
  return parts.dryRunGate.run(organizationId, async () => {
    const datasetId = parseBodyId("dataset", body.datasetId, "datasetId");
    const dataset = await findReadyDataset(db, { organizationId }, datasetId, "datasetId");
    const version = await findUsableVersion(
      db,
      organizationId,
      parseBodyId("jobSpec", body.jobSpecId, "jobSpecId"),
      body.jobSpecVersion,
    );
    if (body.budget !== undefined) await checkBudgetPrices(parts.processors, version);
    const picked =
      scope.type === "filter" ? await pickRows(db, caller, dataset, scope.where, parts, caller.clientLeft?.()) : [];
    const plan = planScopeSample(rowsOfScope({ scope, dataset, picked }));
    await checkNewRun(db, organizationId, body, plan.rows, parts.limits);
    return estimateRows(db, caller, version, executionOf(version, body.execution), dataset, plan, parts);
  });
}

export async function estimateRetry(
  db: Queryable,
  caller: OrganizationCaller,
  runId: string,
  body: Input<Operations["retryRun"]>["body"],
  parts: EstimateParts,
): Promise<RunEstimate> {
  const { organizationId } = caller;
  return parts.dryRunGate.run(organizationId, async () => {
    const parent = await findRun(db, caller, runId);
    checkRetryable(parent);
    const dataset = await findDataset(db, caller, parent.datasetId);
    const version = await findUsableVersion(
      db,
      organizationId,
      parent.jobSpecId,
      body.jobSpecVersion ?? parent.jobSpecVersion,
    );
    if (body.budget !== undefined) await checkBudgetPrices(parts.processors, version);
    const selection = body.selection ?? DEFAULT_SELECTION;
    const plan = await planSelectionSample(db, parent, selection, dataset.rowCount);
    if (plan.rows === 0) throw nothingToRetry(selection);
    await checkNewRun(db, organizationId, body, plan.rows, parts.limits);
    return estimateRows(db, caller, version, executionOf(version, body.execution), dataset, plan, parts);
  });
}

/** Where nobody is called. */
const CALLS_NOBODY: Estimator = {
  estimateRow: () => Promise.resolve({ ok: true, inputTokens: { low: 0, high: 0 }, outputTokens: { low: 0, high: 0 } }),
  maxRequests: 0,
  price: { requestUsd: "0", inputUsdPerMillionTokens: "0", outputUsdPerMillionTokens: "0" },
  highestPrice: undefined,
  unpriced: [],
  rateLimit: { requestsPerMinute: null, tokensPerMinute: null },
};

async function estimateRows(
  db: Queryable,
  caller: OrganizationCaller,
  version: Selectable<JobSpecVersionsTable>,
  execution: Execution | null,
  dataset: Selectable<DatasetsTable>,
  { rows, indexes }: SamplePlan,
  { processors, schemas }: { processors: Processors; schemas: Schemas },
): Promise<RunEstimate> {
  const { organizationId } = caller;
  const definition = readDefinition(version);
  const ofAllRows = checkSingleBraces(definition.processor, columnNamesOf(dataset));
  const estimator = await prepareEstimator(processors, organizationId, definition.processor, execution);
  const checks = createRowChecks(schemas, { organizationId, place: "interactive" }, definition);
  const estimate = createRowEstimate(checks, estimator ?? CALLS_NOBODY);
  const cache = await openCache(db, caller, definition, estimator);
  const sample: SampledRow[] = [];
  const keys = new Map<number, Buffer>();
  const problems: (RunEstimate["problems"][number] & { index: number })[] = [];
  const prefix = rowIdPrefix(dataset.id);
  for await (const row of readSample(db, dataset.id, indexes)) {
    // A row that is rendered for its key is not rendered again.
    const key = cache?.keyOf(row);
    const estimated = await estimate(row);
    sample.push(estimated.ok && estimator !== undefined ? estimated : undefined);
    if (estimated.ok) {
      if (key !== undefined) keys.set(sample.length - 1, key);
      continue;
    }
    const { code } = estimated.failure;
    // What was wrong with a row may be said in words of the row.
    const message = caller.scopes.has("datasets:read") ? estimated.failure.message : failureCodes[code].meaning;
    problems.push({ datasetRowId: makeRowId(prefix, row.index), index: row.index, code, message });
  }
  const earlier = estimator === undefined ? undefined : await readEarlierResults(db, version);
  const isTriedAgain = definition.retry?.maxAttempts !== 1;
  const cached = await cache?.find(keys);
  const totals: RunEstimate["estimate"] = {
    basis: estimator === undefined ? "no_calls" : earlier === undefined ? "limits" : "earlier_results",
    sampledRows: sample.length,
    failingSampledRows: problems.length,
    ...(cached === undefined ? {} : { cachedSampledRows: cached.size }),
    ...estimateWithCache(
      { rows, sample, cached: cached ?? new Set(), mayBeCalled: mayRefuseCached(definition) },
      (open) => estimateTotals(rows, open, estimator ?? CALLS_NOBODY, earlier, isTriedAgain),
    ),
    unpricedModels: estimator?.unpriced ?? [],
  };
  return {
    dryRun: true,
    rows,
    estimate: totals,
    suggestions: suggestionsFor(estimator?.missingOutputLimit, rows, totals),
    problems: [
      ...ofAllRows.map(({ code, message }) => ({ datasetRowId: null, index: null, code, message })),
      ...problems.toSorted((a, b) => a.index - b.index),
    ].slice(0, MAX_ESTIMATE_PROBLEMS),
  };
}

/** Undefined: the processor calls nobody. */
async function prepareEstimator(
  processors: Processors,
  organizationId: string,
  processor: Definition["processor"],
  execution: Execution | null,
): Promise<Estimator | undefined> {
  const prepared = await processors.of(processor).prepareEstimate?.(processor, organizationId);
  // How long a provider takes for a batch, nobody knows; its limits are not those of single calls.
  return prepared !== undefined && execution?.mode === "provider_batch"
    ? { ...prepared, price: prepared.batchPrice, rateLimit: CALLS_NOBODY.rateLimit }
    : prepared;
}

/**
 * Of a job spec that has one: the keys of rows, and which of them it has. Without the right to read datasets, no row is looked up: that a
 * row was processed before shows that it is like one that the caller has made, and had processed.
 */
async function openCache(
  db: Queryable,
  { organizationId, scopes }: OrganizationCaller,
  { cache, processor }: Pick<Definition, "cache" | "processor">,
  estimator: Estimator | undefined,
) {
  if (cache?.mode !== "read_write" || estimator?.cacheKeyOf === undefined) return undefined;
  if (!scopes.has("datasets:read")) return undefined;
  const client = statementsOf(db);
  const keyOf = await prepareCacheKeys(client, organizationId, processor, estimator.cacheKeyOf);
  return {
    keyOf,
    /** Those of the places that it has. */
    async find(keys: ReadonlyMap<number, Buffer>): Promise<ReadonlySet<number>> {
      const found = await findCachedKeys(client, organizationId, [...keys.values()]);
      return new Set([...keys].flatMap(([place, key]) => (found.has(key.toString("hex")) ? [place] : [])));
    },
  };
}

/** Outputs in the cache fit the schemas of the processor, which are part of their keys; one of the job spec alone is checked when they are taken. */
const mayRefuseCached = ({ outputSchema, processor }: Pick<Definition, "outputSchema" | "processor">): boolean =>
  outputSchema !== undefined &&
  !(traitsOf(processor).schemasOf?.(processor) ?? []).some((schema) => isDeepStrictEqual(schema, outputSchema));

function createRowEstimate(checks: RowChecks, estimator: Estimator): (row: InputRow) => Promise<RowEstimate> {
  return async (row) => {
    const [refused] = await checks.checkInputs([row]);
    return refused?.ok === false ? { ok: false, failure: refused.failure } : estimator.estimateRow(row);
  };
}
