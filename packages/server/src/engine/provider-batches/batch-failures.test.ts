/** Batches that their provider refuses, loses or cannot finish, and those that nobody works on. */
import { expect, test, beforeEach } from "vitest";
import { expectStatus } from "../../testing/api.ts";
import { startBatchProvider } from "../../testing/batch-provider.ts";
import { finishedRun, newRun } from "../../testing/factories.ts";
import { waitFor } from "../../testing/wait.ts";
import { inAnHour, runInState } from "../../resources/runs/runs-testing.ts";
import { newBatchRun } from "./batches-testing.ts";
import { expectOwnOutputs, startBatchService } from "./batch-service-testing.ts";
import type { Api } from "../../testing/api.ts";

const elsewhere = await startBatchProvider();
/** Of one test alone: nothing of those before it is still to be canceled there, or looked at. */
const unused = await startBatchProvider();
const { service, provider, expectNothingPaidTwice, uuidOf } = await startBatchService([
  elsewhere.origin,
  unused.origin,
]);
let api: Api;
beforeEach(async () => {
  provider.reset();
  ({ api } = await service.newOrganization());
});

test("a file of responses that comes as something else is read again", async () => {
  let pages = 0;
  provider.intercept = ({ path }) =>
    path.endsWith("/content") && pages++ < 2 ? { status: 200, body: "<html>Please wait</html>" } : undefined;
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
  expect(pages).toBe(3);
  expectNothingPaidTwice();
});

test("a batch that the provider cannot hold yet is made again", async () => {
  provider.onLook = (batch, end) => {
    if (provider.batches.length > 1) return end();
    batch.error = { code: "token_limit_exceeded", message: "Enqueued token limit reached" };
    end("failed");
  };
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
  expect(provider.batches.map(({ state }) => state)).toEqual(["failed", "ended"]);
  expectNothingPaidTwice();
});

test("batches at a provider that refuses to be asked keep no batch at another one waiting", async () => {
  const other = elsewhere;
  other.reset();
  let isRefusing = false;
  provider.onLook = () => undefined;
  provider.intercept = ({ method, path }) =>
    isRefusing && method === "GET" && path.includes("/batches/")
      ? { status: 429, body: {}, headers: { "retry-after": "3600" } }
      : undefined;
  const { run, spec } = await newBatchRun(api, provider, { rows: 20 });
  const beside = { datasetId: run.datasetId, jobSpecId: spec.id };
  // One connection has all of them: after the first refusal, looks at the others wait for its slot.
  const waiting = [run, await newRun(api, beside), await newRun(api, beside), await newRun(api, beside)];
  await waitFor(() => provider.batches.length === waiting.length, { what: "all batches are at the provider" });
  isRefusing = true;
  await waitFor(() => provider.calls.some(({ path }) => path.includes("/batches/")));
  const { run: quick } = await newBatchRun(api, other, { rows: 20 });
  await expectOwnOutputs(api, await finishedRun(api, quick.id), 20);
  // Who was not asked has not failed: paid batches would be abandoned else.
  await waitFor(() => service.logs().some((line) => line.includes("leaves no room for a call")), {
    what: "a look has found no slot",
  });
  const [{ failures } = { failures: -1 }] = await service.query<{ failures: number }>(
    "select sum(failures)::int as failures from provider_batches where run_id = any($1)",
    [waiting.map(uuidOf)],
  );
  expect(failures).toBeGreaterThan(0);
  expect(failures).toBeLessThanOrEqual(provider.calls.filter(({ path }) => path.includes("/batches/")).length);
  for (const { id } of waiting) expectStatus(await api("POST", `/v1/runs/${id}/cancel`), 200);
});

test("a batch that the provider finds wrong pauses the run with its words", async () => {
  provider.onLook = (batch, end) => {
    batch.error = { code: "model_not_supported", message: "test-model has no batches" };
    end("failed");
  };
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  const paused = await runInState(api, run.id, "paused");
  expect(paused).toMatchObject({ stateReason: "batch_refused", rows: { pending: 29 } });
  expect(paused.execution.problem?.message).toContain("test-model has no batches");
});

