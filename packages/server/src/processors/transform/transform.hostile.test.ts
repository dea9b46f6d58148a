/**
 * Code that means harm, or behaves as if it did. Each case runs between good rows: exactly the hostile row fails, with
 * the right code; its neighbours succeed; the next run works.
 */
import { describe, expect, test } from "vitest";
import { HOSTILE_ROW, ROWS, config, goodRun, results, rowsOf, startProcessors } from "./transform-testing.ts";

const { processor, impatient, run, runBetweenGoodRows } = startProcessors();

describe("a hostile row fails alone", () => {
  const cases: [string, string, string][] = [
    // Without end.
    ["an endless loop", "while (true);", "transform_timeout"],
    ["an endless loop that catches everything", "while (true) { try { null.x } catch {} }", "transform_timeout"],
    ["a loop in finally", "try { while (true); } finally { while (true); }", "transform_timeout"],
    ["a regular expression that backtracks for ever", "/^(a+)+$/.test('a'.repeat(40) + 'b');", "transform_timeout"],
    ["a getter without end in the returned value", "return { get a() { while (true); } };", "transform_timeout"],
    ["a thrown error whose message never ends", "throw { get message() { while (true); } };", "transform_timeout"],
    [
      "a generator that yields for ever",
      "for (const x of (function* () { while (true) yield 1; })());",
      "transform_timeout",
    ],
    // Memory.
    ["an array that fills all memory", "return new Array(1e9).fill(0).length;", "transform_memory"],
    [
      "an array that grows until memory ends",
      "const a = []; while (true) a.push({ a: [n => n] });",
      "transform_memory",
    ],
    [
      "typed arrays until memory ends",
      "const a = []; while (true) a.push(new Uint8Array(1 << 20));",
      "transform_memory",
    ],
    [
      "text that doubles until memory ends",
      "const a = []; let s = 'ab'; while (true) { s = s.length < 1e6 ? s + s : s; a.push(s + a.length); }",
      "transform_memory",
    ],
    ["text longer than the engine's limit", "let s = 'x'; while (true) s += s;", "transform_error"],
    // Odd values thrown.
    ["null thrown", "throw null;", "transform_error"],
    ["undefined thrown", "throw undefined;", "transform_error"],
    ["a string thrown", "throw 'text';", "transform_error"],
    ["a symbol thrown", "throw Symbol('s');", "transform_error"],
    [
      "an object whose message throws",
      "throw { get message() { throw 1; }, get name() { throw 2; }, get stack() { throw 3; }, toString() { throw 4; } };",
      "transform_error",
    ],
    [
      "a proxy that throws from every trap",
      "throw new Proxy({}, new Proxy({}, { get() { throw 1; } }));",
      "transform_error",
    ],
    [
      "a revoked proxy thrown",
      "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy;",
      "transform_error",
    ],
    [
      "an error that claims to be the engine's",
      "const e = new InternalError('interrupted'); throw e;",
      "transform_error",
    ],
    [
      "a subclass of Error with a huge message",
      "class E extends Error {} throw new E('m'.repeat(1e6));",
      "transform_error",
    ],
    // Odd values returned.
    ["nothing returned", "return;", "transform_error"],
    ["a promise that never settles", "return new Promise(() => {});", "transform_error"],
    ["a thenable whose then throws", "return { get then() { throw 1; } };", "transform_error"],
    [
      "a value that refuses to be a primitive",
      "return BigInt({ [Symbol.toPrimitive]() { throw new Error('no'); } });",
      "transform_error",
    ],
    ["an output of 8 MiB", "return 'x'.repeat(8 << 20);", "transform_error"],
    [
      "an output nested 10 000 levels",
      "let v = 1; for (let i = 0; i < 10000; i++) v = [v]; return v;",
      "transform_error",
    ],
    [
      "text nested 10 000 levels parsed",
      "return JSON.parse('['.repeat(10000) + ']'.repeat(10000));",
      "transform_error",
    ],
    ["text nested a million levels parsed", "return JSON.parse('['.repeat(1e6) + ']'.repeat(1e6));", "transform_error"],
    ["recursion without end", "(function f() { return f() + 1; })();", "transform_error"],
    ["recursion through a getter", "const o = { get a() { return this.a; } }; return o.a;", "transform_error"],
    [
      "recursion through toJSON",
      "const f = () => ({ toJSON: () => JSON.stringify(f()) }); return f();",
      "transform_error",
    ],
    ["recursion through a sort's comparison", "const f = () => [2, 1].sort(f); return f();", "transform_error"],
    ["recursion through a replacement", "const f = () => 'a'.replace(/a/, f); return f();", "transform_error"],
    [
      "recursion through a proxy",
      "const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x;",
      "transform_error",
    ],
    [
      "a regular expression nested 100 000 deep",
      "return new RegExp('('.repeat(1e5) + ')'.repeat(1e5)).test('');",
      "transform_error",
    ],
    ["code nested 100 000 deep", "return eval('('.repeat(1e5) + '1' + ')'.repeat(1e5));", "transform_error"],
    // The way out.
    ["process", "return process.env;", "transform_error"],
    ["require", "return require('node:fs').readFileSync('/etc/passwd', 'utf8');", "transform_error"],
    ["fetch", "return fetch('http://127.0.0.1');", "transform_error"],
    ["a dynamic import", "return import('node:fs');", "transform_error"],
    ["WebAssembly", "return new WebAssembly.Memory({ initial: 1 });", "transform_error"],
    ["a timer", "return setTimeout(() => {}, 0);", "transform_error"],
    ["Atomics.wait", "return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);", "transform_error"],
  ];

  const hangs: [string, string][] = [
    ["a loop inside the engine that no budget sees", "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1);"],
    [
      "out of memory caught again and again",
      "const a = []; while (true) { try { while (true) a.push(new Array(100).fill(a)); } catch {} }",
    ],
  ];

  test.each(hangs)("%s", async (_name, statement) => {
    const expected: unknown[] = Array.from({ length: ROWS }, (_, n) => n);
    expected[HOSTILE_ROW] = "transform_timeout";
    expect(results(await runBetweenGoodRows(statement, impatient))).toEqual(expected);
    expect(results(await run(goodRun.code, goodRun.rows, "org_a", impatient))).toEqual([{ sum: "2+2" }]);
  });

  test.each(cases)("%s", async (_name, statement, code) => {
    const expected: unknown[] = Array.from({ length: ROWS }, (_, n) => n);
    expected[HOSTILE_ROW] = code;
    expect(results(await runBetweenGoodRows(statement))).toEqual(expected);
    expect(results(await run(goodRun.code, goodRun.rows))).toEqual([{ sum: "2+2" }]);
  });

  test("a row nested deeper than the engine reads", async () => {
    const deep = { index: 1, text: `${"[".repeat(10_000)}${"]".repeat(10_000)}` };
    const far = { index: 2, text: `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}` };
    const rows = [{ index: 0, text: "1" }, deep, far, { index: 3, text: "3" }];
    const outcomes = await run("export default (row) => (typeof row === 'number' ? row : 'deep');", rows);
    expect(results(outcomes)[0]).toBe(1);
    expect(results(outcomes)[2]).toBe("transform_error");
    expect(results(outcomes)[3]).toBe(3);
  });
});

