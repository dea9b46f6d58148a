/** Reads a request as its operation declares it: path, Idempotency-Key, query, body. The body is checked by `checkInput`. */
import type { FastifyRequest } from "fastify";
import type { Operation } from "@rowmill/contract/operation";
import { scopesFor } from "@rowmill/contract/operation";
import type { OrganizationDatabase } from "../database/database.ts";
import { NIL_UUID } from "../ids.ts";
import type { AnyCaller } from "./admission.ts";
import type { AnyInput } from "./any-operation.ts";
import type { ListIdentity } from "./cursors.ts";
import { ApiError } from "./errors.ts";
import { fingerprintOf, sortedQuery } from "./fingerprint.ts";
import { parseIdempotencyKey } from "./idempotency.ts";
import { parseParams } from "./path-params.ts";
import { parseQuery } from "./query.ts";
import type { RequestBody } from "./read-body.ts";
import { requireScopes } from "./require-scopes.ts";
import type { Route, ServeParts } from "./serve-parts.ts";

export interface ReadRequest {
  caller: AnyCaller;
  database: OrganizationDatabase;
  path: string;
  /** The Idempotency-Key. */
  key: string | undefined;
  body: RequestBody;
  /** What cursors of this list are valid for. */
  list: ListIdentity;
  input: AnyInput;
}

export async function readRequest(
  request: FastifyRequest,
  { o, checkBody }: Route,
  options: ServeParts,
): Promise<ReadRequest> {
  const caller = callerOf(request);
  const path = request.url.split("?", 1)[0] ?? "";
  const params = parseParams(o, request.params as Record<string, string>);
  const key = readIdempotencyKey(request, o);
  const search = searchOf(request);
  const body = await readBody(request, o, caller, () => sortedQuery(search), options);
  if (caller.kind === "organization") requireScopes(caller, scopesFor(o, body.value));
  const { query, filters, limit, cursor } = parseQuery(o, search);
  const list = { organizationId: "organizationId" in caller ? caller.organizationId : NIL_UUID, path, filters };
  const input: AnyInput = {
    params,
    query,
    filters,
    page: { limit, after: cursor === undefined ? undefined : options.cursors.read(list, cursor) },
    body: checkBody ? (body.value === undefined && o.bodyOptional ? {} : body.value) : undefined,
  };
  return { caller, database: databaseFor(request, options), path, key, body, list, input };
}

export function checkInput({ input, body }: ReadRequest, { o, checkBody }: Route): void {
  if (!checkBody) {
    if (body.value !== undefined && !(isEmptyObject(body.value) && o.method !== "GET"))
      throw new ApiError("invalid_request", "This route takes no body.");
    return;
  }
  if (input.body === undefined) throw new ApiError("invalid_request", "A JSON body is required.");
  checkBody(input.body);
}

export function callerOf(request: FastifyRequest): AnyCaller {
  if (!request.caller) throw new Error("an operation was reached without authentication");
  return request.caller;
}

/** An organization's requests reach no rows but its own; the admin's and the public ones are few, and reach them all. */
export function databaseFor(
  request: FastifyRequest,
  { database, tenants }: Pick<ServeParts, "database" | "tenants">,
): OrganizationDatabase {
  const caller = callerOf(request);
  return caller.kind === "organization" ? tenants(caller.organizationId) : database;
}

/** Everything behind the first `?`, further ones included. */
export function searchOf({ url }: FastifyRequest): URLSearchParams | undefined {
  const at = url.indexOf("?");
  return at === -1 ? undefined : new URLSearchParams(url.slice(at + 1));
}

function readIdempotencyKey(request: FastifyRequest, o: Operation): string | undefined {
  const key = o.idempotency === "none" ? undefined : parseIdempotencyKey(request.headers["idempotency-key"]);
  if (o.idempotency === "required" && key === undefined)
    throw new ApiError(
      "idempotency_key_required",
      "This route needs an Idempotency-Key header: a new unique key per intended operation.",
      {
        param: "Idempotency-Key",
      },
    );
  return key;
}

async function readBody(
  request: FastifyRequest,
  o: Operation,
  caller: AnyCaller,
  query: () => string,
  { bodies }: ServeParts,
): Promise<RequestBody> {
  const bytes = request.body;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0)
    return { value: undefined, infiniteAt: undefined, fingerprint: () => fingerprintOf(undefined, query()) };
  const owner = "organizationId" in caller ? caller.organizationId : NIL_UUID;
  return bodies.read(owner, { bytes, query: query(), rowsAt: o.bodyRowsAt, schemasAt: o.bodySchemasAt });
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
