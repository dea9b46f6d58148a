import { expect, test } from "vitest";
import { nearestTo } from "../frame/nearest.ts";
import { completeTemplate, completeTemplates } from "./templates.ts";
import type { UnknownColumn } from "./templates.ts";

const columns = ["company", "Company name", "description", "tags", "a.b", 'odd "name"'];

test.each([
  ["Which industry is {{company}} in?", "Which industry is {{row.company}} in?"],
  ["{{ company }} and {{row.description}}", "{{row.company}} and {{row.description}}"],
  ["{{Company name}}", '{{row["Company name"]}}'],
  ["{{description | truncate: 200}}", "{{row.description | truncate: 200}}"],
  ["{{tags[0]}} {{tags.first}}", "{{row.tags[0]}} {{row.tags.first}}"],
  ["{{a.b}}", '{{row["a.b"]}}'],
  ['{{odd "name"}}', '{{row["odd \\"name\\""]}}'],
  ['{{row["Company name"]}}', '{{row["Company name"]}}'],
  ["{{row | json}} {{row}}", "{{row | json}} {{row}}"],
  ["{{connection.secret}}", "{{connection.secret}}"],
  ["\\{{company}}", "\\{{company}}"],
  ["no tags, { one } brace", "no tags, { one } brace"],
])("%j", (text, completed) => {
  const unknown: UnknownColumn[] = [];
  expect(completeTemplate(text, columns, (name) => unknown.push(name))).toBe(completed);
  expect(unknown).toEqual([]);
});

test.each([
  ["{{compani}}", { name: "compani", nearest: "company" }],
  ["{{row.Company}}", { name: "Company", nearest: "company" }],
  ['{{row["nothing like it"]}}', { name: "nothing like it", nearest: undefined }],
  ["{{descripton | truncate: 5}}", { name: "descripton", nearest: "description" }],
])("%j names no column", (text, expected) => {
  const unknown: UnknownColumn[] = [];
  completeTemplate(text, columns, (name) => unknown.push(name));
  expect(unknown).toEqual([expected]);
});

test.each([
  ["{{city}} {{ ID | json }}", '{{row[" city"]}} {{row["ID "]| json}}'],
  ["{{ city }} {{ID }} {{zip code}}", '{{row[" city"]}} {{row["ID "]}} {{row["\u00a0zip code"]}}'],
  // One that has the name itself comes first.
  ["{{name}}", "{{row.name}}"],
])("%j names columns with spaces around their names", (text, completed) => {
  const unknown: UnknownColumn[] = [];
  const spaced = ["name", " name", " city", "ID ", "\u00a0zip code", " "];
  expect(completeTemplate(text, spaced, (name) => unknown.push(name))).toBe(completed);
  expect(unknown).toEqual([]);
});

test("of two columns that differ in the spaces around their names, none is guessed", () => {
  const unknown: UnknownColumn[] = [];
  expect(completeTemplate("{{city}}", [" city", "city "], (name) => unknown.push(name))).toBe("{{city}}");
  expect(unknown).toEqual([{ name: "city", nearest: " city" }]);
});

test("a column called row is a column like any other", () => {
  expect(completeTemplate("{{row}}", ["row"], () => undefined)).toBe("{{row.row}}");
});

test("strings are completed wherever they stand in a value", () => {
  const value = { a: ["{{tags}}", 1, null], b: { c: "{{company}}" } };
  expect(completeTemplates(value, columns, () => undefined)).toEqual({
    a: ["{{row.tags}}", 1, null],
    b: { c: "{{row.company}}" },
  });
});

test("the nearest name is the one with other letters' case, else the one with the fewest changes", () => {
  expect(nearestTo("NAME", ["named", "name"])).toBe("name");
  expect(nearestTo("x", ["abc"])).toBeUndefined();
  expect(nearestTo("mpa", ["mcp", "map", "open"])).toBe("map");
});
