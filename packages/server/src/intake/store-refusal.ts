/** What a client gets whose content was not stored. */
import type { FastifyRequest } from "fastify";
import { ApiError } from "../platform/http/errors.ts";
import type { Log } from "../platform/log.ts";

export function storeRefusal(
  error: unknown,
  request: FastifyRequest,
  { log, retryAfterSeconds }: { log: Log; retryAfterSeconds: number },
): ApiError {
  if (error instanceof ApiError) return error;
  // Nobody is there any more to read this response. A request that has come whole is destroyed as well.
  if (request.raw.destroyed && !request.raw.complete) return new ApiError("invalid_request", "The transfer broke off.");
  log.error({ err: error, requestId: request.id }, "the store did not take the content of an upload");
  return new ApiError("service_unavailable", "The content cannot be stored at the moment.", { retryAfterSeconds });
}
