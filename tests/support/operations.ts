/** The operations of the contract as the walks need them: with paths that can be asked. */
import { operationIds, operations } from "@rowmill/contract";
import type { OperationId } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import type { IdKind } from "@rowmill/contract/schemas";
import { rightBodies } from "./bodies.ts";
import { formatId, formatRowId, newUuid } from "@rowmill/server/platform/ids";

export interface Entry {
  id: OperationId;
  o: Operation;
}

export const entries: Entry[] = operationIds.map((id) => ({ id, o: operations[id] }));

/** Ids by the name of the path parameter. */
export type Ids = Readonly<Record<string, string>>;

/** The operation's path with these ids, and with unknown ones where there are none. */
export function pathOf(o: Operation, ids: Ids = {}): string {
  return o.path.replace(/\{(\w+)\}/g, (_whole, name: string) => ids[name] ?? unknownId(o.params?.[name] ?? "number"));
}

/** For a read to its end: what follows live has none. */
export const readingPathOf = (o: Operation, ids: Ids = {}): string =>
  `${pathOf(o, ids)}${o.query?.properties["follow"] === undefined ? "" : "?follow=false"}`;

/** A well-formed id of nothing. */
export function unknownId(kind: IdKind | "number"): string {
  if (kind === "number") return "1";
  return kind === "row" ? formatRowId(newUuid(), 0) : formatId(kind, newUuid());
}

/** Members of which one must be there, which a schema without a type to distinguish them does not say. */
const oneOf: Partial<Record<OperationId, object>> = {
  testJobSpec: { rows: [{}] },
  createBulkAction: { ids: [unknownId("run")] },
};

/** Right bodies of the operation, one a variant; none if it takes no body. */
export const bodiesOf = ({ id, o }: Entry): object[] =>
  o.body ? rightBodies(o.body).map((body) => ({ ...(body as object), ...oneOf[id] })) : [];

/** What a request to the operation must bring before its own work begins. */
export const requestTo = ({ o }: Entry): { body?: unknown } => (o.body ? { body: {} } : {});
