/** What every store does, on whichever it is run. */
import { createHash, randomBytes } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { beforeEach, describe, expect, test } from "vitest";
import { ObjectNotFoundError, ObjectTooLargeError } from "./storage.ts";
import type { ObjectStore, PartialTarget, StoredObject } from "./storage.ts";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

/** How much tests store: a part of S3 has eight units, a deletion 1,000 objects. Files have no such borders. */
export interface Sizes {
  unit: number;
  many: number;
}

/** `open` gives an empty store for each test. */
export function describeStore(name: string, open: () => Promise<ObjectStore>, { unit, many }: Sizes): void {
  let store: ObjectStore;
  beforeEach(async () => {
    store = await open();
  });
  const put = (key: string, content: string) => store.put(key, Readable.from([content]));
  const list = async (prefix: string): Promise<StoredObject[]> => {
    const objects: StoredObject[] = [];
    for await (const object of store.list(prefix)) objects.push(object);
    return objects;
  };
  const keys = async (prefix: string): Promise<string[]> => (await list(prefix)).map(({ key }) => key);

  describe(`${name}: put`, () => {
    test.each([0, 1, 2_000_000, 8 * unit - 1, 8 * unit, 8 * unit + 1, 21 * unit])("stores %i bytes", async (size) => {
      const whole = randomBytes(size);
      const chunks = Array.from({ length: Math.ceil(size / 300_001) }, (_, n) =>
        whole.subarray(n * 300_001, (n + 1) * 300_001),
      );
      const stored = await store.put("exports/exp_1/result.bin", Readable.from(chunks));
      expect(stored).toEqual({ sizeBytes: size, sha256: sha256(whole) });
      expect((await buffer(await store.get("exports/exp_1/result.bin"))).equals(whole)).toBe(true);
      expect(await store.head("exports/exp_1/result.bin")).toEqual({ sizeBytes: size });
    });

    test("takes text in characters of several bytes", async () => {
      expect(await store.put("text", Readable.from(["ä", "€"]))).toMatchObject({ sizeBytes: 5 });
      expect(await text(await store.get("text"))).toBe("ä€");
    });

    test.each([4, 20 * unit])(
      "of a stream that fails after %i bytes leaves nothing, and what had the name stays",
      async (size) => {
        await put("a/old", "old");
        const failing = async function* () {
          for (let left = size; left > 0; left -= unit) yield Buffer.alloc(Math.min(left, unit));
          await Promise.resolve();
          throw new Error("the sender went away");
        };
        await expect(store.put("a/old", Readable.from(failing()))).rejects.toThrow("the sender went away");
        await expect(store.put("b/new", Readable.from(failing()))).rejects.toThrow("the sender went away");
        expect(await text(await store.get("a/old"))).toBe("old");
        expect(await keys("")).toEqual(["a/old"]);
      },
    );

    test("of a stream that is cut off without an error fails as well", async () => {
      const source = new PassThrough();
      const done = store.put("cut", source);
      source.write("half");
      source.destroy();
      await expect(done).rejects.toThrow(/Premature close/);
      expect(await store.head("cut")).toBeUndefined();
    });

    test("shows no part of an object before it is complete", async () => {
      const source = new PassThrough();
      const done = store.put("slow", source);
      for (let written = 0; written < 18; written++) {
        if (!source.write(Buffer.alloc(unit))) await new Promise((resolve) => source.once("drain", resolve));
      }
      expect(await store.head("slow")).toBeUndefined();
      expect(await keys("")).toEqual([]);
      source.end("half");
      await done;
      expect(await store.head("slow")).toEqual({ sizeBytes: 18 * unit + 4 });
    });

    test("of more than is allowed stores nothing", async () => {
      await expect(store.put("large", Readable.from(["12345"]), { maxBytes: 4 })).rejects.toThrow(ObjectTooLargeError);
      await store.put("fits", Readable.from(["1234"]), { maxBytes: 4 });
      expect(await keys("")).toEqual(["fits"]);
    });

    test("of one key by two at once keeps one of the two, whole", async () => {
      const [a, b] = ["a".repeat(200_000), "b".repeat(200_000)];
      await Promise.all([put("same", a), put("same", b)]);
      expect([a, b]).toContain(await text(await store.get("same")));
    });
  });

  describe(`${name}: get`, () => {
    test.each([
      [{ start: 2, end: 4 }, "234"],
      [{ start: 7 }, "789"],
      [{ start: 8, end: 100 }, "89"],
      [{ start: 10 }, ""],
      [{ start: 0, end: 0 }, "0"],
    ])("of %j of ten digits gives %j", async (range, expected) => {
      await put("digits", "0123456789");
      expect(await text(await store.get("digits", range))).toBe(expected);
    });

    test.each([{ start: -1 }, { start: 3, end: 2 }, { start: 0.5 }, { start: Number.NaN }])(
      "of %j is refused",
      async (range) => {
        await put("digits", "0123456789");
        await expect(store.get("digits", range)).rejects.toThrow(/no range of bytes/);
      },
    );

    test("of what is not there rejects with the error of that name", async () => {
      await put("a/b", "x");
      for (const key of ["missing", "a", "a/b/c", "a/missing"]) {
        await expect(store.get(key)).rejects.toThrow(ObjectNotFoundError);
        expect(await store.head(key)).toBeUndefined();
      }
    });

    test("that nobody reads to its end takes nothing from the next ones", async () => {
      await store.put("big", Readable.from([Buffer.alloc(9 * unit)]));
      for (let round = 0; round < 5; round++) {
        const unread = await store.get("big");
        unread.destroy();
        for await (const _chunk of await store.get("big")) break;
      }
      expect(await buffer(await store.get("big", { start: 9 * unit - 3 }))).toHaveLength(3);
    });
  });

  describe(`${name}: list and delete`, () => {
    test("list gives the keys below a prefix in their order, whether it ends at a slash or not", async () => {
      const all = ["a", "b-1", "b.x", "b/1", "b/10/z", "b/2", "bb/1", "c"];
      for (const key of all.toReversed()) await put(key, key);
      expect(await keys("")).toEqual(all);
      expect(await keys("b")).toEqual(["b-1", "b.x", "b/1", "b/10/z", "b/2", "bb/1"]);
      expect(await keys("b/")).toEqual(["b/1", "b/10/z", "b/2"]);
      expect(await keys("b/1")).toEqual(["b/1", "b/10/z"]);
      expect(await keys("b/10/")).toEqual(["b/10/z"]);
      expect(await keys("nothing/here")).toEqual([]);
      expect(await keys("a/")).toEqual([]);
    });

    test("list shows size and age", async () => {
      await put("one", "12345");
      const [object] = await list("one");
      expect(object?.sizeBytes).toBe(5);
      expect(Math.abs(object?.ageMs ?? Number.NaN)).toBeLessThan(60_000);
    });

    test("delete removes one object, and needs none", async () => {
      await put("a/b/c", "x");
      await put("a/d", "x");
      await store.delete("a/b/c");
      await store.delete("a/b/c");
      await store.delete("a");
      expect(await keys("")).toEqual(["a/d"]);
    });

    test("deleteAll removes what is below the prefix, in groups, except one", async () => {
      const keysOfMany = Array.from({ length: many }, (_, n) => `many/${n}`);
      for (let at = 0; at < keysOfMany.length; at += 50)
        await Promise.all(keysOfMany.slice(at, at + 50).map((key) => put(key, "")));
      await put("manyother", "x");
      await store.deleteAll("many/", { exceptKey: "many/7" });
      expect(await keys("")).toEqual(["many/7", "manyother"]);
      await store.deleteAll("many/");
      await store.deleteAll("many/");
      expect(await keys("")).toEqual(["manyother"]);
    });
  });

  test.each([
    "",
    "/",
    "/etc/passwd",
    "..",
    "../outside",
    "a/../../outside",
    "a/./b",
    "a//b",
    "a/",
    ".incoming/x",
    "a/.hidden",
    "a\\b",
    "a\0b",
    "a b",
    "a%2fb",
    "ä",
    "C:x",
    "x".repeat(129),
    "x/".repeat(300) + "x",
  ])(`${name}: the key %j is refused`, async (key) => {
    await expect(store.put(key, Readable.from(["x"]))).rejects.toThrow(/no key of an object store/);
    await expect(store.get(key)).rejects.toThrow(/no key of an object store/);
    await expect(store.head(key)).rejects.toThrow(/no key of an object store/);
    await expect(store.delete(key)).rejects.toThrow(/no key of an object store/);
  });

  test(`${name}: a prefix cannot leave the store either`, async () => {
    for (const prefix of ["../", "a/../..", "/etc", ".incoming/"]) {
      expect(() => store.list(prefix)).toThrow(/no key of an object store/);
      await expect(store.deleteAll(prefix)).rejects.toThrow(/no key of an object store/);
    }
  });

  test(`${name}: can be proved, and leaves nothing by that`, async () => {
    await store.prove();
    expect(await keys("")).toEqual([]);
    await store.sweepLeftovers();
  });

  describePartials(name, () => store, keys, unit);
}

