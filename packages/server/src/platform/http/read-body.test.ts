import { afterAll, expect, test } from "vitest";
import { ApiError } from "./errors.ts";
import { fingerprintOf, sortedQuery } from "./fingerprint.ts";
import { findLongIntegers } from "./exact-lines.ts";
import { LARGE_BODY_BYTES, createBodyReader, linesOf } from "./read-body.ts";
import type { RequestBody } from "./read-body.ts";

/** So small that a body of ten megabytes takes too much of it: an eighth of what the service has. */
const HEAP_MEGABYTES = 96;
/** Collecting garbage in a heap that is nearly full takes half a minute on a machine with much other work. */
const LIMIT_MS = 300_000;
const bodies = createBodyReader(HEAP_MEGABYTES, LIMIT_MS);
afterAll(() => bodies.close());

const query = sortedQuery(new URLSearchParams("b=2&a=1"));
const read = (text: string, rowsAt?: readonly string[]): Promise<RequestBody> =>
  bodies.read("org_1", { bytes: Buffer.from(text), query, rowsAt });
const filler = "x".repeat(LARGE_BODY_BYTES);

test("a large body is what a small one is, with the same fingerprint in any order of its members", async () => {
  const value = { b: [1, 2.5, null, { d: "ä" }], a: filler };
  const body = await read(JSON.stringify(value));
  expect(body.value).toEqual(value);
  expect(body.infiniteAt).toBeUndefined();
  expect(body.fingerprint()).toEqual(fingerprintOf({ a: filler, b: value.b }, "a=1&b=2"));
  const small = await read('{"b":1,"a":2}');
  expect(small.fingerprint()).toEqual(fingerprintOf({ a: 2, b: 1 }, "a=1&b=2"));
});

test("rows of a large body stay text, and are counted in its fingerprint", async () => {
  const rows = Array.from({ length: 5_000 }, (_, n) => ({ n, text: `row ${n}`, list: [n, { n }] }));
  const value = { name: "Rows", source: { type: "inline", rows } };
  const body = await read(JSON.stringify(value), ["source", "rows"]);
  const seen = body.value as typeof value;
  expect(seen).toEqual({ name: "Rows", source: { type: "inline", rows: rows.map(() => ({})) } });
  expect(linesOf(seen.source.rows)).toEqual(rows.map((row) => JSON.stringify(row)));
  expect(body.fingerprint()).toEqual(fingerprintOf(value, query));
});

test.each([
  ["small", ""],
  ["large", filler],
])("rows of a %s body keep every digit, and are lines", async (_what, more) => {
  const rows = [
    '{"id":12345678901234567890,"price":1.10,"zero":-0.0,"exponent":1E5}',
    '{"text":"a \\" ] b,  {\\\\","list":[1.50,{"deep":[2.0]}]}',
    '{"plain":1}',
    "{}",
  ];
  const spread = rows.map((row) => row.replaceAll(":", " :\n\t").replaceAll(",", "\r\n ,")).join(" ,\n");
  const text = `{"source" : {"rows": [1]}, "more":"${more}", "source":{"a":[{"rows":[1.10]}], "rows" : [ ${spread} ] } }`;
  const body = await read(text.replaceAll("b\r\n ,  {", "b,  {"), ["source", "rows"]);
  const { source } = body.value as { source: { rows: unknown[] } };
  expect(linesOf(source.rows)).toEqual(rows);
});

test.each([
  ["small", ""],
  ["large", filler],
])(
  "rows of a %s body that differ in a digit have another fingerprint, in any order of their members",
  async (_what, more) => {
    const fingerprintWith = async (row: string): Promise<string> => {
      const body = await read(`{"more":"${more}","rows":[{"plain":1},${row}]}`, ["rows"]);
      return body.fingerprint().toString("hex");
    };
    const first = await fingerprintWith('{"id":12345678901234567890,"b":1}');
    expect(await fingerprintWith('{"b":1, "id":12345678901234567890}')).toBe(first);
    expect(await fingerprintWith('{"id":12345678901234567891,"b":1}')).not.toBe(first);
    expect(await fingerprintWith('{"id":12345678901234567890.0,"b":1}')).not.toBe(first);
  },
);

test("rows with digits that JavaScript loses are not read by the thread that serves requests, but for a few of them", async () => {
  const rows = Array.from({ length: 2_000 }, () => '{"price":1.10}');
  const body = await read(`{"rows":[${rows.join(",")}]}`, ["rows"]);
  const seen = (body.value as { rows: unknown[] }).rows;
  expect(seen[0]).toEqual({});
  expect(linesOf(seen)).toEqual(rows);
});

