/** Regular expressions of one schema, in RE2 (linear in the text), each compiled once. */
import { RE2JS } from "re2js";
import type { Patterns } from "./schema-limits.ts";

export function compilePatterns(): Patterns {
  const compiled = new Map<string, RE2JS>();
  return {
    compile(pattern) {
      const known = compiled.get(pattern) ?? RE2JS.compile(pattern);
      compiled.set(pattern, known);
      return known;
    },
  };
}
