/**
 * Which columns a table of items has. An item's members are the columns; one that is an object is opened one level, so
 * that `{"index":1,"data":{"label":"a","tags":["b"]}}` has `index`, `data.label` and `data.tags`. The first segment is a
 * member of ours and holds no dot, so every name has one meaning: the column `data.a.b` is the member `a.b` of `data`.
 *
 * The columns are those that were asked for. If none were: what the contract, the job spec's output schema and the dataset
 * tell, in their order, and, unless these tell everything, what a look at all items finds beyond it, in order of first
 * appearance. Nothing is left out silently: a column that turns up only while the file is written is an error.
 */
import { ExportError } from "./format.ts";
import type { ExportSource } from "./format.ts";
import { itemMembers, memberOf, objectOf, propertiesOf } from "./item-schemas.ts";
import { beginsObject, eachMember } from "./json-members.ts";

/** Beyond that a table is of no use to those who open it, and names alone would fill the memory. */
const MAX_FOUND_COLUMNS = 2_000;
const MAX_FOUND_NAMES_CHARACTERS = 1_000_000;

/** Positions of a member's columns; `self` is -1 if only members of it are columns. */
export interface MemberColumns {
  self: number;
  children: ReadonlyMap<string, number>;
}

export interface Columns {
  names: readonly string[];
  members: ReadonlyMap<string, MemberColumns>;
  /** What is not among columns that were asked for is left out. */
  areChosen: boolean;
}

export async function findColumns(source: ExportSource): Promise<Columns> {
  if (source.columns !== null) return chosenColumns(source.columns);
  const known = knownColumns(source);
  if (!known.isComplete || source.looksAtAll) await addFoundColumns(known.columns, source);
  return numberColumns(known.columns);
}

/** For each member: whether it is a column itself, and which members of it are. */
type ColumnTree = Map<string, { self: boolean; children: Set<string> }>;

/** `isComplete`: an item cannot have other columns. */
function knownColumns(source: ExportSource): { columns: ColumnTree; isComplete: boolean } {
  const columns: ColumnTree = new Map();
  let isComplete = true;
  for (const [name, schema] of Object.entries(itemMembers(source.type))) {
    // Of all members only an output's `data` may be anything.
    const isAnything = name === "data" && source.type === "outputs";
    const object = isAnything ? source.outputSchema : objectOf(schema);
    const children = propertiesOf(object);
    const opens = isAnything || object !== undefined;
    columns.set(name, { self: !opens, children: new Set(Object.keys(children ?? {})) });
    if (opens && (children === undefined || (isAnything && !isClosed(object)))) isComplete = false;
  }
  if (source.inputColumns !== null) columns.set("input", { self: false, children: new Set(source.inputColumns) });
  return { columns, isComplete };
}

const isClosed = (schema: unknown): boolean =>
  memberOf(schema, "type") === "object" &&
  memberOf(schema, "additionalProperties") === false &&
  memberOf(schema, "patternProperties") === undefined;

async function addFoundColumns(columns: ColumnTree, source: ExportSource): Promise<void> {
  let foundCount = 0;
  let foundCharacters = 0;
  const count = (name: string): void => {
    foundCount += 1;
    foundCharacters += name.length;
    if (foundCount > MAX_FOUND_COLUMNS || foundCharacters > MAX_FOUND_NAMES_CHARACTERS)
      throw new ExportError(
        "too_many_columns",
        `The rows have more than ${MAX_FOUND_COLUMNS} columns, or names too long to be columns: ` +
          "choose columns with `columns`, or export as jsonl.",
      );
  };
  const look = (name: string, json: string, start: number): void => {
    let member = columns.get(name);
    if (beginsObject(json, start)) {
      if (!member) columns.set(name, (member = { self: false, children: new Set() }));
      const { children } = member;
      eachMember(json, start, (child) => {
        if (children.has(child)) return;
        count(child);
        children.add(child);
      });
    } else if (!json.startsWith("null", start) && member?.self !== true) {
      if (!member) columns.set(name, (member = { self: false, children: new Set() }));
      count(name);
      member.self = true;
    }
  };
  for await (const page of source.readPages()) {
    for (const item of page) {
      eachMember(item.text, 0, (name, start) => look(name, item.text, start));
      if (item.input !== undefined) look("input", item.input, 0);
    }
  }
}

function numberColumns(tree: ColumnTree): Columns {
  const names: string[] = [];
  const members = new Map<string, MemberColumns>();
  for (const [member, { self, children }] of tree) {
    members.set(member, {
      self: self ? names.push(member) - 1 : -1,
      children: new Map(Array.from(children, (child) => [child, names.push(`${member}.${child}`) - 1])),
    });
  }
  return { names, members, areChosen: false };
}

function chosenColumns(names: readonly string[]): Columns {
  const members = new Map<string, { self: number; children: Map<string, number> }>();
  for (const [position, name] of names.entries()) {
    const dot = name.indexOf(".");
    const member = dot === -1 ? name : name.slice(0, dot);
    let columns = members.get(member);
    if (!columns) members.set(member, (columns = { self: -1, children: new Map() }));
    if (dot === -1) columns.self = position;
    else columns.children.set(name.slice(dot + 1), position);
  }
  return { names, members, areChosen: true };
}