test("long integers below a long name are no more for the thread that serves requests than the body itself", () => {
  const integers = Array.from({ length: 1_000 }, () => "9007199254740993");
  const text = `{"outputSchema":{"${"n".repeat(100_000)}":[${integers.join()}]}}`;
  const found = findLongIntegers(text, { schemasAt: [["outputSchema"]] });
  expect(found.inexactAt).toBeUndefined();
  expect(JSON.stringify(found).length).toBeLessThan(text.length);
  expect(JSON.stringify(found).split("9007199254740993")).toHaveLength(1_001);
});

test("of members with the same name the last one counts, as for the parser", async () => {
  const body = await read('{"rows":[{"a":"x","2":1.50,"a":1.10,"1":2}]}', ["rows"]);
  expect(linesOf((body.value as { rows: unknown[] }).rows)).toEqual(['{"1":2,"2":1.50,"a":1.10}']);
});

test("rows that are no objects are left for the validation to name", async () => {
  const value = { source: { rows: [{ a: filler }, 1] } };
  const body = await read(JSON.stringify(value), ["source", "rows"]);
  expect(body.value).toEqual(value);
});

test.each([
  ["is not JSON", `{"a":"${filler}"`, "invalid_json", /not valid JSON/],
  ["is too deep", `{"a":"${filler}","b":${"[".repeat(65)}${"]".repeat(65)}}`, "invalid_json", /deeper than 64/],
  ["holds U+0000", `{"a":"${filler}\\u0000"}`, "invalid_json", /U\+0000/],
  ["takes too much memory", `[${"{},".repeat(3_000_000)}{}]`, "payload_too_large", /too much memory/],
])("a large body that %s is refused, and the next one is read", async (_what, text, code, message) => {
  const refused: unknown = await read(text).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ code, message: expect.stringMatching(message) as string });
  expect((await read(JSON.stringify({ a: filler }))).value).toEqual({ a: filler });
});

test.each([
  ["small", ""],
  ["large", filler],
])(
  "an integer of a %s body that would become another one is found where it stands, but not in rows",
  async (_what, more) => {
    const at = async (rest: string): Promise<string | undefined> =>
      (await read(`{"more":"${more}",${rest}}`, ["rows"])).inexactAt;
    expect(await at('"a":[{"b~/c":9007199254740993}]')).toBe("/a/0/b~0~1c");
    expect(await at('"rows":[{"a":1}],"a":-12345678901234567890')).toBe("/a");
    expect(await at('"rows":[{"id":12345678901234567890}],"a":1')).toBeUndefined();
    // What JavaScript has printed, what has no digit too many, what says itself that it is not exact, and texts.
    const kept = "[9007199254740992,12345678901234567000,100000000000000000000000,1e30,0.12345678901234567,1.5e300]";
    expect(await at(`"a":${kept},"b":"12345678901234567890"`)).toBeUndefined();
  },
);

test.each([
  ["small", ""],
  ["large", filler],
])("the schemas of a %s body keep every digit of their integers, and nothing else does", async (_what, more) => {
  const schemasAt = [["inputSchema"], ["processor", "outputSchema"]];
  const readWith = (rest: string): Promise<RequestBody> =>
    bodies.read("org_1", { bytes: Buffer.from(`{"more":"${more}",${rest}}`), query, schemasAt });
  const bounds = '"minimum":-9223372036854775808,"exclusiveMaximum":9223372036854775807';
  const schema = `{"properties":{"id":{${bounds}}},"enum":[1,9007199254740993],"multipleOf":0.1}`;
  const text = `"inputSchema":${schema},"processor":{"outputSchema":${schema}}`;
  const body = await readWith(text);
  expect(body.inexactAt).toBeUndefined();
  expect(JSON.stringify(body.value)).toBe(`{"more":"${more}",${text}}`);
  const other = await readWith(text.replace("9223372036854775807", "9223372036854775806"));
  expect(other.fingerprint()).not.toEqual(body.fingerprint());
  expect(await readWith(text)).toMatchObject({ inexactAt: undefined });
  expect((await readWith(text)).fingerprint()).toEqual(body.fingerprint());
  for (const path of ["/body/maximum", "/metadata/schema/maximum", "/processor/body/outputSchema/maximum"]) {
    const [, ...names] = path.split("/");
    const inside = names.reduceRight((inner, name) => `{"${name}":${inner}}`, "9223372036854775807");
    expect((await readWith(inside.slice(1, -1))).inexactAt).toBe(path);
  }
});

test("a number beyond the range of doubles is found where it stands", async () => {
  expect(await read(`{"a":"${filler}","b":[{"c":1e999}]}`)).toMatchObject({ infiniteAt: "/b/0/c" });
});
