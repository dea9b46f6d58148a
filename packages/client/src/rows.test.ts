import { describe, expect, test } from "vitest";
import { rowsSource } from "./content.ts";
import { json, startService } from "./testing/service.ts";

describe("rows are sent", () => {
  test.each<[string, object, string]>([
    [
      "a bigint as an exact text, however small, also within: a column has one type",
      { id: 42n, next: 9_007_199_254_740_993n, all: [{ id: -(2n ** 63n) }, 0n] },
      '{"id":"42","next":"9007199254740993","all":[{"id":"-9223372036854775808"},"0"]}',
    ],
    ["NaN as null, and without what is undefined", { a: Number.NaN, b: undefined, c: null }, '{"a":null,"c":null}'],
    [
      "what has a JSON form of its own by that",
      { at: new Date(0), in: new URL("https://a.example/") },
      '{"at":"1970-01-01T00:00:00.000Z","in":"https://a.example/"}',
    ],
  ])("%s", async (_, row, line) => {
    expect(await textOf([row])).toBe(`${line}\n`);
  });

  test.each<[unknown, string]>([
    [Infinity, "infinity has no JSON form: replace it"],
    [-Infinity, "infinity has no JSON form: replace it"],
    [new Map([["a", 1]]), "a value of type Map has no JSON form: convert it first"],
    [new Set([1]), "a value of type Set has no JSON form: convert it first"],
    [new ArrayBuffer(1), "a value of type ArrayBuffer has no JSON form: convert it first"],
    [Promise.resolve(1), "a value of type Promise has no JSON form: convert it first"],
    [new Blob(["a"]), "a value of type Blob has no JSON form: convert it first"],
    [new RangeError("a"), "a value of type Error has no JSON form: convert it first"],
    [new Date("a"), "an invalid Date has no JSON form: send null, or the text it was read from"],
    [/a/, "a value of type RegExp has no JSON form: convert it first"],
    [Buffer.from("a"), "a value of type Buffer has no JSON form: send bytes as a base64 text"],
    [new Uint8Array(1), "a value of type Uint8Array has no JSON form: send bytes as a base64 text"],
    [new Float32Array(1), "a value of type Float32Array has no JSON form: convert it with Array.from"],
  ])("not with %s, which would be lost", async (value, message) => {
    const expected = new TypeError(`row 1, column "scores": ${message}`);
    await expect(textOf([{ id: 1 }, { id: 2, scores: value }])).rejects.toThrow(expected);
    await expect(textOf([{ id: 1 }, { id: 2, scores: { first: [value] } }])).rejects.toThrow(expected);
  });

  test("not as a value without members", async () => {
    await expect(textOf([new Map([["id", 1]])])).rejects.toThrow(
      new TypeError("row 0: a value of type Map has no JSON form: convert it first"),
    );
  });
});

describe("a body with rows", () => {
  const sendTo: Record<string, (rows: object[], number?: unknown) => Promise<unknown>> = {
    "an inline upload": async (rows, number) => {
      const { client } = await startService((response) => json(response, 201, {}));
      const body = { name: "a", source: { type: "inline", rows }, metadata: { number } };
      return await client().datasetUploads.create(body as never); // what no type allows
    },
    "a test": async (rows) => {
      const { client } = await startService((response) => json(response, 200, {}));
      return await client().jobSpecs.test("spec_1", { rows } as never); // the same
    },
  };

  test.each(Object.keys(sendTo))("of %s is refused by row and column as in an upload", async (name) => {
    const values: [unknown, string][] = [
      [Infinity, "infinity has no JSON form: replace it"],
      [Buffer.from("a"), "a value of type Buffer has no JSON form: send bytes as a base64 text"],
      [new Map(), "a value of type Map has no JSON form: convert it first"],
    ];
    for (const [value, message] of values) {
      const expected = new TypeError(`row 1, column "scores": ${message}`);
      const first = { id: 1, of: { none: [{}, []] } };
      await expect(sendTo[name]?.([first, { id: 2, scores: value }])).rejects.toThrow(expected);
      await expect(sendTo[name]?.([first, { id: [[1]], scores: { all: [1, value] } }])).rejects.toThrow(expected);
    }
    await expect(sendTo[name]?.([{ id: 1 }, new Map()])).rejects.toThrow(
      new TypeError("row 1: a value of type Map has no JSON form: convert it first"),
    );
  });

  test("has what an upload sends", async () => {
    const service = await startService((response) => json(response, 200, {}));
    const rows = [{ id: 42n, at: new Date(0), none: undefined }, { id: 2n ** 63n }];
    await service.client().jobSpecs.test("spec_1", { rows });
    const sent = '{"rows":[{"id":"42","at":"1970-01-01T00:00:00.000Z"},{"id":"9223372036854775808"}]}';
    expect(service.received.map(({ body }) => body)).toEqual([sent]);
  });

  test("has a bigint outside of them as a number, as the API takes it", async () => {
    const service = await startService((response) => json(response, 201, {}));
    const scope = { type: "limit", count: 5n };
    await service.client().runs.create({ datasetId: "ds_1", jobSpecId: "spec_1", scope } as never); // what no type allows
    const outputSchema = { type: "object", properties: { rows: { minimum: 5n, maximum: 2n ** 63n - 1n } } };
    const processor = { type: "llm", outputSchema };
    await service.client().jobSpecs.create({ name: "a", outputSchema, processor } as never); // the same
    expect(service.received[0]?.body).toContain('"count":5}');
    // Of schemas, which the service reads with every digit, also what a double does not hold.
    expect(service.received[1]?.body.match(/"minimum":5,"maximum":9223372036854775807}/g)).toHaveLength(2);
  });

  test("names another value by its path", async () => {
    await expect(sendTo["an inline upload"]?.([{ id: 1 }], Infinity)).rejects.toThrow(
      new TypeError("/metadata/number: infinity has no JSON form: replace it"),
    );
  });
});

async function textOf(rows: object[]): Promise<string> {
  let text = "";
  for await (const chunk of rowsSource(rows).open()) text += new TextDecoder().decode(chunk);
  return text;
}
