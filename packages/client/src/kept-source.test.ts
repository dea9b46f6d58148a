import { expect, test } from "vitest";
import { KeptSource } from "./kept-source.ts";

async function read(chunks: AsyncIterable<Uint8Array>, count = Infinity): Promise<number[]> {
  const bytes: number[] = [];
  for await (const chunk of chunks) {
    bytes.push(...chunk.subarray(0, 1));
    if (bytes.length >= count) break;
  }
  return bytes;
}

test.each([
  ["an array", () => new Uint8Array(1)],
  // Its `slice` copies nothing.
  ["a buffer of Node", () => Buffer.alloc(1)],
])("each attempt has all chunks, also of a program that fills one again and again: %s", async (_, allocate) => {
  let made = 0;
  const source = new KeptSource(async function* () {
    const buffer = allocate();
    for (; made < 4; made++) {
      buffer[0] = made;
      yield buffer;
    }
  });
  expect(await read(source.open(), 2)).toEqual([0, 1]);
  expect(await read(source.open())).toEqual([0, 1, 2, 3]);
  expect(await read(source.open())).toEqual([0, 1, 2, 3]);
  expect(made).toBe(4);
});

test("a chunk that an ended attempt still waits for belongs to the next one", async () => {
  const late = Promise.withResolvers<void>();
  const source = new KeptSource(async function* () {
    yield new Uint8Array([0]);
    await late.promise;
    yield new Uint8Array([1]);
    yield new Uint8Array([2]);
  });
  const first = source.open()[Symbol.asyncIterator]();
  await first.next();
  const waiting = first.next();
  const ended = first.return?.();
  const second = read(source.open());
  late.resolve();
  expect(await second).toEqual([0, 1, 2]);
  await Promise.all([waiting, ended]);
});

test.each([
  ["bytes", 3, 2 * 1024 * 1024],
  ["chunks", 1_001, 1],
])("beyond its limit of %s it can no longer be opened, and what was taken is let go", async (_, count, size) => {
  const source = new KeptSource(async function* () {
    for (let made = 0; made < count; made++) yield await Promise.resolve(new Uint8Array(size));
  });
  expect(source.isKept).toBe(true);
  expect(await read(source.open())).toHaveLength(count);
  expect(source.isKept).toBe(false);
  await expect(read(source.open())).rejects.toThrow("only once");
});

test("a source that fails is not read again, and one that is closed is released", async () => {
  const failing = new KeptSource(async function* () {
    yield await Promise.resolve(new Uint8Array(1));
    throw new Error("the disk is gone");
  });
  for (let attempt = 0; attempt < 2; attempt++) await expect(read(failing.open())).rejects.toThrow("the disk is gone");
  expect(failing.isKept).toBe(false);

  const released = Promise.withResolvers<void>();
  const left = new KeptSource(async function* () {
    try {
      for (;;) yield await Promise.resolve(new Uint8Array(1));
    } finally {
      released.resolve();
    }
  });
  expect(await read(left.open(), 3)).toHaveLength(3);
  left.close();
  await released.promise;
});
