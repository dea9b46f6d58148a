import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeDirectory } from "./make-directory.ts";

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-directories-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("the directory and those above it are made, with the mode, and a second time nothing happens", () => {
  const path = join(newFolder(), "a", "b", "c");
  makeDirectory(path, 0o700);
  makeDirectory(path, 0o700);
  for (const each of [path, join(path, "..")]) expect(statSync(each).mode & 0o777).toBe(0o700);
});

test("a file, a file above it and a link to nothing are refused", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "file"), "");
  symlinkSync(join(folder, "nothing"), join(folder, "link"));
  expect(() => makeDirectory(join(folder, "file"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  expect(() => makeDirectory(join(folder, "file", "below"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  expect(() => makeDirectory(join(folder, "link"))).toThrow(expect.objectContaining({ code: "EEXIST" }));
});

// Node's own recursive mkdir does not return there.
test.runIf(existsSync("/proc/self"))("a file system that takes no directories is an error, and does not hang", () => {
  for (const path of ["/proc/rowmill", "/proc/rowmill/data"])
    expect(() => makeDirectory(path)).toThrow("no directory can be made in /proc");
});
