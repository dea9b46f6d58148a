/** Small segments of a chunk, and the commit that folds them: what readers see before and after, and what repeated and lost commits do. */
import type { Pool } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Dataset } from "@rowmill/contract/datasets";
import type { Output, RunRow } from "@rowmill/contract/run-results";
import type { Statements } from "../../platform/database/database.ts";
import { newUuid, parseId } from "../../platform/ids.ts";
import { readOutputs, readRecordedRows, readResultsAt } from "../../resources/runs/stored-results/read-results.ts";
import { readAll } from "../../resources/runs/runs-testing.ts";
import type { Api } from "../../testing/api.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { startByHand } from "../../testing/started-run.ts";
import type { TestService } from "../../testing/service.ts";
import { openTestPool } from "../../testing/test-database.ts";
import { claimChunk, findClaims } from "./chunk-claims.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import { addOutcome, noResults } from "./chunk-results.ts";
import { commitChunk } from "./commit-chunk.ts";
import type { Commit } from "./commit-chunk.ts";

const CHUNK_ROWS = 20;

let service: TestService;
let api: Api;
let pool: Pool;
let organizationId: string;
let dataset: Dataset;
let jobSpecId: string;

beforeAll(async () => {
  // Nobody but the tests works on the runs.
  service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS), ROWMILL_ROLE: "api" });
  const organization = await service.newOrganization();
  ({ api } = organization);
  organizationId = parseId("organization", organization.organizationId) ?? "";
  pool = openTestPool(service.settings["ROWMILL_DATABASE_URL"], 4);
  dataset = await newDataset(api, numberedRows(CHUNK_ROWS));
  jobSpecId = (await newJobSpec(api)).id;
});
afterAll(() => pool.end());

interface ClaimedRun {
  id: string;
  shownId: string;
  jobId: string;
  chunk: ClaimedChunk;
}

async function claimedRun(): Promise<ClaimedRun> {
  const run = await newRun(api, { datasetId: dataset.id, jobSpecId });
  const id = parseId("run", run.id) ?? "";
  await startByHand(service, id);
  const jobId = newUuid();
  return { id, shownId: run.id, jobId, chunk: await claim(id, jobId) };
}

async function claim(id: string, jobId: string): Promise<ClaimedChunk> {
  const takesBack = await findClaims(pool, id, jobId);
  const chunk = await claimChunk(pool, { organizationId, id }, jobId, { takesBack });
  if (chunk === undefined) throw new Error("there was no chunk to claim");
  return chunk;
}

/** Commits outputs of these rows. The claim follows what is committed unless its response is lost. */
async function commit(
  run: Pick<ClaimedRun, "id">,
  chunk: ClaimedChunk,
  rows: readonly number[],
  state: "done" | "running",
  response: "arrives" | "is lost" = "arrives",
  textLength = 0,
): Promise<Commit | undefined> {
  const results = noResults();
  for (const index of rows)
    addOutcome(results, {
      index,
      attempts: 1 + (index % 3),
      durationMs: 10 * index,
      outcome: {
        ok: true,
        output: textLength === 0 ? `{"n":${index}}` : `{"n":${index},"text":"${"x".repeat(textLength)}"}`,
      },
      usage: index % 4 === 0 ? { requests: 1, costUsd: "0.01" } : undefined,
    });
  const target = {
    organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  };
  const made = await commitChunk(pool, target, chunk, results, state);
  if (made !== undefined && response === "arrives") chunk.lastPart = made.lastPart;
  return made;
}

interface StoredSegment {
  part: number;
  rows: number;
}

const segmentsOf = (run: Pick<ClaimedRun, "id">): Promise<StoredSegment[]> =>
  service.query<StoredSegment>(
    "select part_no as part, row_count as rows from run_segments where run_id = $1 order by part_no",
    [run.id],
  );

