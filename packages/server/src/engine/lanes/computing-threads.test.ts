/** Rows that compute use all threads of the process, also where a run has one chunk. */
import { afterEach, expect, test, vi } from "vitest";
import { ThreadPool } from "../../processors/transform/thread-pool.ts";
import { finishedRun, newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";

const THREADS = 3;
const ROWS = 60;
/** Some milliseconds of a processor: no call has many of them. */
const SLOW =
  "export default (row) => { let sum = 0; for (let i = 0; i < 400_000; i++) sum += i % 7; return row.n + sum; }";
const SLOW_TEST_MS = 300_000;

afterEach(() => {
  vi.restoreAllMocks();
});

async function mostCallsAtOnce(settings: { chunkRows: number; concurrency?: number }): Promise<number> {
  const service = await startTestService({
    ROWMILL_TRANSFORM_THREADS: String(THREADS),
    ROWMILL_CHUNK_ROWS: String(settings.chunkRows),
  });
  const { api } = await service.newOrganization();
  const spec = await newJobSpec(api, { type: "transform", language: "javascript", code: SLOW });
  const dataset = await newDataset(api, numberedRows(ROWS));
  let [calls, most] = [0, 0];
  const perform = Reflect.get(ThreadPool.prototype, "perform");
  vi.spyOn(ThreadPool.prototype, "perform").mockImplementation(async function (this: ThreadPool, ...given) {
    most = Math.max(most, ++calls);
    return perform.apply(this, given).finally(() => calls--);
  });
  const run = await newRun(api, {
    datasetId: dataset.id,
    jobSpecId: spec.id,
    ...(settings.concurrency === undefined ? {} : { concurrency: settings.concurrency }),
  });
  expect(await finishedRun(api, run.id, SLOW_TEST_MS)).toMatchObject({
    state: "succeeded",
    rows: { total: ROWS, succeeded: ROWS },
  });
  return most;
}

test("slow rows of one chunk are as many calls at once as there are threads", { timeout: SLOW_TEST_MS }, async () => {
  expect(await mostCallsAtOnce({ chunkRows: 500 })).toBe(THREADS);
});

test(
  "those of several chunks have a call for each lane, and no thread is left over",
  { timeout: SLOW_TEST_MS },
  async () => {
    const most = await mostCallsAtOnce({ chunkRows: ROWS / 2 });
    expect(most).toBeGreaterThanOrEqual(THREADS);
    expect(most).toBeLessThanOrEqual(2 * THREADS);
  },
);

test("a concurrency of one is one row at a time", { timeout: SLOW_TEST_MS }, async () => {
  expect(await mostCallsAtOnce({ chunkRows: 500, concurrency: 1 })).toBe(1);
});
