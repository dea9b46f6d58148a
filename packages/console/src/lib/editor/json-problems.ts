/** Where in a text of JSON something is wrong: by its syntax, or at a path that the service names. */
import { ensureSyntaxTree } from "@codemirror/language";
import type { syntaxTree } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorState } from "@codemirror/state";
import type { PathProblem } from "../draft-problems.ts";
import { explainRounding, roundedNumberIn } from "../exact-numbers.ts";
import type { Language } from "./language.ts";

type SyntaxNode = ReturnType<typeof syntaxTree>["topNode"];

/** Longest time for the whole tree of a text; what lies beyond is marked at the beginning. */
const PARSE_MS = 200;

/** The first error of the syntax. */
export function parseProblem(state: EditorState): Diagnostic | undefined {
  const text = state.doc.toString();
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    const rounded = roundedNumberIn(text);
    if (rounded === undefined) return undefined;
    return diagnostic(rounded.from, rounded.from + rounded.number.length, explainRounding(rounded.number));
  } catch (error) {
    const from = firstErrorIn(state, text);
    if (from === undefined)
      return diagnostic(0, state.doc.length, error instanceof Error ? error.message : String(error));
    const line = state.doc.lineAt(from);
    const character = String.fromCodePoint(text.codePointAt(from) ?? 0);
    const what = from >= text.length ? "the text ends too early" : `“${character}” is unexpected`;
    return diagnostic(
      from,
      Math.min(text.length, from + character.length),
      `Not valid JSON: line ${line.number}, column ${from - line.from + 1}: ${what}.`,
    );
  }
}

function firstErrorIn(state: EditorState, text: string): number | undefined {
  let first: number | undefined;
  ensureSyntaxTree(state, state.doc.length, PARSE_MS)?.iterate({
    enter: ({ type, from }) => {
      if (type.isError) first ??= from;
      return first === undefined;
    },
  });
  // The error begins after the last token that was right: what is to blame is the next one.
  return first === undefined ? undefined : first + (/^\s*/.exec(text.slice(first))?.[0].length ?? 0);
}

const diagnostic = (from: number, to: number, message: string): Diagnostic => ({
  from,
  to,
  severity: "error",
  message,
});

export function diagnosticsOf(state: EditorState, problems: readonly PathProblem[], language: Language): Diagnostic[] {
  return problems.map(({ path, message }) => {
    const { from, to } = language === "json" ? rangeAt(state, path) : { from: 0, to: state.doc.length };
    return diagnostic(from, to, message);
  });
}

/** The value at a JSON Pointer; where it is missing, the name of the nearest member above it. */
export function rangeAt(state: EditorState, pointer: string): { from: number; to: number } {
  const tree = ensureSyntaxTree(state, state.doc.length, PARSE_MS);
  let node: SyntaxNode | null = tree?.topNode.firstChild ?? null;
  let range = { from: node?.from ?? 0, to: node?.to ?? state.doc.length };
  for (const token of pointer.split("/").slice(1)) {
    if (node === null) break;
    const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
    const found = node.name === "Object" ? memberAt(state, node, name) : itemAt(node, name);
    if (found === undefined) break;
    ({ node, range } = found);
  }
  return range;
}

type Found = { node: SyntaxNode | null; range: { from: number; to: number } };

function memberAt(state: EditorState, object: SyntaxNode, name: string): Found | undefined {
  for (const property of object.getChildren("Property")) {
    const key = property.getChild("PropertyName");
    if (key === null || state.sliceDoc(key.from, key.to) !== JSON.stringify(name)) continue;
    const value = property.lastChild;
    const isObject = value?.name === "Object" || value?.name === "Array";
    // Of something long, its name is marked.
    const marked = isObject || value === null ? key : value;
    return { node: value, range: { from: marked.from, to: marked.to } };
  }
  return undefined;
}

function itemAt(array: SyntaxNode, index: string): Found | undefined {
  let at = Number(index);
  for (let item = array.firstChild; item !== null; item = item.nextSibling) {
    if (["[", "]", ","].includes(item.name) || item.type.isError) continue;
    if (at-- === 0) return { node: item, range: { from: item.from, to: item.to } };
  }
  return undefined;
}
