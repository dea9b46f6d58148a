/** What the start and the end of a run ask PostgreSQL for, in how many round trips: a run of few rows is little else. */
import { expect, test } from "vitest";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { roundTripsOf } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";

/** From each `begin` to its `commit`. */
function* transactionsIn(trips: readonly string[][]): Generator<string[][]> {
  let open: string[][] | undefined;
  for (const names of trips) {
    if (names.includes("begin")) open = [];
    open?.push(names);
    if (!names.includes("commit") || open === undefined) continue;
    yield open;
    open = undefined;
  }
}

test("the start of a run takes three, and its end five", async () => {
  const { api } = await (await startTestService()).newOrganization();
  const [dataset, jobSpec] = await Promise.all([newDataset(api, numberedRows(9)), newJobSpec(api, { type: "mock" })]);
  const connections = await roundTripsOf(async () => {
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId: jobSpec.id, scope: { type: "all" } });
    await finishedRun(api, run.id);
  });
  const transactions = connections.flatMap((trips) => [...transactionsIn(trips)]);
  const withEvents = transactions.filter((trips) => {
    const names = trips.flat();
    return names.includes("insert_events") && !names.includes("insert_run");
  });
  // Statements without a name are planned each time.
  const OTHER = "";
  expect(withEvents).toEqual([
    [["begin", "bind", OTHER], [OTHER], ["insert_events", "commit"]],
    [
      ["begin", "bind", OTHER],
      [OTHER],
      [OTHER],
      ["insert_events", OTHER, "lock_organization", OTHER],
      [OTHER, "commit"],
    ],
  ]);
});
