/** A job spec in a file of a person names its connections as the person does: by name, by id, or by the beginning of one. */
import type { Rowmill } from "@rowmill/client";
import { findId } from "../frame/find.ts";
import { withConnectionIds } from "./plan.ts";
import type { Item } from "./read-spec.ts";

export async function withNamedConnections<T extends object>(rowmill: Rowmill, definition: T): Promise<T> {
  const names: string[] = [];
  const item = definition as T & Item; // members of JSON
  withConnectionIds(item, (name) => {
    names.push(name);
    return name;
  });
  const ids = new Map<string, string>();
  for (const name of new Set(names)) ids.set(name, await findId(rowmill, "connection", name));
  return withConnectionIds(item, (name) => ids.get(name) ?? name) as T; // of the same shape
}
