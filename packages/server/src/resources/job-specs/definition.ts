/** What a version of a job spec fixes: how it is checked when made, and how it is stored and read. */
import type { JobSpecVersionsTable } from "../../platform/database/data-tables.ts";
import { JsonText } from "@rowmill/contract/json-text";
import type { JobSpecVersion } from "@rowmill/contract/job-specs";
import type { CachePolicy, Execution, FailurePolicy, RetryPolicy } from "@rowmill/contract/job-spec-policies";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { Selectable } from "kysely";
import { parseExactIntegers } from "../../platform/exact-json.ts";
import { ApiError } from "../../platform/http/errors.ts";
import type { Schema, Schemas } from "../../platform/json-schema/schemas.ts";
import { traitsOf } from "../../processors/processors.ts";
import type { Processors } from "../../processors/processors.ts";
import { notNull } from "../../platform/present.ts";

export interface Definition {
  processor: ProcessorConfig;
  inputSchema?: Schema;
  outputSchema?: Schema;
  retry?: RetryPolicy;
  timeoutSeconds?: number;
  concurrency?: number;
  failurePolicy?: FailurePolicy;
  cache?: CachePolicy;
  dedupe?: "none" | "exact";
  execution?: Execution;
}

export interface CheckParts {
  processors: Processors;
  schemas: Schemas;
}

/** Throws the decided error for schemas that do not compile and processors that cannot work. Outside any transaction. */
export async function checkDefinition(
  { processors, schemas }: CheckParts,
  organizationId: string,
  definition: Definition,
): Promise<void> {
  for (const name of ["inputSchema", "outputSchema"] as const) {
    const schema = definition[name];
    if (schema === undefined) continue;
    const problem = await schemas.findProblem({ organizationId, place: "interactive" }, schema);
    if (problem !== undefined)
      throw new ApiError("schema_invalid", problem.message, {
        param: name,
        details: [{ path: `/${name}${problem.path}`, code: "schema_invalid", message: problem.message }],
      });
  }
  const { processor } = definition;
  const problems = await processors.of(processor).findProblems(processor, organizationId);
  const [first] = problems;
  if (first === undefined) return checkExecution(processor, definition.execution);
  throw new ApiError("job_spec_invalid", first.message, {
    param: `processor${first.path.replaceAll("/", ".")}`,
    details: problems.map((problem) => ({
      path: `/processor${problem.path}`,
      code: "job_spec_invalid",
      message: problem.message,
    })),
  });
}

/** Throws the decided error where rows cannot be executed so. */
export function checkExecution(processor: ProcessorConfig, execution: Execution | undefined): void {
  if (execution?.mode !== "provider_batch" || traitsOf(processor).batches !== undefined) return;
  const message = `Batches of a provider are for models: a processor of type \`${processor.type}\` runs in real time.`;
  throw new ApiError("job_spec_invalid", message, {
    param: "execution.mode",
    details: [{ path: "/execution/mode", code: "job_spec_invalid", message }],
  });
}

export const toColumns = (definition: Definition) => ({
  processor: JSON.stringify(definition.processor),
  connectionIds: traitsOf(definition.processor).connectionsOf(definition.processor),
  model: traitsOf(definition.processor).modelOf?.(definition.processor) ?? null,
  inputSchema: toJson(definition.inputSchema),
  outputSchema: toJson(definition.outputSchema),
  retry: toJson(definition.retry),
  failurePolicy: toJson(definition.failurePolicy),
  cache: toJson(definition.cache),
  execution: toJson(definition.execution),
  dedupe: definition.dedupe ?? null,
  timeoutSeconds: definition.timeoutSeconds ?? null,
  concurrency: definition.concurrency ?? null,
});

export type DefinitionColumns = Pick<
  Selectable<JobSpecVersionsTable>,
  | "processor"
  | "inputSchema"
  | "outputSchema"
  | "retry"
  | "failurePolicy"
  | "cache"
  | "dedupe"
  | "execution"
  | "timeoutSeconds"
  | "concurrency"
>;

type ShownDefinition = Pick<
  JobSpecVersion,
  | "processor"
  | "inputSchema"
  | "outputSchema"
  | "retry"
  | "timeoutSeconds"
  | "concurrency"
  | "failurePolicy"
  | "cache"
  | "dedupe"
  | "execution"
>;

/** As the API shows it: what was left out is null. */
export const showDefinition = (row: DefinitionColumns): ShownDefinition => ({
  processor: fromJson<Record<string, unknown>>(row.processor) ?? {},
  inputSchema: fromJson<Schema>(row.inputSchema),
  outputSchema: fromJson<Schema>(row.outputSchema),
  retry: fromJson<RetryPolicy>(row.retry),
  timeoutSeconds: row.timeoutSeconds,
  concurrency: row.concurrency,
  failurePolicy: fromJson<FailurePolicy>(row.failurePolicy),
  cache: fromJson<CachePolicy>(row.cache),
  dedupe: row.dedupe ?? "none",
  execution: fromJson<Execution>(row.execution),
});

/** The same for lists, which may have megabytes of them: passed on as it was stored. */
export const definitionTexts = (
  row: DefinitionColumns,
): { [Name in keyof ShownDefinition]: ShownDefinition[Name] | JsonText<ShownDefinition[Name]> } => ({
  processor: new JsonText(row.processor),
  inputSchema: textOf(row.inputSchema),
  outputSchema: textOf(row.outputSchema),
  retry: textOf(row.retry),
  timeoutSeconds: row.timeoutSeconds,
  concurrency: row.concurrency,
  failurePolicy: textOf(row.failurePolicy),
  cache: textOf(row.cache),
  dedupe: row.dedupe ?? "none",
  execution: textOf(row.execution),
});

const textOf = <T>(text: string | null): JsonText<T> => new JsonText(text ?? "null");

export function readDefinition(row: DefinitionColumns): Definition {
  const processor = fromJson<ProcessorConfig>(row.processor);
  if (processor === null) throw new Error("a job spec version has no processor");
  const { inputSchema, outputSchema, retry, failurePolicy, cache, dedupe, execution, timeoutSeconds, concurrency } =
    showDefinition(row);
  return {
    processor,
    ...notNull({ inputSchema, outputSchema, retry, failurePolicy, cache }),
    dedupe,
    ...notNull({ execution, timeoutSeconds, concurrency }),
  };
}

const toJson = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value));
/** Columns hold what `toColumns` wrote after the contract's validation. Schemas may have integers that JavaScript would read as others. */
const fromJson = <T>(text: string | null): T | null => (text === null ? null : (parseExactIntegers(text) as T));
