/** Chunks of duplicates rest as long as the rows do that they wait for. */
import type { QueryResultRow } from "pg";
import { expect, test } from "vitest";
import type { Output } from "@rowmill/contract/run-results";
import { newUuid } from "../../platform/ids.ts";
import type { Statements } from "../../platform/database/database.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";
import type { ChunkEnd } from "./chunk-work.ts";
import { CHUNK_ROWS, startChunkService } from "./chunks-testing.ts";
import type { Process, TestRun } from "./chunks-testing.ts";
import { processChunk } from "./process-chunk.ts";

const sameRows = Array.from({ length: 3 * CHUNK_ROWS }, (_unused, i) => ({ kind: i % CHUNK_ROWS }));
const { service, api, pool, runIn, mustClaim, workOf, echo, noAbort } = await startChunkService(sameRows);

/** The first row of the dataset is refused. */
const busyFor =
  (retryAfterMs: number): Process =>
  (rows) =>
    Promise.resolve(
      rows.map(({ index, text }) =>
        index === 0
          ? { ok: false, failure: { code: "provider_overloaded", message: "busy", retryAfterMs } }
          : { ok: true, output: text },
      ),
    );

async function work(run: TestRun, chunkNo: number, process: Process, client: Statements = pool): Promise<ChunkEnd> {
  const claimed = await mustClaim(run, newUuid());
  expect(claimed.chunkNo).toBe(chunkNo);
  return processChunk(client, workOf(run, process, { dedupes: true }), claimed);
}

const setNotBefore = (run: TestRun, chunkNo: number, notBefore: string) =>
  service.query(`update run_chunks set not_before = ${notBefore} where run_id = $1 and chunk_no = $2`, [
    run.id,
    chunkNo,
  ]);

const restsOf = (run: TestRun) =>
  service.query<{ seconds: number; succeeded: number }>(
    `select extract(epoch from not_before - now())::float8 as seconds, succeeded from run_chunks
     where run_id = $1 order by chunk_no`,
    [run.id],
  );

test("duplicates of a row that rests are due after it, and have its result", async () => {
  const run = await runIn("running");
  expect(await work(run, 0, busyFor(40_000))).toBe("resting");
  expect(await work(run, 1, echo)).toBe("resting");
  const [original, duplicates] = await restsOf(run);
  expect(original?.succeeded).toBe(CHUNK_ROWS - 1);
  expect(duplicates?.succeeded).toBe(CHUNK_ROWS - 1);
  expect(duplicates?.seconds).toBeGreaterThan(original?.seconds ?? Infinity);

  await setNotBefore(run, 0, "'epoch'");
  expect(await work(run, 0, echo)).toBe("done");
  await setNotBefore(run, 1, "now()");
  expect(await work(run, 1, () => Promise.reject(new Error("nothing is to be called")))).toBe("done");
  const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
  expect(outputs.find(({ index }) => index === CHUNK_ROWS)).toMatchObject({
    data: { kind: 0 },
    attempts: 0,
    usage: { cached: true },
  });
});

test("duplicates of a row that rests for long are looked at each minute: it may be woken", async () => {
  const run = await runIn("running");
  expect(await work(run, 0, busyFor(800_000))).toBe("resting");
  expect(await work(run, 1, echo)).toBe("resting");
  const [original, duplicates] = await restsOf(run);
  expect(original?.seconds).toBeGreaterThan(700);
  expect(duplicates?.seconds).toBeLessThanOrEqual(60);
});

test("duplicates that have rested before are looked at for a second only, while another worker has the row", async () => {
  const run = await runIn("running");
  const [called, response] = [Promise.withResolvers<void>(), Promise.withResolvers<never>()];
  const original = workOf(
    run,
    () => {
      called.resolve();
      return response.promise;
    },
    { dedupes: true },
  );
  const ended = processChunk(pool, original, await mustClaim(run, newUuid()));
  await called.promise;
  let looks = 0;
  const counting: Statements = {
    query<R extends QueryResultRow>(statement: Parameters<Statements["query"]>[0]) {
      if (statement.name === "find_originals") looks++;
      return pool.query<R>(statement);
    },
  };
  await setNotBefore(run, 1, "now()");
  expect(await work(run, 1, echo, counting)).toBe("resting");
  // One each quarter of a second.
  expect(looks).toBeLessThanOrEqual(6);
  original.control.abort();
  response.reject(new Error("abandoned"));
  expect(await ended).toBe("released");
});

test("a row that rested keeps its attempts while its chunk is due and waits for a lane: its duplicates come after it", async () => {
  const run = await runIn("running");
  expect(await work(run, 0, busyFor(40_000))).toBe("resting");
  await setNotBefore(run, 0, "now()");
  await setNotBefore(run, 1, "now() - interval '1 hour'");
  expect(await work(run, 1, echo)).toBe("resting");
  const [, duplicates] = await restsOf(run);
  expect(duplicates).toMatchObject({ succeeded: CHUNK_ROWS - 1 });
  expect(duplicates?.seconds).toBeLessThanOrEqual(1);

  await setNotBefore(run, 0, "'epoch'");
  expect(await work(run, 0, echo)).toBe("done");
  const outputs = await readAll<Output>(api, `/v1/runs/${run.shownId}/outputs`);
  expect(outputs.find(({ index }) => index === 0)).toMatchObject({ attempts: 2 });
});

test("a chunk that is released with a row that has begun comes before those that are due later", async () => {
  const run = await runIn("running");
  const chunkWork = workOf(
    run,
    (rows) => {
      chunkWork.control.drain("turn_over");
      return busyFor(40_000)(rows, noAbort);
    },
    { rowsPerCall: () => 1 },
  );
  expect(await processChunk(pool, chunkWork, await mustClaim(run, newUuid()))).toBe("released");
  await setNotBefore(run, 1, "now()");
  const next = await mustClaim(run, newUuid());
  expect(next.chunkNo).toBe(0);
  expect(next.carriedUsage).toContain('"retry"');
});
