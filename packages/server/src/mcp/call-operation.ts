/**
 * Calls of operations for a tool: each goes through the same door as a request of a customer, with the key of the tool's user.
 * Authentication, scopes, limits, idempotency and audit are those of the operation; a tool can do nothing that the key cannot.
 */
import { createHash, randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { operations } from "@rowmill/contract";
import type { OperationId, Operations } from "@rowmill/contract";
import type { Operation, ValueOf } from "@rowmill/contract/operation";
import { parseExactJson } from "../platform/exact-json.ts";
import { findRows } from "../platform/http/exact-lines.ts";
import { present } from "../platform/present.ts";

/** Who uses the tool, as the request to `/mcp` shows it. */
export interface McpCaller {
  authorization: string | undefined;
  remoteAddress: string;
  forwardedFor: string | undefined;
  /** The client has gone, or has canceled the call. */
  signal: AbortSignal;
  /** JSON of each of the call's rows, where JavaScript may print them differently than the client has. */
  rowLines?: readonly string[] | undefined;
  /** The call was refused before its tool had it. */
  refusal?: OperationRefused | undefined;
}

export interface OperationInput {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | undefined>>;
  body?: unknown;
  idempotencyKey?: string | undefined;
}

/** Values of a response that are read with every digit: each is looked at, which takes the thread some 25 ms for so many. */
const MAX_EXACT_VALUES = 50_000;

/** An error of the operation, as the API gives it. */
export class OperationRefused extends Error {
  readonly error: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  constructor(status: number, error: Readonly<Record<string, unknown>>, retryAfterSeconds?: number) {
    super(String(error["code"]));
    this.status = status;
    this.error = error;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export type CallOperation = <Id extends OperationId>(
  id: Id,
  input?: OperationInput,
) => Promise<ValueOf<Operations[Id]>>;

export function operationsFor(app: FastifyInstance, caller: McpCaller): CallOperation {
  return async <Id extends OperationId>(
    id: Id,
    { params = {}, query = {}, body, idempotencyKey }: OperationInput = {},
  ) => {
    const o: Operation = operations[id];
    const path = o.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const search = new URLSearchParams();
    for (const [name, one] of Object.entries(query)) if (one !== undefined) search.set(name, String(one));
    const response = await app.inject({
      method: o.method,
      url: search.size > 0 ? `${path}?${search.toString()}` : path,
      remoteAddress: caller.remoteAddress,
      headers: {
        accept: "application/json",
        ...present({ authorization: caller.authorization, "x-forwarded-for": caller.forwardedFor }),
        ...(idempotencyKey === undefined ? {} : { "idempotency-key": inHeader(idempotencyKey) }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { payload: textOf(body, o.bodyRowsAt, caller.rowLines) }),
      signal: caller.signal,
    });
    const value = valueOf(response.body);
    if (response.statusCode < 400) return value as ValueOf<Operations[Id]>; // says the contract
    const { error } = value as { error: Record<string, unknown> }; // the envelope of every error
    const retryAfter = response.headers["retry-after"];
    throw new OperationRefused(response.statusCode, error, retryAfter === undefined ? undefined : Number(retryAfter));
  };
}

/** Numbers of rows keep their digits, but in a response of very many values: a model reads some ten thousand characters of it. */
function valueOf(text: string): unknown {
  if (text === "") return null;
  return hasMoreCommas(text, MAX_EXACT_VALUES) ? JSON.parse(text) : parseExactJson(text);
}

function hasMoreCommas(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(","); at !== -1 && count <= most; at = text.indexOf(",", at + 1)) count++;
  return count > most;
}

/** JSON of a body, with the rows in it as the client has sent them. */
function textOf(body: unknown, rowsAt: readonly string[] | undefined, lines: readonly string[] | undefined): string {
  const rows = rowsAt === undefined || lines === undefined ? undefined : findRows(body, rowsAt);
  if (rows === undefined || lines === undefined) return JSON.stringify(body);
  const place = randomUUID();
  const text = JSON.stringify(body, (_name, value: unknown) => (value === rows ? place : value));
  return text.replace(JSON.stringify(place), () => `[${lines.join(",")}]`);
}

/** A model names a call by any text; a header takes visible ASCII only. */
const inHeader = (key: string): string =>
  /^[!-~]{0,255}$/.test(key) ? key : createHash("sha256").update(key).digest("hex");
