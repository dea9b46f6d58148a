/**
 * Texts with `{{row.field}}` in them. There is no logic to attack: a tag names a value by own members only, the value is
 * printed and never looked at again, and the length of the whole is limited.
 *
 * A member that is not there is an error that names it; `null` is a value, and prints as nothing. Strings print as they are,
 * numbers as they stand in the row, everything else as JSON. A string has no members, and an array only its elements.
 */
import { didYouMean } from "../../platform/nearest-name.ts";
import type { RowFailure } from "../processor.ts";
import { parseTemplate } from "./parse.ts";
import type { Filter, Tag, TemplateProblem } from "./parse.ts";

export type { Tag, TemplateProblem } from "./parse.ts";

/** Twice the characters that the largest context of a model holds, and a small part of a worker's memory with 64 in flight. */
export const MAX_RENDERED_CHARACTERS = 4 * 1024 * 1024;

/** Of all templates with one scope, such as the messages of a prompt: as much as the largest row has. */
const MAX_RENDERED_IN_SCOPE = 8 * 1024 * 1024;

/**
 * Of the JSON that is made of values with one scope, whatever is kept of it: a template can name the whole row ten thousand
 * times and keep a character of each. So much takes some 50 ms of the thread that serves everybody.
 */
const MAX_PRINTED_IN_SCOPE = 16 * 1024 * 1024;

/** No tag can name it. A map of the scopes would cost more than the text of a small template. */
const TAKEN = Symbol("taken");

/** What the roots of tags stand for: `{ row }`. Made again for each row, whose templates share its limits. */
export interface Scope {
  readonly [root: string]: unknown;
  /** What was taken of the limits. */
  [TAKEN]?: { rendered: number; printed: number };
}

/** Why a template has no text for a row. */
export class TemplateError {
  /** The first member on the way that is not there: `row.review`; or the tag that makes the text too long. */
  readonly path: string;
  /** For the person who wrote the job spec. */
  readonly message: string;

  constructor(path: string, message: string) {
    this.path = path;
    this.message = message;
  }

  toFailure(): RowFailure {
    return { code: "template_error", message: this.message, details: { path: this.path } };
  }
}

export interface Template {
  /** Empty where the template can be rendered. */
  problems: readonly TemplateProblem[];
  /** Text as it stands, and tags. */
  parts: readonly (string | Tag)[];
  /** The whole source is this one tag, so that the template has a value. */
  singleTag: Tag | undefined;
  /** The text; `encode` gets what each tag prints, and returns what stands in the text for it. */
  render(scope: Scope, encode?: (printed: string, tag: Tag) => string): string | TemplateError;
  /** The value of a single tag with its JSON type; the text of any other template. */
  evaluate(scope: Scope): unknown;
}

/** `names` are the roots that tags may begin with. A template with problems must not be rendered. */
export function compileTemplate(source: string, { names }: { names: readonly string[] }): Template {
  const { parts, problems } = parseTemplate(source, names);
  const [first] = parts;
  const singleTag = parts.length === 1 && typeof first === "object" ? first : undefined;
  const render: Template["render"] = (scope, encode) => {
    let text = "";
    for (const part of parts) {
      if (typeof part === "string") text += part;
      else {
        const value = valueOf(part, scope);
        if (value instanceof TemplateError) return value;
        const printed = print(value, part, scope);
        if (printed instanceof TemplateError) return printed;
        text += encode === undefined ? printed : encode(printed, part);
      }
      if (text.length > MAX_RENDERED_CHARACTERS) return tooLong(part);
    }
    return take(scope, "rendered", text.length) <= MAX_RENDERED_IN_SCOPE ? text : tooLongTogether();
  };
  return {
    problems,
    parts,
    singleTag,
    render,
    evaluate: singleTag === undefined ? (scope) => render(scope) : (scope) => valueOf(singleTag, scope),
  };
}

function tooLong(part: string | Tag): TemplateError {
  const path = typeof part === "string" ? "" : printPath(part.root, part.keys);
  return new TemplateError(
    path,
    `The text of the template is longer than ${MAX_RENDERED_CHARACTERS} characters; shorten values with {{${path === "" ? "row.field" : path} | truncate: 10000}}.`,
  );
}

function tooLongTogether(): TemplateError {
  return new TemplateError(
    "",
    `The texts of the templates are together longer than ${MAX_RENDERED_IN_SCOPE} characters; shorten values with {{row.field | truncate: 10000}}.`,
  );
}

function take(scope: Scope, what: "rendered" | "printed", characters: number): number {
  scope[TAKEN] ??= { rendered: 0, printed: 0 };
  return (scope[TAKEN][what] += characters);
}

function valueOf(tag: Tag, scope: Scope): unknown {
  let value: unknown = scope[tag.root];
  for (let depth = 0; depth < tag.keys.length; depth++) {
    const holder = value;
    value = memberOf(holder, tag.keys[depth] ?? "");
    if (value === undefined) {
      const path = printPath(tag.root, tag.keys.slice(0, depth + 1));
      const hint = didYouMean(tag.keys[depth] ?? "", namesOf(holder));
      return new TemplateError(path, `There is no ${path}, which a template names.${hint}`);
    }
  }
  for (const filter of tag.filters) {
    value = applyFilter(filter, value, tag, scope);
    if (value instanceof TemplateError) return value;
  }
  return value;
}

/** To say which member was probably meant; more names would take the thread's time in every row. */
const MAX_COMPARED_NAMES = 200;

const namesOf = (value: unknown): string[] =>
  typeof value !== "object" || value === null || Array.isArray(value) || JSON.isRawJSON(value)
    ? []
    : Object.keys(value).slice(0, MAX_COMPARED_NAMES);

const INDEX = /^(?:0|[1-9]\d*)$/;

function memberOf(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return undefined;
  if (Array.isArray(value)) return INDEX.test(key) ? (value[Number(key)] as unknown) : undefined;
  // Own members only, so that nothing of JavaScript itself has a name here.
  return Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined;
}

function applyFilter(filter: Filter, value: unknown, tag: Tag, scope: Scope): string | TemplateError {
  if (filter.name === "json") return printJson(value, tag, scope);
  const text = print(value, tag, scope);
  return text instanceof TemplateError ? text : truncate(text, filter.maxCharacters);
}

function truncate(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  let end = 0;
  for (let characters = 0; characters < maxCharacters && end < text.length; characters++)
    end += (text.codePointAt(end) ?? 0) > 0xff_ff ? 2 : 1;
  return text.slice(0, end);
}

function print(value: unknown, tag: Tag, scope: Scope): string | TemplateError {
  if (typeof value === "string") return value;
  return value === null ? "" : printJson(value, tag, scope);
}

function printJson(value: unknown, tag: Tag, scope: Scope): string | TemplateError {
  const text = JSON.stringify(value);
  if (text.length > MAX_PRINTED_IN_SCOPE) return tooLong(tag);
  if (take(scope, "printed", text.length) <= MAX_PRINTED_IN_SCOPE) return text;
  const path = printPath(tag.root, tag.keys);
  return new TemplateError(
    path,
    `The templates print values as JSON again and again, together more than ${MAX_PRINTED_IN_SCOPE} characters, the last of them ${path}; name fields of them instead.`,
  );
}

const PLAIN_NAME = /^[\p{L}\p{M}\p{N}_$-]+$/u;

function printPath(root: string, keys: readonly string[]): string {
  return root + keys.map((key) => (PLAIN_NAME.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)).join("");
}