const bytesOf = async (run: Pick<ClaimedRun, "id">): Promise<{ counted: number; stored: number }> => {
  const [bytes] = await service.query<{ counted: string; stored: string }>(
    `select (select result_bytes from run_chunks where run_id = $1) as counted,
       (select sum(120 + octet_length(positions) + coalesce(octet_length(heads), 0) + octet_length(body)) from run_segments where run_id = $1) as stored`,
    [run.id],
  );
  return { counted: Number(bytes?.counted), stored: Number(bytes?.stored) };
};

const all = Array.from({ length: CHUNK_ROWS }, (_unused, n) => n);
/** In the order in which rows of others end: any. */
const parts = [[4, 0], [17], [1, 2, 19], [18, 3, 5, 9]];
const rest = all.filter((n) => !parts.flat().includes(n));

async function readEverything({ shownId }: ClaimedRun): Promise<{ outputs: Output[]; rows: RunRow[] }> {
  return {
    outputs: await readAll<Output>(api, `/v1/runs/${shownId}/outputs`, 7),
    rows: await readAll<RunRow>(api, `/v1/runs/${shownId}/rows?state=succeeded`, 7),
  };
}

test("the commit that ends a chunk folds its segments into one, and what is read of them stays the same", async () => {
  const run = await claimedRun();
  for (const rows of parts) await commit(run, run.chunk, rows, "running");
  expect(await segmentsOf(run)).toEqual([
    { part: 1, rows: 2 },
    { part: 2, rows: 1 },
    { part: 3, rows: 3 },
    { part: 4, rows: 4 },
  ]);
  const before = await readEverything(run);
  expect(before.outputs.map(({ index, data }) => [index, data])).toEqual(
    parts
      .flat()
      .toSorted((a, b) => a - b)
      .map((n) => [n, { n }]),
  );
  expect(await commit(run, run.chunk, rest, "done")).toEqual({ lastPart: 5, isRepeated: false });
  expect(await segmentsOf(run)).toEqual([{ part: 5, rows: CHUNK_ROWS }]);
  const after = await readEverything(run);
  expect(after.outputs.map(({ index }) => index)).toEqual(all);
  const earlier = new Set(parts.flat());
  expect(after.outputs.filter(({ index }) => earlier.has(index))).toEqual(before.outputs);
  expect(after.rows.filter(({ index }) => earlier.has(index))).toEqual(before.rows);
  const { counted, stored } = await bytesOf(run);
  expect(counted).toBe(stored);
});

test("a chunk whose rows had all ended before its last commit is folded as well; one segment is left alone", async () => {
  const [run, single] = [await claimedRun(), await claimedRun()];
  for (const rows of [...parts, rest]) await commit(run, run.chunk, rows, "running");
  await commit(run, run.chunk, [], "done");
  expect(await segmentsOf(run)).toEqual([{ part: 6, rows: CHUNK_ROWS }]);
  await commit(single, single.chunk, all, "running");
  await commit(single, single.chunk, [], "done");
  expect(await segmentsOf(single)).toEqual([{ part: 1, rows: CHUNK_ROWS }]);
});

test("a worker that died between two segments leaves them to the next claim, which folds them", async () => {
  const run = await claimedRun();
  await commit(run, run.chunk, parts[0] ?? [], "running");
  await commit(run, run.chunk, parts[1] ?? [], "running");
  const next = await claim(run.id, run.jobId);
  expect(next).toMatchObject({ claimNo: 2, lastPart: 2 });
  const recorded = await readRecordedRows(pool, run.id, next);
  expect([...recorded].toSorted((a, b) => a - b)).toEqual([0, 4, 17]);
  const open = all.filter((n) => !recorded.has(n));
  await commit(run, next, open.slice(0, 5), "running");
  // The dead one was only slow: it neither folds nor writes.
  expect(await commit(run, run.chunk, all, "done")).toBeUndefined();
  expect(await segmentsOf(run)).toHaveLength(3);
  await commit(run, next, open.slice(5), "done");
  expect(await segmentsOf(run)).toEqual([{ part: 4, rows: CHUNK_ROWS }]);
  expect((await readEverything(run)).outputs.map(({ index }) => index)).toEqual(all);
});

