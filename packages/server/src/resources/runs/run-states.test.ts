/** Every state of a run and every way between them, by the front door. */
import { describe, expect, test } from "vitest";
import type { RunRow } from "@rowmill/contract/run-results";
import type { Run } from "@rowmill/contract/runs";
import { parseId } from "../../platform/ids.ts";
import { runWithoutLanes } from "../../platform/queue/queue-testing.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { waitFor } from "../../testing/wait.ts";
import {
  eventTypes,
  expectCountsToAddUp,
  getRun,
  inAnHour,
  passDeadline,
  readAll,
  runInState,
  runWithoutClaims,
} from "./runs-testing.ts";
import { ROWS, startStateService } from "./run-states-testing.ts";

const {
  service,
  api,
  dataset,
  slowSpecId,
  hangingSpecId,
  quickSpecId,
  start,
  act,
  runWithFinishedRows,
  runWithRowsInFlight,
  expectOutputsToFit,
} = await startStateService();

describe("the end", () => {
  test("is `succeeded` when no row failed", async () => {
    const run = await finishedRun(api, (await start(quickSpecId)).id);
    expect(run).toMatchObject({ state: "succeeded", stateReason: null, error: null });
    expect(run.rows).toMatchObject({ total: ROWS, succeeded: ROWS });
    await expectOutputsToFit(run);
  });

  test("is `failed` when no row succeeded", async () => {
    const spec = await newJobSpec(api, { type: "mock", failEvery: 1 });
    const run = await finishedRun(api, (await start(spec.id)).id);
    expect(run).toMatchObject({ state: "failed", error: null, rows: { succeeded: 0, failed: ROWS } });
    expect(await eventTypes(api, run.id)).toEqual(["run.created", "run.started", "run.failed", "run.finished"]);
  });

  test("can be waited for", async () => {
    const run = await start(quickSpecId);
    const read = async () => (await api<Run>("GET", `/v1/runs/${run.id}?waitSeconds=30`)).body.state;
    await expect.poll(read).toBe("succeeded");
  });

  test("is waited for until the run pauses, and then on", async () => {
    const run = await start(hangingSpecId);
    const read = (seconds: number) => api<Run>("GET", `/v1/runs/${run.id}?waitSeconds=${seconds}`);
    const before = Date.now();
    const [paused] = await Promise.all([read(30), read(1).then(() => act(run, "pause"))]);
    expect([paused.body.state, Date.now() - before < 30_000]).toEqual(["paused", true]);
    // As a resumption and another pause between two looks do.
    const pauseAgain = () =>
      service.query("update runs set lane_generation = lane_generation + 1 where id = $1", [parseId("run", run.id)]);
    const since = Date.now();
    const [again] = await Promise.all([read(30), read(1).then(pauseAgain)]);
    expect([again.body.state, Date.now() - since < 30_000]).toEqual(["paused", true]);
    const [ended] = await Promise.all([read(30), act(run, "cancel")]);
    expect(ended.body.state).toBe("canceled");
  });

  test("is waited for until it ends where its budget does not pause but cancel it", async () => {
    const run = await start(hangingSpecId, { budget: { maxCostUsd: "1", onExceeded: "cancel" } });
    const read = (seconds: number) => api<Run>("GET", `/v1/runs/${run.id}?waitSeconds=${seconds}`);
    const exceed = () =>
      service.query("update runs set state = 'paused', state_reason = 'budget_exhausted' where id = $1", [
        parseId("run", run.id),
      ]);
    const waiting = read(30);
    await read(1);
    await exceed();
    // It is seen as paused by a read that does not wait for an end, and the other one goes on.
    expect((await read(1)).body.state).toBe("paused");
    await act(run, "cancel");
    expect((await waiting).body.state).toMatch(/^cancel/);
  });

  test("is not waited for longer than asked", async () => {
    const run = await start(hangingSpecId);
    const before = Date.now();
    const response = await api<Run>("GET", `/v1/runs/${run.id}?waitSeconds=1`);
    expect(Date.now() - before).toBeGreaterThanOrEqual(950);
    expect(["queued", "running"]).toContain(response.body.state);
    await act(run, "cancel");
  });

  test("never changes: no action is taken any more", async () => {
    const run = await finishedRun(api, (await start(quickSpecId)).id);
    for (const action of ["cancel", "pause", "resume"]) {
      const response = await api("POST", `/v1/runs/${run.id}/${action}`);
      expectStatus(response, 409);
      expect(response.body.error.code).toBe("invalid_state");
    }
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { priority: 5 } }), 409);
    const renamed = await api<Run>("PATCH", `/v1/runs/${run.id}`, { body: { name: "Later", metadata: { a: "b" } } });
    expect(renamed.body).toEqual({ ...run, name: "Later", metadata: { a: "b" }, updatedAt: renamed.body.updatedAt });
  });
});

