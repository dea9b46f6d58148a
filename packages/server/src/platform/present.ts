/** Members of objects that are left out where they have no value. */

type Without<T, Absent> = {
  [K in keyof T as Absent extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as Absent extends T[K] ? K : never]?: Exclude<T[K], Absent>;
};

/** The members that are not `undefined`. Null is a value. */
export const present = <T extends object>(members: T): Without<T, undefined> => without(members, undefined);

/** The members that are not null, for columns that may be null and members of the API that are left out then. */
export const notNull = <T extends object>(members: T): Without<T, null> => without(members, null);

function without<T extends object, Absent extends null | undefined>(members: T, absent: Absent): Without<T, Absent> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(members)) if (value !== absent) kept[name] = value;
  return kept as Without<T, Absent>; // a member that is left out is optional in the type
}
