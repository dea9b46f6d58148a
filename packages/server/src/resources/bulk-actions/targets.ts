/** What a bulk action is about: by a filter with the meaning that it has in the list, or by ids. */
import type { BulkFilter, BulkResource } from "@rowmill/contract/bulk-actions";
import type { IdKind } from "@rowmill/contract/schemas";
import type { RawBuilder } from "kysely";
import { sql } from "../../platform/database/database.ts";
import { ApiError, parseBodyId } from "../../platform/http/errors.ts";
import { isAsked } from "../../platform/http/labelled.ts";
import { isTimestamp } from "../../platform/http/query.ts";
import { parseId, uuidAt } from "../../platform/ids.ts";

export const kindOf = { runs: "run", datasets: "dataset", exports: "export" } as const satisfies Record<
  BulkResource,
  IdKind
>;

type FilterName = keyof BulkFilter;
const filtersOf: Record<BulkResource, readonly FilterName[]> = {
  runs: ["state", "datasetId", "jobSpecId", "apiKeyId", "name", "metadata", "createdAfter", "createdBefore"],
  datasets: ["name", "metadata"],
  exports: ["runId", "status", "type", "format"],
};

/** A query of the `id` and `state` of every target. Throws for a filter that chooses nothing, or is of another list. */
export function targetsOfFilter(
  organizationId: string,
  resource: BulkResource,
  filter: BulkFilter,
): RawBuilder<{ id: string; state: string }> {
  const conditions = Object.entries(filter).map(([name, value]) => {
    const param = `filter.${name}`;
    if (!filtersOf[resource].includes(name as FilterName))
      throw new ApiError(
        "invalid_request",
        `${resource} have no filter \`${name}\`: there are ${filtersOf[resource].join(", ")}.`,
        { param },
      );
    return conditionOf(resource, name as FilterName, value, param);
  });
  if (conditions.length === 0 || Object.keys(filter.metadata ?? { any: "" }).length === 0)
    throw new ApiError(
      "invalid_request",
      `The filter is empty, and would choose everything: give at least one of ${filtersOf[resource].join(", ")}.`,
      { param: "filter" },
    );
  return sql`${allOf(organizationId, resource)} and ${sql.join(conditions, sql` and `)}`;
}

export function targetsOfIds(
  organizationId: string,
  resource: BulkResource,
  ids: readonly string[],
): RawBuilder<{ id: string; state: string }> {
  const uuids = ids.map((id, i) => parseBodyId(kindOf[resource], id, `ids[${i}]`));
  return sql`${allOf(organizationId, resource)} and id = any(${uuids}::uuid[])`;
}

const allOf = (organizationId: string, resource: BulkResource): RawBuilder<unknown> => {
  switch (resource) {
    case "runs":
      return sql`select id, state from runs where organization_id = ${organizationId} and deleted_at is null`;
    case "datasets":
      return sql`select id, state from datasets where organization_id = ${organizationId} and deleted_at is null`;
    case "exports":
      return sql`select id, status as state from exports where organization_id = ${organizationId}`;
  }
};

/** Columns with one of several values, by the name of the filter. */
const columns: Partial<Record<FilterName, string>> = {
  state: "state",
  status: "status",
  type: "type",
  format: "format",
  datasetId: "dataset_id",
  jobSpecId: "job_spec_id",
  apiKeyId: "api_key_id",
  runId: "run_id",
};
const idKinds: Partial<Record<FilterName, IdKind>> = {
  datasetId: "dataset",
  jobSpecId: "jobSpec",
  apiKeyId: "apiKey",
  runId: "run",
};

function conditionOf(resource: BulkResource, name: FilterName, value: unknown, param: string): RawBuilder<unknown> {
  if (name === "name") return isAsked(resource, { name: String(value) });
  // The shape was checked with the body.
  if (name === "metadata") return isAsked(resource, { metadata: value as Record<string, string> });
  if (name === "createdAfter") return sql`id >= ${uuidAt(timeOf(value, param))}`;
  if (name === "createdBefore") return sql`id < ${uuidAt(timeOf(value, param))}`;
  const kind = idKinds[name];
  const column = sql.ref(columns[name] ?? name);
  if (kind === undefined) return sql`${column} = any(${value}::text[])`;
  const uuid = parseId(kind, String(value));
  // As in lists: a well-formed id of nothing matches nothing, a malformed one is a mistake.
  if (uuid === undefined)
    throw new ApiError("invalid_request", `\`${param}\` is not the id of such a thing: ${String(value)}`, { param });
  return sql`${column} = ${uuid}`;
}

function timeOf(value: unknown, param: string): Date {
  const text = String(value);
  if (isTimestamp(text)) return new Date(text);
  throw new ApiError("invalid_request", `\`${param}\` must be an RFC 3339 timestamp such as 2026-11-20T09:30:00Z.`, {
    param,
  });
}
