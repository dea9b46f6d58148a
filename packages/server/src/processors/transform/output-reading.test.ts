/** Outputs that leave the engine in its own form have the text that `JSON.stringify` gives them, or are printed by it. */
import { describe, expect, test } from "vitest";
import { OutputReader } from "./output-reading.ts";
import { type RowResult, resultOfLine } from "./outputs.ts";
import { RowEncoder } from "./row-encoding.ts";
import { loadSandbox, type Sandbox } from "./sandbox.ts";
import { MAX_OUTPUT_BYTES } from "./transform-limits.ts";
import { rowsOf, startProcessors } from "./transform-testing.ts";

const { run } = startProcessors();
const form = { rows: new RowEncoder(), outputs: new OutputReader() };

async function sandboxOf(code: string): Promise<Sandbox> {
  const loaded = await loadSandbox(code, form);
  if (!("sandbox" in loaded)) throw new Error(loaded.problem);
  return loaded.sandbox;
}

/** What the rows 0, 1, 2, … become where the engine prints the outputs. */
async function printed(code: string, count: number): Promise<RowResult[]> {
  const result = (await sandboxOf(code)).callRows(JSON.stringify([...Array(count).keys()]), count);
  if (result.outcome !== "lines") throw new Error(result.outcome);
  return result.text.split("\n").map(resultOfLine);
}

/** The same without the engine's `JSON.stringify`, or why not. */
async function read(code: string, count: number): Promise<RowResult[] | string> {
  const result = (await sandboxOf(code)).copyRows(JSON.stringify([...Array(count).keys()]), count);
  return result.outcome === "results" ? result.results : result.outcome;
}

/** A row that is read comes first, so that the others are not printed for the first one's sake. */
const after = (flat: string, statements: string): string => `${flat}
  export default (n) => { if (n === 0) return { first: n }; ${statements} };`;
const returning = (expression: string): string => after("", `return ${expression};`);

