/** Where the values of an item go in a table with these columns (`columns.ts`). */
import type { Columns } from "./columns.ts";
import type { ExportItem } from "./format.ts";
import { beginsObject, eachMember } from "./json-members.ts";

/** `place` is told of each value that has a column: the JSON text in which it stands from `start` to `end`. */
export function createCellReader(
  columns: Columns,
  place: (position: number, json: string, start: number, end: number) => void,
): (item: ExportItem) => void {
  const placeIn = (position: number | undefined, name: string, json: string, start: number, end: number): void => {
    if (position !== undefined) place(position, json, start, end);
    else if (!columns.areChosen) throw new Error(`the column ${name.slice(0, 200)} was not there before`);
  };
  const placeMember = (name: string, json: string, start: number, end: number): void => {
    const member = columns.members.get(name);
    const self = member === undefined || member.self === -1 ? undefined : member.self;
    if (!beginsObject(json, start)) {
      // The object that another row has in its place has no value here.
      if (self !== undefined || !json.startsWith("null", start)) placeIn(self, name, json, start, end);
      return;
    }
    if (columns.areChosen) {
      if (self !== undefined) placeIn(self, name, json, start, end);
      if (member === undefined || member.children.size === 0) return;
    }
    eachMember(json, start, (child, childStart, childEnd) =>
      placeIn(member?.children.get(child), `${name}.${child}`, json, childStart, childEnd),
    );
  };
  return ({ text, input }) => {
    eachMember(text, 0, (name, start, end) => placeMember(name, text, start, end));
    if (input !== undefined) placeMember("input", input, 0, input.length);
  };
}
