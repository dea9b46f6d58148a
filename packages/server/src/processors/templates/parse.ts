/**
 * Reads the source of a template:
 *
 *     text {{ row.field["odd name"].list[0] | json | truncate: 200 }} text
 *
 * A tag is a root name, members by dot or bracket, and filters. Members are letters, digits, `_`, `$` and `-` of any script;
 * every other name stands in quotes in a bracket, where a backslash makes the next character literal. `\{{` is two literal
 * braces, and a backslash that shall stand before a tag is written twice; elsewhere a backslash is a backslash.
 */
import { cutText } from "../../platform/text.ts";

export interface Tag {
  root: string;
  keys: readonly string[];
  filters: readonly Filter[];
  /** Where it begins in the source, in UTF-16 code units from 0. */
  position: number;
}

export type Filter = { name: "json" } | { name: "truncate"; maxCharacters: number };

export interface TemplateProblem {
  /** In UTF-16 code units of the source, from 0. */
  position: number;
  message: string;
}

export interface ParsedTemplate {
  /** Text as it stands, and tags; never two texts next to each other. */
  parts: readonly (string | Tag)[];
  /** Empty where the template can be rendered. */
  problems: readonly TemplateProblem[];
}

/** More of them do not help anyone to correct the first. */
const MAX_PROBLEMS = 10;
/** There are two, and each `json` can double the text. */
const MAX_FILTERS = 4;
/** How much of an unexpected name a problem shows. */
const SHOWN_CHARACTERS = 40;

const SPACE = /\s*/y;
const NAME = /[\p{L}_$][\p{L}\p{M}\p{N}_$]*/uy;
const MEMBER = /\.([\p{L}\p{M}\p{N}_$-]+)/uy;
const BRACKET = /\[\s*(?:(\d{1,9})|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)')\s*\]/suy;
const FILTER = /\|\s*([\p{L}_]+)(?:\s*:\s*(\d+))?/uy;

export function parseTemplate(source: string, names: readonly string[]): ParsedTemplate {
  const parts: (string | Tag)[] = [];
  const problems: TemplateProblem[] = [];
  let text = "";
  let at = 0;
  while (problems.length < MAX_PROBLEMS) {
    const opening = source.indexOf("{{", at);
    if (opening === -1) {
      text += source.slice(at);
      break;
    }
    const backslashes = countBackslashes(source, at, opening);
    text += source.slice(at, opening - Math.ceil(backslashes / 2));
    if (backslashes % 2 === 1) {
      text += "{{";
      at = opening + 2;
      continue;
    }
    const read = readTag(source, opening, names);
    if ("message" in read) {
      problems.push(read);
      const closing = source.indexOf("}}", opening);
      if (closing === -1) break;
      at = closing + 2;
      continue;
    }
    if (text !== "") parts.push(text);
    text = "";
    parts.push(read.tag);
    at = read.end;
  }
  if (text !== "") parts.push(text);
  return { parts, problems };
}

function countBackslashes(source: string, from: number, to: number): number {
  let count = 0;
  while (to - count > from && source[to - count - 1] === "\\") count++;
  return count;
}

function readTag(
  source: string,
  position: number,
  names: readonly string[],
): TemplateProblem | { tag: Tag; end: number } {
  let at = position + 2;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match !== null) at += match[0].length;
    return match;
  };
  take(SPACE);
  const root = take(NAME)?.[0];
  if (root === undefined || !names.includes(root)) {
    const found = root === undefined ? describeNext(source, at) : `"${cutText(root, SHOWN_CHARACTERS)}"`;
    return {
      position,
      message: `A tag begins with ${names.join(" or ")}, not with ${found}; for literal braces write \\{{.`,
    };
  }
  const keys: string[] = [];
  for (;;) {
    const member = take(MEMBER)?.[1];
    const bracket = member === undefined ? take(BRACKET) : null;
    const key = member ?? bracket?.[1] ?? (bracket?.[2] ?? bracket?.[3])?.replaceAll(/\\(.)/gsu, "$1");
    if (key === undefined) break;
    // `[007]` is the element 7.
    keys.push(bracket?.[1] === undefined ? key : String(Number(key)));
  }
  const filters: Filter[] = [];
  for (take(SPACE); source[at] === "|"; take(SPACE)) {
    const filterAt = at;
    const match = take(FILTER);
    const filter = toFilter(match?.[1] ?? "", match?.[2]);
    if (typeof filter === "string") return { position: filterAt, message: filter };
    filters.push(filter);
    if (filters.length > MAX_FILTERS)
      return { position: filterAt, message: `A tag has at most ${MAX_FILTERS} filters.` };
  }
  if (source.startsWith("}}", at)) return { tag: { root, keys, filters, position }, end: at + 2 };
  if (source.indexOf("}}", at) === -1)
    return { position, message: "The tag that begins here is not closed: }} is missing." };
  return {
    position: at,
    message: `${describeNext(source, at)} cannot stand here; write ${root}["a name"] for a field whose name has other characters than letters, digits, _, $ and -.`,
  };
}

function toFilter(name: string, argument: string | undefined): Filter | string {
  const shown = cutText(name, SHOWN_CHARACTERS);
  switch (name) {
    case "json":
      return argument === undefined ? { name } : "The filter json takes no number.";
    case "truncate":
      if (argument === undefined || !Number.isSafeInteger(Number(argument)))
        return "The filter truncate needs a number of characters: truncate: 200.";
      return { name, maxCharacters: Number(argument) };
    default:
      return `There is no filter "${shown}"; there are json and truncate.`;
  }
}

function describeNext(source: string, at: number): string {
  const next = source.codePointAt(at);
  return next === undefined ? "the end of the text" : `"${String.fromCodePoint(next)}"`;
}
