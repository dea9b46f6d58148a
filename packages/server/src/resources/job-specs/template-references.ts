/** What is refused, and what is only a warning, of the references that templates of a job spec make to rows. */
import type { JobSpecWarning } from "@rowmill/contract/job-specs";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import { ApiError } from "../../platform/http/errors.ts";
import type { Schema } from "../../platform/json-schema/schemas.ts";
import { traitsOf } from "../../processors/processors.ts";
import { findReferences } from "../../processors/templates/references.ts";
import type { ReferenceProblem, References } from "../../processors/templates/references.ts";

type Warned = ReferenceProblem & { code: JobSpecWarning["code"] };

/** Of a job spec that is being made: its input schema names the columns, if it has one. Throws the decided error. */
export function warningsOf({
  processor,
  inputSchema,
}: {
  processor: ProcessorConfig;
  inputSchema?: Schema;
}): JobSpecWarning[] {
  const { withoutRow, singleBraces } = referencesOf(processor, columnsOf(inputSchema));
  refuse(singleBraces.filter(({ isColumn }) => isColumn));
  return warn(withoutRow, singleBraces);
}

/** Throws the decided error for a column in single braces. What remains would not stop the rows, or stops some of them. */
export function checkSingleBraces(processor: ProcessorConfig, columns: readonly string[]): JobSpecWarning[] {
  const { withoutRow, singleBraces } = referencesOf(processor, columns);
  refuse(singleBraces.filter(({ isColumn }) => isColumn));
  return warn(withoutRow, singleBraces);
}

/** A processor without templates has none, and misses none. */
function referencesOf(processor: ProcessorConfig, columns: readonly string[] | undefined): References {
  const { templates } = traitsOf(processor);
  return templates === undefined
    ? { withoutRow: undefined, singleBraces: [], unknownColumns: [] }
    : findReferences(templates.textsOf(processor), templates.mainPath, columns);
}

const warn = (withoutRow: Warned | undefined, singleBraces: readonly Warned[]): JobSpecWarning[] =>
  [...(withoutRow === undefined ? [] : [withoutRow]), ...singleBraces].map(({ path, code, message }) => ({
    path,
    code,
    message,
  }));

/** Throws the decided error for what would fail in every row, or be paid without the value that was meant. */
export function checkReferences(processor: ProcessorConfig, columns: readonly string[]): void {
  const { singleBraces, unknownColumns } = referencesOf(processor, columns);
  refuse([...singleBraces.filter(({ isColumn }) => isColumn), ...unknownColumns]);
}

function refuse(problems: readonly ReferenceProblem[]): void {
  const [first] = problems;
  if (first === undefined) return;
  throw new ApiError("job_spec_invalid", first.message, {
    param: first.path.slice(1).replaceAll("/", "."),
    details: problems.map(({ path, code, message }) => ({ path, code, message })),
  });
}

function columnsOf(schema: Schema | undefined): string[] | undefined {
  if (typeof schema !== "object") return undefined;
  const { properties } = schema as { properties?: unknown };
  return typeof properties === "object" && properties !== null ? Object.keys(properties) : undefined;
}
