/** The rows that options choose. */
import type { Dataset } from "@rowmill/client";
import { usageProblem } from "../frame/problem.ts";
import type { MapOptions } from "./map-options.ts";
import type { Scope } from "./things.ts";

export function scopeOf({ limit, sample, seed }: Pick<MapOptions, "limit" | "sample" | "seed">): Scope {
  if (limit !== undefined && sample !== undefined)
    throw usageProblem("--limit and --sample exclude each other.", "Use one of them.");
  if (seed !== undefined && sample === undefined) throw usageProblem("--seed needs --sample.", "Add --sample 50.");
  if (limit !== undefined) return { type: "limit", count: limit };
  if (sample !== undefined) return { type: "sample", count: sample, seed: seed ?? 1 };
  return { type: "all" };
}

/** Of the whole table: a retry run has only some of them. */
export const rowsIn = (scope: Scope, { rowCount }: Dataset): number =>
  "count" in scope ? Math.min(scope.count, rowCount) : rowCount;
