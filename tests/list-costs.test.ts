/**
 * Every list, with every filter and every pair of filters, costs the same however much there is, and whatever PostgreSQL knows of
 * it: shown by the plans that it has executed, and the rows and pages that they have read, in tables of some ten thousand rows, with
 * old statistics, with those of empty tables, with none, and with good ones.
 */
import { beforeAll, describe, expect, test } from "vitest";
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import { openDatabase } from "@rowmill/server/platform/database/database";
import { MAX_CANDIDATES } from "@rowmill/server/platform/http/labelled";
import { readScopes } from "@rowmill/server/platform/http/open-requests";
import { formatId, parseId } from "@rowmill/server/platform/ids";
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
  RARE,
  RULES,
  RUN,
  USES_PER_DAY,
  idOf,
} from "./support/many-values.ts";
import { Surprises, expectNone } from "./support/collect.ts";
import { USED_DAYS, cursorOf, isByDay, lists, middleOf, queriesOf } from "./support/list-queries.ts";
import { bodiesOf, entries, pathOf } from "./support/operations.ts";
import type { Ids } from "./support/operations.ts";
import type { TableRead } from "./support/plans.ts";
import { readsOf, reportPlans } from "./support/plans.ts";
import { prepareRowStatements } from "./support/row-statements.ts";
import type { RowStatements } from "./support/row-statements.ts";

const LIMIT = 20;
/** A page and the item that shows whether there is a next one. */
const PAGE = LIMIT + 1;
/** The most that filters are spelled out into: audit events of a key, by each type and each kind of actor. */
const MAX_RANGES = 256;
/** Rows of a run are found in its chunks: for an item, at most one chunk is looked through, in three statements. */
const MAX_ROW_READS = 3 * PAGE * CHUNK_ROWS;

/** Of an index and of the table. */
const PAGES_OF_ROW = 3;
/** Of what is changed: its row, indexes, and what is counted beside it. */
const PAGES_OF_CHANGE = 10;
/** From the root of an index to where a scan begins, with room for deleted entries. */
const PAGES_OF_SCAN = 20;

/** Of the other lists: each range gives a page at most. */
const MAX_READS = MAX_RANGES * PAGE;

