/** What the trials of a deployment share: an organization, datasets and job specs that are there already, and the outside world. */
import type { Connection } from "@rowmill/contract/connections";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { Run } from "@rowmill/contract/runs";
import { isTerminal } from "@rowmill/contract/runs";
import type { Client } from "./client.ts";
import { BOUND_MS } from "./deployment.ts";
import type { Deployment } from "./deployment.ts";
import { until } from "./findings.ts";
import { emptyLedger } from "./ledger.ts";
import type { Ledger } from "./ledger.ts";
import type { Outside } from "./outside.ts";
import type { Random } from "./random.ts";

export const ROWS = 1_000;
export const PAID_ROWS = 150;
export const FAIL_EVERY = 5;
/** Of a chunk: a run takes some seconds, with chunks claimed at each moment. */
const CHUNK_MS = 500;
/** Of calls to the provider. */
export const PAID_CONCURRENCY = 20;

/** What a trial deletes. */
export interface Doomed {
  uploadId: string;
  datasetId: string;
  runId: string;
  retryRunId: string;
  exportIds: string[];
}

export interface World {
  deployment: Deployment;
  client: Client;
  outside: Outside;
  random: Random;
  ledger: Ledger;
  datasetId: string;
  paidDatasetId: string;
  /** Fails every fifth row in a first run, and none in a retry run. */
  mockSpecId: string;
  paidSpecId: string;
  /** What the next trial deletes. */
  doomed: Doomed | undefined;
  /** A run over all rows that has ended. */
  endedRunId: string;
  /** Such a run whose failures nobody has retried yet. */
  unretriedRunId: string | undefined;
}

export async function createWorld(deployment: Deployment, outside: Outside, random: Random): Promise<World> {
  const client = await deployment.newOrganization();
  const ledger = emptyLedger();
  const newLasting = async (rows: number): Promise<string> => {
    const { id, datasetId } = await newDataset(client, rows);
    ledger.uploads.push({ id, datasetId, rows });
    return datasetId;
  };
  const [datasetId, paidDatasetId] = [await newLasting(ROWS), await newLasting(PAID_ROWS)];
  const newSpec = async (processor: object, more: object = {}): Promise<string> => {
    const body = { name: "Campaign", processor, ...more };
    return (await client.request<JobSpec>("POST", "/v1/job-specs", { body })).id;
  };
  const mockSpecId = await newSpec({ type: "mock", failEvery: FAIL_EVERY, failUntilRetry: 1, delayMs: CHUNK_MS });
  const connection = await client.request<Connection>("POST", "/v1/connections", {
    body: { name: "Model", type: "openai_compatible", baseUrl: outside.modelUrl, secret: "sk-crash" },
  });
  const paidSpecId = await newSpec(
    { type: "llm", connection: connection.id, model: "small", messages: [{ role: "user", content: "{{row.text}}" }] },
    { concurrency: PAID_CONCURRENCY },
  );
  const world: World = {
    deployment,
    client,
    outside,
    random,
    ledger,
    datasetId,
    paidDatasetId,
    mockSpecId,
    paidSpecId,
    doomed: undefined,
    endedRunId: "",
    unretriedRunId: undefined,
  };
  await makeEndedRun(world);
  return world;
}

/** A run with failures, without any fault. */
export async function makeEndedRun(world: World): Promise<void> {
  const { id } = await newRun(world.client, { datasetId: world.datasetId, jobSpecId: world.mockSpecId });
  noteRun(world, await endedRun(world.client, id));
  world.endedRunId = id;
  world.unretriedRunId = id;
}

export function noteRun({ ledger }: World, { id, rows }: Run): void {
  ledger.runs.push({ id, total: rows.total, succeeded: rows.succeeded, failed: rows.failed });
}

export const rowsFrom = (count: number): { n: number; text: string }[] =>
  Array.from({ length: count }, (_unused, n) => ({ n, text: `row ${n}` }));

/** `id` is that of its upload. */
export async function newDataset(client: Client, rows: number): Promise<{ id: string; datasetId: string }> {
  const created = await client.request<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name: "Campaign", source: { type: "inline", rows: rowsFrom(rows) } },
  });
  const { datasetId } = await endedUpload(client, created.id);
  if (datasetId === null) throw new Error("an inline dataset was not taken");
  return { id: created.id, datasetId };
}

export const newRun = (client: Client, body: object): Promise<Run> =>
  client.request<Run>("POST", "/v1/runs", { body: { scope: { type: "all" }, ...body } });

export const endedUpload = (client: Client, id: string): Promise<DatasetUpload> =>
  until(`the end of upload ${id}`, BOUND_MS, async () => {
    const upload = await client.request<DatasetUpload>("GET", `/v1/dataset-uploads/${id}`);
    return upload.finishedAt === null ? undefined : upload;
  });

export const endedRun = (client: Client, id: string): Promise<Run> =>
  until(`the end of run ${id}`, BOUND_MS, async () => {
    const run = await client.request<Run>("GET", `/v1/runs/${id}?waitSeconds=2`);
    return isTerminal(run.state) ? run : undefined;
  });