test("a wrong key costs one call, and pauses the run before anything is sent", async () => {
  unused.reply = () => ({ status: 401, error: { type: "authentication_error", message: "Unknown key" } });
  const { run } = await newBatchRun(api, unused, { rows: 200 });
  const paused = await runInState(api, run.id, "paused");
  expect(paused).toMatchObject({ stateReason: "batch_refused", rows: { pending: 200 } });
  expect(unused.calls).toHaveLength(1);
});

test("a file that is too large for the provider becomes two", async () => {
  provider.intercept = ({ method, path, headers }) =>
    method === "POST" && path.endsWith("/files") && Number(headers["content-length"]) > 8_000
      ? { status: 413, body: { error: { message: "Too large" } } }
      : undefined;
  const { run } = await newBatchRun(api, provider, { rows: 80 });
  await expectOwnOutputs(api, await finishedRun(api, run.id), 80);
  expect(provider.batches.length).toBeGreaterThan(1);
  expectNothingPaidTwice();
});

test("after an outage of days, responses that wait at the provider are taken and not paid for again", async () => {
  let isAway = true;
  provider.intercept = ({ method, path }) =>
    method === "GET" && path.includes("/batches/") && isAway ? { status: 500, body: {} } : undefined;
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await waitFor(() => provider.batches.length === 1);
  await waitFor(() => provider.calls.filter(({ method }) => method === "GET").length > 1);
  await service.query(
    "update provider_batches set created_at = created_at - interval '3 days' where finished_at is null",
  );
  isAway = false;
  await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
  expectNothingPaidTwice();
});

test("a batch that has expired keeps what it has completed", async () => {
  provider.onLook = (_batch, end) => end("expired", ({ prompt }) => Number(prompt) % 2 === 0);
  const { run } = await newBatchRun(api, provider, { rows: 40 });
  await expectOwnOutputs(api, await finishedRun(api, run.id), 40);
  expect(provider.paid.inRealTime.size).toBe(21);
  expectNothingPaidTwice();
});

test("a chunk with rows that have begun in a batch is due at once in real time, so that no duplicate begins them again", async () => {
  await service.query("create table left_batches (run_id uuid, has_begun boolean, is_due boolean)");
  await service.query(`create function note_left() returns trigger language plpgsql security definer as $$ begin
      insert into left_batches values (new.run_id, new.booked is not null, new.not_before <= now()); return new; end $$`);
  await service.query(`create trigger left_batch after update on run_chunks for each row
      when (new.in_real_time and not old.in_real_time) execute function note_left()`);
  provider.reply = (prompt, where) =>
    prompt === "9" && where === "batch" ? { status: 529, error: { type: "overloaded_error", message: "Busy" } } : {};
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
  expect(await service.query("select has_begun, is_due from left_batches where run_id = $1", [uuidOf(run)])).toEqual([
    { has_begun: true, is_due: true },
  ]);
});

test("before its deadline a run goes on in real time", async () => {
  provider.onLook = (batch, end) => {
    if (batch.state === "canceling") end("canceled", () => false);
  };
  const { run } = await newBatchRun(api, provider, { rows: 30, run: { deadlineAt: inAnHour() } });
  await waitFor(() => provider.batches.length === 1);
  // A run of eleven hours, of which the last two are kept for real time.
  await service.query("update runs set started_at = now() - interval '10 hours' where id = $1", [uuidOf(run)]);
  const ended = await finishedRun(api, run.id);
  await expectOwnOutputs(api, ended, 30);
  expect(ended.state).toBe("succeeded");
});

test("a batch without a job gets one again", async () => {
  let mayEnd = false;
  provider.onLook = (_batch, end) => void (mayEnd && end());
  const { run } = await newBatchRun(api, provider, { rows: 30 });
  await waitFor(() => provider.batches.length === 1);
  await service.query("delete from pgboss.job where name = 'provider-batch' and state = 'created'");
  await service.query("update provider_batches set next_turn_at = now() - interval '1 hour' where finished_at is null");
  mayEnd = true;
  await expectOwnOutputs(api, await finishedRun(api, run.id), 30);
});
