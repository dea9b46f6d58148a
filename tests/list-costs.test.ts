/**
 * Every list, with every filter and combinations of filters, costs the same however much there is: shown by the plans that
 * PostgreSQL has executed, and the rows that they have read, in tables of some ten thousand rows.
 */
import { beforeAll, expect, test } from "vitest";
import type { OperationId } from "@rowmill/contract";
import type { Filter } from "@rowmill/contract/pagination";
import type { Operation } from "@rowmill/contract/operation";
import type { Position } from "@rowmill/server/platform/http/cursors";
import { MAX_CANDIDATES } from "@rowmill/server/platform/http/labelled";
import { createCursors } from "@rowmill/server/platform/http/cursors";
import { parseQuery } from "@rowmill/server/platform/http/query";
import { formatId, formatRowId, parseId } from "@rowmill/server/platform/ids";
import { createSealer } from "@rowmill/server/platform/secrets/sealing";
import { expectStatus } from "@rowmill/server/testing/api";
import { newDataset, numberedRows } from "@rowmill/server/testing/factories";
import type { TestOrganization, TestService } from "@rowmill/server/testing/service";
import { startTestService } from "@rowmill/server/testing/service";
import { fillTables, multiplyChunks } from "./support/many.ts";
import {
  CHUNKS,
  CHUNK_ROWS,
  COMMON,
  CONNECTIONS,
  FAILED_RUN,
  MANY,
  OLDEST_MS,
  RARELY,
  RULES,
  RUN,
  USES_PER_DAY,
  idOf,
} from "./support/many-values.ts";
import { Surprises, expectNone } from "./support/collect.ts";
import { entries, pathOf } from "./support/operations.ts";
import type { Entry, Ids } from "./support/operations.ts";
import type { TableRead } from "./support/plans.ts";
import { readsOf, tellPlans } from "./support/plans.ts";

const LIMIT = 20;
/** A page and the item that tells whether there is a next one. */
const PAGE = LIMIT + 1;
/** Filters that are combined with each other, beside all at once. */
const MAX_COMBINED = 3;
/** The most that filters are spelled out into: audit events of a key, by each type and each kind of actor. */
const MAX_RANGES = 256;
/** Rows of a run are found in its chunks: for an item, at most one chunk is looked through, in three statements. */
const MAX_ROW_READS = 3 * PAGE * CHUNK_ROWS;

/** A month, and as much as usage shows where no days are named. */
const USED_DAYS = 31;
const TODAY = new Date().toISOString().slice(0, 10);

/** Of the other lists: each range gives a page at most. */
const MAX_READS = MAX_RANGES * PAGE;

/** What a page may read beside itself, and why. */
const exceptions: Partial<Record<OperationId, Readonly<Record<string, number>>>> = {
  // Runs in progress are counted by their chunks, and there are as many as an organization may have: here two.
  listRuns: { run_chunks: 2 * CHUNKS },
  // Of rules and connections there are as many as an organization may have; no index would make them fewer.
  listConnections: { connections: CONNECTIONS },
  listAlertRules: { alert_rules: RULES },
  // Failures are counted, in an index that has nothing but their causes.
  listFailureGroups: { run_failures: CHUNKS * CHUNK_ROWS },
  // What is added up is all of the range of days, found by an index; for the models also the versions that were used.
  listUsage: { usage_days: 2 * USED_DAYS * USES_PER_DAY, job_spec_versions: USED_DAYS * USES_PER_DAY },
  // The usage that is shown: datasets are counted, in an index, and what was used this month is added up. It is the operator's list.
  listOrganizations: { datasets: MANY, usage_days: 2 * USED_DAYS * USES_PER_DAY },
};

/** By name or metadata, so many ids of each label are read, and so many things looked at. */
const byLabel: Partial<Record<OperationId, Readonly<Record<string, number>>>> = {
  listRuns: { list_labels: MAX_CANDIDATES + 1, runs: MAX_CANDIDATES },
  listDatasets: { list_labels: MAX_CANDIDATES + 1, datasets: MAX_CANDIDATES },
  listJobSpecs: { list_labels: MAX_CANDIDATES + 1, job_specs: MAX_CANDIDATES, job_spec_versions: MAX_CANDIDATES },
};

let service: TestService;
let tenant: TestOrganization;
let ids: Ids;

beforeAll(async () => {
  const first = await startTestService();
  tenant = await first.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(CHUNK_ROWS));
  ids = {
    organizationId: tenant.organizationId,
    datasetId: dataset.id,
    runId: formatId("run", RUN),
    jobSpecId: formatId("jobSpec", COMMON),
  };
  await multiplyChunks(first, parseId("dataset", dataset.id) ?? "", CHUNK_ROWS);
  await fillTables(first, tenant, await first.newOrganization());
  await tellPlans(first);
  await first.stop();
  // Nobody works on what has been filled in.
  service = await startTestService({ ...first.settings, ROWMILL_ROLE: "api" });
}, 600_000);

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

const lists = entries.filter(({ o }) => o.filters !== undefined);

