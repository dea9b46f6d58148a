import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openObjectStore } from "./open-store.ts";

let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rowmill-open-store-"));
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

test("a file URL opens its folder, absolute or relative, with escaped characters", async () => {
  const spaced = join(scratch, "with space");
  await openObjectStore(pathToFileURL(spaced).href);
  expect((await stat(spaced)).isDirectory()).toBe(true);

  const below = join(scratch, "below");
  const store = await openObjectStore(`file:${relative(process.cwd(), below)}`);
  expect(store.localPath?.("a/b")).toBe(join(below, "a", "b"));
});

test.each([
  ["s3://bucket/prefix", /s3 is not supported yet.*file:/],
  ["https://example.com", /no URL that Rowmill knows.*file:/],
  ["", /no URL that Rowmill knows/],
  ["file:", /names no folder/],
  ["file://data/objects", /three slashes/],
])("%j is refused with a sentence", async (url, sentence) => {
  await expect(openObjectStore(url)).rejects.toThrow(sentence);
});