describe("flat objects are read", () => {
  const values: [string, string][] = [
    ["no members", "{}"],
    ["literals", "{ yes: true, no: false, nothing: null, absent: undefined }"],
    ["nothing but absent members", "{ a: undefined, b: undefined }"],
    ["an absent member before others", "{ a: undefined, b: 1, c: undefined, d: 2 }"],
    ["whole numbers", "{ a: 0, b: -1, c: 63, d: 64, e: -64, f: -65, g: 2147483647, h: -2147483648, i: 2147483648 }"],
    ["zero with a sign, and what is no number", "{ a: -0, b: NaN, c: Infinity, d: -Infinity, e: 0 / -1 }"],
    [
      "numbers with exponents",
      "{ a: 1e21, b: 1e-7, c: 5e-324, d: 1.7976931348623157e308, e: 123456789012345680000, f: -1e21 }",
    ],
    ["fractions", "{ a: 0.1, b: 1 / 3, c: 100.5, d: 0.1 + 0.2, e: 4.35, f: 2 ** 53 + 1 }"],
    [
      "every character up to U+017F",
      "{ text: Array.from({ length: 383 }, (_, c) => String.fromCharCode(c + 1)).join('') }",
    ],
    [
      "every such character in a text of bytes",
      "{ text: Array.from({ length: 255 }, (_, c) => String.fromCharCode(c + 1)).join('') }",
    ],
    [
      "text beyond ASCII",
      String.raw`{ a: 'grüße', b: '日本語', c: 'a😀b', d: '\u2028\u2029\ufeff\uffff', e: '\u07ff\u0800\ud7ff\ue000' }`,
    ],
    ["a NUL character", String.raw`{ a: 'x\u0000y' }`],
    ["halves of surrogate pairs", String.raw`{ a: ['\ud83d', '\ude00', 'x\ud83d\ud83dx', '\ude00\ud83d'][n % 4] }`],
    [
      "text that was put together",
      "{ text: Array.from({ length: 300 }, (_, i) => 'part ' + i).reduce((all, part) => all + part) }",
    ],
    ["names that are numbers", "{ b: 1, 10: 2, 2: 3, '-1': 4, '01': 5, 4294967294: 6, 4294967295: 7, 2147483648: 8 }"],
    [
      "names with quotation marks and beyond ASCII",
      String.raw`{ 'a"b': 1, 'c\\d': 2, 'e\nf': 3, größe: 4, 価格: 5, '😀': 6 }`,
    ],
    ["names that no reader has to accept", String.raw`{ [['a\u0000', '\ud83d'][n % 2]]: 1 }`],
    [
      "names of built-ins",
      "{ ['__proto__']: 1, constructor: 2, length: 3, hasOwnProperty: 4, '': 5, toJSON: undefined }",
    ],
    ["members that are not enumerable", "Object.defineProperty({ a: 1 }, 'b', { value: 2 })"],
    ["members with symbols", "{ a: 1, [Symbol('b')]: 2, [Symbol.toStringTag]: 'c' }"],
    [
      "members that were deleted and added again",
      "(() => { const o = { a: 1, b: 2, c: 3 }; delete o.a; o.a = 4; delete o.b; return o; })()",
    ],
    ["an object without a prototype", "Object.assign(Object.create(null), { a: 1 })"],
    ["an object of a class", "new (class Point { #secret = 1; x = n; y = 2; get length() { return 5; } })()"],
    ["a frozen object", "Object.freeze({ a: 1 })"],
    ["many members", "Object.fromEntries(Array.from({ length: 300 }, (_, i) => ['name ' + i, i]))"],
    ["values that are printed among them", "[1, 'text', null, true, 1.5][n - 1] ?? { n }"],
  ];
  test.each(values)("%s", async (_name, expression) => {
    const code = returning(`(${expression})`);
    const results = await read(code, 7);
    expect(form.outputs.copied).toBeGreaterThan(0);
    expect(results).toEqual(await printed(code, 7));
    expect(await run(code, rowsOf([0, 1, 2, 3, 4, 5, 6]))).toEqual(results);
  });

  const large: [string, string][] = [
    ["as many bytes as an output may have", `{ a: 'x'.repeat(${MAX_OUTPUT_BYTES - 8}) }`],
    ["one byte more", `{ a: 'x'.repeat(${MAX_OUTPUT_BYTES - 7}) }`],
    ["fewer characters, but more bytes", `{ a: 'é'.repeat(${MAX_OUTPUT_BYTES / 2}), b: 1 }`],
    ["as many characters that are escaped", `{ a: '"'.repeat(${MAX_OUTPUT_BYTES / 2 - 3}) }`],
    ["a text that is too large between others", `{ a: 1, b: 'x'.repeat(${MAX_OUTPUT_BYTES}), c: 'y'.repeat(9) }`],
  ];
  test.each(large)("%s", async (_name, expression) => {
    const code = returning(`(${expression})`);
    expect(await read(code, 2)).toEqual(await printed(code, 2));
  });

  const changes: [string, string][] = [
    ["the same object each time", after("const o = { a: 1 };", "return o;")],
    ["an object that counts", after("const o = { a: 0 };", "o.a++; return o;")],
    [
      "an object that is changed after its row",
      after("let last = {};", "last.late = n; delete last.n; return last = { n };"),
    ],
    ["rows that fail between", returning("n % 2 ? { n } : n.missing.member")],
    ["nothing returned between", after("", "if (n % 2) return { n };")],
    ["a promise between", returning("n % 2 ? { n } : { then() {} }")],
    [
      "setters on the prototype of objects",
      after(
        `Object.defineProperty(Object.prototype, "n", { set() { throw 1; }, get() { return 2; } });`,
        "return { n };",
      ),
    ],
    ["members on the prototype of objects", after("Object.prototype.inherited = 1;", "return { n };")],
    [
      "toJSON on the prototypes of primitives",
      after(
        "for (const { prototype } of [String, Number, Boolean]) prototype.toJSON = () => 'other';",
        "return { n, s: 's', b: true };",
      ),
    ],
    [
      "built-ins that were replaced",
      after("Object.keys = Object.getOwnPropertyDescriptor = Array.isArray = JSON.stringify = null;", "return { n };"),
    ],
  ];
  test.each(changes)("%s", async (_name, code) => {
    expect(await read(code, 7)).toEqual(await printed(code, 7));
  });

  test("setters for elements on the prototype of arrays, which the engine's JSON.stringify calls", async () => {
    const code = after(
      "for (let i = 0; i < 20; i++) Object.defineProperty(Array.prototype, i, { set() { throw 1; }, get() { return '?'; } });",
      "return { n };",
    );
    expect(await read(code, 2)).toEqual([
      { ok: true, output: '{"first":0}' },
      { ok: true, output: '{"n":1}' },
    ]);
  });

  test("numbers and texts that were made by chance", async () => {
    const code = `let state = 1;
      const random = (below) => (state = (state * 48271) % 2147483647) % below;
      const bits = new DataView(new ArrayBuffer(8));
      const number = () => { for (let i = 0; i < 8; i++) bits.setUint8(i, random(256)); return [bits.getFloat64(0), random(1e9) / 10 ** random(12), random(2 ** 31) - 2 ** 30][random(3)]; };
      const text = (most) => Array.from({ length: random(20) }, () => String.fromCharCode(1 + random(most))).join('');
      export default () => Object.fromEntries(Array.from({ length: random(9) }, () => [text(400), [number(), text(126), text(255), text(65535), null, true][random(6)]]));`;
    const results = await read(code, 2_000);
    expect(results).toEqual(await printed(code, 2_000));
    expect((results as RowResult[]).filter(({ ok }) => ok).length).toBeGreaterThan(1_000);
  });
});

