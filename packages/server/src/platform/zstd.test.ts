/** zstd frames of values: what was packed comes out, whatever its size and its head. */
import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { constants, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { IN_PLACE_BYTES, contentSizeOf, isPacked, packInThread, packSync, packText, unpack } from "./zstd.ts";

const LEVEL = 1;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as (how: { type: "minor" | "major" }) => void; // what the flag makes

/** Each spells its size in another number of bytes, or is the last or the first of a kind. */
const sizes = [0, 1, 255, 256, 65_791, 65_792, IN_PLACE_BYTES, IN_PLACE_BYTES + 1, 3_000_000];

test.each(sizes)("%i bytes that no compression makes smaller", async (size) => {
  const bytes = randomBytes(size);
  const packed = packSync(bytes, LEVEL);
  expect(contentSizeOf(packed)).toBe(size);
  expect((await unpack(packed)).equals(bytes)).toBe(true);
});

test.each(sizes)("%i bytes that are all the same", async (size) => {
  const bytes = Buffer.alloc(size, "a");
  const packed = await packInThread(bytes, LEVEL);
  expect(contentSizeOf(packed)).toBe(size);
  expect((await unpack(packed)).equals(bytes)).toBe(true);
});

test.each(["a", "é", "漢", "🎉"])("texts of %s, one after the other", async (character) => {
  const characterBytes = Buffer.byteLength(character);
  for (const bytes of [1_000, IN_PLACE_BYTES - 4, IN_PLACE_BYTES, IN_PLACE_BYTES + 4, 12]) {
    const text = character.repeat(Math.floor(bytes / characterBytes));
    const packed = await packText(text, Buffer.byteLength(text), LEVEL);
    expect((await unpack(packed)).toString()).toBe(text);
  }
});

test("a text of another size than it is said to have is refused", () => {
  expect(() => packText("é", 1, LEVEL)).toThrow("a text does not take 1 bytes");
});

test("a frame that does not say its size", async () => {
  const bytes = Buffer.from("text ".repeat(10_000));
  const packed = zstdCompressSync(bytes, { params: { [constants.ZSTD_c_contentSizeFlag]: 0 } });
  expect(contentSizeOf(packed)).toBeUndefined();
  expect((await unpack(packed)).equals(bytes)).toBe(true);
});

test("bytes that are no frame", () => {
  expect(isPacked(Buffer.from('{"a":1}'))).toBe(false);
  expect(isPacked(Buffer.from("1"))).toBe(false);
  expect(contentSizeOf(Buffer.from('{"a":1}'))).toBeUndefined();
});

test("what was unpacked is free after a collection among the young objects", async () => {
  const TIMES = 60;
  const SIZE = 200_000;
  const packed = packSync(randomBytes(SIZE), LEVEL);
  collectGarbage({ type: "major" });
  const before = process.memoryUsage().arrayBuffers;
  for (let i = 0; i < TIMES; i++) expect((await unpack(packed)).length).toBe(SIZE);
  // A collection finishes the work of the one before. Without a wait between them, V8 does not look through the whole heap.
  for (let i = 0; i < 3; i++) collectGarbage({ type: "minor" });
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan((TIMES * SIZE) / 4);
});
