import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { makeOwnDirectory } from "./make-directory.ts";

test("a directory is the user's own; where it cannot be made, its setting is named", () => {
  const folder = mkdtempSync(join(tmpdir(), "rowmill-own-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  makeOwnDirectory(join(folder, "a", "b"), "XDG_DATA_HOME");
  expect(statSync(join(folder, "a")).mode & 0o777).toBe(0o700);
  writeFileSync(join(folder, "file"), "");
  expect(() => makeOwnDirectory(join(folder, "file", "b"), "XDG_CONFIG_HOME")).toThrow(
    expect.objectContaining({ advice: expect.stringContaining("with XDG_CONFIG_HOME") as string }),
  );
});

// Node's own recursive mkdir does not return there.
test.runIf(existsSync("/proc/self"))("a file system that takes no directories ends the command", () => {
  expect(() => makeOwnDirectory("/proc/rowmill/data", "--data")).toThrow("The directory /proc/rowmill cannot be made");
});