test("rows that have begun count and are listed as running, and the others of their chunks as pending", async () => {
  const run = await start(hangingSpecId, { concurrency: 2 });
  const now = await waitFor(async () => {
    const seen = await getRun(api, run.id);
    return seen.rows.running === 2 ? seen : undefined;
  });
  expect(now.rows).toMatchObject({ total: ROWS, pending: ROWS - 2, running: 2 });
  expect(await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=running`)).toHaveLength(2);
  expect(await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=pending`)).toHaveLength(ROWS - 2);
  await act(run, "cancel");
});

describe("cancel", () => {
  test("abandons rows in flight, keeps finished rows, and calls the others canceled", async () => {
    const run = await start(slowSpecId);
    await runWithFinishedRows(run);
    const asked = await act(run, "cancel");
    expect(["canceling", "canceled"]).toContain(asked.state);
    const ended = await finishedRun(api, run.id);
    // The share of what was processed, and not 100 since nothing is left to do.
    const percent = Math.round((ended.rows.succeeded / ROWS) * 1_000) / 10;
    expect(ended).toMatchObject({ state: "canceled", progress: { percent } });
    expect(ended.rows).toMatchObject({ pending: 0, running: 0, skipped: 0, canceled: ROWS - ended.rows.succeeded });
    expect(ended.rows.canceled).toBeGreaterThan(0);
    await expectOutputsToFit(ended);
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=canceled`);
    expect(rows).toHaveLength(ended.rows.canceled);
    expect(rows[0]).toMatchObject({ attempts: 0, startedAt: null, finishedAt: null, durationMs: null });
    expect((await eventTypes(api, run.id)).slice(-2)).toEqual(["run.canceled", "run.finished"]);
    // Canceling again changes nothing.
    expect(await act(run, "cancel")).toEqual(ended);
  });

  test("that has not ended yet is no reason to cancel again before the run is deleted", async () => {
    // A pause waits for calls under way: they are short. Then the run is so young that nobody ends it meanwhile.
    const run = await start(slowSpecId);
    await runWithFinishedRows(run);
    await act(run, "pause");
    await runWithoutLanes(service, run.id);
    const text = "update runs set state = $2, state_reason = $3, updated_at = now() + interval '1 hour' where id = $1";
    const set = (state: string, reason: string | null) => service.query(text, [parseId("run", run.id), state, reason]);
    await set("canceling", null);
    const refused = await api("DELETE", `/v1/runs/${run.id}`);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining("when it has ended")]);
    await set("paused", "by_user");
    await act(run, "cancel");
  });

  test("ends a run whose rows hang", async () => {
    const run = await start(hangingSpecId);
    const inFlight = await runWithRowsInFlight(run);
    expect((await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=running`)).length).toBeGreaterThan(0);
    expect(inFlight.state).toBe("running");
    expect((await act(run, "cancel")).state).toBe("canceling");
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "canceled", rows: { canceled: ROWS } });
  });

  test("ends a paused run at once", async () => {
    const run = await start(slowSpecId);
    await runWithFinishedRows(run);
    await act(run, "pause");
    await runWithoutClaims(service, api, run.id);
    expect(await act(run, "cancel")).toMatchObject({ state: "canceled" });
  });

  test("leaves no chunk claimed", async () => {
    const [left] = await service.query<{ count: number }>(
      "select count(*)::int from run_chunks c join runs r on r.id = c.run_id where c.state = 'running' and r.finished_at is not null",
    );
    expect(left?.count).toBe(0);
  });
});

