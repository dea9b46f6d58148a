/** The rows that options choose. */
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
