/**
 * Rows in batches of a provider, as far as providers have something in common: a file of requests goes out, each with an id of
 * ours; some hours later files of responses come back, in any order. A processor whose rows can be sent so has `batches` among its
 * traits, and makes a `BatchStep`; the engine keeps the batch (`engine/provider-batches/`) and knows no provider.
 */
import type { FailureCode } from "@rowmill/contract/failures";
import type { Connection, ConnectionEgress } from "./connection-parts.ts";
import type { LargeTexts } from "./large-texts.ts";
import type { Limiter } from "./limiter/permits.ts";
import type { InputRow, RowFailure, RowOutcome, Step } from "./processor.ts";
import type { ProviderRequest, ProviderResponse } from "./provider-messages.ts";

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

/** The batch endpoints behind one connection. */
export interface BatchApi {
  /** The longest line of a file of responses that is read: a longer one counts as unreadable. */
  maxLineBytes: number;
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

/**
 * - `unsupported`: there is no such endpoint, or no such thing by this id
 * - `refused`: nothing but a change by a person helps
 * - `too_large`: a smaller file might be taken
 * - `passing`: it has done nothing, and may succeed later
 * - `unknown`: it may have been done, though nobody said so
 */
export interface BatchFailure {
  kind: "unsupported" | "refused" | "too_large" | "passing" | "unknown";
  code: FailureCode;
  /** A sentence for the customer. */
  message: string;
  retryAfterMs?: number;
  /** The limiter had no slot: the provider was not asked, and this says nothing about it. */
  isUnasked?: true;
}

export type Called<T> = { ok: true; value: T } | { ok: false; failure: BatchFailure };

export interface BatchParts {
  egress: ConnectionEgress;
  limiter: Limiter;
  largeTexts: LargeTexts;
}

/** The request for a row, or why there is none. */
export type Captured =
  | {
      ok: true;
      connection: Connection;
      model: string;
      request: ProviderRequest;
      /** US dollars, at the price of batches; undefined where none is known. */
      highestCostUsd: string | undefined;
    }
  | { ok: false; failure: RowFailure };

/** `goesOn`: a row that is asked in real time does not end so. It has a repair attempt, a fallback or another dialect. */
export type Interpreted = RowOutcome & { goesOn: boolean };

/** A step whose calls can also be made by others. */
export interface BatchStep extends Step {
  /** The request for a row, without credentials; nothing is sent. `isLimited`: a budget holds, so the request must limit its output. */
  captureRequest(row: InputRow, options?: { isLimited: boolean }): Promise<Captured>;
  /**
   * What a stored response to that request means for the row, at the price of batches. Nothing is called. Outputs are parsed where those
   * of `processRows` are (`outputsAreParsed`).
   */
  interpretResponse(row: InputRow, response: ProviderResponse): Promise<Interpreted>;
}

export const isBatchStep = (step: Step): step is BatchStep => "captureRequest" in step;