describe("pause", () => {
  test("stops the work, and resume takes it up where it was", async () => {
    const run = await start(slowSpecId);
    await runWithFinishedRows(run);
    expect(await act(run, "pause")).toMatchObject({ state: "paused", stateReason: "by_user" });
    const paused = await runWithoutClaims(service, api, run.id);
    expect(paused.rows.pending).toBeGreaterThan(0);
    expect(paused.progress.etaSeconds).toBeNull();
    // Pausing again changes nothing, and the paused run does not move.
    expect(await act(run, "pause")).toMatchObject({ rows: paused.rows, updatedAt: paused.updatedAt });
    expect(await act(run, "resume")).toMatchObject({ state: "running", stateReason: null });
    // What is left need not be slow.
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 60 } }), 200);
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS }, usage: { attempts: ROWS } });
    expect(await eventTypes(api, run.id)).toEqual([
      "run.created",
      "run.started",
      "run.paused",
      "run.resumed",
      "run.succeeded",
      "run.finished",
    ]);
  });

  test("and resume many times, while rows are in flight, neither lose nor repeat a result", async () => {
    const run = await start(slowSpecId);
    await runInState(api, run.id, "running");
    let pauses = 0;
    while (pauses < 10 && (await getRun(api, run.id)).rows.succeeded < 4) {
      await act(run, "pause");
      await act(run, "resume");
      pauses++;
    }
    expect(pauses).toBeGreaterThan(0);
    expectStatus(await api("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 60 } }), 200);
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    await expectOutputsToFit(ended);
    expect(await eventTypes(api, run.id)).toHaveLength(4 + 2 * pauses);
  });

  test("of a run that has not begun keeps it from beginning", async () => {
    const limited = await service.newOrganization();
    expectStatus(
      await service.api("PATCH", `/v1/organizations/${limited.organizationId}`, {
        body: { limits: { runsInProgress: 1 } },
      }),
      200,
    );
    const own = await newDataset(limited.api, numberedRows(5));
    const hanging = await newJobSpec(limited.api, { type: "mock", delayMs: 60_000 });
    const quick = await newJobSpec(limited.api);
    const first = await newRun(limited.api, { datasetId: own.id, jobSpecId: hanging.id });
    const second = await newRun(limited.api, { datasetId: own.id, jobSpecId: quick.id });
    expect(second).toMatchObject({ state: "queued", stateReason: "waiting_for_capacity" });
    const paused = await limited.api<Run>("POST", `/v1/runs/${second.id}/pause`);
    expect(paused.body.state).toBe("paused");
    expectStatus(await limited.api("POST", `/v1/runs/${first.id}/cancel`), 200);
    await finishedRun(limited.api, first.id);
    expect((await getRun(limited.api, second.id)).state).toBe("paused");
    const resumed = await limited.api<Run>("POST", `/v1/runs/${second.id}/resume`);
    expect(resumed.body).toMatchObject({ state: "queued", stateReason: null });
    expect((await finishedRun(limited.api, second.id)).state).toBe("succeeded");
  });
});

describe("the deadline", () => {
  test("ends a run as `expired`; finished rows are kept, the others skipped", async () => {
    const run = await start(slowSpecId, { deadlineAt: inAnHour() });
    await runWithFinishedRows(run);
    await passDeadline(service, run);
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "expired", rows: { pending: 0, running: 0, canceled: 0 } });
    expect(ended.rows.skipped).toBeGreaterThan(0);
    expect(ended.progress.percent).toBeLessThan(100);
    await expectOutputsToFit(ended);
    expect((await eventTypes(api, run.id)).slice(-2)).toEqual(["run.expired", "run.finished"]);
    const rows = await readAll<RunRow>(api, `/v1/runs/${run.id}/rows?state=skipped`);
    expect(rows).toHaveLength(ended.rows.skipped);
  });

  test("ends rows that hang, and paused runs", async () => {
    const hanging = await start(hangingSpecId, { deadlineAt: inAnHour() });
    const paused = await start(slowSpecId, { deadlineAt: inAnHour() });
    await act(paused, "pause");
    await runWithRowsInFlight(hanging);
    for (const run of [hanging, paused]) await passDeadline(service, run);
    expect(await finishedRun(api, hanging.id)).toMatchObject({ state: "expired", rows: { skipped: ROWS } });
    expect(await finishedRun(api, paused.id)).toMatchObject({ state: "expired" });
  });

  test("must lie in the future", async () => {
    const deadlineAt = new Date(Date.now() - 1_000).toISOString();
    const body = { datasetId: dataset.id, jobSpecId: quickSpecId, scope: { type: "all" }, deadlineAt };
    const response = await api("POST", "/v1/runs", { body });
    expectStatus(response, 400);
    expect(response.body.error).toMatchObject({ code: "invalid_request", param: "deadlineAt" });
  });
});

