/** Where the sources of the server name large tables, and how to find these places in what was sent. */
import { globSync, readFileSync } from "node:fs";
import { largeTableNames } from "@rowmill/server/platform/database/large-tables";

const NAMES = new RegExp(String.raw`\b(?:${largeTableNames.join("|")})\b`, "g");
/** What ends a part of a statement that is sent as it is written: quotes, what is put in, a parameter by name, a comment. */
const ENDS = /[`"]|\$\{|\}|--|(?<!:):(?=[a-z])/gi;
/** Names, types, roles and policies of tables: nothing that is sent to a distributed table. */
const NO_STATEMENTS =
  /platform\/database\/(?:large-tables|run-tables|data-tables|tables|roles|role-names|role-rights|distribute|read-distribution)\.ts$/;

export interface Place {
  file: string;
  fragment: string;
}

/** Kysely's are `builtPlaces`. */
export function writtenPlaces(files: readonly string[] = serverFiles(), read = readSource): Place[] {
  return files.flatMap((path) =>
    linesOf(read(path)).flatMap((line) =>
      [...line.matchAll(NAMES)].map(({ index }) => ({ file: nameOf(path), fragment: spaced(partAround(line, index)) })),
    ),
  );
}

const BUILT =
  /\b(selectFrom|updateTable|deleteFrom|insertInto)\("(datasetChunks|runChunks|runSegments|runFailures|runRowKeys)"\)/g;
const WORDS: Record<string, string> = {
  selectFrom: "from",
  updateTable: "update",
  deleteFrom: "delete from",
  insertInto: "insert into",
};

/** Each file and table for which statements are built, with the words by which they name it. */
export function builtPlaces(): string[] {
  const places = serverFiles().flatMap((path) =>
    [...linesOf(readSource(path)).join("\n").matchAll(BUILT)].map(([, how = "", table = ""]) => {
      const name = table.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return `${nameOf(path)}: ${WORDS[how] ?? how} "${name}"`;
    }),
  );
  return [...new Set(places)];
}

export const spaced = (text: string): string => text.replaceAll(/\s+/g, " ").trim();

const serverFiles = (): string[] =>
  globSync("packages/server/src/**/*.ts", { exclude: ["**/*.test.ts", "**/*-testing.ts", "**/testing/**"] }).filter(
    (path) => !NO_STATEMENTS.test(path),
  );

const readSource = (path: string): string => readFileSync(path, "utf8");
const nameOf = (path: string): string => path.replace("packages/server/src/", "");
const linesOf = (source: string): string[] => source.split("\n").filter((line) => !/^\s*(?:\/?\*|\/\/)/.test(line));

function partAround(line: string, at: number): string {
  const ends = [...line.matchAll(ENDS)];
  const before = ends.findLast(({ index }) => index < at);
  const after = ends.find(({ index }) => index > at);
  return line.slice(before === undefined ? 0 : before.index + before[0].length, after?.index);
}
