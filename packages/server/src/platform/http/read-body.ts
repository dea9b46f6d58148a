/**
 * Request bodies as values. A large one is decoded, checked and put into its canonical form in a process of its own, which takes a second for
 * 16 MiB. What comes back is small, or is text: rows of a body stay text until somebody needs one.
 */
import { loses, mayHaveOtherIntegers, mayLose } from "../exact-json.ts";
import { FairShare } from "../fair-share.ts";
import { WorkerProcess } from "../worker-process.ts";
import type { WorkEnd } from "../worker-process.ts";
import { ApiError, workersClosed } from "./errors.ts";
import { exactRowsOf, findLongIntegers, findRows, keepIntegers } from "./exact-lines.ts";
import type { ExactPlaces, KeptIntegers } from "./exact-lines.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { parseJsonBody } from "./json-body.ts";
import type { JsonBody } from "./json-body.ts";

/** Reading so much takes some milliseconds; a message to the worker takes less than one. */
export const LARGE_BODY_BYTES = 128 * 1024;

/** Of bodies whose numbers are looked at as they were written: that takes thirty times as long. */
const LARGE_EXACT_BYTES = 16 * 1024;

/** Sixteen megabytes of text take a second, or several where the machine has other things to do. */
const LIMIT_MS = 20_000;
/** Sixteen megabytes of empty arrays take twenty times as much. */
const MAX_HEAP_MEGABYTES = 768;

export interface BodyRequest extends ExactPlaces {
  bytes: Uint8Array;
  query: string;
}

export type BodyResponse =
  | { outcome: "refused"; message: string }
  | {
      outcome: "read";
      fingerprint: Uint8Array;
      infiniteAt: string | undefined;
      inexactAt: string | undefined;
      inSchemas: KeptIntegers[];
      /** Texts of the rows, in the places of which `rest` has empty objects. */
      lines: string[] | undefined;
      rest: string | undefined;
    };

export interface RequestBody {
  value: unknown;
  /** JSON pointer of a number that JavaScript reads as infinite: the body cannot be accepted. */
  infiniteAt: string | undefined;
  /** JSON pointer of an integer outside of rows and schemas that JavaScript reads as another one. */
  inexactAt?: string | undefined;
  fingerprint(): Buffer;
}

export interface BodyReader {
  read(organizationId: string, request: BodyRequest): Promise<RequestBody>;
  close(): Promise<void>;
}

const linesOfRows = new WeakMap<readonly unknown[], readonly string[]>();

/** The texts of rows that were left in the worker, or that JavaScript may print differently; undefined for rows that are what they seem. */
export const linesOf = (rows: readonly unknown[]): readonly string[] | undefined => linesOfRows.get(rows);

interface Task {
  request: BodyRequest;
  settle: PromiseWithResolvers<BodyResponse>;
}

export function createBodyReader(maxHeapMegabytes = MAX_HEAP_MEGABYTES, limitMs = LIMIT_MS): BodyReader {
  const worker = new WorkerProcess<BodyRequest, BodyResponse>({
    script: new URL("./body-worker.ts", import.meta.url),
    maxHeapMegabytes,
    closedError: workersClosed,
  });
  // Organizations alternate.
  const queue = new FairShare<Task>();
  let isBusy = false;

  async function work(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    for (let taken = queue.take(); taken !== null; taken = queue.take()) {
      const startedAt = performance.now();
      const { request, settle } = taken.task;
      try {
        settle.resolve(responseOf(await worker.perform(request, limitMs)));
      } catch (error) {
        settle.reject(error);
      }
      queue.finish(taken.party, performance.now() - startedAt, false);
    }
    isBusy = false;
  }

  return {
    async read(organizationId, request) {
      const { bytes, rowsAt } = request;
      const small =
        bytes.length < LARGE_BODY_BYTES
          ? parseJsonBody(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
          : undefined;
      const isSmall =
        small !== undefined &&
        !(
          bytes.length >= LARGE_EXACT_BYTES &&
          (rowsAt === undefined ? mayHaveOtherIntegers(small.text) : loses(small.text))
        );
      if (isSmall) return bodyOf(small, request);
      const settle = Promise.withResolvers<BodyResponse>();
      queue.add({ organizationId, ownerId: "bodies" }, { request, settle });
      void work();
      const response = await settle.promise;
      if (response.outcome === "refused") throw new ApiError("invalid_json", response.message);
      const { fingerprint, infiniteAt, inexactAt, inSchemas, lines, rest } = response;
      const value: unknown = JSON.parse(rest ?? new TextDecoder().decode(bytes));
      if (lines !== undefined) noteLines(value, rowsAt ?? [], lines);
      keepIntegers(value, inSchemas);
      return { value, infiniteAt, inexactAt, fingerprint: () => Buffer.from(fingerprint) };
    },
    close: () => worker.close(),
  };
}

/** Of a small body, here. */
function bodyOf({ text, value, infiniteAt }: JsonBody, request: BodyRequest): RequestBody {
  const { query, rowsAt } = request;
  const rows = rowsAt === undefined || !mayLose(text) ? undefined : findRows(value, rowsAt);
  const exact = rows === undefined ? undefined : exactRowsOf(text, rowsAt ?? [], rows);
  if (rows !== undefined && exact !== undefined) linesOfRows.set(rows, exact.lines);
  const { inexactAt, inSchemas } = findLongIntegers(text, request);
  keepIntegers(value, inSchemas);
  return { value, infiniteAt, inexactAt, fingerprint: () => fingerprintOf(value, query, exact?.digits) };
}

function responseOf(end: WorkEnd<BodyResponse>): BodyResponse {
  if (end.outcome === "responded") return end.response;
  if (end.outcome === "broke") throw end.error;
  const excess = end.reason === "memory" ? "too much memory" : "too long";
  throw new ApiError("payload_too_large", `The body takes ${excess} to read: send less at once.`);
}

function noteLines(body: unknown, path: readonly string[], lines: readonly string[]): void {
  let rows = body;
  // The worker has found them on this path.
  for (const name of path) rows = (rows as Record<string, unknown>)[name];
  linesOfRows.set(rows as unknown[], lines);
}