describe("nothing of the host is in reach", () => {
  test("the global object has the language's own names and console, and every function is the engine's", async () => {
    const code = `export default () => {
      const known = new Set(${JSON.stringify(languageNames)});
      return [...Object.getOwnPropertyNames(globalThis), ...Object.getOwnPropertySymbols(globalThis).map(String)].filter((name) => !known.has(name));
    };`;
    expect(results(await run(code, rowsOf([{}])))).toEqual([
      ["InternalError", "console", "Symbol(Symbol.toStringTag)"],
    ]);
  });

  test("the Function constructor, by whatever way, makes functions of the sandbox", async () => {
    const code = `export default (row) => [
      Function, row.constructor.constructor, (() => {}).constructor, console.log.constructor, Date.constructor,
      Object.getPrototypeOf(async () => {}).constructor, Object.getPrototypeOf(function* () {}).constructor,
    ].map((make) => { try { return typeof make("return typeof process + typeof require + typeof globalThis.port")(); } catch (e) { return e.name; } });`;
    const [kinds] = results(await run(code, rowsOf([{}]))) as [string[]];
    expect(kinds.slice(0, 5)).toEqual(Array(5).fill("string"));
    const values =
      "export default (row) => row.constructor.constructor('return [typeof process, typeof require, typeof module, typeof Deno, typeof Worker]')();";
    expect(results(await run(values, rowsOf([{}])))).toEqual([Array(5).fill("undefined")]);
  });
});