describe("what is not known to be flat is printed by the engine, in a sandbox that knows nothing of the first call", () => {
  const values: [string, string][] = [
    ["an object within it", "({ a: { b: n } })"],
    ["an array within it", "({ a: [n, undefined] })"],
    ["an array", "[n]"],
    ["a date within it", "({ a: new Date(n) })"],
    ["a date", "new Date(n)"],
    ["a function within it", "({ a: 1, f() {} })"],
    ["a symbol within it", "({ a: 1, s: Symbol('s') })"],
    ["a large integer within it", "({ a: 1n })"],
    ["a member that is computed", "({ get a() { return n; } })"],
    ["a member that is computed once", "({ get a() { Object.defineProperty(this, 'a', { value: [n] }); return n; } })"],
    ["a member that cannot be computed", "({ get a() { throw new Error('no'); } })"],
    [
      "a member that can be computed at the second time",
      "({ get a() { if (!globalThis.again) { globalThis.again = 1; throw 1; } return n; } })",
    ],
    ["a member with a symbol that cannot be computed", "({ a: n, get [Symbol('b')]() { throw new Error('no'); } })"],
    ["a way to be printed", "({ a: 1, toJSON() { return { printed: n }; } })"],
    ["a hidden way to be printed", "Object.defineProperty({ a: 1 }, 'toJSON', { value: () => ({ printed: n }) })"],
    [
      "one that is there when it is asked for again",
      "({ a: 1, get toJSON() { return (this.asked ^= 1) ? undefined : () => n; } })",
    ],
    ["one of a class", "new (class { a = 1; toJSON() { return n; } })()"],
    [
      "one of a prototype of a prototype",
      "Object.create(Object.create({ toJSON: () => n }), { a: { value: 1, enumerable: true } })",
    ],
    ["a member that is no way to be printed", "({ a: 1, toJSON: 'text' })"],
    ["a proxy", "new Proxy({ a: n }, { get: (o, name) => name === 'a' ? 'other' : o[name] })"],
    ["a proxy that throws", "new Proxy({ a: n }, { ownKeys() { throw new Error('no'); } })"],
    [
      "a proxy as prototype",
      "Object.setPrototypeOf({ a: 1 }, new Proxy({}, { has: () => false, get: (_, name) => name === 'toJSON' ? () => n : undefined }))",
    ],
    [
      "a number that looks like an object",
      "Object.assign(Object.setPrototypeOf(new Number(n), Object.prototype), { a: 1 })",
    ],
    [
      "a text that looks like an object",
      "Object.assign(Object.setPrototypeOf(new String('text'), Object.prototype), { a: 1 })",
    ],
    ["an array that looks like an object", "Object.assign(Object.setPrototypeOf([n], Object.prototype), { a: 1 })"],
    ["a map", "Object.assign(new Map([[1, 2]]), { a: n })"],
    ["bytes", "new Uint8Array([n, 2])"],
    ["the arguments of a function", "(function () { return arguments; })(n, 2)"],
    ["a circle", "(() => { const o = { a: n }; o.o = o; return o; })()"],
  ];
  test.each(values)("%s", async (_name, expression) => {
    const code = returning(expression);
    const expected = await printed(code, 7);
    expect(["not_plain", expected]).toContainEqual(await read(code, 7));
    expect(await run(code, rowsOf([0, 1, 2, 3, 4, 5, 6]))).toEqual(expected);
  });

  test("an output that changes only after its row is printed as it was", async () => {
    const code = after("let last = {};", "last.self = last; last = { n }; return last;");
    expect(await read(code, 7)).toBe("not_plain");
    expect(await run(code, rowsOf([0, 1, 2]))).toEqual(await printed(code, 3));
  });

  test("toJSON on the prototype of objects", async () => {
    const code = after("", "Object.prototype.toJSON = () => 'printed'; return { n };");
    expect(await read(code, 7)).toBe("not_plain");
    expect(await run(code, rowsOf([0, 1, 2]))).toEqual(await printed(code, 3));
  });

  test("a transform that counts its rows begins again", async () => {
    const code = "let count = 0; export default () => (count++ < 2 ? { count } : { count, list: [] });";
    expect(await run(code, rowsOf([0, 1, 2]))).toEqual(
      ['{"count":1}', '{"count":2}', '{"count":3,"list":[]}'].map((output) => ({ ok: true, output })),
    );
  });

  test("where the first output is not flat, no call is repeated", async () => {
    const code = "let count = 0; export default () => ({ list: [count++] });";
    expect(await read(code, 3)).toEqual(await printed(code, 3));
    expect(form.outputs.copied).toBe(0);
  });
});

