import { json } from "@codemirror/lang-json";
import { EditorState } from "@codemirror/state";
import { expect, test } from "vitest";
import { parseProblem, rangeAt } from "./json-problems.ts";

const stateOf = (doc: string): EditorState => EditorState.create({ doc, extensions: [json()] });

test.each([
  ['{"a": 1 "b": 2}', 'line 1, column 9: “"” is unexpected'],
  ["[1,\n 2,\n]", "line 3, column 1: “]” is unexpected"],
  ['{"a": ', "line 1, column 7: the text ends too early"],
  ['{"a": tru}', "line 1, column 7: “t” is unexpected"],
])("of %j, the first error is found by line and column", (text, problem) => {
  expect(parseProblem(stateOf(text))?.message).toBe(`Not valid JSON: ${problem}.`);
});

test("a text that is JSON, or empty, has no problem", () => {
  expect([parseProblem(stateOf('{"a": [1, null]}')), parseProblem(stateOf(" \n"))]).toEqual([undefined, undefined]);
});

test.each([
  ["", '{ "a/b": [1, { "c": "deep" }], "list": [] }'],
  ["/a~1b/0", "1"],
  ["/a~1b/1/c", '"deep"'],
  ["/list", '"list"'],
  // What is missing is shown at the nearest that is there.
  ["/a~1b/1/missing", '{ "c": "deep" }'],
  ["/nothing/below", '{ "a/b": [1, { "c": "deep" }], "list": [] }'],
])("the path %j leads to its value", (path, text) => {
  const state = stateOf('{ "a/b": [1, { "c": "deep" }], "list": [] }');
  const { from, to } = rangeAt(state, path);
  expect(state.sliceDoc(from, to)).toBe(text);
});
