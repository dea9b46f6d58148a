/** The columns that are known without a look at the items, and those that a look at all of them finds. */
import { ExportError } from "./format.ts";
import type { ExportSource } from "./format.ts";
import { isClosed, isOpenedItem, isOutputMember, itemMembers, objectOf, propertiesOf } from "./item-schemas.ts";
import { beginsNull, beginsObject, createMemberReader } from "../../../platform/json-bytes.ts";
import type { EachMember } from "../../../platform/json-bytes.ts";

/** Beyond that a table is of no use to those who open it, and names alone would fill the memory. */
const MAX_FOUND_COLUMNS = 2_000;
const MAX_FOUND_NAMES_CHARACTERS = 1_000_000;

export interface TreeMember {
  /** Whether it is a column itself. */
  self: boolean;
  /** Whether objects in its place are not opened. */
  takesObjects: boolean;
  /** Which members of objects in its place are columns. */
  children: Set<string>;
  /** An object in its place cannot have other members. */
  isComplete: boolean;
}

/** By the path of the member (`table.ts`). */
export type ColumnTree = Map<string, TreeMember>;

type KnownSource = Pick<
  ExportSource,
  "type" | "layout" | "outputSchema" | "hasOneOutputSchema" | "inputColumns" | "isInputComplete"
>;

/** `isComplete`: an item cannot have other columns. */
export function knownColumns(source: KnownSource): { columns: ColumnTree; isComplete: boolean } {
  const columns: ColumnTree = new Map();
  for (const { path, schema, opens } of itemMembers(source.type, source.outputSchema)) {
    if (source.layout === "flat" && !isOutputMember(source.type, path)) continue;
    const children = propertiesOf(objectOf(schema)) ?? propertiesOf(schema);
    columns.set(path, {
      self: !opens,
      takesObjects: !opens,
      children: new Set(opens ? Object.keys(children ?? {}) : []),
      isComplete: !opens || (isOutputMember(source.type, path) ? hasClosedSchema(source) : children !== undefined),
    });
  }
  if (source.inputColumns !== null)
    columns.set("input", {
      self: false,
      takesObjects: false,
      children: new Set(source.inputColumns),
      isComplete: source.isInputComplete,
    });
  return { columns, isComplete: columns.values().every((member) => member.isComplete) };
}

const hasClosedSchema = (source: KnownSource): boolean => source.hasOneOutputSchema && isClosed(source.outputSchema);

export async function addFoundColumns(columns: ColumnTree, source: ExportSource): Promise<void> {
  let foundCount = 0;
  let foundCharacters = 0;
  const count = (name: string): void => {
    foundCount += 1;
    foundCharacters += name.length;
    if (foundCount > MAX_FOUND_COLUMNS || foundCharacters > MAX_FOUND_NAMES_CHARACTERS)
      throw new ExportError(
        "too_many_columns",
        `The rows have more than ${MAX_FOUND_COLUMNS} columns, or names too long to be columns: ` +
          "choose columns with `columns`, or export as jsonl with the layout nested.",
      );
  };
  const readers = new Map<string, EachMember>();
  /** One for the objects in each place. */
  const readerOf = (place: string): EachMember => {
    let reader = readers.get(place);
    if (reader === undefined) readers.set(place, (reader = createMemberReader()));
    return reader;
  };
  const look = (name: string, json: Buffer, start: number): void => {
    let member = columns.get(name);
    if (!member && source.layout === "flat") return;
    if (beginsObject(json, start)) {
      if (member?.takesObjects === true) return;
      if (!member) columns.set(name, (member = newMember()));
      const { children } = member;
      readerOf(name)(json, start, (child) => {
        if (children.has(child)) return;
        count(child);
        children.add(child);
      });
    } else if (!beginsNull(json, start) && member?.self !== true) {
      if (!member) columns.set(name, (member = newMember()));
      count(name);
      member.self = true;
    }
  };
  for await (const page of source.readPages()) {
    for (const item of page) {
      item.eachMember((name, json, start) => {
        if (isOpenedItem(source.type, name) && beginsObject(json, start))
          readerOf(`${name}.`)(json, start, (child, childStart) => look(`${name}.${child}`, json, childStart));
        else look(name, json, start);
      });
      if (item.input !== undefined) look("input", item.input.bytes, item.input.start);
    }
    if (source.looksAt === "first_page") return;
  }
}

const newMember = (): TreeMember => ({ self: false, takesObjects: false, children: new Set(), isComplete: false });
