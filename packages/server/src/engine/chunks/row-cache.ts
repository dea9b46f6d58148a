/**
 * Outputs of earlier rows, by what they depend on: job specs with a `cache` do not pay twice for the same request. The key
 * is a digest of everything that the step names, and of where its connections lead at this moment (`resources/runs/cached-rows.ts`); the
 * job spec's own checks are made again.
 */
import type { CachePolicy } from "@rowmill/contract/job-spec-policies";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { Statements } from "../../platform/database/database.ts";
import type { InputRow, Step } from "../../processors/processor.ts";
import { prepareCacheKeys } from "../../resources/runs/cached-rows.ts";

/** Larger outputs are rare, and would make the cache a second store of results. */
const MAX_CACHED_CHARACTERS = 256 * 1024;

const DEFAULT_TTL_SECONDS = 30 * 86_400;

export interface RowCache {
  /** Outputs (JSON text) by row index. */
  lookUp(client: Statements, rows: readonly InputRow[]): Promise<Map<number, string>>;
  /** Remembers outputs of rows that were looked up before. */
  keep(client: Statements, outputs: readonly { index: number; output: string }[]): Promise<void>;
  /** The rows are done with. */
  forget(rows: readonly InputRow[]): void;
}

export function createRowCache(
  organizationId: string,
  processor: ProcessorConfig,
  step: Step,
  policy: CachePolicy,
): RowCache | undefined {
  if (policy.mode !== "read_write" || step.cacheKeyOf === undefined) return undefined;
  const keyOf = step.cacheKeyOf.bind(step);
  const keys = new Map<number, Buffer>();
  return {
    async lookUp(client, rows) {
      const cacheKeyOf = await prepareCacheKeys(client, organizationId, processor, keyOf);
      const rowsByKey = new Map<string, number[]>();
      for (const row of rows) {
        const key = cacheKeyOf(row);
        if (key === undefined) continue;
        keys.set(row.index, key);
        const hex = key.toString("hex");
        rowsByKey.set(hex, [...(rowsByKey.get(hex) ?? []), row.index]);
      }
      if (rowsByKey.size === 0) return new Map();
      const { rows: found } = await client.query<{ key: Buffer; output: string }>({
        name: "look_up_cached_rows",
        values: [organizationId, [...rowsByKey.keys()].map((hex) => Buffer.from(hex, "hex"))],
        text: "select key, output from row_cache where organization_id = $1 and key = any($2::bytea[]) and expires_at > now()",
      });
      return new Map(
        found.flatMap(({ key, output }) =>
          (rowsByKey.get(key.toString("hex")) ?? []).map((index): [number, string] => [index, output]),
        ),
      );
    },
    async keep(client, outputs) {
      const byKey = new Map<string, string>();
      for (const { index, output } of outputs) {
        const key = keys.get(index);
        if (key !== undefined && output.length <= MAX_CACHED_CHARACTERS) byKey.set(key.toString("hex"), output);
      }
      if (byKey.size === 0) return;
      await client.query({
        name: "keep_cached_rows",
        // In one order, so that two workers do not wait for each other.
        values: [
          organizationId,
          [...byKey.keys()].toSorted().map((hex) => Buffer.from(hex, "hex")),
          [...byKey.keys()].toSorted().map((hex) => byKey.get(hex)),
          policy.ttlSeconds ?? DEFAULT_TTL_SECONDS,
        ],
        text: KEEP,
      });
    },
    forget(rows) {
      for (const { index } of rows) keys.delete(index);
    },
  };
}

const KEEP = `
  insert into row_cache (organization_id, key, output, expires_at)
  select $1, k, o, now() + make_interval(secs => $4) from unnest($2::bytea[], $3::text[]) t(k, o)
  on conflict (organization_id, key) do update set output = excluded.output, expires_at = excluded.expires_at, created_at = now()`;
