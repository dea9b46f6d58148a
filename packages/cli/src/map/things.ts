/**
 * The dataset, job spec and run of a command, found again or made. Ids of earlier commands are tried first; then the service is
 * asked with keys that follow from content, so that a command that was killed in between makes nothing twice.
 */
import type { Dataset, DatasetUpload, Rowmill, Run } from "@rowmill/client";
import { DatasetIntakeError, RowmillApiError, isTerminal } from "@rowmill/client";
import { openAsBlob } from "node:fs";
import type { Cli } from "../frame/command.ts";
import { Problem } from "../frame/problem.ts";
import type { Definition } from "./definition.ts";
import { keyOf } from "./identity.ts";
import type { InputFile } from "./input.ts";
import { readingIdentity, readingOf } from "./reading.ts";
import type { Reading } from "./reading.ts";

/**
 * Metadata by which the dataset, job spec and run of a command are found again. The service forgets idempotency keys after days; these
 * stay.
 */
export const MAP_KEY = "rowmill.map";
/** A dataset that was deleted is made again under the next key; nobody deletes the same one so often. */
const MAX_GENERATIONS = 100;
/** Sent again from where the connection broke, where the file is larger. */
const RESUMABLE_BYTES = 64 * 1024 * 1024;

/** As the API limits a name, in characters. Names of files may be longer. */
const MAX_NAME = 200;

export const cutName = (name: string, end = ""): string =>
  Array.from(name)
    .slice(0, MAX_NAME - end.length)
    .join("") + end;

export interface UploadOptions {
  reading: Reading;
  onProgress: (bytesSent: number, upload: DatasetUpload | null) => void;
}

export async function ensureDataset(
  cli: Pick<Cli, "signal">,
  rowmill: Rowmill,
  input: InputFile,
  { reading, onProgress }: UploadOptions,
): Promise<Dataset> {
  const { signal } = cli;
  const identity = keyOf("content", input.sha256, ...readingIdentity(reading));
  const known = await findDataset(cli, rowmill, identity);
  if (known !== undefined) return known;
  const body = {
    name: cutName(input.name),
    ...readingOf(reading),
    // The file may change after it was hashed. The service refuses other content, which would be found by this hash ever after.
    source: { type: "upload" as const, filename: input.name, sizeBytes: input.sizeBytes, sha256: input.sha256 },
    metadata: { [MAP_KEY]: identity },
  };
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const idempotencyKey = keyOf("dataset", input.sha256, body, generation);
    const created = await rowmill.datasetUploads.create(body, { idempotencyKey, signal });
    // The response to a repeat is that of the first request.
    const upload = await orUndefined(rowmill.datasetUploads.get(created.id, { signal }));
    if (upload === undefined || upload.state === "expired" || upload.state === "canceled") continue;
    // It may have failed for a reason that is gone, such as a full disk.
    if (upload.state === "failed") continue;
    const ended = await sendContent(cli, rowmill, input, upload, onProgress).catch((error: unknown) => {
      throw input.hasChanged() ? changedMeanwhile(input, error) : error;
    });
    if (ended.state !== "completed" || ended.datasetId === null)
      throw input.hasChanged() ? changedMeanwhile(input) : new DatasetIntakeError(ended);
    const dataset = await orUndefined(rowmill.datasets.get(ended.datasetId, { signal }));
    if (dataset !== undefined) return dataset;
  }
  throw new Problem("The dataset cannot be made again.", "Give the file another name and repeat the command.");
}

/** And waits until it is read. */
async function sendContent(
  { signal }: Pick<Cli, "signal">,
  rowmill: Rowmill,
  input: InputFile,
  { id, state }: DatasetUpload,
  onProgress: UploadOptions["onProgress"],
): Promise<DatasetUpload> {
  if (state === "awaiting_content")
    await rowmill.datasetUploads.uploadContent(id, await openAsBlob(input.path), {
      signal,
      resumable: input.sizeBytes > RESUMABLE_BYTES,
      onProgress: ({ bytesSent }) => onProgress(bytesSent, null),
    });
  return rowmill.datasetUploads.waitFor(id, { signal, onProgress: (news) => onProgress(input.sizeBytes, news) });
}

const changedMeanwhile = ({ name }: InputFile, cause?: unknown): Problem =>
  new Problem(`${name} changed while it was read.`, "Repeat the command when nothing writes to the file.", {
    code: "file_changed",
    cause,
  });

async function findDataset(cli: Pick<Cli, "signal">, rowmill: Rowmill, identity: string): Promise<Dataset | undefined> {
  for await (const dataset of rowmill.datasets.list({ metadata: { [MAP_KEY]: identity } }, { signal: cli.signal }))
    if (dataset.state === "ready") return dataset;
  return undefined;
}

/** The job spec's id. A spec that was archived, or has got another version, which a run would use, is made again. */
export async function ensureJobSpec(cli: Cli, rowmill: Rowmill, name: string, definition: Definition): Promise<string> {
  const { signal } = cli;
  const identity = keyOf("definition", name, definition);
  for await (const spec of rowmill.jobSpecs.list({ metadata: { [MAP_KEY]: identity } }, { signal }))
    if (spec.archivedAt === null && spec.latestVersion === 1) return spec.id;
  const body = { name: cutName(name), ...definition, metadata: { [MAP_KEY]: identity } };
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const idempotencyKey = keyOf("spec", body, generation);
    const { id, warnings = [] } = await rowmill.jobSpecs.create(body, { idempotencyKey, signal });
    const spec = await orUndefined(rowmill.jobSpecs.get(id, { signal }));
    if (spec !== undefined && spec.archivedAt === null && spec.latestVersion === 1) {
      for (const { message } of warnings) cli.output.note(`Warning: ${message}`);
      return id;
    }
  }
  throw new Problem("The job spec cannot be made again.", "Repeat the command with another --prompt.");
}

