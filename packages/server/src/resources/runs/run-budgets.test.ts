/** A run's money between several processes, each of them a `RunBudget` of its own. */
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Budget } from "@rowmill/contract/run-options";
import { openDatabase } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import { parseId } from "../../platform/ids.ts";
import type { BudgetReservation } from "../../processors/processor.ts";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import type { TestService } from "../../testing/service.ts";
import { makeChunksByHand } from "../../testing/started-run.ts";
import { RunBudget, isBudgetExhausted } from "./run-budgets.ts";

let service: TestService;
let api: Api;
let organizationId: string;
let database: Database;
let ids: { datasetId: string; jobSpecId: string };
beforeAll(async () => {
  // Nobody works on the runs: they only lend their budgets.
  service = await startTestService({ ROWMILL_ROLE: "api" });
  const organization = await service.newOrganization();
  api = organization.api;
  organizationId = parseId("organization", organization.organizationId) ?? "";
  database = openDatabase(service.settings["ROWMILL_DATABASE_URL"] ?? "", { max: 8, onError: () => undefined });
  ids = { datasetId: (await newDataset(api, numberedRows(3))).id, jobSpecId: (await newJobSpec(api)).id };
});
afterAll(() => database.close());

const noAbort = new AbortController().signal;

interface BudgetedRun {
  organizationId: string;
  id: string;
  shownId: string;
  budget: Budget;
}

async function runWith(maxCostUsd: string): Promise<BudgetedRun> {
  const budget: Budget = { maxCostUsd, onExceeded: "pause" };
  const run = await newRun(api, { ...ids, budget });
  expect(run.budget).toEqual(budget);
  const id = parseId("run", run.id) ?? "";
  await makeChunksByHand(service, id);
  return { organizationId, id, shownId: run.id, budget };
}

const processOf = (run: BudgetedRun): RunBudget => new RunBudget(database, pino({ level: "silent" }), run);

async function mustReserve(budget: RunBudget, amountUsd: string): Promise<BudgetReservation> {
  const reservation = await budget.reserve(amountUsd, noAbort);
  if (reservation === undefined) throw new Error(`the budget has no ${amountUsd} USD`);
  return reservation;
}

const stored = async (run: BudgetedRun) => {
  const [row] = await service.query<{ spent: string; reserved: string }>(
    `select spent_usd::text as spent, (select coalesce(sum((h.value->>'usd')::numeric), 0)::text from jsonb_each(holds) h) as reserved
      from run_budgets where run_id = $1`,
    [run.id],
  );
  return { spent: Number(row?.spent), reserved: Number(row?.reserved) };
};

test("what is set aside and spent never exceeds the budget, whoever asks", async () => {
  const run = await runWith("1");
  const [one, other] = [processOf(run), processOf(run)];
  const reservations = await Promise.all(
    Array.from({ length: 10 }, (_unused, i) => mustReserve(i % 2 === 0 ? one : other, "0.1")),
  );
  expect((await stored(run)).reserved).toBeCloseTo(1);
  const eleventh = other.reserve("0.1", noAbort);
  // The calls turn out to be cheaper: what they did not need is free again.
  for (const reservation of reservations.slice(0, 2)) reservation.settle("0.05");
  expect(await eleventh).toBeDefined();
  for (const reservation of reservations.slice(2)) reservation.settle("0.1");
  (await eleventh)?.settle("0.1");
  await expect.poll(() => stored(run)).toEqual({ spent: 1, reserved: 0 });
  expect(await one.reserve("0.000001", noAbort)).toBeUndefined();
  expect(await isBudgetExhausted(database.db, run)).toBe(true);
});

test("a hundred processes at once spend exactly what there is", async () => {
  const run = await runWith("0.3");
  const responses = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const reservation = await processOf(run).reserve("0.01", noAbort);
      reservation?.settle("0.01");
      return reservation !== undefined;
    }),
  );
  expect(responses.filter(Boolean)).toHaveLength(30);
  await expect.poll(() => stored(run)).toEqual({ spent: 0.3, reserved: 0 });
});

test("while a call is under way nobody is refused for good: its end may free the money", async () => {
  const run = await runWith("1");
  const budget = processOf(run);
  const expensive = await mustReserve(budget, "1");
  const next = budget.reserve("0.4", noAbort);
  expensive.settle("0.6");
  expect(await next).toBeDefined();
});

test("a budget that was raised meanwhile is asked as it is now", async () => {
  const run = await runWith("1");
  const budget = processOf(run);
  (await mustReserve(budget, "1")).settle("1");
  expect(await budget.reserve("0.5", noAbort)).toBeUndefined();
  expectStatus(await api("PATCH", `/v1/runs/${run.shownId}`, { body: { budget: { maxCostUsd: "2" } } }), 200);
  expect(await budget.reserve("0.5", noAbort)).toBeDefined();
  expect(await isBudgetExhausted(database.db, { ...run, budget: { maxCostUsd: "2" } })).toBe(false);
});

