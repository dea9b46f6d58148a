/** Things that most tests need first, made through the API. */
import { expect } from "vitest";
import type { DatasetUpload } from "@rowmill/contract/dataset-uploads";
import type { Dataset } from "@rowmill/contract/datasets";
import type { JobSpec } from "@rowmill/contract/job-specs";
import type { ProcessorConfig } from "@rowmill/contract/processors";
import type { Scope } from "@rowmill/contract/run-rows";
import type { Run } from "@rowmill/contract/runs";
import { isTerminal } from "@rowmill/contract/runs";
import { expectStatus } from "./api.ts";
import type { Api } from "./api.ts";
import { waitFor } from "./wait.ts";

/** A dataset of these rows, ready. */
export async function newDataset(api: Api, rows: readonly object[], name = "Test rows"): Promise<Dataset> {
  const created = await api<DatasetUpload>("POST", "/v1/dataset-uploads", {
    body: { name, source: { type: "inline", rows } },
  });
  expectStatus(created, 201);
  const upload = await waitFor(
    async () => {
      const { body } = await api<DatasetUpload>("GET", `/v1/dataset-uploads/${created.body.id}`);
      return body.finishedAt === null ? undefined : body;
    },
    { what: "the upload has ended" },
  );
  expect(upload).toMatchObject({ state: "completed", errors: [] });
  return (await api<Dataset>("GET", `/v1/datasets/${upload.datasetId}`)).body;
}

/** Rows `{ n: 0 }`, `{ n: 1 }`, … */
export const numberedRows = (count: number): { n: number }[] => Array.from({ length: count }, (_, n) => ({ n }));

/** `more` are further members of the body, such as `retry`. */
export async function newJobSpec(
  api: Api,
  processor: ProcessorConfig = { type: "mock" },
  more: Record<string, unknown> = {},
): Promise<JobSpec> {
  const created = await api<JobSpec>("POST", "/v1/job-specs", { body: { name: "Test spec", processor, ...more } });
  expectStatus(created, 201);
  return created.body;
}

export interface NewRun {
  datasetId: string;
  jobSpecId: string;
  scope?: Scope;
  [option: string]: unknown;
}

/** A run over the whole dataset unless a scope is named; it has just been created. */
export async function newRun(api: Api, body: NewRun): Promise<Run> {
  const created = await api<Run>("POST", "/v1/runs", { body: { scope: { type: "all" }, ...body } });
  expectStatus(created, 201);
  return created.body;
}

/** Waits for the end of a run, in whatever state that is. */
export async function finishedRun(api: Api, runId: string, timeoutMs = 240_000): Promise<Run> {
  return waitFor(
    async () => {
      const { body } = await api<Run>("GET", `/v1/runs/${runId}?waitSeconds=5`);
      return isTerminal(body.state) ? body : undefined;
    },
    { timeoutMs, what: `the run ${runId} has ended` },
  );
}