/** What a page may read beside itself, and why. */
const exceptions: Partial<Record<OperationId, Readonly<Record<string, number>>>> = {
  // Runs in progress are counted by their chunks, and there are as many as an organization may have: here two.
  listRuns: { run_chunks: 2 * CHUNKS },
  // Of rules and connections there are as many as an organization may have; no index would make them fewer.
  listConnections: { connections: CONNECTIONS },
  listAlertRules: { alert_rules: RULES },
  // Failures of several causes are counted, in an index that has nothing but these: here one of each chunk. Those of one cause are added up
  // by the chunks.
  listFailureGroups: { run_failures: CHUNKS, run_chunks: CHUNKS },
  // What is added up is all of the range of days, found by an index; for the models also the versions that were used.
  listUsage: { usage_days: 2 * USED_DAYS * USES_PER_DAY, job_spec_versions: USED_DAYS * USES_PER_DAY },
  // The usage that is shown: what was used this month is added up. It is the operator's list.
  listOrganizations: { usage_days: 2 * USED_DAYS * USES_PER_DAY },
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
let rowStatements: RowStatements;

beforeAll(async () => {
  const first = await startTestService();
  // Those that are filled by `fillTables` are not vacuumed, either.
  for (const table of ["organizations", "dataset_chunks"])
    await first.query(`alter table ${table} set (autovacuum_enabled = false)`);
  tenant = await first.newOrganization();
  const dataset = await newDataset(tenant.api, numberedRows(CHUNK_ROWS));
  ids = {
    organizationId: tenant.organizationId,
    datasetId: dataset.id,
    runId: formatId("run", RUN),
    jobSpecId: formatId("jobSpec", COMMON),
  };
  const other = await first.newOrganization();
  // A worker would analyze what is filled in.
  await first.stop();
  await multiplyChunks(first, parseId("dataset", dataset.id) ?? "", CHUNK_ROWS);
  await fillTables(first, tenant, other, { onOtherFilled: async () => void (await first.query("analyze")) });
  await reportPlans(first);
  // Nobody works on what has been filled in.
  service = await startTestService({ ...first.settings, ROWMILL_ROLE: "api" });
  rowStatements = await prepareRowStatements(service, parseId("organization", tenant.organizationId) ?? "");
}, 600_000);

/** In the order in which the tables pass through them; nothing is analyzed beside the tests. */
const allStates: { state: string; enter: () => Promise<unknown>; isForAllServers?: true }[] = [
  {
    state: "with statistics from before the organization had anything",
    enter: () => expectStatistics("other"),
    isForAllServers: true,
  },
  {
    state: "with statistics of empty tables",
    // What `analyze` leaves of those.
    enter: () => forgetStatistics({ pages: 0, rows: 0 }),
  },
  { state: "without statistics", enter: () => forgetStatistics({ pages: 0, rows: -1 }), isForAllServers: true },
  {
    state: "with statistics",
    enter: async () => {
      await service.query("analyze");
      await expectStatistics("both");
    },
  },
];
/**
 * Beside the embedded server, another one is asked in the two states whose estimates are wrong in different ways: of tables with more than ten
 * pages the planner expects the same after an analysis of them while they were empty as without one.
 */
const states = allStates.filter(
  ({ isForAllServers }) => process.env["ROWMILL_TEST_DATABASE_URL"] === undefined || isForAllServers === true,
);
/** What is found by its id alone, or by that of its organization, too. */
const foundById = entries.filter(({ o }) => o.method === "GET" && o.path.endsWith("Id}") && !o.path.includes("Row"));
const ownTableOf = (o: Operation) => /([a-z-]+)\/\{\w+Id\}[^{}]*$/.exec(o.path)?.[1]?.replaceAll("-", "_");
/** Some send requests to others. */
const isLeftOut = (o: Operation) => /\/(test|redeliver)$/.test(o.path);
const changes = entries.filter(
  ({ o }) =>
    o.method !== "GET" && o.access.by.startsWith("organization") && o.plain !== true && ownTableOf(o) && !isLeftOut(o),
);
/** Beside what is changed. */
const lookedAt: Partial<Record<OperationId, readonly string[]>> = { deleteConnection: ["runs", "job_spec_versions"] };
/** For each unfinished run, the version of its job spec is looked up. */
const pagesOfChange: Partial<Record<OperationId, number>> = { deleteConnection: 4 * (PAGES_OF_ROW + 1) * RARE };
/** What is found and locked, and not changed, since it is in another state or has no secret. */
const refused: Partial<Record<OperationId, number>> = {
  abortBulkAction: 409,
  cancelDatasetUpload: 409,
  deleteRun: 409,
  retryRun: 409,
  rotateAlertRuleSecret: 409,
  // In one state of the statistics or more.
  createInvitation: 409,
  replayWebhookEndpoint: 404,
  resumeRun: 409,
};
/** By what was done before: the same address was invited, the endpoint deleted, the run canceled. */
const isRefusedOnce: ReadonlySet<OperationId> = new Set(["createInvitation", "replayWebhookEndpoint", "resumeRun"]);
const FOUND = 5;
const FIRST_CHANGED = FOUND + 1;
const idsOf = (o: Operation, n = FOUND): Ids =>
  Object.fromEntries(
    Object.entries(o.params ?? {}).map(([name, kind]) => [name, kind === "number" ? "1" : formatId(kind, idOf(n))]),
  );
const named = lists.map((entry) => [entry.id, queriesOf(entry).length, entry] as const);

describe.each(states.map((each, at) => ({ ...each, at })))("$state", ({ enter, at }) => {
  beforeAll(enter);

  test.each(named)(
    "%s reads no more than a page, with each of %d combinations of filters, at the beginning and far behind it",
    async (id, _count, { o }) => await expectCheap(id, o),
    600_000,
  );

  const ofRows = ["rows", "outputs", "failures", "resolved-results"];
  test.each(ofRows)("of %s, a page of a run that is known confirms it by its id in a few pages", async (list) => {
    const path = `/v1/runs/${formatId("run", idOf(RARE + 1))}/${list}`;
    const page = async () => expectStatus(await service.api("GET", path, { key: tenant.apiKey }), 200);
    await page();
    expectFew(await readsOf(page, (table) => table === "runs"));
  });

  test("what has an id is found by it in a few pages of its table", async () => {
    const surprises = new Surprises();
    for (const { id, o } of foundById) {
      const path = pathOf(o, { ...idsOf(o), organizationId: tenant.organizationId });
      await surprises.collect(path, async () => {
        const own = o.path.split("/").at(-2)?.replaceAll("-", "_");
        const reads = (await readsOfPage(o, path)).filter(({ table }) => table === own);
        if (reads.length === 0 || reads.some(({ pages }) => pages > PAGES_OF_SCAN))
          throw new Error(`${id}: ${JSON.stringify(reads)}`);
      });
    }
    expectNone(surprises);
  });

  test("what has an id is locked and changed by it in a few pages of its table", async () => {
    const surprises = new Surprises();
    const statuses: { id: OperationId; status: number }[] = [];
    for (const [index, entry] of changes.entries()) {
      const { id, o } = entry;
      // Another one each time: most can be changed once.
      const n = FIRST_CHANGED + ((index + allStates.length * at) % (RARE - FIRST_CHANGED));
      const path = pathOf(o, { ...idsOf(o, n), organizationId: tenant.organizationId });
      await surprises.collect(`${id} ${path}`, async () => {
        const own = new Set([ownTableOf(o), ...(lookedAt[id] ?? [])]);
        const work = async () => {
          const { status } = await service.api(o.method, path, { key: tenant.apiKey, body: bodiesOf(entry)[0] });
          statuses.push({ id, status });
        };
        expectFew(await readsOf(work, (table) => own.has(table)), pagesOfChange[id]);
      });
    }
    expectNone(surprises);
    const isExpected = ({ id, status }: (typeof statuses)[number]): boolean =>
      refused[id] === undefined ? status < 300 : status === refused[id] || (isRefusedOnce.has(id) && status < 300);
    expect(statuses.filter((each) => !isExpected(each))).toEqual([]);
  });

  test("a row of any table is read, locked and changed by its id in a few pages", async () => {
    const surprises = new Surprises();
    const asked = await rowStatements.ask(idOf(FOUND));
    for (const { title, reads } of asked) await surprises.collect(title, async () => expectFew(reads));
    expectNone(surprises);
    expect([...new Set(asked.map(({ table }) => table))]).toEqual(rowStatements.tables);
  });

  // While any of these requests is open, beside them.
  test("the keys of open requests are found by their ids", async () => {
    const keys = await service.query<{ id: string; organizationId: string }>(
      `select id, organization_id as "organizationId" from api_keys
       where organization_id = $1 and revoked_at is null and expires_at is null order by id limit 3`,
      [parseId("organization", tenant.organizationId)],
    );
    const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => undefined });
    try {
      const ofKeys = new Map(keys.map(({ id, organizationId }) => [id, organizationId]));
      const reads = await readsOf(
        async () => expect((await readScopes(database.db, ofKeys)).size).toBe(keys.length),
        (table) => filled.has(table),
      );
      expect(reads.map(({ table }) => table).toSorted()).toEqual(["api_keys", "organizations"]);
      const many = reads.filter(
        ({ how, rowsPerLoop, loops }) => !how.startsWith("Index") || rowsPerLoop * loops > keys.length,
      );
      expect(many).toEqual([]);
    } finally {
      await database.close();
    }
  });
});

