import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { RunRow } from "@rowmill/contract/run-results";
import { openDatabase } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestOrganization, TestService } from "../../testing/service.ts";
import { createFilterGate, pickRows } from "./filter-scope.ts";
import type { FilterParts } from "./filter-scope.ts";

let service: TestService;
let organization: TestOrganization;
let jobSpecId: string;

beforeAll(async () => {
  service = await startTestService({ ROWMILL_CHUNK_ROWS: "10" });
  organization = await service.newOrganization();
  jobSpecId = (await newJobSpec(organization.api)).id;
});

const filter = (where: string) => ({ type: "filter" as const, where });
const create = (datasetId: string, where: string) =>
  organization.api("POST", "/v1/runs", { body: { datasetId, jobSpecId, scope: filter(where) } });

/** The indexes of the rows that the run has. */
async function rowsOf(runId: string): Promise<number[]> {
  const { body } = await organization.api<{ data: RunRow[] }>("GET", `/v1/runs/${runId}/rows?limit=1000`);
  return body.data.map(({ index }) => index);
}

describe("the scope filter", () => {
  test("chooses the rows that pass, over all chunks, and a retry is about the same", async () => {
    const dataset = await newDataset(organization.api, numberedRows(95));
    const run = await newRun(organization.api, {
      datasetId: dataset.id,
      jobSpecId,
      scope: filter("row.n % 7 == 0 || (row.n >= 20 && row.n < 31)"),
    });
    expect(run.scope).toEqual(filter("row.n % 7 == 0 || (row.n >= 20 && row.n < 31)"));
    const chosen = numberedRows(95).flatMap(({ n }) => (n % 7 === 0 || (n >= 20 && n < 31) ? [n] : []));
    expect(run.rows.total).toBe(chosen.length);
    expect(await finishedRun(organization.api, run.id)).toMatchObject({
      state: "succeeded",
      rows: { succeeded: chosen.length, total: chosen.length },
    });
    expect(await rowsOf(run.id)).toEqual(chosen);
    const retry = await organization.api("POST", `/v1/runs/${run.id}/retry`, { body: { selection: { type: "all" } } });
    expectStatus(retry, 201);
    await finishedRun(organization.api, retry.body.id);
    expect(await rowsOf(retry.body.id)).toEqual(chosen);
  });

  test("chooses the same of many chunks that are evaluated side by side", async () => {
    const dataset = await newDataset(organization.api, numberedRows(3_000));
    const run = await newRun(organization.api, {
      datasetId: dataset.id,
      jobSpecId,
      scope: filter("row.n % 3 == 0 && row.n < 2500"),
    });
    await finishedRun(organization.api, run.id);
    expect(await rowsOf(run.id)).toEqual(numberedRows(2_500).flatMap(({ n }) => (n % 3 === 0 ? [n] : [])));
    const none = await create(dataset.id, "row.n > 4000 || row.missing");
    expect(none.body.error.message).toMatch(/the first evaluation error is at row 0:/);
  });

  test("takes no row that it cannot evaluate", async () => {
    const rows = [{ v: 1 }, {}, { v: null }, { v: "1" }, { v: 1.5 }, { v: { a: 1 } }, { v: [1] }, { v: true }];
    const dataset = await newDataset(organization.api, rows);
    const run = await newRun(organization.api, { datasetId: dataset.id, jobSpecId, scope: filter("row.v >= 1") });
    await finishedRun(organization.api, run.id);
    expect(await rowsOf(run.id)).toEqual([0, 4]);
  });

  test("must choose something, and says what it could not evaluate", async () => {
    const dataset = await newDataset(organization.api, numberedRows(25));
    const none = await create(dataset.id, "row.n > 100");
    expectStatus(none, 422);
    expect(none.body.error).toMatchObject({ code: "scope_invalid", param: "scope.where" });
    expect((await create(dataset.id, "row.m > 100")).body.error.message).toMatch(/No row passes.*row 0: .*\bm\b/);
  });

  test.each([
    "",
    "row.n >",
    "event.n == 1",
    "row.n == 1 &&",
    "x".repeat(5_000),
    `${"(".repeat(65)}true${")".repeat(65)}`,
  ])("must compile (case %#)", async (where) => {
    const dataset = await newDataset(organization.api, numberedRows(1));
    const response = await create(dataset.id, where);
    expect([response.status, response.body.error.code, response.body.error.param]).toEqual([
      422,
      "scope_invalid",
      "scope.where",
    ]);
  });

  test("is evaluated no further for a dry run whose client has left", async () => {
    const { id } = await newDataset(organization.api, numberedRows(95));
    const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 1, onError: () => undefined });
    const left = new AbortController();
    let evaluated = 0;
    const conditions: FilterParts["conditions"] = {
      workers: 1,
      check: () => Promise.resolve(undefined),
      evaluateRows: async (_condition, _chunk, count) => {
        if (++evaluated === 3) left.abort();
        const results = Array<"match">(count).fill("match");
        return Promise.resolve({ results, firstError: null, isTooExpensive: false });
      },
    };
    try {
      const parts = { conditions, filterGate: createFilterGate() };
      const dataset = { id: parseId("dataset", id) ?? "", rowCount: 95 };
      const pick = (signal?: AbortSignal) => pickRows(database.db, organization, dataset, "true", parts, signal);
      await expect(pick(left.signal)).rejects.toThrow("the client has left");
      // Of two that were under way one may have begun.
      expect(evaluated).toBeLessThanOrEqual(4);
      expect(await pick()).toHaveLength(10);
    } finally {
      await database.close();
    }
  });

  test("that takes too long says which row it could not evaluate", async () => {
    const { id } = await newDataset(organization.api, numberedRows(95));
    const database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 2, onError: () => undefined });
    onTestFinished(() => database.close());
    const clock = vi.spyOn(performance, "now");
    const conditions: FilterParts["conditions"] = {
      workers: 1,
      check: () => Promise.resolve(undefined),
      evaluateRows: (_condition, _chunk, count) => {
        clock.mockReturnValue(performance.timeOrigin + 60_000);
        const firstError = { at: 3, message: "there is no `ID`" };
        const results = Array<"no_match">(count).fill("no_match");
        return Promise.resolve({ results, firstError, isTooExpensive: false });
      },
    };
    const parts = { conditions, filterGate: createFilterGate() };
    const dataset = { id: parseId("dataset", id) ?? "", rowCount: 95 };
    clock.mockReturnValue(performance.timeOrigin);
    await expect(pickRows(database.db, organization, dataset, "row.ID == 1", parts)).rejects.toThrow(
      /in 25 seconds, which is all it may take; the first evaluation error is at row [01]?3: there is no `ID`/,
    );
  });

  test("is not asked about what is not there, or is a stranger's", async () => {
    const stranger = await service.newOrganization();
    const theirs = await newDataset(stranger.api, numberedRows(1));
    const empty = `ds_${"0".repeat(26)}`;
    for (const datasetId of [theirs.id, empty, "x"]) expectStatus(await create(datasetId, "true"), 404);
  });
});