test.each(lists.map((entry) => [entry.id, queriesOf(entry).length, entry] as const))(
  "%s reads no more than a page, with each of %d combinations of filters, at the beginning and far behind it",
  async (id, _count, { o }) => {
    const surprises = new Surprises();
    const runs = o.params?.["runId"] === undefined ? [RUN] : [RUN, FAILED_RUN];
    for (const query of queriesOf({ id, o }))
      for (const runId of runs)
        for (const after of [undefined, middleOf(id, o, query)]) {
          const path = pathOf(o, { ...ids, runId: formatId("run", runId) });
          const search = new URLSearchParams(`${query}&limit=${LIMIT}`);
          if (after !== undefined) search.set("cursor", cursorOf(o, path, search, after));
          const url = `${path}?${search.toString()}`;
          await surprises.collect(url, async () => expectBounded(url, id, o, await readsOfPage(o, url)));
        }
    expectNone(surprises);
  },
  120_000,
);

const readsOfPage = (o: Operation, url: string): Promise<TableRead[]> =>
  readsOf(
    async () =>
      expectStatus(
        await service.api("GET", url, { key: o.access.by === "admin" ? service.adminKey : tenant.apiKey }),
        200,
      ),
    (table) => filled.has(table),
  );

function expectBounded(url: string, id: OperationId, o: Operation, reads: TableRead[]): void {
  expect(reads).not.toEqual([]);
  const allowed: Readonly<Record<string, number>> = {
    ...exceptions[id],
    ...(/[?&](name|metadata)/.test(url) ? byLabel[id] : {}),
    // By day, only the days of the page are added up, and the one behind them is begun.
    ...(id === "listUsage" && isByDay(url) ? { usage_days: (PAGE + 1) * USES_PER_DAY } : {}),
  };
  expect(reads.filter((read) => !isBounded(allowed, o, read))).toEqual([]);
  const rows = reads
    .filter(({ table }) => allowed[table] === undefined)
    .reduce((sum, read) => sum + read.loops * read.rowsPerLoop, 0);
  expect(rows).toBeLessThanOrEqual(o.streams ? MAX_ROW_READS : MAX_READS);
}

const filled = new Set(
  (
    "runs run_chunks run_segments run_failures events exports webhook_deliveries alert_deliveries audit_events invitations datasets " +
    "list_labels dataset_chunks dataset_uploads usage_days connections job_specs job_spec_versions members webhook_endpoints alert_rules api_keys organizations bulk_actions"
  ).split(" "),
);

/** By an index, and no range of it beyond a page. */
function isBounded(allowed: Readonly<Record<string, number>>, o: Operation, read: TableRead): boolean {
  if (!/^(Index|Index Only|Bitmap Heap) Scan$/.test(read.how)) return false;
  const maxRows = allowed[read.table];
  if (maxRows !== undefined) return read.rowsPerLoop <= maxRows;
  // Of row-level lists the sum is what counts: rows are read chunk by chunk.
  if (o.streams) return read.rowsPerLoop * read.loops <= MAX_ROW_READS;
  return read.rowsPerLoop <= PAGE && read.loops <= MAX_RANGES;
}

/**
 * Query strings: each combination of up to three filters, and of all of them, each of them common, rare, or several. A statement of a
 * list narrows what its indexes find by each further filter alike.
 */
function queriesOf({ id, o }: Pick<Entry, "id" | "o">): string[] {
  const filters = Object.entries(o.filters ?? {});
  let queries: string[][] = [[]];
  for (const [name, filter] of filters) {
    const values = valuesOf(id, name, filter).map((value) => `${parameterOf(name, filter)}=${value}`);
    queries = queries.flatMap((query) => [query, ...values.map((value) => [...query, value])]);
  }
  const combined = queries
    .filter(({ length }) => length <= MAX_COMBINED || length === filters.length)
    .map((query) => query.join("&"));
  return o.filters?.["metadata"] === undefined
    ? combined
    : [...combined, "metadata[env]=dev", "name=x&metadata[env]=dev"];
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
function middleOf(id: OperationId, o: Operation, query: string): Position {
  if (o.streams) return [(CHUNKS * CHUNK_ROWS) / 2];
  if (id === "listFailureGroups") return [MANY, "a", "true", ""];
  if (id === "listUsage" && isByDay(query)) return [daysAgo(USED_DAYS - 1), TODAY, daysAgo(5)];
  if (id === "listUsage") return [TODAY, TODAY, String(MANY / 2), 1, ""];
  if (id === "listRunEvents") return [MANY / 2];
  if (id === "listJobSpecVersions") return [MANY / 8];
  return [idOf(MANY / 8)];
}

const isByDay = (query: string): boolean => !/groupBy=(?!day)/.test(query);
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

function cursorOf(o: Operation, path: string, search: URLSearchParams, after: Position): string {
  const key = Buffer.from(service.settings["ROWMILL_ENCRYPTION_KEY"] ?? "", "base64");
  const ofAdmin = "00000000-0000-0000-0000-000000000000";
  return createCursors(createSealer(key).derive("list cursors")).write(
    {
      organizationId: o.access.by === "admin" ? ofAdmin : (parseId("organization", tenant.organizationId) ?? ""),
      path,
      filters: parseQuery(o, search).filters,
    },
    after,
  );
}