describe("bytes of an engine that is out of order", () => {
  /** Two objects and a line, and the values behind them. */
  const GOOD = Buffer.from(
    "050202610262090608020205020407027808010406000000000000144007023508020205020407027808010406000000000000144001",
    "hex",
  );
  const outputsOf = (bytes: Uint8Array) => new OutputReader().read(bytes, 3);

  test("are read where they are in order", () => {
    expect(outputsOf(GOOD)).toEqual(['{"a":1,"b":"x"}', '{"b":5}', "5"].map((output) => ({ ok: true, output })));
  });

  test("are refused where they end too early, or go on", () => {
    for (let end = 0; end < GOOD.length; end++) expect(outputsOf(GOOD.subarray(0, end))).toBeNull();
    expect(outputsOf(Buffer.concat([GOOD, Buffer.of(1)]))).toBeNull();
  });

  test("are refused, or give JSON, whatever they say", () => {
    for (let at = 0; at < GOOD.length; at++) {
      const changed = Array.from({ length: 256 }, (_unused, byte) => Buffer.from(GOOD).fill(byte, at, at + 1));
      const outputs = changed
        .flatMap((bytes) => outputsOf(bytes) ?? [])
        .flatMap((result) => (result.ok ? [result.output] : []));
      expect(() => outputs.map((output) => JSON.parse(output) as unknown)).not.toThrow();
    }
  });
});
