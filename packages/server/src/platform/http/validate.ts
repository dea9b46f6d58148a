/** Strict validation of bodies: nothing stripped, nothing coerced, no defaults written; all that is wrong is reported at once. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ValidateFunction } from "ajv/dist/2020.js";
import { components } from "@rowmill/contract/schemas";
import type { TSchema } from "typebox";
import { ApiError } from "./errors.ts";
import { isTimestamp } from "./query.ts";
import { describeShapeErrors } from "./shape-errors.ts";

/** More is not read by anybody before the first ones are corrected. */
const MAX_DETAILS = 20;
/** Collecting every error takes time and memory for each value; a body with more values gets its first error only. */
const MAX_VALUES_TO_COLLECT_FROM = 5_000;

function createAjv(options: { allErrors?: boolean } = {}): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: options.allErrors ?? false,
    // Sentences are made from the schemas.
    verbose: true,
    discriminator: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
    // They are ours, and a test checks them: compiling the schema of schemas takes a tenth of the time of a start.
    validateSchema: false,
  });
  // Stricter than the usual check, which accepts times that cannot be stored: leap seconds.
  ajv.addFormat("date-time", isTimestamp);
  for (const [name, schema] of components) ajv.addSchema(schema, name);
  return ajv;
}

let first: Ajv2020 | undefined;
let all: Ajv2020 | undefined;

export type BodyCheck = (body: unknown) => void;

/**
 * A function that throws the decided error for a body that does not fit. The schema is compiled for the first body: all schemas
 * together take longer than the rest of a start, and most processes see few of them.
 */
export function compileBody(schema: TSchema): BodyCheck {
  let fits: ValidateFunction | undefined;
  let collect: ValidateFunction | undefined;
  return (body) => {
    fits ??= (first ??= createAjv()).compile(schema);
    if (fits(body)) return;
    let { errors } = fits;
    if (!hasMoreValues(body, MAX_VALUES_TO_COLLECT_FROM)) {
      collect ??= (all ??= createAjv({ allErrors: true })).compile(schema);
      collect(body);
      errors = collect.errors;
    }
    const details = describeShapeErrors(errors ?? [], MAX_DETAILS);
    const [detail] = details;
    if (detail === undefined) throw new ApiError("invalid_request", "The body has the wrong shape.");
    const param = detail.path.slice(1).replaceAll("/", ".");
    const more = details.length - 1;
    throw new ApiError(
      detail.code === "unknown_field" ? "unknown_field" : "invalid_request",
      more === 0 ? detail.message : `${detail.message} Further errors: ${more}, see \`details\`.`,
      { ...(param === "" ? {} : { param }), details: details.slice(0, MAX_DETAILS) },
    );
  };
}

/** Whether there are more values in it than `limit`; looks at no more than that. */
function hasMoreValues(body: unknown, limit: number): boolean {
  const found: unknown[] = [body];
  for (let i = 0; i < found.length && found.length <= limit; i++) {
    const value = found[i];
    if (typeof value !== "object" || value === null) continue;
    const inner: unknown[] = Object.values(value);
    if (inner.length > limit) return true;
    found.push(...inner);
  }
  return found.length > limit;
}
