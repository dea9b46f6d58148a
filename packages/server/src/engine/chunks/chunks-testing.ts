/** Chunks that a test claims, works on and commits by hand. */
import { cleanUpLater } from "../../testing/cleanup.ts";
import { pino } from "pino";
import { expect } from "vitest";
import type { Run } from "@rowmill/contract/runs";
import { newUuid, parseId } from "../../platform/ids.ts";
import { createLateWrites } from "../../platform/database/late-writes.ts";
import type { InputRow, RowOutcome } from "../../processors/processor.ts";
import { newDataset, newJobSpec, newRun, numberedRows } from "../../testing/factories.ts";
import { startTestService } from "../../testing/service.ts";
import { openTestPool } from "../../testing/test-database.ts";
import { startByHand } from "../../testing/started-run.ts";
import { planOf } from "../rows/rows-testing.ts";
import { RunControl } from "../rows/run-control.ts";
import { claimChunk, findClaims } from "./chunk-claims.ts";
import type { ClaimedChunk } from "./chunk-claims.ts";
import type { ChunkResults } from "./chunk-results.ts";
import { addOutcome, noResults } from "./chunk-results.ts";
import { processChunk } from "./process-chunk.ts";
import type { ChunkWork } from "./chunk-work.ts";
import { commitChunk } from "./commit-chunk.ts";

export const CHUNK_ROWS = 5;

export interface TestRun {
  id: string;
  shownId: string;
  organizationId: string;
}

export type Process = (rows: InputRow[], signal: AbortSignal) => Promise<RowOutcome[]>;
/** A service whose runs nobody works on but the test; their dataset has three chunks. */
export async function startChunkService(rows: object[] = numberedRows(3 * CHUNK_ROWS)) {
  // Nobody but the tests works on the runs.
  const service = await startTestService({ ROWMILL_CHUNK_ROWS: String(CHUNK_ROWS), ROWMILL_ROLE: "api" });
  const organization = await service.newOrganization();
  const { api } = organization;
  const organizationId = parseId("organization", organization.organizationId) ?? "";
  const pool = openTestPool(service.settings["ROWMILL_DATABASE_URL"], 4);
  const dataset = await newDataset(api, rows);
  const jobSpecId = (await newJobSpec(api)).id;
  cleanUpLater(() => pool.end());

  /** A run with three chunks, in the given state, which a lane would have set. */
  async function runIn(state: Run["state"]): Promise<TestRun> {
    const run = await newRun(api, { datasetId: dataset.id, jobSpecId });
    const id = parseId("run", run.id) ?? "";
    await startByHand(service, id, state);
    return { id, shownId: run.id, organizationId };
  }

  /** As a worker does that gets the job: first comes what another one has left that had it before. */
  async function mustClaim(run: TestRun, jobId: string, begins = 1): Promise<ClaimedChunk> {
    const chunk = await claimChunk(pool, run, jobId, { begins, takesBack: await findClaims(pool, run.id, jobId) });
    if (chunk === undefined) throw new Error("there was no chunk to claim");
    return chunk;
  }

  const targetOf = (run: TestRun) => ({
    organizationId,
    runId: run.id,
    jobSpecId: newUuid(),
    jobSpecVersion: 1,
    apiKeyId: null,
    familyLock: null,
  });

  /** Results of rows with these outputs. */
  function resultsOf(outputs: Record<number, string>): ChunkResults {
    const results = noResults();
    for (const [index, output] of Object.entries(outputs))
      addOutcome(results, {
        index: Number(index),
        attempts: 1,
        durationMs: 0,
        outcome: { ok: true, output },
        usage: undefined,
      });
    return results;
  }

  async function commit(
    run: TestRun,
    chunk: ClaimedChunk,
    results: ChunkResults,
    state: "done" | "running" | "pending",
  ): Promise<boolean> {
    const made = await commitChunk(pool, targetOf(run), chunk, results, state);
    if (made !== undefined) chunk.lastPart = made.lastPart;
    return made !== undefined;
  }

  const noPolicies: ChunkWork["policies"] = {
    noteOutcomes: () => undefined,
    probeRows: () => undefined,
    check: () => Promise.resolve(),
  };

  const workOf = (run: TestRun, process: Process, more: Partial<ChunkWork> = {}): ChunkWork => ({
    target: targetOf(run),
    datasetId: parseId("dataset", dataset.id) ?? "",
    plan: planOf({ maxRowsPerCall: 100, callsAtOnce: 1, processRows: process }, { retry: {}, random: () => 1 }),
    control: new RunControl(),
    rowsPerCall: () => 100,
    cache: undefined,
    dedupes: false,
    flushAfterMs: 1_000,
    commit: (chunk, results, state) => commit(run, chunk, results, state),
    accountLost: () => Promise.resolve(),
    lateWrites: createLateWrites(pino({ level: "silent" })),
    policies: noPolicies,
    alone: (trial) => trial(true),
    log: pino({ level: "silent" }),
    ...more,
  });

  const echo: Process = (rows) => Promise.resolve(rows.map(({ text }) => ({ ok: true, output: text })));
  const noAbort = new AbortController().signal;

  /** Works on the claimed chunk until the processor is given the row, and then abandons everything, as a `kill -9` does. */
  async function dieAt(run: TestRun, job: string, index: number): Promise<number[]> {
    const seen: number[] = [];
    const died = Promise.withResolvers<"died">();
    const end = processChunk(
      pool,
      workOf(run, (rows) => {
        seen.push(...rows.map((row) => row.index));
        if (!rows.some((row) => row.index === index)) return echo(rows, noAbort);
        died.resolve("died");
        return new Promise(() => undefined);
      }),
      await mustClaim(run, job),
    );
    expect(await Promise.race([died.promise, end])).toBe("died");
    return seen;
  }
  return {
    service,
    api,
    pool,
    runIn,
    mustClaim,
    targetOf,
    resultsOf,
    commit,
    workOf,
    noPolicies,
    echo,
    noAbort,
    dieAt,
  };
}
