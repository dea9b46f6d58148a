/**
 * A table of items. An item's members are the columns; one that is an object is opened one level, so that
 * `{"index":1,"data":{"label":"a","tags":["b"]}}` has `index`, `data.label` and `data.tags`. The members `output` and
 * `failure` of a resolved result are opened like items themselves: `output.data.label`, `failure.code`. The segments before
 * the last dot that separates are members of ours and hold no dot, so every column has one meaning: `data.a.b` is the member
 * `a.b` of `data`.
 */
import type { ExportType } from "@rowmill/contract/exports";
import { isOpenedItem } from "./item-schemas.ts";

/** Where a column's values are in an item. */
export interface Source {
  /** Such as `index`, `data`, `output.data`, `input`. */
  member: string;
  /** A member of the object in that place; undefined for the value itself. */
  child: string | undefined;
}

export interface Column extends Source {
  /** As the file shows it. */
  name: string;
  /** Objects in its place are its values, as JSON text, too: they are not, or not only, opened. */
  takesObjects: boolean;
}

/** Positions of a member's columns; `self` is -1 if only members of it are columns. */
export interface MemberColumns {
  self: number;
  takesObjects: boolean;
  children: Map<string, number>;
  /** Of an item within the item: the columns of its members. */
  members: Map<string, MemberColumns> | undefined;
}

/** What may be in an item without being in the table; anything else that has no column is an error. */
export type Omission = "nothing" | "other_members" | "everything";

export interface Columns {
  all: readonly Column[];
  members: ReadonlyMap<string, MemberColumns>;
  omits: Omission;
}

export const nameOf = ({ member, child }: Source): string => (child === undefined ? member : `${member}.${child}`);

/** What the name of a column in a nested table means. */
export function sourceOf(type: ExportType, name: string): Source {
  const segments = name.split(".");
  const length = isOpenedItem(type, segments[0] ?? "") ? 2 : 1;
  const child = segments.length > length ? segments.slice(length).join(".") : undefined;
  return { member: segments.slice(0, length).join("."), child };
}

export function tableOf(all: readonly Column[], omits: Omission): Columns {
  const members = new Map<string, MemberColumns>();
  for (const [position, { member, child, takesObjects }] of all.entries()) {
    const columns = memberIn(members, member);
    if (child === undefined) Object.assign(columns, { self: position, takesObjects });
    else columns.children.set(child, position);
  }
  return { all, members, omits };
}

function memberIn(members: Map<string, MemberColumns>, path: string): MemberColumns {
  const [first = "", ...rest] = path.split(".");
  let columns = members.get(first);
  if (!columns) members.set(first, (columns = newMember()));
  if (rest.length === 0) return columns;
  columns.members ??= new Map();
  return memberIn(columns.members, rest.join("."));
}

const newMember = (): MemberColumns => ({ self: -1, takesObjects: false, children: new Map(), members: undefined });