describe("changes while it runs", () => {
  test("a higher concurrency makes a slow run fast", async () => {
    const slow = await newJobSpec(api, { type: "mock", delayMs: 4_000 });
    const run = await start(slow.id, { concurrency: 1 });
    await runWithFinishedRows(run);
    const changed = await api<Run>("PATCH", `/v1/runs/${run.id}`, { body: { concurrency: 200, priority: 5 } });
    expect(changed.body).toMatchObject({ concurrency: 200, priority: 5 });
    // One after the other, 60 rows take four minutes; together, the rest takes as long as one, and what a busy machine adds.
    const ended = await finishedRun(api, run.id);
    expect(Date.parse(ended.finishedAt ?? "") - Date.parse(ended.startedAt ?? "")).toBeLessThan(180_000);
    expect(ended).toMatchObject({ state: "succeeded", rows: { succeeded: ROWS } });
    await expectOutputsToFit(ended);
  });
});

describe("a deleted run", () => {
  test("is gone at once", async () => {
    const run = await finishedRun(api, (await start(quickSpecId)).id);
    expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 204);
    expectStatus(await api("GET", `/v1/runs/${run.id}`), 404);
    expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 404);
    expect((await readAll<Run>(api, "/v1/runs")).map(({ id }) => id)).not.toContain(run.id);
  });

  test("was an ended one", async () => {
    const run = await start(hangingSpecId);
    const refused = await api("DELETE", `/v1/runs/${run.id}`);
    expectStatus(refused, 409);
    expect(refused.body.error.code).toBe("invalid_state");
    await act(run, "cancel");
    await finishedRun(api, run.id);
    expectStatus(await api("DELETE", `/v1/runs/${run.id}`), 204);
  });
});

test("runs end by cancel and by policy while somebody listens to their rows, and nothing waits for itself", async () => {
  const listening = await service.newOrganization();
  const endpoint = await listening.api("POST", "/v1/webhook-endpoints", {
    body: { url: "https://hooks.example.com/rows", eventTypes: ["row.*"] },
  });
  expectStatus(endpoint, 201);
  const own = await newDataset(listening.api, numberedRows(600));
  const spec = await newJobSpec(listening.api, { type: "mock", failEvery: 3 });
  for (let round = 0; round < 6; round++) {
    const failurePolicy = round % 2 === 0 ? { maxFailedRows: 30 } : undefined;
    const run = await newRun(listening.api, { datasetId: own.id, jobSpecId: spec.id, failurePolicy });
    if (failurePolicy === undefined) {
      await waitFor(async () => (await getRun(listening.api, run.id)).rows.succeeded > round * 20);
      await listening.api("POST", `/v1/runs/${run.id}/cancel`);
    }
    const ended = await finishedRun(listening.api, run.id);
    expectCountsToAddUp(ended);
    const rowsOf = (list: string) => readAll(listening.api, `/v1/runs/${run.id}/${list}`);
    expect([await rowsOf("outputs"), await rowsOf("failures")].map(({ length }) => length)).toEqual([
      ended.rows.succeeded,
      ended.rows.failed,
    ]);
    const [reported] = await service.query<{ count: number }>(
      "select row_succeeded_events + row_failed_events as count from runs where id = $1",
      [parseId("run", run.id)],
    );
    expect(reported?.count).toBe(ended.rows.succeeded + ended.rows.failed);
  }
  expect(service.logs().filter((line) => /deadlock/.test(line))).toEqual([]);
});
