/**
 * PostgreSQL prepares a statement under its name once for a connection: another text under that name fails there, if both come to be used.
 */
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** A name, followed by the text of the statement in the same object. */
const NAMED = /\bname: "([a-z_-]+)",\s+(?:values: [^`]{0,600}?)?(?:\/\/[^\n]*\s+)*text:/g;

/** Names that stand in several places. */
function repeatedNames(sources: readonly string[]): string[] {
  const names = sources.flatMap((source) => [...source.matchAll(NAMED)].map(([, name = ""]) => name));
  return names.filter((name, at) => names.indexOf(name) !== at);
}

const sources = globSync("packages/server/src/**/*.ts", { exclude: ["**/*.test.ts", "**/testing/**"] }).map((path) =>
  readFileSync(path, "utf8"),
);

test("every prepared statement has a name of its own", () => {
  expect(sources.flatMap((source) => [...source.matchAll(NAMED)]).length).toBeGreaterThan(30);
  expect(repeatedNames(sources)).toEqual([]);
});

test("a name that stands twice is found", () => {
  const planted = 'query({ name: "find_it", values: [1], text: "select 1" })';
  expect(repeatedNames([planted, planted])).toEqual(["find_it"]);
});