describe("a commit whose response was lost", () => {
  test("is repeated without a trace, in the middle of a chunk and at its end", async () => {
    const run = await claimedRun();
    const [first = []] = parts;
    await commit(run, run.chunk, first, "running", "is lost");
    expect(await commit(run, run.chunk, first, "running")).toEqual({ lastPart: 1, isRepeated: true });
    const others = all.filter((n) => !first.includes(n));
    await commit(run, run.chunk, others, "done", "is lost");
    expect(await commit(run, run.chunk, others, "done")).toMatchObject({ isRepeated: true });
    expect((await readEverything(run)).outputs.map(({ index }) => index)).toEqual(all);
    const [chunk] = await service.query("select succeeded, state from run_chunks where run_id = $1", [run.id]);
    expect(chunk).toEqual({ succeeded: CHUNK_ROWS, state: "done" });
  });

  test("is found where it had folded large segments, of which the repeated one would write another number", async () => {
    const run = await claimedRun();
    const large = all.slice(0, 5);
    for (const index of large) await commit(run, run.chunk, [index], "running", "arrives", 400_000);
    const others = all.slice(5);
    await commit(run, run.chunk, others, "done", "is lost");
    const segments = await segmentsOf(run);
    expect(segments.length).toBeGreaterThan(1);
    expect(await commit(run, run.chunk, others, "done")).toEqual({
      lastPart: segments.at(-1)?.part,
      isRepeated: true,
    });
    expect(await segmentsOf(run)).toEqual(segments);
  });

  test("is not taken as made once another claim has the chunk", async () => {
    const run = await claimedRun();
    await commit(run, run.chunk, [0], "running", "is lost");
    await claim(run.id, run.jobId);
    expect(await commit(run, run.chunk, [0], "running")).toBeUndefined();
  });
});

describe("a reader that a fold overtakes", () => {
  /** Folds before the first statement that loads bodies of segments which were found before. */
  function foldedUnder(run: ClaimedRun, rows: readonly number[]): Statements {
    let isFolded = false;
    return {
      async query<R extends object>(statement: { name: string; text: string; values: unknown[] }) {
        if (!isFolded && statement.name === "load_segment_bodies") {
          isFolded = true;
          await commit(run, run.chunk, rows, "done");
        }
        return pool.query<R>(statement);
      },
    };
  }

  test("finds the rows where they are now", async () => {
    const run = await claimedRun();
    for (const rows of parts) await commit(run, run.chunk, rows, "running");
    const results = await readResultsAt(foldedUnder(run, rest), run.id, [0, 4, 19]);
    expect([...results].map(([index, result]) => [index, "output" in result ? result.output.output.text : ""])).toEqual(
      [
        [0, '{"n":0}'],
        [4, '{"n":4}'],
        [19, '{"n":19}'],
      ],
    );
  });

  test("passes each row on once", async () => {
    const run = await claimedRun();
    // Too large for one window, so that it is read in several.
    const large = (n: number): string => JSON.stringify("x".repeat(700_000 + n));
    const results = noResults();
    for (const index of all.slice(0, 10))
      addOutcome(results, {
        index,
        attempts: 1,
        durationMs: 0,
        outcome: { ok: true, output: large(index) },
        usage: undefined,
      });
    const target = {
      organizationId,
      runId: run.id,
      jobSpecId: newUuid(),
      jobSpecVersion: 1,
      apiKeyId: null,
      familyLock: null,
    };
    const made = await commitChunk(pool, target, run.chunk, results, "running");
    run.chunk.lastPart = made?.lastPart ?? 0;
    await commit(run, run.chunk, [10], "running");
    await commit(run, run.chunk, [11], "running");
    const found: number[] = [];
    for await (const outputs of readOutputs(foldedUnder(run, all.slice(12)), run.id, -1, Number.POSITIVE_INFINITY))
      found.push(...outputs.map(({ index }) => index));
    expect(found.slice(0, 12)).toEqual(all.slice(0, 12));
    expect(new Set(found).size).toBe(found.length);
    // Segments of large outputs are not written again.
    expect((await segmentsOf(run)).map(({ rows }) => rows)).toEqual([...Array<number>(10).fill(1), 10]);
  });
});
