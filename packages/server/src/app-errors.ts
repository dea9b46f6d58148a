/** What a client gets where a request fails: an error of the contract, whatever was thrown. */
import type { Socket } from "node:net";
import { STATUS_CODES, maxHeaderSize } from "node:http";
import type { ServerResponse } from "node:http";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isUnavailable } from "./platform/database/database.ts";
import { ApiError, errorResponse } from "./platform/http/errors.ts";
import { newId } from "./platform/ids.ts";
import { plural } from "./platform/plural.ts";
import { OverloadedError } from "./platform/http/request-bounds.ts";
import { StoreUnavailableError } from "./platform/storage/storage.ts";
import type { Services } from "./services.ts";

export function respondWithError(
  services: Services,
  error: unknown,
  request: Pick<FastifyRequest, "id" | "headers"> & Partial<Pick<FastifyRequest, "routeOptions">>,
  reply: FastifyReply,
): FastifyReply {
  const known = toApiError(error, request.routeOptions?.bodyLimit);
  const isOutage = known.code === "service_unavailable" && !(known instanceof OverloadedError);
  if (known.code === "internal_error" || isOutage)
    services.log.error({ err: error, requestId: request.id }, "request failed");
  const response = errorResponse(known, request.id, services.publicUrl(), request.headers.accept);
  return reply
    .headers({ "Request-Id": request.id, "X-Content-Type-Options": "nosniff", ...response.headers })
    .code(response.status)
    .type(response.contentType)
    .send(JSON.stringify(response.body));
}

function toApiError(error: unknown, bodyLimit: number | undefined): ApiError {
  if (error instanceof ApiError) return error;
  const { statusCode, code } = error as Partial<FastifyError>; // members a Fastify error has; of others they are undefined
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE")
    return new ApiError(
      "payload_too_large",
      `The body is larger than the ${mebibytes(bodyLimit)} that this route takes.`,
    );
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return new ApiError("unsupported_media_type", "Send the body as application/json.");
  if (code === "FST_ERR_BAD_URL" || code === "FST_ERR_MAX_PARAM_LENGTH")
    return new ApiError("not_found", "There is no such path.");
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new ApiError("invalid_request", "The request is not valid HTTP for this route.");
  if (error instanceof StoreUnavailableError)
    return new ApiError("service_unavailable", "The store of files cannot be used at the moment.", {
      retryAfterSeconds: 2,
    });
  // After the above: a client that breaks off is a lost connection, too.
  if (isUnavailable(error))
    return new ApiError("service_unavailable", "The database cannot be reached at the moment.", {
      retryAfterSeconds: 2,
    });
  return new ApiError("internal_error", "An error of the service. It is logged under the request id.");
}

/** A request that cannot be read as HTTP has no reply to respond with: the error is written to its connection, which is closed. */
export function respondToUnreadable(
  services: Services,
  error: Error & { code?: string | undefined },
  socket: Socket,
): void {
  // Nobody is there any more.
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { status, message } = describeUnreadable(error.code);
  services.log.trace({ err: error, status }, "a request could not be read");
  writeError(services, status, message, socket);
  socket.destroy(error);
}

/** Content that has stopped to come: its source pauses, or the client has gone without a word. */
export function respondToSilent(services: Services, response: ServerResponse, socket: Socket, silentMs: number): void {
  const message = `Nothing of the body came for ${plural(silentMs / 1_000, "second")}: the source of the content pauses, or the network does.`;
  if (!response.headersSent) writeError(services, 408, message, socket);
  socket.destroy();
}

function writeError(services: Services, status: number, message: string, socket: Socket): void {
  const requestId = newId("request");
  const response = errorResponse(new ApiError("invalid_request", message), requestId, services.publicUrl(), undefined);
  const body = JSON.stringify(response.body);
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\nContent-Type: ${response.contentType}\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nRequest-Id: ${requestId}\r\nConnection: close\r\n\r\n${body}`,
    );
}

function describeUnreadable(code: string | undefined): { status: number; message: string } {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, message: "The headers of the request did not arrive in time." };
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        message: `The address and the headers of a request have ${maxHeaderSize / 1024} KiB at most.`,
      };
    default:
      return { status: 400, message: "The request is not valid HTTP/1.1." };
  }
}

/** Its own limit, which every route has. */
const mebibytes = (bytes: number | undefined): string => `${Number(bytes) / 1_048_576} MiB`;
