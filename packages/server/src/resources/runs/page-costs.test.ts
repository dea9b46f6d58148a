/** What a page of rows of a run asks PostgreSQL for: each of these statements is a round trip, with what binds it. */
import { beforeAll, expect, test } from "vitest";
import { isTerminal } from "@rowmill/contract/runs";
import type { Run } from "@rowmill/contract/runs";
import { expectStatus } from "../../testing/api.ts";
import type { Api } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { roundTripsOf } from "../../testing/round-trips.ts";
import { startTestService } from "../../testing/service.ts";
import { waitFor } from "../../testing/wait.ts";
import { getRun } from "./runs-testing.ts";

const ROWS = 40;
/** A page of ten rows ends in the second chunk. */
const settings = { ROWMILL_CHUNK_ROWS: "7" };
const LIMIT = 10;

let api: Api;
let datasetId: string;

beforeAll(async () => {
  ({ api } = await (await startTestService(settings)).newOrganization());
  datasetId = (await newDataset(api, numberedRows(ROWS))).id;
});

async function endedRun(processor: object): Promise<Run> {
  const { id } = await newJobSpec(api, { type: "mock", ...processor });
  return finishedRun(api, (await newRun(api, { datasetId, jobSpecId: id })).id);
}

async function retryOf(run: Run, body: object = {}): Promise<Run> {
  const response = await api<Run>("POST", `/v1/runs/${run.id}/retry`, { body });
  expectStatus(response, 201);
  return finishedRun(api, response.body.id);
}

/** Without what finds the run, or asks whether it still is as it is known: that of a run that has ended goes with the first statement. */
async function statementsOf(run: Run, list: string, ofRun = api): Promise<string[]> {
  const page = async (): Promise<void> =>
    expectStatus(await ofRun("GET", `/v1/runs/${run.id}/${list}${list.includes("?") ? "&" : "?"}limit=${LIMIT}`), 200);
  // The key and the run are known then.
  await page();
  const trips = (await roundTripsOf(page)).flat().map(readsIn).filter(hasAny);
  const first = trips[0]?.shift();
  expect(first).toBe(isTerminal(run.state) ? "is_run_current" : "find_run_and_version");
  const others = trips.filter(hasAny);
  expect(others.map((names) => names.length)).toEqual(others.map(() => 1));
  // Together with the first.
  expect(trips.length - others.length).toBe(isTerminal(run.state) ? 0 : 1);
  return others.flat();
}

/** Tasks that the service has beside the request send none of these. */
const readsIn = (names: string[]): string[] =>
  names.filter((name) => /^(find_run_and_|is_run_|read_|load_)/.test(name));
const hasAny = (names: string[]): boolean => names.length > 0;

const SEGMENTS = "read_run_chunks_succeeded_failed_unfinished_and_segments";
const BODIES = "read_run_chunks_succeeded_failed_unfinished_and_bodies";

test("outputs and failures: one", async () => {
  const run = await endedRun({ failEvery: 5 });
  expect(await statementsOf(run, "outputs")).toEqual(["read_next_segments"]);
  expect(await statementsOf(run, "failures")).toEqual(["read_failures"]);
});

test("rows and resolved results that are successes: one", async () => {
  const run = await endedRun({});
  expect(await statementsOf(run, "rows")).toEqual([SEGMENTS]);
  expect(await statementsOf(run, "resolved-results")).toEqual([BODIES]);
});

test("with failures among them: one more", async () => {
  const run = await endedRun({ failEvery: 5 });
  expect(await statementsOf(run, "rows")).toEqual([SEGMENTS, "read_failure_heads"]);
  expect(await statementsOf(run, "resolved-results")).toEqual([BODIES, "read_whole_failures"]);
  expect(await statementsOf(run, "resolved-results?resultState=failed")).toEqual(["read_failures"]);
});

test("where only successes are asked for, failures are not looked for", async () => {
  const run = await endedRun({ failEvery: 8 });
  const retry = await retryOf(run);
  // Twice as many rows as are asked for are in the first chunks that are filtered, which are more than two of these.
  const others = ["read_run_chunks_succeeded", "read_segments"];
  expect(await statementsOf(run, "rows?state=succeeded")).toEqual([
    "read_run_chunks_succeeded_and_segments",
    ...others,
  ]);
  for (const each of [run, retry])
    expect(await statementsOf(each, "resolved-results?resultState=succeeded")).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/failure|run_rows/)]),
    );
});

test("rows that have not begun or not ended: one, while none of their chunk has failed", async () => {
  const processor = { type: "mock", delayMs: 60_000 } as const;
  const spec = await newJobSpec(api, processor);
  const running = await newRun(api, { datasetId, jobSpecId: spec.id });
  await waitFor(async () => (await getRun(api, running.id)).rows.running > 0);
  expect(await statementsOf(running, "rows")).toEqual([SEGMENTS]);
  expect(await statementsOf(running, "resolved-results")).toEqual([BODIES]);
  await api("POST", `/v1/runs/${running.id}/cancel`);
});

test("rows of a run that has not started: none", async () => {
  const withoutWorkers = await startTestService({ ...settings, ROWMILL_ROLE: "api" });
  const { api: ofQueued } = await withoutWorkers.newOrganization();
  const dataset = await newDataset(ofQueued, numberedRows(ROWS));
  const spec = await newJobSpec(ofQueued);
  const queued = await newRun(ofQueued, { datasetId: dataset.id, jobSpecId: spec.id });
  expect(await statementsOf(queued, "rows", ofQueued)).toEqual([]);
  expect(await statementsOf(queued, "resolved-results", ofQueued)).toEqual([]);
});

test("resolved results of retries: the family and one, however many retries there are", async () => {
  const first = await endedRun({ failEvery: 5, failUntilRetry: 2 });
  const second = await retryOf(first);
  const third = await retryOf(second);
  expect(await statementsOf(third, "resolved-results")).toEqual(["read_family", BODIES]);
  // Rows that no run has succeeded with, in all runs at once.
  const openRows = ["read_failure_heads", "read_run_rows", "read_whole_failures"];
  expect(await statementsOf(second, "resolved-results")).toEqual(["read_family", BODIES, ...openRows]);
  // Where a row may have several successes, the bodies are read of those that are shown.
  const again = await retryOf(third, { selection: { type: "all" } });
  expect(await statementsOf(again, "resolved-results")).toEqual(["read_family", SEGMENTS, "load_segment_bodies"]);
});