describe("tricks with prototypes change only what the code itself sees", () => {
  const tricks: [string, string][] = [
    ["JSON replaced", "JSON.parse = JSON.stringify = () => 'stolen'; globalThis.JSON = null;"],
    [
      "array methods replaced",
      "for (const name of Object.getOwnPropertyNames(Array.prototype)) if (name !== 'constructor' && name !== 'length') Array.prototype[name] = () => { throw 1; };",
    ],
    [
      "string methods replaced",
      "for (const name of ['slice', 'split', 'startsWith', 'toString', 'valueOf']) String.prototype[name] = () => { throw 1; };",
    ],
    [
      "setters for elements on Array.prototype",
      "for (let i = 0; i < 200; i++) Object.defineProperty(Array.prototype, i, { set() { throw 1; }, get() { return 'stolen'; }, configurable: true });",
    ],
    [
      "setters for elements on Object.prototype",
      "for (let i = 0; i < 200; i++) Object.defineProperty(Object.prototype, i, { set() { throw 1; }, get() { return 'stolen'; }, configurable: true });",
    ],
    [
      "Promise, Reflect, InternalError and Error replaced",
      "globalThis.Promise = globalThis.Reflect = globalThis.InternalError = globalThis.Error = null;",
    ],
    [
      "Symbol.hasInstance of the errors",
      "Object.defineProperty(InternalError, Symbol.hasInstance, { value: () => true });",
    ],
    [
      "toJSON on arrays and text",
      "Array.prototype.toJSON = String.prototype.toJSON = Number.prototype.toJSON = () => 'stolen';",
    ],
    ["call and apply replaced", "Function.prototype.call = Function.prototype.apply = () => 'stolen';"],
    [
      "__proto__ assigned",
      "({}).__proto__.__proto__ = null; Object.prototype.__defineGetter__('kind', () => 'stolen');",
    ],
    [
      "prototypes frozen",
      "for (const x of [Object, Array, String, Function, Error]) { Object.freeze(x.prototype); Object.freeze(x); } Object.freeze(globalThis);",
    ],
    [
      "Error.prepareStackTrace",
      "Error.prepareStackTrace = (e, frames) => { globalThis.frames = frames; return 'x'; }; Error.stackTraceLimit = 0;",
    ],
    [
      "the error prototype's getters",
      "for (const name of ['name', 'message', 'stack']) Object.defineProperty(Error.prototype, name, { get() { throw 1; }, configurable: true });",
    ],
    ["console replaced", "console.log = null; delete globalThis.console;"],
  ];

  test.each(tricks)("%s", async (_name, trick) => {
    const code = `${trick}\nexport default (row) => { try { ${trick} } catch {} if (row.n === 5) throw 'five'; return row.n; };`;
    const expected = Array.from({ length: ROWS }, (_, n) => (n === 5 ? "transform_error" : n));
    expect(results(await run(code, rowsOf(Array.from({ length: ROWS }, (_, n) => ({ n })))))).toEqual(expected);
    expect(results(await run(goodRun.code, goodRun.rows))).toEqual([{ sum: "2+2" }]);
    expect(await processor.findProblems(config(goodRun.code), "org")).toEqual([]);
  });

  test("toJSON on Object.prototype changes the code's own outputs and nobody else's", async () => {
    const code = "Object.prototype.toJSON = () => 'mine'; export default (row) => ({ n: row.n });";
    expect(results(await run(code, rowsOf([{ n: 1 }, { n: 2 }])))).toEqual(["mine", "mine"]);
    expect(results(await run(goodRun.code, goodRun.rows))).toEqual([{ sum: "2+2" }]);
  });

  test("a row that is changed, frozen or given getters leaves the next one as it was", async () => {
    const code = `export default (row) => { const seen = Object.keys(row).join(); row.extra = 1; delete row.n;
      Object.defineProperty(row, 'n', { get() { return 'got'; }, enumerable: true }); Object.setPrototypeOf(row, null); Object.freeze(row); return [seen, row]; };`;
    const own = { n: "got", extra: 1 };
    expect(results(await run(code, rowsOf([{ n: 1 }, { n: 1 }])))).toEqual([
      ["n", own],
      ["n", own],
    ]);
  });

  test("a row with members named like built-ins is data", async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":1,"toJSON":2,"then":3,"length":4}';
    const outcomes = await run("export default (row) => [Object.keys(row), ({}).polluted ?? null, row];", [
      { index: 0, text },
    ]);
    expect(outcomes).toEqual([
      { ok: true, output: `[["__proto__","constructor","toJSON","then","length"],null,${text}]` },
    ]);
  });
});

const languageNames = `
  AggregateError Array ArrayBuffer BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError
  FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array
  Iterator JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set
  SharedArrayBuffer String Symbol SyntaxError TypeError URIError Uint16Array Uint32Array Uint8Array
  Uint8ClampedArray WeakMap WeakRef WeakSet decodeURI decodeURIComponent encodeURI encodeURIComponent escape
  eval globalThis isFinite isNaN parseFloat parseInt undefined unescape
`
  .trim()
  .split(/\s+/);
