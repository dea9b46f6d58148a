/** What a resource gives for an operation. Reads take a database, writes a transaction, by type, from the method. */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { OperationId, Operations } from "@rowmill/contract";
import type { ResultOf, Input, Operation, ValueOf } from "@rowmill/contract/operation";
import type { CallerOf } from "../auth/caller.ts";
import type { Queryable, OrganizationDatabase, Transaction } from "../database/database.ts";
import type { ReplayCheck } from "./secret-replays.ts";

/** What a write of an operation that sets a cookie returns. Such responses are not stored for repeats. */
export class WithHeaders<T> {
  readonly value: T;
  readonly headers: Readonly<Record<string, string>>;
  constructor(value: T, headers: Readonly<Record<string, string>>) {
    this.value = value;
    this.headers = headers;
  }
}
type Written<O extends Operation> = O["setsCookie"] extends true ? WithHeaders<ValueOf<O>> : ResultOf<O>;

type Read<O extends Operation> = (db: Queryable, caller: CallerOf<O>, input: Input<O>) => Promise<ResultOf<O>>;
type Write<O extends Operation> = (tx: Transaction, caller: CallerOf<O>, input: Input<O>) => Promise<Written<O>>;
/**
 * A write that first does something which must not hold a transaction: a check in the sandbox, a call to the outside.
 * It is skipped when the request turns out to be a replay.
 */
interface PreparedWrite<O extends Operation> {
  prepare: (db: Queryable, caller: CallerOf<O>, input: Input<O>) => Promise<(tx: Transaction) => Promise<Written<O>>>;
}

export type Handler<O extends Operation> = O["method"] extends "GET" ? Read<O> : Write<O> | PreparedWrite<O>;

/**
 * The one signature of an operation: transaction or database, who asks, what is asked, and what of the process it needs. `giveParts`
 * makes it a handler.
 */
export type OperationFunction<Id extends HandledOperationId, Parts = unknown> = (
  db: Operations[Id]["method"] extends "GET" ? Queryable : Transaction,
  caller: CallerOf<Operations[Id]>,
  input: Input<Operations[Id]>,
  parts: Parts,
) => Promise<Operations[Id]["method"] extends "GET" ? ResultOf<Operations[Id]> : Written<Operations[Id]>>;

/** The same for an operation that first does something without a transaction. */
export type PrepareFunction<Id extends HandledOperationId, Parts = unknown> = (
  db: Queryable,
  caller: CallerOf<Operations[Id]>,
  input: Input<Operations[Id]>,
  parts: Parts,
) => Promise<(tx: Transaction) => Promise<Written<Operations[Id]>>>;

type OperationFunctions<K extends HandledOperationId, Parts> = {
  [Id in K]: OperationFunction<Id, Parts> | { prepare: PrepareFunction<Id, Parts> };
};

type AnyFunction = (db: unknown, caller: unknown, input: unknown, parts: unknown) => unknown;

/** Handlers from operations, each with what it needs of the process. */
export function giveParts<Parts, K extends HandledOperationId>(
  parts: Parts,
  operations: OperationFunctions<K, Parts>,
): Handlers<K> {
  const bind = (operation: AnyFunction) => (db: unknown, caller: unknown, input: unknown) =>
    operation(db, caller, input, parts);
  const entries = Object.entries(operations as Record<string, AnyFunction | { prepare: AnyFunction }>);
  const handlers = entries.map(([id, operation]) => [
    id,
    typeof operation === "function" ? bind(operation) : { prepare: bind(operation.prepare) },
  ]);
  return Object.fromEntries(handlers) as Handlers<K>; // the same functions, without their last argument
}

type IsPlain<O> = O extends { plain: true } ? true : false;
export type PlainOperationId = { [K in OperationId]: IsPlain<Operations[K]> extends true ? K : never }[OperationId];
export type HandledOperationId = Exclude<OperationId, PlainOperationId>;

/** Handlers of some operations; a missing or misspelt one does not compile. */
export type Handlers<K extends HandledOperationId = HandledOperationId> = { [Id in K]: Handler<Operations[Id]> };

/** Operations whose stored responses carry a secret. */
export type SecretOperationId = {
  [K in OperationId]: Operations[K] extends { secretMembers: unknown; idempotency: "required" | "honoured" }
    ? K
    : never;
}[OperationId];
/** Who may get such a response again, by operation; a missing or misspelt one does not compile. */
export type ReplayChecks<K extends SecretOperationId = SecretOperationId> = {
  [Id in K]: ReplayCheck<CallerOf<Operations[Id]>, ValueOf<Operations[Id]>>;
};

/** Bytes in, bytes out, live streams: authenticated like all others, and then on their own. */
export type PlainHandler<O extends Operation> = (
  database: OrganizationDatabase,
  request: FastifyRequest,
  reply: FastifyReply,
  caller: CallerOf<O>,
  params: Input<O>["params"],
  query: Input<O>["query"],
) => Promise<unknown>;
export type PlainHandlers<K extends PlainOperationId = PlainOperationId> = { [Id in K]: PlainHandler<Operations[Id]> };
