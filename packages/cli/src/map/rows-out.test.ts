import { flatColumns } from "@rowmill/server/resources/exports/formats/flat-columns";
import type { TreeMember } from "@rowmill/server/resources/exports/formats/found-columns";
import { expect, test } from "vitest";
import { flatRow } from "./rows-out.ts";

const member = (names: readonly string[]): TreeMember => ({
  self: false,
  takesObjects: false,
  children: new Set(names),
  isComplete: true,
});

/** Each value is the name of its column, so that one that was lost is seen. */
const valuesOf = (names: readonly string[], of: string) =>
  Object.fromEntries(names.map((name) => [name, `${of} ${name}`]));

test.each<[what: string, input: string[], output: string[]]>([
  ["no clash", ["id", "text"], ["mood"]],
  ["a column of the state", ["row_state", "failure_code"], ["mood"]],
  ["the prefixed name of one is a column, too", ["row_state", "input_row_state"], ["mood"]],
  ["other letters' case", ["Row_State", "ID"], ["id", "FAILURE_CODE"]],
  ["an output field with the name of a column", ["mood", "output_mood"], ["mood", "Output_Mood"]],
  ["an output field whose prefixed name is another field", ["mood"], ["mood", "output_mood"]],
  ["the prototype", ["id", "__proto__"], ["mood"]],
])("a printed row has the columns of the exported table: %s", (_, input, output) => {
  const printed = flatRow(valuesOf(input, "input"), {
    resultState: "succeeded",
    output: { data: valuesOf(output, "output") },
    failure: undefined,
  });
  const exported = flatColumns(
    new Map([
      ["input", member(input)],
      ["output.data", member(output)],
    ]),
  );
  expect(Object.keys(printed)).toEqual(exported.map(({ name }) => name));
  expect(Object.values(printed)).toEqual([
    ...input.map((name) => `input ${name}`),
    ...output.map((name) => `output ${name}`),
    "succeeded",
    null,
  ]);
});
