/** What a process has made ready for a run (definition, schemas, the processor's step), kept while the run comes back turn after turn. */
import type { OrganizationDatabase } from "../../platform/database/database.ts";
import type { DatabaseClock } from "../../platform/database/database-clock.ts";
import type { Tasks } from "../../platform/database/tenants.ts";
import type { SchemaUser, Schemas } from "../../platform/json-schema/schemas.ts";
import type { LateWrites } from "../../platform/database/late-writes.ts";
import type { Log } from "../../platform/log.ts";
import type { Meter } from "../../platform/meter.ts";
import { traitsOf } from "../../processors/processors.ts";
import type { Processors } from "../../processors/processors.ts";
import type { Step } from "../../processors/processor.ts";
import { readDefinition } from "../../resources/job-specs/definition.ts";
import type { Definition } from "../../resources/job-specs/definition.ts";
import { findJobSpecVersion } from "../../resources/job-specs/job-specs.ts";
import { createRowChecks } from "../../resources/job-specs/row-checks.ts";
import type { RowChecks } from "../../resources/job-specs/row-checks.ts";
import type { RunParts } from "../../resources/runs/create-run.ts";
import { createRowCache } from "../chunks/row-cache.ts";
import type { RowCache } from "../chunks/row-cache.ts";
import { RunBudget } from "../../resources/runs/run-budgets.ts";
import { newPolicyWatch } from "../policies/run-policies.ts";
import type { PolicyWatch } from "../policies/run-policies.ts";
import type { RunRecord } from "../../resources/runs/runs.ts";

/** Prepared runs kept at once by one process. */
const MAX_PREPARED_RUNS = 200;

/** Of the run's organization. */
export interface LaneParts extends RunParts {
  database: OrganizationDatabase;
  clock: DatabaseClock;
  processors: Processors;
  schemas: Schemas;
  lateWrites: LateWrites;
  log: Log;
  meter: Meter;
}

/** Before it is known whose run it is. */
export type WithTasks<Parts extends { database: OrganizationDatabase }> = Omit<Parts, "database"> & { tasks: Tasks };

export interface PreparedRun {
  definition: Definition;
  checks: RowChecks;
  step: Step;
  /** Lanes of the run that have their turn in this process. */
  turns: number;
  cache: RowCache | undefined;
  /** The run as it was read again: what of it may change counts for the next call. */
  follow(run: Pick<RunRecord, "budget" | "priority">): void;
  watch: PolicyWatch;
}

export type PreparedRuns = ReturnType<typeof createPreparedRuns>;

export function createPreparedRuns() {
  const prepared = new Map<string, Promise<PreparedRun>>();
  return {
    async of(parts: LaneParts, run: RunRecord): Promise<PreparedRun> {
      const known = prepared.get(run.id);
      if (known) {
        prepared.delete(run.id);
        prepared.set(run.id, known);
        return known;
      }
      const preparing = prepareRun(parts, run);
      prepared.set(run.id, preparing);
      preparing.catch(() => prepared.delete(run.id));
      for (const oldest of prepared.keys()) {
        if (prepared.size <= MAX_PREPARED_RUNS) break;
        prepared.delete(oldest);
      }
      return preparing;
    },
  };
}

async function prepareRun(parts: LaneParts, run: RunRecord): Promise<PreparedRun> {
  const version = await findJobSpecVersion(parts.database.db, run.organizationId, run.jobSpecId, run.jobSpecVersion);
  const definition = readDefinition(version);
  const schemaUser: SchemaUser = { organizationId: run.organizationId, place: "run", runId: run.id };
  await requireUsableSchemas(parts, schemaUser, definition);
  const budget = new RunBudget(parts.database, parts.log, run);
  let { priority } = run;
  const step = await parts.processors.of(definition.processor).prepare(definition.processor, {
    organizationId: run.organizationId,
    runId: run.id,
    rootRunId: run.rootRunId,
    retryNumber: run.retryNumber,
    priority: () => priority,
    budget,
  });
  return {
    definition,
    checks: createRowChecks(parts.schemas, schemaUser, definition),
    step,
    turns: 0,
    cache:
      definition.cache === undefined
        ? undefined
        : createRowCache(run.organizationId, definition.processor, step, definition.cache),
    follow(current) {
      budget.follow(current);
      ({ priority } = current);
    },
    watch: newPolicyWatch(),
  };
}

/** A schema that cannot be used is one error of the run, and not a failure of each row. */
async function requireUsableSchemas(
  { schemas }: LaneParts,
  user: SchemaUser,
  { inputSchema, outputSchema, processor }: Definition,
): Promise<void> {
  const ofProcessor = traitsOf(processor).schemasOf?.(processor) ?? [];
  for (const schema of [inputSchema, outputSchema, ...ofProcessor]) {
    const problem = schema === undefined ? undefined : await schemas.findProblem(user, schema);
    if (problem !== undefined)
      throw new Error(`a schema of the job spec cannot be used: ${problem.message} (at "${problem.path}")`);
  }
}
