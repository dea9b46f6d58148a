/** What creating a run asks PostgreSQL for, in how many round trips. */
import { beforeAll, expect, test } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, numberedRows } from "../../testing/factories.ts";
import { roundTripsOf } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";

let api: Api;
let body: { datasetId: string; jobSpecId: string };

beforeAll(async () => {
  ({ api } = await (await startTestService()).newOrganization());
  const [dataset, jobSpec] = await Promise.all([newDataset(api, numberedRows(9)), newJobSpec(api, { type: "mock" })]);
  body = { datasetId: dataset.id, jobSpecId: jobSpec.id };
});

/** The statements of the transaction, by the round trip they were sent in. */
async function statementsFor(scope: object): Promise<string[][]> {
  const connections = await roundTripsOf(async () =>
    expectStatus(await api<Run>("POST", "/v1/runs", { body: { ...body, scope } }), 201),
  );
  const trips = connections.find((ofConnection) => ofConnection.flat().includes("insert_run")) ?? [];
  const inserted = trips.findIndex((names) => names.includes("insert_run"));
  const begun = trips.findLastIndex((names, at) => at <= inserted && names.includes("begin"));
  const committed = trips.findIndex((names, at) => at >= inserted && names.includes("commit"));
  return trips.slice(begun, committed + 1);
}

const READS = ["lock_ready_dataset", "find_usable_version", "lock_organization_for_run"];
const KEY = ["begin", "bind", "insert_idempotency_key"];
const COMMITTED = ["insert_audit_event", "insert_events", "enqueue_run-lane", "store_response", "commit"];

test("of all rows: four, one of them for the Idempotency-Key", async () => {
  expect(await statementsFor({ type: "all" })).toEqual([KEY, READS, ["insert_run"], COMMITTED]);
});

test("of the first rows: one more, to count their chunks", async () => {
  expect(await statementsFor({ type: "limit", count: 3 })).toEqual([KEY, READS, [""], ["insert_run"], COMMITTED]);
});

test("of chosen rows: nobody waits for the organization while chunks are written", async () => {
  const [lockDataset, findVersion, lockOrganization] = READS;
  expect(await statementsFor({ type: "sample", count: 3, seed: 1 })).toEqual([
    KEY,
    [lockDataset, findVersion],
    [""],
    [lockOrganization],
    ["insert_run"],
    COMMITTED,
  ]);
});
