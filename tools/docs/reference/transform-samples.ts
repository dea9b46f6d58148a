/** What the code of a `transform` processor can do; `samples.test.ts` runs all of it. */

export interface TransformSample {
  title: string;
  code: string;
  row: unknown;
  /** The output, or the code of the failure. */
  gives: { output: unknown } | { failure: string; message: string };
}

export const transformSamples: readonly TransformSample[] = [
  {
    title: "Compute a value",
    code: "export default (row) => ({ id: row.id, total: Math.round(row.price * row.count * 100) / 100 });",
    row: { id: 7, price: 19.99, count: 3 },
    gives: { output: { id: 7, total: 59.97 } },
  },
  {
    title: "Use helpers and constants",
    code: `const titles = new Set(["dr", "prof"]);

function nameOf(text) {
  const words = text.trim().split(/\\s+/);
  return words.filter((word) => !titles.has(word.toLowerCase().replace(".", ""))).join(" ");
}

export default (row) => ({ name: nameOf(row.name) });`,
    row: { name: "  Dr. Ada  Lovelace " },
    gives: { output: { name: "Ada Lovelace" } },
  },
  {
    title: "Work with dates that are given",
    code: `export default ({ day }) => {
  const date = new Date(\`\${day}T00:00:00Z\`);
  return { weekday: ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][date.getUTCDay()], month: date.getUTCMonth() + 1 };
};`,
    row: { day: "2026-11-20" },
    gives: { output: { weekday: "Fri", month: 11 } },
  },
  {
    title: "Fail one row",
    code: `export default (row) => {
  if (row.stars < 1 || row.stars > 5) throw new RangeError(\`\${row.stars} is not a number of stars\`);
  return row.stars;
};`,
    row: { stars: 9 },
    gives: { failure: "transform_error", message: "RangeError: 9 is not a number of stars (line 2)" },
  },
];

/** Names of the global object: each is there. */
export const globalsThere: readonly string[] = [
  "Array",
  "BigInt",
  "Boolean",
  "DataView",
  "Date",
  "Error",
  "Float64Array",
  "Iterator",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "Proxy",
  "Reflect",
  "RegExp",
  "Set",
  "String",
  "Symbol",
  "Uint8Array",
  "WeakMap",
  "console",
  "decodeURIComponent",
  "encodeURIComponent",
  "parseFloat",
  "parseInt",
];

/** None of these is there. */
export const globalsNotThere: readonly string[] = [
  "Atomics",
  "Buffer",
  "Deno",
  "Intl",
  "TextEncoder",
  "URL",
  "WebAssembly",
  "atob",
  "crypto",
  "fetch",
  "process",
  "require",
  "setInterval",
  "setTimeout",
  "structuredClone",
];

/** Newer than ES2023, and there. */
export const newerFeatures: readonly { name: string; expression: string; value: unknown }[] = [
  {
    name: "Object.groupBy",
    expression: "Object.groupBy([1, 2, 3], (n) => (n % 2 ? 'odd' : 'even'))",
    value: { odd: [1, 3], even: [2] },
  },
  { name: "Set.prototype.union", expression: "[...new Set([1]).union(new Set([2]))]", value: [1, 2] },
  { name: "iterator helpers", expression: "[1, 2, 3].values().map((n) => n * 2).toArray()", value: [2, 4, 6] },
  { name: "RegExp.escape", expression: "'a.b'.replace(new RegExp(RegExp.escape('.')), '-')", value: "a-b" },
  { name: "the flag v", expression: "/^\\p{Letter}$/v.test('é')", value: true },
  { name: "modifiers", expression: "/(?i:a)b/.test('Ab')", value: true },
];

/** The same row gives the same output: there is no clock and no chance. */
export const fixedValues: readonly { expression: string; value: unknown }[] = [
  { expression: "Date.now()", value: 0 },
  { expression: "Math.random()", value: 0.5 },
  { expression: "new Date(0).getTimezoneOffset()", value: 0 },
];

/** Code that cannot be used: refused when the job spec is created. */
export const refusedCode: readonly { code: string; why: string }[] = [
  { code: 'import fs from "node:fs";\nexport default (row) => row;', why: "There are no modules to import." },
  { code: "export default async (row) => row;", why: "The function must not be async." },
  { code: "export const convert = (row) => row;", why: "There is no default export." },
];
