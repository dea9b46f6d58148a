import { expect, test } from "vitest";
import { ByteWriter } from "./byte-writer.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

test("numbers, texts and bytes are written one behind the other, however many", () => {
  const writer = new ByteWriter();
  let expected = "";
  for (const value of [0, 9, 10, 99, 1_000, 2 ** 30, 2 ** 53 - 1, -5, 1.5]) {
    writer.integer(value);
    writer.byte(QUOTE);
    expected += `${value}"`;
  }
  writer.hexadecimal(0xab_cd, 8);
  writer.hexadecimal(2 ** 32 - 1, 8);
  expected += "0000abcdffffffff";
  for (const size of [1, 47, 48, 49, 70_000]) {
    const text = "aé😀".repeat(size);
    writer.text(text);
    writer.copy(Buffer.from(`<${text}>`), 1, 1 + Buffer.byteLength(text));
    expected += text + text;
  }
  expect(writer.length).toBe(Buffer.byteLength(expected));
  expect(writer.take().toString()).toBe(expected);
  expect(writer.length).toBe(0);
});

test("bytes are left out whole where an unwanted one is among them, and marked where they shall be", () => {
  const writer = new ByteWriter();
  const bytes = Buffer.from('say "a\\b"');
  expect(writer.copyUnless(bytes, 0, bytes.length, BACKSLASH)).toBe(false);
  expect(writer.length).toBe(0);
  expect(writer.copyUnless(bytes, 0, 5, BACKSLASH)).toBe(true);
  writer.copyMarked(bytes, 4, bytes.length, QUOTE, QUOTE);
  expect(writer.peek().toString()).toBe('say """a\\b""');
  writer.cut(3);
  expect(writer.take().toString()).toBe("say");
});

test("what was taken stays as it is", () => {
  const writer = new ByteWriter();
  writer.text("one");
  const first = writer.take();
  writer.text("two");
  expect([first.toString(), writer.take().toString()]).toEqual(["one", "two"]);
  writer.text("x".repeat(2 ** 21));
  writer.clear();
  expect(writer.take()).toHaveLength(0);
});
