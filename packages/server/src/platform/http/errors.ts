/** Errors that a client sees. Anything else that is thrown is a bug: it is logged, and the client gets a bare 500. */
import { isRetryable, statusOf } from "@rowmill/contract/errors";
import type { ErrorCode } from "@rowmill/contract/errors";
import type { IdKind } from "@rowmill/contract/schemas";
import type { KeyIdentity } from "../auth/caller.ts";
import { parseId, sayKind, wrongKind } from "../ids.ts";
import { present } from "../present.ts";
import { storable } from "../text.ts";

export interface ErrorDetail {
  /** JSON pointer into the body. */
  path: string;
  code: string;
  message: string;
}

interface ApiErrorOptions {
  param?: string;
  details?: ErrorDetail[];
  retryAfterSeconds?: number;
  /** Members beside the common ones, such as `requiredScopes`. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly options: ApiErrorOptions;
  constructor(code: ErrorCode, message: string, options: ApiErrorOptions = {}) {
    super(message);
    this.code = code;
    this.options = options;
  }
}

/** A key that exists may not be used: whose it is is known, and recorded. */
export class RefusedKeyError extends ApiError {
  readonly key: KeyIdentity;
  constructor(code: ErrorCode, message: string, key: KeyIdentity) {
    super(code, message);
    this.key = key;
  }
}

/** `thing` as people say it ("run", "webhook endpoint"); another organization's thing looks the same. */
export const notFound = (thing: string, param?: string): ApiError =>
  new ApiError("not_found", `There is no such ${thing}.`, present({ param }));

/** The UUID of the id that a body has at `param`; an id of another kind is distinguished from one that does not exist. */
export function parseBodyId(kind: IdKind, id: string, param: string): string {
  const uuid = parseId(kind, id);
  if (uuid !== undefined) return uuid;
  const problem = wrongKind(id, kind, `\`${param}\``);
  throw problem === undefined ? notFound(sayKind(kind), param) : new ApiError("not_found", problem, { param });
}

/** `what` is closed: for callers that ask for its work while the service stops. */
export const serviceStopping = (what: string): ApiError =>
  new ApiError("service_unavailable", `The service is stopping: ${what}.`, { retryAfterSeconds: 2 });

/** For callers that wait for a worker process: their work is not done, and nothing is known about it. */
export const workersClosed = (): ApiError => serviceStopping("its worker processes are closed");

export const isServiceStopping = (error: unknown): boolean =>
  error instanceof ApiError && error.code === "service_unavailable";

export const invalidState = (message: string): ApiError => new ApiError("invalid_state", message);

export interface ErrorBody {
  error: {
    code: ErrorCode;
    message: string;
    param: string | null;
    details: ErrorDetail[];
    retryable: boolean;
    requestId: string;
    docUrl: string;
  } & Record<string, unknown>;
}

export function errorResponse(
  error: ApiError,
  requestId: string,
  publicUrl: string,
  accept: string | undefined,
): { status: number; contentType: string; body: object; headers: Record<string, string> } {
  const status = statusOf(error.code);
  const docUrl = `${publicUrl}/v1/error-codes#${error.code}`;
  const headers: Record<string, string> = { ...error.options.headers };
  if (error.options.retryAfterSeconds !== undefined) headers["Retry-After"] = String(error.options.retryAfterSeconds);
  const members = {
    code: error.code,
    // Parsers, providers and clients write into these.
    ...storable({
      message: error.message,
      param: error.options.param ?? null,
      details: error.options.details ?? [],
      ...error.options.extra,
    }),
    retryable: isRetryable(error.code),
    requestId,
    docUrl,
  };
  if (accept?.includes("application/problem+json")) {
    const { message, ...rest } = members;
    return {
      status,
      contentType: "application/problem+json",
      body: { type: docUrl, title: error.code.replaceAll("_", " "), status, detail: message, ...rest },
      headers,
    };
  }
  return {
    status,
    contentType: "application/json; charset=utf-8",
    body: { error: members } satisfies ErrorBody,
    headers,
  };
}