test("what did not fit is still too much when something smaller fits in later", async () => {
  const run = await runWith("1");
  const budget = processOf(run);
  (await mustReserve(budget, "0.8")).settle("0.8");
  expect(await budget.reserve("0.5", noAbort)).toBeUndefined();
  (await mustReserve(budget, "0.1")).settle("0.1");
  await expect.poll(() => stored(run)).toEqual({ spent: 0.9, reserved: 0 });
  expect(await isBudgetExhausted(database.db, run)).toBe(true);
});

test("what was spent while there was no budget counts when there is one again", async () => {
  const run = await runWith("1");
  const budget = processOf(run);
  (await mustReserve(budget, "0.1")).settle("0.1");
  await expect.poll(() => stored(run)).toEqual({ spent: 0.1, reserved: 0 });
  expectStatus(await api("PATCH", `/v1/runs/${run.shownId}`, { body: { budget: null } }), 200);
  await service.query("update run_chunks set cost_usd = 0.7 where run_id = $1", [run.id]);
  expectStatus(await api("PATCH", `/v1/runs/${run.shownId}`, { body: { budget: { maxCostUsd: "1" } } }), 200);
  expect(await stored(run)).toEqual({ spent: 0.7, reserved: 0 });
  expect(await budget.reserve("0.5", noAbort)).toBeUndefined();
});

test("calls that begin before a process learns of the budget, and end or are recorded after, count in it", async () => {
  const { shownId, ...run } = await runWith("1");
  const budget = processOf({ ...run, shownId });
  budget.follow({ budget: null });
  const underWay = await mustReserve(budget, "0.2");
  await service.query("update run_chunks set cost_usd = 0.5 where run_id = $1 and chunk_no = 0", [run.id]);
  budget.follow(run);
  underWay.settle("0.2");
  expect(await budget.reserve("0.4", noAbort)).toBeUndefined();
  await expect.poll(() => stored({ ...run, shownId })).toEqual({ spent: 0.7, reserved: 0 });
});

test("of a run that is gone nobody is notified any more", async () => {
  const run = await runWith("1");
  let talks = 0;
  const counting: Database = {
    ...database,
    transaction: (work, isolation) => {
      talks++;
      return database.transaction(work, isolation);
    },
  };
  const budget = new RunBudget(counting, pino({ level: "silent" }), run);
  const reservation = await mustReserve(budget, "0.1");
  await service.query("delete from run_budgets where run_id = $1", [run.id]);
  reservation.settle("0.1");
  await expect.poll(() => talks).toBe(2);
  // Several of the pauses after which it would talk again.
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(talks).toBe(2);
});

test("who stops waiting for money leaves it to the others", async () => {
  const run = await runWith("1");
  const budget = processOf(run);
  const reserved = await mustReserve(budget, "0.9");
  const controller = new AbortController();
  const given = budget.reserve("0.5", controller.signal);
  controller.abort(new Error("gone"));
  await expect(given).rejects.toThrow("gone");
  expect(await budget.reserve("0.1", noAbort)).toBeDefined();
  reserved.settle("0");
});

test("what a dead process had set aside is free after a while", async () => {
  const run = await runWith("1");
  await mustReserve(processOf(run), "1");
  const other = processOf(run).reserve("1", noAbort);
  await service.query(
    `update run_budgets set holds = (select jsonb_object_agg(key, jsonb_set(value, '{until}', '0')) from jsonb_each(holds)) where run_id = $1`,
    [run.id],
  );
  expect(await other).toBeDefined();
});

test("what a dead process had recorded with results, and not written into the budget, counts as spent", async () => {
  const run = await runWith("1");
  await mustReserve(processOf(run), "0.5");
  // It is killed after the commit of its results.
  await service.query("update run_chunks set cost_usd = 0.4 where run_id = $1 and chunk_no = 0", [run.id]);
  const heir = processOf(run);
  const small = await mustReserve(heir, "0.1");
  expect(await stored(run)).toEqual({ spent: 0, reserved: 0.6 });
  await service.query(
    `update run_budgets set holds = (
       select jsonb_object_agg(key, case when (value->>'usd')::numeric = 0.5 then jsonb_set(value, '{until}', '0') else value end)
       from jsonb_each(holds)) where run_id = $1`,
    [run.id],
  );
  small.settle("0.1");
  (await mustReserve(heir, "0.5")).settle("0.5");
  await expect.poll(() => stored(run)).toEqual({ spent: 1, reserved: 0 });
  expect(await heir.reserve("0.01", noAbort)).toBeUndefined();
});

test("a reservation is settled once", async () => {
  const reservation = await mustReserve(processOf(await runWith("1")), "0.1");
  reservation.settle("0.1");
  expect(() => reservation.settle("0.1")).toThrow(/twice/);
});

test("a run without a budget asks nobody", async () => {
  const { shownId } = await runWith("1");
  const run = { organizationId, id: parseId("run", shownId) ?? "", budget: null };
  const budget = new RunBudget(database, pino({ level: "silent" }), run);
  expect(await budget.reserve("1000000", noAbort)).toBeDefined();
});
