import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openFileStore } from "./file-store.ts";
import { ObjectNotFoundError, type ObjectStore, type StoredObject } from "./storage.ts";

let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "rowmill-store-")), "objects");
  store = await openFileStore(folder);
});

afterEach(async () => {
  await rm(join(folder, ".."), { recursive: true, force: true });
});

describe("put", () => {
  test("answers size and digest, and get gives the same bytes", async () => {
    const chunks = Array.from({ length: 40 }, (_, i) => Buffer.alloc(50_000, i));
    const whole = Buffer.concat(chunks);
    expect(await store.put("exports/exp_1/result.bin", Readable.from(chunks))).toEqual({
      sizeBytes: 2_000_000,
      sha256: createHash("sha256").update(whole).digest("hex"),
    });
    expect((await buffer(await store.get("exports/exp_1/result.bin"))).equals(whole)).toBe(true);
    expect(await store.head("exports/exp_1/result.bin")).toEqual({ sizeBytes: 2_000_000 });
    expect((await stat(join(folder, "exports"))).mode & 0o777).toBe(0o700);
    expect((await stat(join(folder, "exports/exp_1/result.bin"))).mode & 0o777).toBe(0o600);
  });

  test("takes an empty stream, and a stream of text in characters of several bytes", async () => {
    expect(await store.put("empty", Readable.from([]))).toMatchObject({ sizeBytes: 0 });
    expect(await buffer(await store.get("empty"))).toHaveLength(0);
    expect(await store.put("text", Readable.from(["ä", "€"]))).toMatchObject({ sizeBytes: 5 });
    expect(await text(await store.get("text"))).toBe("ä€");
  });

  test("of a stream that fails leaves nothing, and what had the name stays", async () => {
    await put("a/old", "old");
    async function* failing() {
      yield Buffer.from("half");
      await Promise.resolve();
      throw new Error("the sender went away");
    }
    await expect(store.put("a/old", Readable.from(failing()))).rejects.toThrow("the sender went away");
    await expect(store.put("b/new", Readable.from(failing()))).rejects.toThrow("the sender went away");
    expect(await text(await store.get("a/old"))).toBe("old");
    expect(await readdir(folder, { recursive: true })).toEqual(
      expect.arrayContaining([".incoming", "a", join("a", "old")]),
    );
    expect(await readdir(folder, { recursive: true })).toHaveLength(3);
  });

  test("of a stream that is cut off without an error fails as well", async () => {
    const source = new PassThrough();
    const done = store.put("cut", source);
    source.write("half");
    source.destroy();
    await expect(done).rejects.toThrow(/Premature close/);
    expect(await store.head("cut")).toBeUndefined();
    expect(await readdir(join(folder, ".incoming"))).toEqual([]);
  });

  test("shows no part of an object before it is complete", async () => {
    const source = new PassThrough();
    const done = store.put("slow", source);
    source.write("half");
    expect(await store.head("slow")).toBeUndefined();
    expect(await keys("")).toEqual([]);
    source.end("half");
    await done;
    expect(await text(await store.get("slow"))).toBe("halfhalf");
  });

  test("of one key by two at once keeps one of the two, whole", async () => {
    const [a, b] = ["a".repeat(200_000), "b".repeat(200_000)];
    await Promise.all([put("same", a), put("same", b)]);
    expect([a, b]).toContain(await text(await store.get("same")));
  });

  test("and delete of neighbours at once do not take the folder from each other", async () => {
    for (let round = 0; round < 30; round += 1) {
      await put("x/y/one", "1");
      await Promise.all([store.delete("x/y/one"), put("x/y/two", "2")]);
      expect(await keys("x/")).toEqual(["x/y/two"]);
      await store.delete("x/y/two");
    }
  });
});

describe("get", () => {
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

  test("goes on after the object was deleted", async () => {
    await put("big", "x".repeat(500_000));
    const stream = await store.get("big");
    await store.delete("big");
    expect(await text(stream)).toHaveLength(500_000);
  });
});

describe("list", () => {
  test("gives the keys below a prefix in their order, whether it ends at a slash or not", async () => {
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

  test("tells size and time", async () => {
    await put("one", "12345");
    const [object] = await list("one");
    expect(object?.sizeBytes).toBe(5);
    expect(Math.abs(Date.now() - (object?.modifiedAt.getTime() ?? 0))).toBeLessThan(60_000);
  });
});

test("delete removes the object and the folders that it leaves empty, and needs no object", async () => {
  await put("a/b/c", "x");
  await put("a/d", "x");
  await store.delete("a/b/c");
  expect(await readdir(join(folder, "a"))).toEqual(["d"]);
  await store.delete("a/d");
  expect(await readdir(folder)).toEqual([".incoming"]);
  await store.delete("a/d");
  await put("e/f", "x");
  await store.delete("e");
  expect(await keys("")).toEqual(["e/f"]);
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
])("the key %j is refused", async (key) => {
  await expect(store.put(key, Readable.from(["x"]))).rejects.toThrow(/no key of an object store/);
  await expect(store.get(key)).rejects.toThrow(/no key of an object store/);
  await expect(store.head(key)).rejects.toThrow(/no key of an object store/);
  await expect(store.delete(key)).rejects.toThrow(/no key of an object store/);
  expect(() => store.localPath?.(key)).toThrow(/no key of an object store/);
});

test("a prefix cannot leave the folder either", () => {
  for (const prefix of ["../", "a/../..", "/etc", ".incoming/"]) {
    expect(() => store.list(prefix)).toThrow(/no key of an object store/);
  }
});

test("opening sweeps what a crashed write left more than a day ago, and nothing younger", async () => {
  await put("kept", "x");
  const [old, young] = [join(folder, ".incoming", "old"), join(folder, ".incoming", "young")];
  await writeFile(old, "half");
  await writeFile(young, "half");
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  await utimes(old, twoDaysAgo, twoDaysAgo);
  await utimes(join(folder, "kept"), twoDaysAgo, twoDaysAgo);

  const reopened = await openFileStore(folder);
  expect(await readdir(join(folder, ".incoming"))).toEqual(["young"]);
  expect(await text(await reopened.get("kept"))).toBe("x");
});

test("localPath is the path of the object's file", async () => {
  await put("a/b", "x");
  expect(await readFile(store.localPath?.("a/b") ?? "", "utf8")).toBe("x");
});

async function put(key: string, content: string): Promise<void> {
  await store.put(key, Readable.from([content]));
}

async function keys(prefix: string): Promise<string[]> {
  return (await list(prefix)).map((object) => object.key);
}

async function list(prefix: string): Promise<StoredObject[]> {
  const objects: StoredObject[] = [];
  for await (const object of store.list(prefix)) objects.push(object);
  return objects;
}
