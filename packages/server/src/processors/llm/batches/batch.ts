/**
 * The batch endpoints of providers, as far as they have something in common: a file of requests goes out, each with an id of
 * ours; some hours later files of responses come back, in any order.
 */
import { createReadStream } from "node:fs";
import type { ProviderResponse, ProviderRequest } from "../transport.ts";
import type { BatchFailure, Called } from "./calls.ts";

/**
 * Requests in one batch. OpenAI takes 50 000, Anthropic 100 000, resellers as many as OpenAI; what a crash or a cancellation
 * puts at stake is a batch.
 */
export const MAX_BATCH_REQUESTS = 45_000;
/** OpenAI takes 200 MB, Anthropic 256 MB, some others 100 MB. */
export const MAX_BATCH_BYTES = 95_000_000;

/** The requests of a batch as they lie on the disk: lines of JSON, one after the other. */
export interface RequestFile {
  path: string;
  bytes: number;
  requests: number;
}

export interface Submission {
  /** A UUID: sent to providers that support it, so that the batch can be found again. */
  batchId: string;
  file: RequestFile;
  /** Asked right before the call that makes the batch. False: it must not be made any more. */
  mayBegin: () => Promise<boolean>;
}

/** `not_begun`: `mayBegin` said no. */
export type Submitted = Called<{ providerBatchId: string } | "not_begun">;

export interface BatchProgress {
  state: "working" | "ended" | "failed";
  /** Where responses are, as `download` takes it. */
  files: string[];
  /** Requests that the provider reports as completed. */
  responses: number;
  /** Why it has failed as a whole: nothing of it was done. */
  failure?: BatchFailure;
}

export interface BatchApi {
  /** How long after the begin of a submission nothing of it can still be under way. */
  submissionMs: number;
  /** One line of a file of requests, without its end. */
  lineOf(customId: string, request: ProviderRequest): string;
  submit(submission: Submission, signal: AbortSignal): Promise<Submitted>;
  /**
   * The batch whose submission had begun then, and of which nobody knows whether it was made. `isKnown` says which of the
   * provider's batches are others of ours. Undefined: it is not there.
   */
  find(
    lost: { batchId: string; requests: number; begunAt: Date; isKnown: (ids: string[]) => Promise<Set<string>> },
    signal: AbortSignal,
  ): Promise<Called<string | undefined>>;
  progress(providerBatchId: string, signal: AbortSignal): Promise<Called<BatchProgress>>;
  cancel(providerBatchId: string, signal: AbortSignal): Promise<Called<unknown>>;
  download(file: string, to: string, signal: AbortSignal): Promise<Called<undefined>>;
  /** What a line of a file of responses reports; undefined where it is about no request. */
  readLine(line: Record<string, unknown>): { customId: string; response: ProviderResponse | undefined } | undefined;
}

/** Its text between other text, as it goes out. */
export async function* around(head: string, file: RequestFile, tail: string): AsyncGenerator<Buffer> {
  yield Buffer.from(head);
  // A file stream without encoding gives Buffers.
  if (file.bytes > 0) yield* createReadStream(file.path, { end: file.bytes - 1 }) as AsyncIterable<Buffer>;
  yield Buffer.from(tail);
}

/** Ids of providers go into paths. */
export function idIn(value: unknown): string | undefined {
  return typeof value === "string" && value.length > 0 && value.length <= 200 ? value : undefined;
}
