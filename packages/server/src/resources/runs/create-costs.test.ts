/** What creating a run asks PostgreSQL for, in how many round trips: each ends with a message for which a connection waits. */
import { Connection } from "pg";
import { beforeAll, expect, test, vi } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";

let api: Api;
let body: { datasetId: string; jobSpecId: string };

beforeAll(async () => {
  ({ api } = await (await startTestService()).newOrganization());
  const [dataset, jobSpec] = await Promise.all([newDataset(api, numberedRows(9)), newJobSpec(api, { type: "mock" })]);
  body = { datasetId: dataset.id, jobSpecId: jobSpec.id };
});

/** The statements of the transaction, by the round trip they were sent in. */
async function roundTripsOf(scope: object): Promise<string[][]> {
  const sent = new Map<unknown, string[][]>();
  const tripsOf = (connection: unknown): string[][] => {
    const found = sent.get(connection) ?? [[]];
    sent.set(connection, found);
    return found;
  };
  const { bind, sync } = Connection.prototype as unknown as Record<"bind" | "sync", (...given: unknown[]) => void>; // as `pg` has them
  vi.spyOn(Connection.prototype, "bind").mockImplementation(function (this: unknown, ...given: unknown[]) {
    const { statement = "" } = given[0] as { statement?: string }; // as it is sent
    tripsOf(this).at(-1)?.push(statement);
    bind.apply(this, given);
  });
  vi.spyOn(Connection.prototype, "sync").mockImplementation(function (this: unknown) {
    tripsOf(this).push([]);
    sync.apply(this, []);
  });
  try {
    expectStatus(await api<Run>("POST", "/v1/runs", { body: { ...body, scope } }), 201);
  } finally {
    vi.restoreAllMocks();
  }
  const trips = [...sent.values()].find((ofConnection) => ofConnection.flat().includes("insert_run")) ?? [];
  const at = (statement: string, from = 0) =>
    trips.findIndex((names, trip) => trip >= from && names.includes(statement));
  const inserted = at("insert_run");
  const begun = trips.findLastIndex((names, trip) => trip <= inserted && names.includes("begin"));
  return trips.slice(begun, at("commit", inserted) + 1);
}

const READS = ["lock_ready_dataset", "find_usable_version", "lock_organization_for_run"];
const KEY = ["begin", "bind", "insert_idempotency_key"];
const COMMITTED = ["insert_audit_event", "insert_events", "enqueue_run-lane", "store_response", "commit"];

test("of all rows: four, one of them for the Idempotency-Key", async () => {
  expect(await roundTripsOf({ type: "all" })).toEqual([KEY, READS, ["insert_run"], COMMITTED]);
});

test("of the first rows: one more, to count their chunks", async () => {
  expect(await roundTripsOf({ type: "limit", count: 3 })).toEqual([KEY, READS, [""], ["insert_run"], COMMITTED]);
});

test("of chosen rows: nobody waits for the organization while chunks are written", async () => {
  const [lockDataset, findVersion, lockOrganization] = READS;
  expect(await roundTripsOf({ type: "sample", count: 3, seed: 1 })).toEqual([
    KEY,
    [lockDataset, findVersion],
    [""],
    [lockOrganization],
    ["insert_run"],
    COMMITTED,
  ]);
});
