/**
 * A dataset is deleted with its run, its retry run and their exports. A deletion that was acknowledged leaves neither rows nor files; one
 * that was not has deleted all, or nothing.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Export } from "@rowmill/contract/exports";
import type { Run } from "@rowmill/contract/runs";
import { uuidOf } from "@rowmill/server/platform/ids";
import { BOUND_MS } from "../deployment.ts";
import { filesIn, restartWorker } from "../files.ts";
import { until } from "../findings.ts";
import type { Finding } from "../findings.ts";
import type { Work } from "../work.ts";
import { FAIL_EVERY, endedRun, newDataset, newRun } from "../crash-world.ts";
import type { Doomed, World } from "../crash-world.ts";

const DELETED_ROWS = 200;
const FAILED_ROWS = DELETED_ROWS / FAIL_EVERY;
/** Between two deletions: a fault comes between them, too. */
const STEP_PAUSE_MS = 300;
/** What a task deletes that runs every minute, on a machine that is ten times as slow. */
const PURGE_BOUND_MS = 120_000;

export async function prepareDeletion(world: World): Promise<void> {
  if (world.doomed !== undefined) return;
  const { client, mockSpecId } = world;
  const { id: uploadId, datasetId } = await newDataset(client, DELETED_ROWS);
  const { id: runId } = await newRun(client, { datasetId, jobSpecId: mockSpecId });
  await endedRun(client, runId);
  const retry = await client.request<Run>("POST", `/v1/runs/${runId}/retry`, {
    body: { selection: { type: "failures" } },
  });
  await endedRun(client, retry.id);
  const exportIds = await Promise.all([newExport(world, runId), newExport(world, retry.id)]);
  await Promise.all(exportIds.map((id) => endedExport(world, id)));
  world.doomed = { uploadId, datasetId, runId, retryRunId: retry.id, exportIds };
}

async function newExport({ client }: World, runId: string): Promise<string> {
  const body = { type: "resolved_results", format: "jsonl" };
  return (await client.request<Export>("POST", `/v1/runs/${runId}/exports`, { body })).id;
}

const endedExport = ({ client }: World, id: string): Promise<true> =>
  until(`the end of export ${id}`, BOUND_MS, async () => {
    const { finishedAt } = await client.request<Export>("GET", `/v1/exports/${id}`);
    return finishedAt === null ? undefined : true;
  });

export function beginDeletion(world: World): Work {
  const { doomed } = world;
  if (doomed === undefined) throw new Error("nothing is there to be deleted");
  world.doomed = undefined;
  const { datasetId, runId, retryRunId, exportIds } = doomed;
  const findings: Finding[] = [];
  // One that is still written, or about to be, when its run goes.
  const begun = newExport(world, runId).then((id) => void exportIds.push(id));
  const deleteAll = async (): Promise<void> => {
    await begun;
    const items: Item[] = [
      { path: `/v1/runs/${retryRunId}`, lists: { outputs: FAILED_ROWS } },
      { path: `/v1/runs/${runId}`, lists: { outputs: DELETED_ROWS - FAILED_ROWS, failures: FAILED_ROWS } },
      { path: `/v1/datasets/${datasetId}`, lists: { rows: DELETED_ROWS } },
    ];
    for (const item of items) {
      findings.push(...(await deleteOne(world, item)));
      await pause(STEP_PAUSE_MS);
    }
  };
  return {
    begun,
    ended: deleteAll(),
    check: async () => [...findings, ...(await checkDeleted(world, doomed))],
  };
}

interface Item {
  path: string;
  /** How many items each of its lists has. */
  lists: Record<string, number>;
}

