import { afterAll, expect, test, vi } from "vitest";

vi.stubGlobal("document", { baseURI: "http://127.0.0.1:8080/" });
// Files share a process: CodeMirror takes whatever has this name for the document of a browser.
afterAll(() => void vi.unstubAllGlobals());
const { jsonInOrder, membersOf } = await import("./columns.ts");

const ORDER = ["name", "2026", "1", "absent"];
const row = { 1: "first", 2026: [1, { a: "x\ny" }], name: "Ada", later: null };

test("members have the order of the columns, also those that are named by numbers", () => {
  expect(membersOf(row, ORDER).map(([name]) => name)).toEqual(["name", "2026", "1", "later"]);
  expect(membersOf(row, ORDER, 2).map(([name]) => name)).toEqual(["name", "2026"]);
  expect(membersOf(row).map(([name]) => name)).toEqual(["1", "2026", "name", "later"]);
});

test("JSON in that order is the same value", () => {
  const text = jsonInOrder(row, ORDER);
  expect(text).toMatch(/^\{\n {2}"name": "Ada",\n {2}"2026": \[\n {4}1,/);
  expect(JSON.parse(text)).toEqual(row);
  expect(jsonInOrder({}, ORDER)).toBe("{}");
});