/** What is begun and not ended of an organization may be counted, too: `RARE` of each kind, and what the tests have begun. */
function expectFew(reads: readonly TableRead[], mostPages = PAGES_OF_CHANGE): void {
  const isMuch = ({ rowsPerLoop, loops, pages }: TableRead): boolean =>
    rowsPerLoop * loops > 2 * RARE || pages > mostPages;
  if (reads.length === 0 || reads.some(isMuch)) throw new Error(JSON.stringify(reads));
}

async function expectStatistics(of: "other" | "both"): Promise<void> {
  const found = await service.query<{ table: string; isKnown: boolean }>(
    `select tablename as table, $1 = any(most_common_vals::text::text[]) as "isKnown" from pg_stats
     where schemaname = 'public' and attname = 'organization_id' and tablename = any($2)`,
    [parseId("organization", tenant.organizationId), ["runs", "webhook_deliveries", "exports"]],
  );
  expect(found.map(({ isKnown }) => isKnown)).toEqual(Array.from({ length: 3 }, () => of === "both"));
}

async function forgetStatistics({ pages, rows }: { pages: number; rows: number }): Promise<void> {
  await service.query(
    "delete from pg_statistic where starelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)",
  );
  await service.query(
    "update pg_class set relpages = $1, reltuples = $2, relallvisible = 0 where relnamespace = 'public'::regnamespace and relkind in ('r', 'i')",
    [pages, rows],
  );
  expect(await service.query("select from pg_stats where schemaname = 'public'")).toEqual([]);
}

