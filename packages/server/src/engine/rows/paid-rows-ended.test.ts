/** Rows that are ended from outside after something was paid for them: each call is in the usage of the run, once. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Connection } from "@rowmill/contract/connections";
import type { Run } from "@rowmill/contract/runs";
import type { Failure } from "@rowmill/contract/run-results";
import type { UsageGroup } from "@rowmill/contract/usage";
import type { ModelCall } from "../../testing/model-server.ts";
import { parseId } from "../../platform/ids.ts";
import { expectStatus } from "../../testing/api.ts";
import { finishedRun } from "../../testing/factories.ts";
import { waitFor } from "../../testing/wait.ts";
import { inAnHour, passDeadline, readAll } from "../../resources/runs/runs-testing.ts";
import { startPaidRows } from "./paid-rows-testing.ts";

const { service, model, api, newLlmSpec, start } = await startPaidRows();
beforeEach(() => {
  model.calls.length = 0;
  model.respond = () => ({});
});

const ROWS = 8;
const scope = { type: "limit", count: ROWS };
const SCHEMA = { outputSchema: { type: "object" } };

const isRepair = ({ body }: ModelCall): boolean => (body["messages"] as unknown[]).length > 1;
const notJson = { text: "not json" };

/** The first call for each row responds, and is paid; its repair never does. */
function hangRepairs(): { release: () => void; repairs: () => number } {
  const { promise, resolve } = Promise.withResolvers<object>();
  model.respond = (call) => (isRepair(call) ? promise : notJson);
  return { release: () => resolve({}), repairs: () => model.calls.filter(isRepair).length };
}

/** What the books of the organization have of the run. */
async function booksOf(run: Run): Promise<UsageGroup | undefined> {
  const { body } = await api<{ data: UsageGroup[] }>("GET", `/v1/usage?groupBy=run&runId=${run.id}`);
  return body.data[0];
}

async function expectCounted(ended: Run, used: { requests: number; inputTokens: number }): Promise<void> {
  expect(ended.usage).toMatchObject(used);
  const { requests, inputTokens, outputTokens, attempts, costUsd } = ended.usage;
  expect(await booksOf(ended)).toMatchObject({ requests, inputTokens, outputTokens, attempts, costUsd });
}

test("a canceled run counts the first calls of rows whose repair was under way, and the repairs", async () => {
  const { release, repairs } = hangRepairs();
  const run = await start(await newLlmSpec({}, SCHEMA), { scope });
  await waitFor(() => repairs() === ROWS);
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  release();
  expect(ended).toMatchObject({ state: "canceled", rows: { canceled: ROWS } });
  await expectCounted(ended, { requests: 2 * ROWS, inputTokens: 10 * ROWS });
  // What became of the repairs is not known: they count with the most.
  expect(Number(ended.usage.costUsd)).toBeGreaterThan(ROWS * 0.002);
});

test("a canceled run counts the first calls of rows that waited for a slot of their fallback", async () => {
  const slow = await api<Connection>("POST", "/v1/connections", {
    body: {
      name: "One a minute",
      type: "openai_compatible",
      baseUrl: model.baseUrl,
      secret: "sk-slow",
      rateLimit: { requestsPerMinute: 1 },
      prices: { models: { "*": { inputUsdPerMillionTokens: "1", outputUsdPerMillionTokens: "1" } } },
    },
  });
  expectStatus(slow, 201);
  // A response that nobody can read may have cost what it could, and another model is asked.
  const isFallback = ({ headers }: ModelCall): boolean => headers["authorization"] === "Bearer sk-slow";
  model.respond = (call) => (isFallback(call) ? {} : { body: { choices: "none" } });
  const fallbacks = [{ connection: slow.body.id, model: "other" }];
  const run = await start(await newLlmSpec({}, { fallbacks }), { scope });
  await waitFor(() => model.calls.filter((call) => !isFallback(call)).length === ROWS);
  expectStatus(await api("POST", `/v1/runs/${run.id}/cancel`), 200);
  const ended = await finishedRun(api, run.id);
  await expectCounted(ended, { requests: model.calls.length, inputTokens: 10 * ended.rows.succeeded });
  expect(Number(ended.usage.costUsd)).toBeGreaterThan(ROWS * 0.001);
});

test("at the run's deadline, rows count the first calls beside the repairs that were under way", async () => {
  const { release, repairs } = hangRepairs();
  const run = await start(await newLlmSpec({}, SCHEMA), { scope, deadlineAt: inAnHour() });
  await waitFor(() => repairs() === ROWS);
  await passDeadline(service, run);
  const ended = await finishedRun(api, run.id);
  release();
  expect(ended).toMatchObject({ rows: { failed: ROWS } });
  await expectCounted(ended, { requests: 2 * ROWS, inputTokens: 10 * ROWS });
  const failures = await readAll<Failure>(api, `/v1/runs/${run.id}/failures`);
  for (const { code, usage } of failures) {
    expect(code).toBe("deadline_exceeded");
    expect(usage).toMatchObject({ requests: 2, inputTokens: 10, calls: [{ inputTokens: 10 }, { costAssumed: true }] });
  }
});

describe("a run that its failure policy ends", () => {
  test("counts the calls under way: those that respond soon with what they used, others with the most", async () => {
    const GOOD = 3;
    const allCalled = Promise.withResolvers<object>();
    const isEnded = Promise.withResolvers<object>();
    const never = Promise.withResolvers<object>();
    model.respond = (_call, number) => {
      if (number === ROWS) allCalled.resolve(notJson);
      if (number === 1 + GOOD) return allCalled.promise;
      return number <= GOOD ? isEnded.promise : never.promise;
    };
    const spec = await newLlmSpec(
      { concurrency: ROWS, failurePolicy: { maxFailedRows: 0 } },
      { ...SCHEMA, repairAttempts: 0 },
    );
    const run = await start(spec, { scope });
    // From then on calls have two seconds to respond: on a slow machine, requests for the run take much of that.
    const hasEnded = "select 1 from runs where id = $1 and finished_at is not null";
    await expect.poll(() => service.query(hasEnded, [parseId("run", run.id)]), { interval: 10 }).toHaveLength(1);
    isEnded.resolve({});
    const ended = await finishedRun(api, run.id);
    expect(ended).toMatchObject({ state: "failed", error: { code: "failure_policy" }, rows: { failed: 1 } });
    const counted = await waitFor(async () => {
      const { body } = await api<Run>("GET", `/v1/runs/${run.id}`);
      return body.usage.requests === ROWS ? body : undefined;
    });
    never.resolve({});
    await expectCounted(counted, { requests: ROWS, inputTokens: 10 * (1 + GOOD) });
  });
});
