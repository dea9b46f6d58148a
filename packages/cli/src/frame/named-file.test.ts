import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readNamedFile } from "./named-file.ts";

const folder = mkdtempSync(join(tmpdir(), "rowmill-named-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);

test("a text is read without its byte order mark", () => {
  writeFileSync(at("text.txt"), "\uFEFFüber {{a}}\n");
  expect(readNamedFile(at("text.txt"))).toBe("über {{a}}\n");
});

test("a name that was mistyped has the nearest one beside it", () => {
  mkdirSync(at("mistyped"), { recursive: true });
  writeFileSync(at("mistyped/customers.csv"), "a\n1\n");
  expect(() => readNamedFile(at("mistyped/custmers.csv"))).toThrow(
    expect.objectContaining({ advice: `Did you mean ${at("mistyped/customers.csv")}?`, exit: "usage" }) as Error,
  );
});

test.each([
  ["a file that does not exist", "none", /There is no file .*none\.$/],
  ["a path through a file", "file/none", /There is no file .*: a part of its path/],
  ["a directory", "directory", /is a directory/],
  ["a link that leads to itself", "loop", /leads to itself/],
  ["a name that is too long", "n".repeat(300), /too long/],
  ["a device", "device", /is not a file/],
  ["a file that is no text", "binary", /is not text in UTF-8/],
])("%s is an error of usage, and says what to do", (_, name, message) => {
  writeFileSync(at("file"), "");
  writeFileSync(at("binary"), Buffer.from([0x89, 0x50, 0xff]));
  mkdirSync(at("directory"), { recursive: true });
  for (const [link, target] of [
    ["loop", at("loop")],
    ["device", "/dev/zero"],
  ] as const) {
    rmSync(at(link), { force: true });
    symlinkSync(target, at(link));
  }
  const advice = expect.stringMatching(/^(Check|Name) .+\.$/) as string;
  expect(() => readNamedFile(at(name))).toThrow(
    expect.objectContaining({ message: expect.stringMatching(message) as string, advice, exit: "usage" }) as Error,
  );
});