const owner = () => ({
  encryptionKey: service.settings["ROWMILL_ENCRYPTION_KEY"] ?? "",
  organizationId: parseId("organization", tenant.organizationId) ?? "",
});

async function expectCheap(id: OperationId, o: Operation): Promise<void> {
  const surprises = new Surprises();
  const runs = o.params?.["runId"] === undefined ? [RUN] : [RUN, FAILED_RUN];
  for (const query of queriesOf({ id, o }))
    for (const runId of runs)
      for (const after of [undefined, middleOf(id, o, query)]) {
        const path = pathOf(o, { ...ids, runId: formatId("run", runId) });
        const search = new URLSearchParams(`${query}&limit=${LIMIT}`);
        if (after !== undefined) search.set("cursor", cursorOf(o, path, search, after, owner()));
        const url = `${path}?${search.toString()}`;
        await surprises.collect(url, async () => expectBounded(url, id, o, await readsOfPage(o, url)));
      }
  expectNone(surprises);
}

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
  const unbounded = reads.filter((read) => !isBounded(allowed, o, read)).map((read) => JSON.stringify(read));
  if (unbounded.length > 0) throw new Error(unbounded.join(", "));
  const rows = reads
    .filter(({ table }) => allowed[table] === undefined)
    .reduce((sum, read) => sum + read.loops * read.rowsPerLoop, 0);
  expect(rows).toBeLessThanOrEqual(o.streams ? MAX_ROW_READS : MAX_READS);
}

const filled = new Set(
  (
    "runs run_chunks run_segments run_failures events exports webhook_deliveries alert_deliveries audit_events invitations datasets dataset_counts " +
    "list_labels dataset_chunks dataset_uploads usage_days connections job_specs job_spec_versions members webhook_endpoints alert_rules api_keys organizations bulk_actions"
  ).split(" "),
);

/** By an index, and no range of it beyond a page. */
function isBounded(allowed: Readonly<Record<string, number>>, o: Operation, read: TableRead): boolean {
  if (!/^(Index|Index Only|Bitmap Heap) Scan$/.test(read.how)) return false;
  // Of failures by their code, an index passes those that can be retried before it ends those that cannot.
  const isCounted = read.table !== "run_failures" && allowed[read.table] === undefined;
  if (isCounted && read.pages > read.loops * (PAGES_OF_ROW * read.rowsPerLoop + PAGES_OF_SCAN)) return false;
  const maxRows = allowed[read.table];
  if (maxRows !== undefined) return read.rowsPerLoop <= maxRows;
  // Of row-level lists the sum is what counts: rows are read chunk by chunk.
  if (o.streams) return read.rowsPerLoop * read.loops <= MAX_ROW_READS;
  return read.rowsPerLoop <= PAGE && read.loops <= MAX_RANGES;
}