export type Scope = Run["scope"];

export interface RunPlan {
  datasetId: string;
  jobSpecId: string;
  scope: Scope;
  name: string;
  settings: RunSettings;
}

/** What the same command may change from one time to the next: it is the same run. */
export interface RunSettings {
  maxCostUsd: string | undefined;
  concurrency: number | undefined;
}

/** By which the runs of one command are one family. */
export const runKeyOf = ({ datasetId, jobSpecId, scope }: RunPlan): string => keyOf("run", datasetId, jobSpecId, scope);

/** The newest run of the same file, spec and rows: a retry run comes after the run that it repeats. */
export async function findRun(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Run | undefined> {
  const { datasetId, jobSpecId } = plan;
  const key = runKeyOf(plan);
  const query = { datasetId, jobSpecId, metadata: { [MAP_KEY]: key } };
  for await (const run of rowmill.runs.list(query, { signal: cli.signal })) return run;
  return undefined;
}

export const budgetOf = (maxCostUsd: string | undefined) =>
  maxCostUsd === undefined ? {} : { budget: { maxCostUsd, onExceeded: "pause" as const } };

const settingsOf = ({ maxCostUsd, concurrency }: RunSettings) => ({
  ...budgetOf(maxCostUsd),
  ...(concurrency === undefined ? {} : { concurrency }),
});

export async function createRun(cli: Cli, rowmill: Rowmill, plan: RunPlan): Promise<Run> {
  const { datasetId, jobSpecId, scope, settings } = plan;
  const key = runKeyOf(plan);
  const name = cutName(plan.name);
  const body = { datasetId, jobSpecId, scope, name, ...settingsOf(settings), metadata: { [MAP_KEY]: key } };
  const keyAt = (generation: number) => keyOf("run", key, body, generation);
  return makeRun(cli, rowmill, keyAt, (options) => rowmill.runs.create(body, options));
}

/** The rows of `run` that have not succeeded, in a run of their own. */
export async function retryRun(cli: Cli, rowmill: Rowmill, run: Run, settings: RunSettings): Promise<Run> {
  const body = {
    selection: { type: "unfinished" as const },
    ...settingsOf(settings),
    metadata: { ...run.metadata },
  };
  return makeRun(cli, rowmill, keysOf("retry", run.id, body), (options) => rowmill.runs.retry(run.id, body, options));
}

/** The first is that of the Python client and of older versions: two of them at once make one run. */
export const keysOf =
  (purpose: string, ...identity: unknown[]) =>
  (generation: number): string =>
    generation === 0 ? keyOf(purpose, ...identity) : keyOf(purpose, ...identity, generation);

/** The run of the same request before, unless it was deleted: the response to a repeat is that of the first request. */
export async function makeRun(
  { signal }: Pick<Cli, "signal">,
  rowmill: Rowmill,
  keyAt: (generation: number) => string,
  send: (options: { idempotencyKey: string; signal: AbortSignal }) => Promise<Run>,
): Promise<Run> {
  for (let generation = 0; generation < MAX_GENERATIONS; generation++) {
    const { id } = await send({ idempotencyKey: keyAt(generation), signal });
    const run = await orUndefined(rowmill.runs.get(id, { signal }));
    if (run !== undefined) return run;
  }
  throw new Problem(`The run was deleted ${MAX_GENERATIONS} times.`, "Repeat the command in a week.");
}

/** A run that waits for somebody goes on; any other is left as it is. */
export async function continueRun(cli: Cli, rowmill: Rowmill, run: Run, settings: RunSettings): Promise<Run> {
  const { signal } = cli;
  if (isTerminal(run)) return run;
  const changed = await changeRun(cli, rowmill, run, settings);
  const resumed =
    changed && run.state === "paused" ? await unlessItWaits(rowmill.runs.resume(run.id, { signal })) : undefined;
  return resumed ?? rowmill.runs.get(run.id, { signal });
}

/** Without resuming it. Whether it had not ended. */
export async function changeRun(cli: Cli, rowmill: Rowmill, run: Run, settings: RunSettings): Promise<boolean> {
  const { maxCostUsd, concurrency } = settings;
  const isChanged =
    (maxCostUsd !== undefined && run.budget?.maxCostUsd !== maxCostUsd) ||
    (concurrency !== undefined && run.concurrency !== concurrency);
  if (!isChanged) return true;
  const update = rowmill.runs.update(run.id, settingsOf(settings), { signal: cli.signal });
  return (await unlessEnded(update)) !== undefined;
}

/** Undefined where the run went on by itself, or ended, in the meantime. */
const unlessEnded = <T>(changing: Promise<T>): Promise<T | undefined> => unlessRefused(changing, ["invalid_state"]);

/** Undefined also where it stays paused, because its budget is still too small: the command that follows it says what it needs. */
const unlessItWaits = <T>(resuming: Promise<T>): Promise<T | undefined> =>
  unlessRefused(resuming, ["invalid_state", "budget_exceeded"]);

async function unlessRefused<T>(changing: Promise<T>, codes: readonly string[]): Promise<T | undefined> {
  try {
    return await changing;
  } catch (error) {
    if (error instanceof RowmillApiError && codes.includes(error.code)) return undefined;
    throw error;
  }
}

async function orUndefined<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof RowmillApiError && error.code === "not_found") return undefined;
    throw error;
  }
}
