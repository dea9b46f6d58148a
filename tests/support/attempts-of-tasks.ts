/** What tasks do with ids of another organization, one attempt for each kind of task. */
import { randomUUID } from "node:crypto";
import { statementsOf } from "@rowmill/server/platform/database/database";
import type { OrganizationDatabase, Transaction } from "@rowmill/server/platform/database/database";
import type { Queue } from "@rowmill/server/platform/queue/queue";
import { lockEndpoints } from "@rowmill/server/delivery/webhooks/health";
import { claimChunk, releaseClaims } from "@rowmill/server/engine/chunks/chunk-claims";
import { releaseFailedChunk } from "@rowmill/server/engine/chunks/chunk-deaths";
import { noResults } from "@rowmill/server/engine/chunks/chunk-results";
import { commitChunk } from "@rowmill/server/engine/chunks/commit-chunk";
import { insertChunks } from "@rowmill/server/intake/chunk-writer";
import { claimUpload, deleteChunks } from "@rowmill/server/intake/upload-claim";
import { readChunk } from "@rowmill/server/resources/datasets/chunk-store";
import { claimExport } from "@rowmill/server/resources/exports/export-claims";
import { readItemPages } from "@rowmill/server/resources/exports/export-items";
import { endRun } from "@rowmill/server/resources/runs/finish-run";
import { countLanes, laneQueues } from "@rowmill/server/resources/runs/lanes";
import { beginBatchPass } from "@rowmill/server/resources/runs/provider-batch-records";
import { readBudgetRoom } from "@rowmill/server/resources/runs/run-budgets";
import type { RunRecord } from "@rowmill/server/resources/runs/runs";
import { readRecordedRows } from "@rowmill/server/resources/runs/stored-results/read-results";

export const CHUNK_ROWS = 3;
export const INSUFFICIENT_PRIVILEGE = "42501";
export const JOB = randomUUID();

export const within = (tx: Transaction): OrganizationDatabase => ({
  db: tx,
  statements: statementsOf(tx),
  transaction: (work) => work(tx),
});

export interface Ids {
  datasetId: string;
  uploadId: string;
  runId: string;
  exportId: string;
  batchId: string;
  endpointId: string;
}

/** What an attempt knows of the other organization. */
export interface World {
  their: Ids;
  us: string;
  them: string;
  run: RunRecord;
  queue: Queue;
}

/** What a task does with an id of theirs; under our binding it comes to `nothing`, a result or the code of an error. */
export interface Attempt {
  what: string;
  work: (tx: Transaction, world: World) => Promise<unknown>;
  nothing: unknown;
}

export const attempts: Attempt[] = [
  {
    what: "a lane claims a chunk",
    work: (tx, w) =>
      claimChunk(statementsOf(tx), { organizationId: w.them, id: w.their.runId, datasetId: w.their.datasetId }, JOB),
    nothing: undefined,
  },
  {
    what: "a lane reads the rows of a dataset",
    work: (tx, w) => readChunk(statementsOf(tx), w.their.datasetId, 0),
    nothing: undefined,
  },
  {
    what: "a lane reads which rows are recorded",
    work: async (tx, w) =>
      (await readRecordedRows(statementsOf(tx), w.their.runId, { chunkNo: 0, firstRow: 0, lastRow: CHUNK_ROWS - 1 }))
        .size,
    nothing: 0,
  },
  {
    what: "a lane records results",
    work: (tx, w) => {
      const target = {
        organizationId: w.us,
        runId: w.their.runId,
        jobSpecId: JOB,
        jobSpecVersion: 1,
        apiKeyId: null,
        familyLock: null,
      };
      const chunk = { chunkNo: 1, claimNo: 1, firstRow: CHUNK_ROWS, lastRow: 2 * CHUNK_ROWS - 1, lastPart: 0 };
      return commitChunk(statementsOf(tx), target, chunk, noResults(), "running");
    },
    nothing: undefined,
  },
  {
    what: "a lane gives claims back that a lost worker has left",
    work: (tx, w) => releaseClaims(statementsOf(tx), w.their.runId, [{ chunkNo: 1, claimNo: 1 }]),
    nothing: false,
  },
  {
    what: "a lane gives a chunk back",
    work: (tx, w) => releaseFailedChunk(statementsOf(tx), w.their.runId, { chunkNo: 1, claimNo: 1 }, false),
    nothing: undefined,
  },
  { what: "a lane counts lanes", work: (tx, w) => countLanes(tx, w.run), nothing: 0 },
  {
    what: "a run ends",
    work: async (tx, w) => {
      await endRun(tx, w.run, "failed", null, { queue: w.queue, limits: {} });
      return "ended";
    },
    nothing: "no result",
  },
  {
    what: "an intake claims an upload",
    work: (tx, w) => claimUpload(within(tx), w.them, w.their.uploadId),
    nothing: undefined,
  },
  {
    what: "an intake deletes chunks",
    work: async (tx, w) => {
      const claim = { organizationId: w.them, uploadId: w.their.uploadId, datasetId: w.their.datasetId, claimNo: 0 };
      await deleteChunks(within(tx), claim);
      return "deleted";
    },
    nothing: "ClaimLostError",
  },
  {
    what: "an intake stores chunks",
    work: async (tx, w) => {
      const chunk = { chunkNo: 9, firstRow: 99, rowCount: 1, body: Buffer.from("x") };
      await insertChunks(statementsOf(tx), { organizationId: w.them, datasetId: w.their.datasetId }, [chunk]);
      return "stored";
    },
    nothing: INSUFFICIENT_PRIVILEGE,
  },
  {
    what: "an export is claimed",
    work: (tx, w) => claimExport(within(tx), { organizationId: w.them, exportId: w.their.exportId }),
    nothing: undefined,
  },
  {
    what: "an export reads results",
    work: async (tx, w) => {
      const pages = await Array.fromAsync(readItemPages(statementsOf(tx), w.run, "outputs", false));
      return pages.flat().length;
    },
    nothing: 0,
  },
  {
    what: "a batch takes a turn",
    work: (tx, w) => beginBatchPass({ db: tx }, JOB, { organizationId: w.them, batchId: w.their.batchId, turnNo: 0 }),
    nothing: undefined,
  },
  {
    what: "a batch asks for money",
    work: (tx, w) => readBudgetRoom(within(tx), { organizationId: w.them, id: w.their.runId }, w.their.batchId),
    nothing: undefined,
  },
  {
    what: "deliveries lock their endpoints",
    work: async (tx, w) => (await lockEndpoints(tx, [{ organizationId: w.them, id: w.their.endpointId }])).length,
    nothing: 0,
  },
  {
    what: "work is queued",
    work: async (tx, w) => {
      await w.queue.enqueue(tx, laneQueues.computing, {
        organizationId: w.them,
        runId: w.their.runId,
        generation: 9,
        lane: 0,
      });
      return "queued";
    },
    nothing: INSUFFICIENT_PRIVILEGE,
  },
];
