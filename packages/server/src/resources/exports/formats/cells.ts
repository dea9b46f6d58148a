/** Where the values of an item go in a table with these columns (`table.ts`). */
import { ColumnAppearedError } from "./format.ts";
import type { ExportItem } from "./format.ts";
import { beginsNull, beginsObject, createMemberReader } from "../../../platform/json-bytes.ts";
import type { EachMember } from "../../../platform/json-bytes.ts";
import type { Columns, MemberColumns, Omission } from "./table.ts";

/** `place` gets each value that has a column: the bytes in which it stands as JSON, until the next item is read. */
export function createCellReader(
  columns: Columns,
  place: (position: number, json: Buffer, start: number, end: number) => void,
): (item: ExportItem) => void {
  const { omits } = columns;
  const readers = new Map<string, EachMember>();
  /** One for the objects in each place. */
  const readerOf = (place: string): EachMember => {
    let reader = readers.get(place);
    if (reader === undefined) readers.set(place, (reader = createMemberReader()));
    return reader;
  };
  const placeMember = (
    member: MemberColumns | undefined,
    name: string,
    json: Buffer,
    start: number,
    end: number,
  ): void => {
    const self = member?.self ?? -1;
    if (!beginsObject(json, start)) {
      if (self !== -1) place(self, json, start, end);
      // The object that another row has in its place has no value here.
      else if (!beginsNull(json, start)) checkOmission(omits, member !== undefined, name);
      return;
    }
    if (member !== undefined && takesWhole(member)) place(self, json, start, end);
    if (member?.members !== undefined) placeMembers(member.members, readerOf(`${name}.`), json, start);
    if (member === undefined ? omits !== "nothing" : !isOpened(member, omits)) return;
    readerOf(name)(json, start, (child, childStart, childEnd) => {
      const position = member?.children.get(child);
      if (position !== undefined) place(position, json, childStart, childEnd);
      else checkOmission(omits, member !== undefined, name, child);
    });
  };
  const placeMembers = (
    members: ReadonlyMap<string, MemberColumns>,
    eachMember: EachMember,
    json: Buffer,
    start: number,
  ): void =>
    eachMember(json, start, (name, valueStart, valueEnd) =>
      placeMember(members.get(name), name, json, valueStart, valueEnd),
    );
  return (item) => {
    const { input } = item;
    item.eachMember((name, json, start, end) => placeMember(columns.members.get(name), name, json, start, end));
    if (input !== undefined) placeMember(columns.members.get("input"), "input", input.bytes, input.start, input.end);
  };
}

const takesWhole = ({ self, takesObjects }: MemberColumns): boolean => self !== -1 && takesObjects;

/** Whether members of an object in its place may be columns. An item within the item has columns of its members instead. */
function isOpened(member: MemberColumns, omits: Omission): boolean {
  if (member.children.size > 0) return true;
  return member.members === undefined && omits !== "everything" && !takesWhole(member);
}

/** Nothing is left out silently: what turns up only while the file is written is an error. */
function checkOmission(omits: Omission, isMemberKnown: boolean, member: string, child?: string): void {
  if (omits === "everything" || (omits === "other_members" && !isMemberKnown)) return;
  const name = child === undefined ? member : `${member}.${child}`;
  throw new ColumnAppearedError(`the column ${name.slice(0, 200)} was not there before`);
}