function describePartials(
  name: string,
  current: () => ObjectStore,
  keys: (prefix: string) => Promise<string[]>,
  unit: number,
): void {
  const target: PartialTarget = { folder: "contents/", maxBytes: 100 * unit };
  const append = (offset: number, bytes: Buffer) =>
    current().partials.append("p", offset, Readable.from(bytes.length === 0 ? [] : [bytes]), target);

  describe(`${name}: partials`, () => {
    test.each([
      ["small pieces", [1, 10, 10, 500]],
      ["pieces around the size of a part", [8 * unit - 1, 1, 8 * unit, 8 * unit + 1, 5]],
      ["pieces that leave a rest each time", [5 * unit, 5 * unit, 5 * unit, 5 * unit]],
      ["one piece", [20 * unit + 7]],
      ["whole parts", [16 * unit]],
      ["nothing", [0]],
    ])("become an object: %s", async (_what, sizes) => {
      const { partials } = current();
      const whole = randomBytes(sizes.reduce((sum, size) => sum + size, 0));
      let offset = 0;
      for (const size of sizes) {
        expect(await append(offset, whole.subarray(offset, offset + size))).toBe(offset + size);
        offset += size;
        expect(await partials.sizeOf("p")).toBe(offset);
      }
      const { key, ...content } = await partials.complete("p", target);
      expect(content).toEqual({ sizeBytes: whole.length, sha256: sha256(whole) });
      expect(key).toMatch(/^contents\/[0-9a-f-]{36}$/);
      expect((await buffer(await current().get(key))).equals(whole)).toBe(true);
      // A process that died before it could note the key does it once more.
      expect(await partials.sizeOf("p")).toBe(whole.length);
      const again = await partials.complete("p", target);
      expect(again).toMatchObject(content);
      await partials.delete("p");
      expect((await buffer(await current().get(again.key))).equals(whole)).toBe(true);
      expect(await partials.list()).toEqual([]);
      expect((await keys("")).filter((found) => !found.startsWith("contents/"))).toEqual([]);
    });

    test.each([3, 9 * unit])("keep what came, %i bytes, when the source fails", async (size) => {
      const { partials } = current();
      const bytes = randomBytes(size);
      const failing = async function* () {
        yield bytes;
        await Promise.resolve();
        throw new Error("the sender went away");
      };
      await expect(partials.append("p", 0, failing(), target)).rejects.toThrow("the sender went away");
      expect(await partials.sizeOf("p")).toBe(size);
      await append(size, Buffer.from("end"));
      const { key } = await partials.complete("p", target);
      expect((await buffer(await current().get(key))).equals(Buffer.concat([bytes, Buffer.from("end")]))).toBe(true);
    });

    test("take bytes only where they end, and not too many", async () => {
      await append(0, Buffer.from("12345"));
      await expect(append(4, Buffer.from("x"))).rejects.toThrow(/does not end at 4/);
      await expect(append(6, Buffer.from("x"))).rejects.toThrow(/does not end at 6/);
      const { partials } = current();
      const small = { ...target, maxBytes: 6 };
      await expect(partials.append("p", 5, Readable.from([Buffer.from("xy")]), small)).rejects.toThrow(
        ObjectTooLargeError,
      );
      expect(await partials.sizeOf("p")).toBe(5);
    });

    test("begin again after they were deleted, and know nothing of what was there", async () => {
      const { partials } = current();
      await append(0, Buffer.alloc(9 * unit, 1));
      expect(await partials.list()).toEqual(["p"]);
      await partials.delete("p");
      await partials.delete("p");
      expect(await partials.list()).toEqual([]);
      expect(await partials.sizeOf("p")).toBe(0);
      await append(0, Buffer.from("new"));
      const { key } = await partials.complete("p", target);
      expect(await text(await current().get(key))).toBe("new");
    });

    test("have names without slashes", async () => {
      for (const bad of ["a/b", "../a", ""])
        await expect(current().partials.sizeOf(bad)).rejects.toThrow(/no (key|name)/);
    });
  });
}
