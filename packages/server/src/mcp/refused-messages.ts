/**
 * A message that is refused before the protocol has it: by its key, its size, its JSON, or a number. Errors are those of JSON-RPC, with the
 * id of the message where it was read. A call of a tool gets a result that is an error, wherever that is possible: models read results,
 * and of an error of HTTP many clients show the status alone.
 */
import type { ApiError } from "../platform/http/errors.ts";
import { errorResponse } from "../platform/http/errors.ts";
import { OperationRefused } from "./call-operation.ts";

/** Numbers of JSON-RPC. Those from -32000 on are the server's own: the code of the API is in `data`. */
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const SERVER_ERROR = -32_000;
/** The message is at fault, and not its sender or the moment. */
const INVALID_STATUSES = [400, 405, 413, 415];
/** What passes: a model can wait, and repeat the call. */
const PASSING_STATUSES = [429, 503];
/** Of a message that is read although its key is refused, for its id. Calls of tools are smaller, but those with many rows. */
const MAX_REFUSED_BYTES = 64 * 1024;

export type RpcId = string | number;

/** The envelope of an error of the API as an error of JSON-RPC. */
export function rpcErrorOf(envelope: string, status: number, id: RpcId | undefined): string {
  const { error } = JSON.parse(envelope) as { error: { code: string; message: string } };
  const invalid = INVALID_STATUSES.includes(status) ? INVALID_REQUEST : SERVER_ERROR;
  const code = error.code === "invalid_json" ? PARSE_ERROR : invalid;
  const message = `${error.message} (${error.code})`;
  return JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message, data: error } });
}

/** Whether the tool that a message calls can return the refusal of its key: it is not read for its own sake. */
export const isReturned = ({ status }: OperationRefused, headers: { "content-length"?: string | undefined }): boolean =>
  PASSING_STATUSES.includes(status) && Number(headers["content-length"] ?? Infinity) <= MAX_REFUSED_BYTES;

/** What the tool returns in place of its result. */
export function refusalOf(error: ApiError, requestId: string, publicUrl: string): OperationRefused {
  const { status, body } = errorResponse(error, requestId, publicUrl, undefined);
  return new OperationRefused(status, (body as { error: Record<string, unknown> }).error); // the envelope of every error
}

export function idOf(message: unknown): RpcId | undefined {
  const { id } = (message ?? {}) as { id?: unknown };
  return typeof id === "string" || Number.isSafeInteger(id) ? (id as RpcId) : undefined;
}

export const isToolCall = (message: unknown): boolean =>
  idOf(message) !== undefined && (message as { method?: unknown }).method === "tools/call";
