/** Customers' JSON Schemas (2020-12): compiled once, patterns by RE2 so that no value can hang the process, nothing fetched. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { RegExpEngine } from "ajv/dist/types/index.js";
import addFormats from "ajv-formats";
import { RE2JS } from "re2js";

/** A schema of 2,000 properties compiles for two seconds, on the thread that serves requests. */
const MAX_SCHEMA_BYTES = 64 * 1024;

/** A sentence on what is wrong with a value, or undefined if it fits. */
export type SchemaCheck = (value: unknown) => { path: string; message: string } | undefined;

export class SchemaProblem extends Error {}

// ajv caches patterns by `toString()`: without it every pattern would be taken for the first.
const re2: RegExpEngine = Object.assign(
  (pattern: string, flags: string) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => `/${pattern}/${flags}` };
  },
  { code: "re2" },
);

/** Throws a `SchemaProblem` with a sentence for a schema that cannot be used. */
export function compileSchema(schema: Record<string, unknown> | boolean): SchemaCheck {
  if (JSON.stringify(schema).length > MAX_SCHEMA_BYTES)
    throw new SchemaProblem(`The schema is larger than ${MAX_SCHEMA_BYTES / 1024} KiB.`);
  const ajv = new Ajv2020({ strict: false, allErrors: false, code: { regExp: re2 }, logger: false });
  addFormats.default(ajv);
  let validate;
  try {
    validate = ajv.compile(schema);
  } catch (error) {
    throw new SchemaProblem(
      `The schema does not compile: ${(error instanceof Error ? error.message : String(error)).slice(0, 500)}`,
    );
  }
  return (value) => {
    if (validate(value)) return undefined;
    const error = validate.errors?.[0];
    const path = error?.instancePath ?? "";
    const extra = error?.keyword === "additionalProperties" ? ` ("${String(error.params["additionalProperty"])}")` : "";
    return { path, message: `${path === "" ? "The value" : path} ${error?.message ?? "is not valid"}${extra}.` };
  };
}