/** Until it is acknowledged. */
async function deleteOne({ client }: World, { path, lists }: Item): Promise<Finding[]> {
  const findings: Finding[] = [];
  let attempts = 0;
  await until(`the deletion of ${path}`, BOUND_MS, async () => {
    const received = await client.attempt("DELETE", path);
    attempts++;
    if (received?.status === 204) return true;
    if (received === undefined) {
      for (const [list, count] of Object.entries(lists))
        findings.push(...(await checkWhole(client, path, list, count)));
      return undefined;
    }
    // By an attempt before, whose response was lost.
    if (received.status === 404 && attempts > 1) return true;
    throw new Error(`DELETE ${path} was refused: ${received.status} ${received.text}`);
  });
  return findings;
}

/** Of what may have been deleted, or may be at this moment. */
async function checkWhole(
  client: World["client"],
  path: string,
  list: string,
  count: number,
): Promise<readonly Finding[]> {
  const received = await client.attempt("GET", `${path}/${list}?limit=1000`);
  if (received === undefined || received.status === 404) return [];
  const { data } = JSON.parse(received.text) as { data: unknown[] }; // the contract's shape
  if (received.status === 200 && data.length === count) return [];
  const again = await client.attempt("GET", path);
  if (again === undefined || again.status === 404) return [];
  return [{ kind: "lost", what: `${path} was not deleted, and has ${data.length} of ${count} ${list}` }];
}

async function checkDeleted(world: World, doomed: Doomed): Promise<Finding[]> {
  const { client, deployment, ledger } = world;
  const { uploadId, datasetId, runId, retryRunId, exportIds } = doomed;
  ledger.uploads.push({ id: uploadId, datasetId, rows: DELETED_ROWS, isDeleted: true });
  ledger.expiredExports.push(...exportIds);
  const findings: Finding[] = [];
  for (const path of [`/v1/runs/${runId}`, `/v1/runs/${retryRunId}`, `/v1/datasets/${datasetId}`]) {
    const status = (await client.attempt("GET", path))?.status;
    if (status !== undefined && status !== 404)
      findings.push({ kind: "wrong", what: `${path} was deleted, and responds ${status}` });
  }
  // Its tasks delete when it starts, and then every minute.
  await restartWorker(deployment);
  const isGone = async (): Promise<true | undefined> =>
    (await findLeft(world, doomed)).length === 0 ? true : undefined;
  await until("the end of what was deleted", PURGE_BOUND_MS, isGone).catch(() => undefined);
  return [...findings, ...(await findLeft(world, doomed))];
}

/** Usage, events and the rows of exports and uploads stay. */
const TABLES_OF_RUN = [
  "run_chunks",
  "run_segments",
  "run_failures",
  "run_row_keys",
  "run_budgets",
  "provider_batches",
] as const;

async function findLeft({ deployment, client }: World, doomed: Doomed): Promise<Finding[]> {
  const runs = [doomed.runId, doomed.retryRunId].map((id) => uuidOf("run", id));
  const dataset = uuidOf("dataset", doomed.datasetId);
  const findings: Finding[] = [];
  const look = async (table: string, column: string, ids: readonly string[]): Promise<void> => {
    const [row] = await deployment.database.query<{ n: number }>(
      `select count(*)::int as n from ${table} where ${column} = any($1::uuid[])`,
      [ids],
    );
    if (row?.n !== 0) findings.push({ kind: "orphan", what: `${row?.n} of ${table} of what was deleted` });
  };
  for (const table of TABLES_OF_RUN) await look(table, "run_id", runs);
  await look("runs", "id", runs);
  await look("dataset_chunks", "dataset_id", [dataset]);
  await look("datasets", "id", [dataset]);
  const files = await filesIn(deployment);
  for (const id of doomed.exportIds) {
    if (files.some((file) => file.includes(id)))
      findings.push({ kind: "orphan", what: `the file of export ${id}, whose run was deleted` });
    const { status } = await client.request<Export>("GET", `/v1/exports/${id}`);
    if (!["expired", "failed", "canceled"].includes(status))
      findings.push({ kind: "wrong", what: `export ${id} is ${status}, and its run was deleted` });
  }
  return findings;
}
