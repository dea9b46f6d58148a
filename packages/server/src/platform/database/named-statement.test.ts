import { expect, test } from "vitest";
import { namedStatement } from "./named-statement.ts";

test("names become numbers in the order of their first use, casts stay", () => {
  const statement = namedStatement<{ id: string; count: number }>(
    "change",
    "update t set count = :count::int, twice = 2 * :count where id = :id::uuid",
  );
  expect(statement({ id: "a", count: 3 })).toEqual({
    name: "change",
    text: "update t set count = $1::int, twice = 2 * $1 where id = $2::uuid",
    values: [3, "a"],
  });
});

test("a parameter without a value is an error, and not null", () => {
  const statement = namedStatement<{ id?: string }>("find", "select :id");
  expect(() => statement({})).toThrow("no value for :id");
});
