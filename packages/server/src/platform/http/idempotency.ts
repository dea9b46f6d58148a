/**
 * Idempotency, for every operation from one place (specification 4.1).
 *
 *   first request:  look the key up → prepare → BEGIN · insert the key row · work · store the response · COMMIT
 *   its repeat:     in this process it waits for the first one's promise; from another process its insert waits on the
 *                   unique index until the first commits (replay) or rolls back (then it does the work itself)
 *
 * Only successes are stored, and in the transaction of the work: a crash or an error leaves neither.
 */
import { LOCK_NOT_AVAILABLE, pgCode } from "../database/database.ts";
import type { OrganizationDatabase, Transaction } from "../database/database.ts";
import type { Sealer } from "../secrets/sealing.ts";
import { ApiError } from "./errors.ts";
import { insertRequest, readResponse, REPEAT_WAIT_MS, storeResponse } from "./stored-responses.ts";
import type { IdempotentRequest, StoredResponse } from "./stored-responses.ts";

const KEY_FORMAT = /^[!-~]{1,255}$/;

export type Work = (tx: Transaction) => Promise<StoredResponse>;

type Performed = StoredResponse & { isReplay: boolean };

export interface Idempotency {
  /** `prepare` runs outside any transaction, and only if there is no stored response. */
  perform(database: OrganizationDatabase, request: IdempotentRequest, prepare: () => Promise<Work>): Promise<Performed>;
}

/** Surrounding quotes are stripped, as the header's draft standard writes it as a string. Undefined when absent. */
export function parseIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const raw = Array.isArray(header) ? header.join(",") : header;
  const key = raw.length >= 2 && raw.startsWith('"') && raw.endsWith('"') ? raw.slice(1, -1) : raw;
  if (!KEY_FORMAT.test(key))
    throw new ApiError(
      "idempotency_key_invalid",
      "The Idempotency-Key must be 1 to 255 visible ASCII characters without spaces.",
      {
        param: "Idempotency-Key",
      },
    );
  return key;
}

export function createIdempotency(sealer: Sealer): Idempotency {
  const inProgress = new Map<string, Promise<unknown>>();
  return {
    async perform(database, request, prepare) {
      const name = JSON.stringify([request.scopeId, request.method, request.path, request.key]);
      const deadline = performance.now() + REPEAT_WAIT_MS;
      for (let first = inProgress.get(name); first !== undefined; first = inProgress.get(name)) {
        if (!(await settlesBy(first, deadline))) throw inProgressError();
      }
      const attempt = performFirst(database, sealer, request, prepare);
      inProgress.set(name, attempt);
      try {
        return await attempt;
      } finally {
        if (inProgress.get(name) === attempt) inProgress.delete(name);
      }
    },
  };
}

async function performFirst(
  database: OrganizationDatabase,
  sealer: Sealer,
  request: IdempotentRequest,
  prepare: () => Promise<Work>,
): Promise<Performed> {
  const stored = await readResponse(database.db, sealer, request);
  if (stored) return { ...stored, isReplay: true };
  const work = await prepare();
  try {
    return await database.transaction(async (tx) => {
      // A repeat in another process waits here until the first one commits or rolls back.
      if (!(await insertRequest(tx, request))) {
        const first = await readResponse(tx, sealer, request);
        if (!first) throw inProgressError();
        return { ...first, isReplay: true };
      }
      const response = await work(tx);
      await storeResponse(tx, sealer, request, response);
      return { ...response, isReplay: false };
    });
  } catch (error) {
    throw pgCode(error) === LOCK_NOT_AVAILABLE ? inProgressError() : error;
  }
}

const inProgressError = (): ApiError =>
  new ApiError("idempotency_in_progress", "The first request with this Idempotency-Key is still being worked on.", {
    param: "Idempotency-Key",
    retryAfterSeconds: 1,
  });

async function settlesBy(promise: Promise<unknown>, deadline: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, deadline - performance.now()));
  });
  // However the first one ended, this request looks for itself what is stored.
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, timeout]).finally(() => clearTimeout(timer));
}
