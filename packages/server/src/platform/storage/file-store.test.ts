import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeStore } from "./conformance-testing.ts";
import { openFileStore } from "./file-store.ts";
import { StoreUnavailableError } from "./storage.ts";
import type { ObjectStore } from "./storage.ts";

let folder: string;
let store: ObjectStore;

beforeEach(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "rowmill-store-")), "objects");
  store = await openFileStore(folder);
});

afterEach(async () => {
  await rm(join(folder, ".."), { recursive: true, force: true });
});

describeStore("files", () => openFileStore(folder), { unit: 4_096, many: 30 });

test("files and folders are for their owner alone", async () => {
  await put("exports/exp_1/result.bin", "x");
  expect((await stat(join(folder, "exports"))).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, "exports/exp_1/result.bin"))).mode & 0o777).toBe(0o600);
});

test("objects that are kept can be read after they are deleted, until they are released", async () => {
  await put("exports/exp_1/1", "first");
  const kept = await store.hold?.(["exports/exp_1/1", "exports/exp_2/1"]);
  expect(kept).toMatchObject({ objects: [{ key: "exports/exp_1/1", sizeBytes: 5 }], missing: ["exports/exp_2/1"] });
  await store.delete("exports/exp_1/1");
  expect(await store.head("exports/exp_1/1")).toBeUndefined();
  if (kept === undefined) throw new Error("a folder holds objects");
  expect(await text(await kept.open("exports/exp_1/1"))).toBe("first");
  await kept.release();
  expect(await readdir(join(folder, ".held"))).toEqual([]);
});

test("what a dead process has kept is removed after a day", async () => {
  await put("exports/exp_1/1", "first");
  await store.hold?.(["exports/exp_1/1"]);
  await store.sweepLeftovers();
  const [left = ""] = await readdir(join(folder, ".held"));
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(join(folder, ".held", left), yesterday, yesterday);
  await store.sweepLeftovers();
  expect(await readdir(join(folder, ".held"))).toEqual([]);
});

test("what failed or was cut off leaves no file", async () => {
  const source = new PassThrough();
  const done = store.put("cut", source);
  source.write("half");
  source.destroy();
  await expect(done).rejects.toThrow(/Premature close/);
  expect(await readdir(folder, { recursive: true })).toEqual([".incoming"]);
});

test("get goes on after the object was deleted", async () => {
  await put("big", "x".repeat(500_000));
  const stream = await store.get("big");
  await store.delete("big");
  expect(await text(stream)).toHaveLength(500_000);
});

test("put and delete of neighbours at once do not take the folder from each other", async () => {
  for (let round = 0; round < 30; round += 1) {
    await put("x/y/one", "1");
    await Promise.all([store.delete("x/y/one"), put("x/y/two", "2")]);
    const found: string[] = [];
    for await (const { key } of store.list("x/")) found.push(key);
    expect(found).toEqual(["x/y/two"]);
    await store.delete("x/y/two");
  }
});

test("delete removes the folders that it leaves empty", async () => {
  await put("a/b/c", "x");
  await put("a/d", "x");
  await store.delete("a/b/c");
  expect(await readdir(join(folder, "a"))).toEqual(["d"]);
  await store.delete("a/d");
  expect(await readdir(folder)).toEqual([".incoming"]);
});

test("opening and sweeping remove what a crashed write left more than a day ago, and nothing younger", async () => {
  await put("kept", "x");
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  await utimes(join(folder, "kept"), twoDaysAgo, twoDaysAgo);
  for (const sweep of [() => openFileStore(folder), () => store.sweepLeftovers()]) {
    const [old, young] = [join(folder, ".incoming", "old"), join(folder, ".incoming", "young")];
    await writeFile(old, "half");
    await writeFile(young, "half");
    await utimes(old, twoDaysAgo, twoDaysAgo);
    await sweep();
    expect(await readdir(join(folder, ".incoming"))).toEqual(["young"]);
  }
  expect(await text(await store.get("kept"))).toBe("x");
});

test("localPath is the path of the object's file", async () => {
  await put("a/b", "x");
  expect(await readFile(store.localPath?.("a/b") ?? "", "utf8")).toBe("x");
  expect(() => store.localPath?.("../b")).toThrow(/no key of an object store/);
});

test("a folder that is gone is no store", async () => {
  await rm(folder, { recursive: true });
  await expect(store.prove()).rejects.toThrow(StoreUnavailableError);
});

async function put(key: string, content: string): Promise<void> {
  await store.put(key, Readable.from([content]));
}
