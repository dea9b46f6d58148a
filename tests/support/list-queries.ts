/** Every list of the contract, and what is asked of it in the tables of `many.ts`. */
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import type { Filter } from "@rowmill/contract/pagination";
import type { Position } from "@rowmill/server/platform/http/cursors";
import { createCursors } from "@rowmill/server/platform/http/cursors";
import { parseQuery } from "@rowmill/server/platform/http/query";
import { formatId, formatRowId } from "@rowmill/server/platform/ids";
import { createSealer } from "@rowmill/server/platform/secrets/sealing";
import { CHUNKS, CHUNK_ROWS, COMMON, MANY, OLDEST_MS, RARELY, idOf } from "./many-values.ts";
import { entries } from "./operations.ts";
import type { Entry } from "./operations.ts";
import { pairwise } from "./pairwise.ts";

/** A month, and as much as usage shows where no days are named. */
export const USED_DAYS = 31;
const TODAY = new Date().toISOString().slice(0, 10);

/** Enums of which the tables have others than the first as the common and the last as the rare one. */
const enumValues: Partial<Record<OperationId, string[]>> = {
  listRuns: ["succeeded", "paused", "queued"],
  listExports: ["canceled", "queued"],
  listRunExports: ["canceled", "queued"],
  listWebhookDeliveries: ["succeeded", "pending"],
  listInvitations: ["revoked", "pending", "expired"],
  listRunRows: ["succeeded", "failed", "pending", "running"],
  listResolvedResults: ["succeeded", "failed", "pending", "skipped"],
};

export const lists = entries.filter(({ o }) => o.filters !== undefined);

/** Query strings in which each value of a filter meets each value of every other one, and each filter's absence, too. */
export function queriesOf({ id, o }: Pick<Entry, "id" | "o">): string[] {
  const parameters = Object.entries(o.filters ?? {}).map(([name, filter]) => [
    undefined,
    ...valuesOf(id, name, filter).map((value) => `${parameterOf(name, filter)}=${value}`),
  ]);
  const queries = pairwise(parameters).map((values) => values.filter((value) => value !== undefined).join("&"));
  const rare = o.filters?.["metadata"] === undefined ? [] : ["metadata[env]=dev", "name=x&metadata[env]=dev"];
  return [...new Set(["", ...queries, ...rare])];
}

function parameterOf(name: string, filter: Filter): string {
  return filter.kind === "metadata" ? `${name}[env]` : name;
}

function valuesOf(id: OperationId, name: string, filter: Filter): string[] {
  switch (filter.kind) {
    case "enum": {
      const own = ["state", "status", "resultState"].includes(name) ? enumValues[id] : undefined;
      return [...(own ?? [filter.values[0], filter.values.at(-1)]), filter.values.join(",")].map(String);
    }
    case "choice":
      return [filter.values[0], filter.values.at(-1)].map(String);
    case "date":
      return [TODAY];
    case "id":
      return filter.of === "row"
        ? [formatRowId(COMMON, MANY / 2)]
        : [formatId(filter.of, COMMON), formatId(filter.of, RARELY)];
    case "boolean":
      return ["true", "false"];
    case "timestamp":
      return [new Date(OLDEST_MS + (MANY / 4) * (name.endsWith("After") ? 1 : 2)).toISOString()];
    case "index":
      return [String((CHUNKS * CHUNK_ROWS) / 4)];
    case "text":
      return ["x"];
    case "metadata":
      return ["prod"];
  }
}

/** The position of an item that has as many before as behind it. */
export function middleOf(id: OperationId, o: Operation, query: string): Position {
  if (o.streams) return [(CHUNKS * CHUNK_ROWS) / 2];
  if (id === "listFailureGroups") return [MANY, "a", "true", ""];
  if (id === "listUsage" && isByDay(query)) return [daysAgo(USED_DAYS - 1), TODAY, daysAgo(5)];
  if (id === "listUsage") return [TODAY, TODAY, String(MANY / 2), 1, ""];
  if (id === "listRunEvents") return [MANY / 2];
  if (id === "listJobSpecVersions") return [MANY / 8];
  return [idOf(MANY / 8)];
}

export const isByDay = (query: string): boolean => !/groupBy=(?!day)/.test(query);
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/** Of that organization, or of the admin. */
export function cursorOf(
  o: Operation,
  path: string,
  search: URLSearchParams,
  after: Position,
  { encryptionKey, organizationId }: { encryptionKey: string; organizationId: string },
): string {
  const ofAdmin = "00000000-0000-0000-0000-000000000000";
  return createCursors(createSealer(Buffer.from(encryptionKey, "base64")).derive("list cursors")).write(
    {
      organizationId: o.access.by === "admin" ? ofAdmin : organizationId,
      path,
      filters: parseQuery(o, search).filters,
    },
    after,
  );
}
