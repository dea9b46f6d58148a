/**
 * An operation as a value. The server's routing, validation, authentication, idempotency and paging, the OpenAPI document,
 * the client's types and the contract tests are all read from it.
 */
import type { Static, TObject, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { JsonText } from "./json-text.ts";
import type { Filter, FilterValue } from "./pagination.ts";
import type { IdKind } from "./schemas.ts";
import type { Scope } from "./scopes.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";

/**
 * - `organization`: a key of an organization with the scopes; the admin key is refused.
 * - `admin`: the admin key only.
 * - `organization_or_admin`: the path names an organization; a key of that organization with the scopes, or the admin key.
 * - `any`: any valid key.
 * - `public`: no key.
 */
export type Access =
  | { by: "organization" | "organization_or_admin"; scopes: readonly Scope[] }
  | { by: "admin" | "any" | "public" };

/** Further scopes that a body needs: one whose member at `at` (a JSON pointer) is there, or equals `equals`. */
export interface BodyScopes {
  at: string;
  equals?: string | boolean;
  /** `equals` is the default of the member. */
  orAbsent?: true;
  scopes: readonly Scope[];
}

export interface Operation {
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  /**
   * `required`: the ten create routes of the specification (4.1), each of which starts work, costs money or makes a secret:
   * dataset uploads, job specs, runs, retry runs, exports, webhook endpoints, alert rules, organizations, API keys and
   * invitations; and connections, whose names may repeat. `honoured`: every other POST, versions of a job spec included. `none`: other
   * methods, and the POST of the tus protocol, which starts the content of an upload again whenever it is sent.
   */
  idempotency: "required" | "honoured" | "none";
  /** Path parameters, each an id of a kind (a malformed one is a 404), or a number. */
  params?: Readonly<Record<string, IdKind | "number">>;
  query?: TObject;
  /** Makes the operation a list: `limit`, `cursor`, and these filters. */
  filters?: Readonly<Record<string, Filter>>;
  /** A row-level list, which also streams everything as NDJSON. */
  streams?: true;
  body?: TSchema;
  /** What some bodies need beside the scopes of `access`. Checked before a stored response is replayed, too. */
  bodyScopes?: readonly BodyScopes[];
  /** A body may be left out altogether. */
  bodyOptional?: true;
  /** Bytes; otherwise the default of 1 MiB holds. */
  bodyLimitBytes?: number;
  /** Members on the way to an array of rows, which stay text in large bodies, and where a number would lose digits. */
  bodyRowsAt?: readonly string[];
  /** Members on the way to each JSON Schema of a body, which keeps every digit of its integers. */
  bodySchemasAt?: readonly (readonly string[])[];
  response: { status: 200 | 201 | 204; schema?: TSchema; contentType?: string; description?: string };
  /** The response in place of `response` to a body whose member `when` is true. Nothing is made: there is no `Location`. */
  alternative?: { when: string; status: 200; schema: TSchema; description: string };
  /** Where the created thing is read: a path with `{id}` and the path's own parameters. */
  location?: string;
  /**
   * JSON pointers of the members that hold a secret. The response is sealed where it is stored for repeats, and is repeated
   * without these members to callers that did not make the first request.
   */
  secretMembers?: readonly `/${string}`[];
  /** The response sets or clears the cookie of a session. */
  setsCookie?: true;
  /** Bytes in, bytes out or a live stream: a plain route of the server handles it, with the same authentication. */
  plain?: true;
  /** Browsers, which ask for `text/html` first, get the same as a page. */
  hasPage?: true;
  errors: readonly ErrorCode[];
}

export const operation = <const O extends Operation>(o: O): O => o;

type ParamsOf<O extends Operation> = {
  -readonly [K in keyof O["params"]]: O["params"][K] extends "number" ? number : string;
};
type FiltersOf<O extends Operation> =
  O["filters"] extends Readonly<Record<string, Filter>>
    ? { -readonly [K in keyof O["filters"]]?: FilterValue<O["filters"][K]> }
    : Record<never, never>;

export interface Page {
  limit: number;
  /** The position after which the page begins, as the list itself wrote it. */
  after: readonly (string | number)[] | undefined;
}

/** What a server's function receives. Ids in `params` and `filters` are UUIDs already. */
export interface Input<O extends Operation> {
  params: O["params"] extends object ? ParamsOf<O> : Record<never, never>;
  query: O["query"] extends TObject ? Static<O["query"]> : Record<never, never>;
  filters: FiltersOf<O>;
  page: Page;
  body: O["body"] extends TSchema
    ? O["bodyOptional"] extends true
      ? Partial<Static<O["body"]>>
      : Static<O["body"]>
    : undefined;
}

/** What a server's function of a list returns; the cursor is made from `next`. */
export interface PageOf<T> {
  data: T[];
  next: readonly (string | number)[] | null;
}

type ItemOf<T> = T extends { data: (infer I)[]; nextCursor: string | null } ? I : never;
/** The response of the operation, as a value. */
export type ValueOf<O extends Operation> = O["response"]["schema"] extends TSchema
  ? Static<O["response"]["schema"]>
  : undefined;
type AlternativeOf<O extends Operation> = O["alternative"] extends { schema: infer S extends TSchema }
  ? Static<S>
  : never;
/** What a server's function of the operation returns: values, or their JSON text. */
export type ResultOf<O extends Operation> = O["response"]["schema"] extends TSchema
  ? O["filters"] extends object
    ? PageOf<ItemOf<ValueOf<O>>> | PageOf<JsonText<ItemOf<ValueOf<O>>>>
    : ValueOf<O> | JsonText<ValueOf<O>> | AlternativeOf<O>
  : undefined;

/** The response that the operation gives to this body. */
export const responseTo = (o: Operation, body: unknown): Pick<Operation["response"], "status" | "schema"> =>
  o.alternative !== undefined &&
  typeof body === "object" &&
  body !== null &&
  Object.entries(body).some(([name, value]) => name === o.alternative?.when && value === true)
    ? o.alternative
    : o.response;

/** The scopes that the operation needs with this body, which need not have been validated. */
export function scopesFor({ access, bodyScopes }: Operation, body: unknown): readonly Scope[] {
  const always = "scopes" in access ? access.scopes : [];
  if (bodyScopes === undefined) return always;
  return [...always, ...bodyScopes.filter((needed) => matches(needed, body)).flatMap(({ scopes }) => scopes)];
}

function matches({ at, equals, orAbsent }: BodyScopes, body: unknown): boolean {
  let value = body;
  for (const name of at.split("/").slice(1))
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
  if (value === undefined) return orAbsent === true;
  return equals === undefined || value === equals;
}

/** Statuses of success, with their responses. */
export const responsesOf = (o: Operation): Operation["response"][] =>
  o.alternative === undefined ? [o.response] : [o.response, o.alternative];
