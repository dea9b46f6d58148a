import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import fs from "node:fs";
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { readEncryptionKey, readEncryptionKeys, readKeyOfNextStart, refuseUnusableKeys } from "./encryption-key.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "rowmill-key-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("the setting is the key, and no file is made", async () => {
  const key = randomBytes(32);
  expect(readEncryptionKey(key.toString("base64"), folder)).toEqual(key);
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  "",
  "x",
  randomBytes(16).toString("base64"),
  randomBytes(33).toString("base64"),
  "not base64 at all, though it is long enough!",
])("a setting that is no such key is refused with a sentence (%#)", (setting) => {
  expect(() => readEncryptionKey(setting, folder)).toThrow("ROWMILL_ENCRYPTION_KEY must be the base64 of 32 bytes");
});

test("without a setting one is made, for the owner's eyes only, and found again", async () => {
  const directory = join(folder, "data");
  const key = readEncryptionKey(undefined, directory);
  expect(key).toHaveLength(32);
  expect(readEncryptionKey(undefined, directory)).toEqual(key);
  expect(await readdir(directory)).toEqual(["encryption-key"]);
  expect((await stat(join(directory, "encryption-key"))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(directory, "encryption-key"), "utf8")).trim()).toBe(key.toString("base64"));
});

test("one is made on Windows, too, where no directory can be synchronized with its disk", () => {
  const [{ platform }, { fsyncSync }] = [process, fs];
  const become = (name: string, sync: typeof fsyncSync): void => {
    Object.defineProperty(process, "platform", { value: name });
    fs.fsyncSync = sync;
    syncBuiltinESMExports();
  };
  onTestFinished(() => become(platform, fsyncSync));
  become("win32", (file) => {
    if (fs.fstatSync(file).isDirectory()) throw new Error("EPERM: operation not permitted, fsync");
    fsyncSync(file);
  });
  expect(readEncryptionKey(undefined, folder)).toHaveLength(32);
});

test("a damaged file is refused and left as it is", async () => {
  const file = join(folder, "encryption-key");
  await writeFile(file, "damaged\n");
  expect(() => readEncryptionKey(undefined, folder)).toThrow(`${file} must be the base64 of 32 bytes`);
  expect(await readFile(file, "utf8")).toBe("damaged\n");
});

test("of several first starts at once, all find the same key", async () => {
  const source = `
    import { readEncryptionKey } from ${JSON.stringify(new URL("./encryption-key.ts", import.meta.url).href)};
    process.stdout.write(readEncryptionKey(undefined, process.argv[1]).toString("base64"));`;
  const outputs = await Promise.all(
    Array.from({ length: 4 }, () =>
      promisify(execFile)(process.execPath, ["--input-type=module", "--eval", source, folder]),
    ),
  );
  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1);
  expect(await readdir(folder)).toEqual(["encryption-key"]);
});

test("a list of keys stands alone, in its order", () => {
  const [newer, older] = [randomBytes(32), randomBytes(32)];
  const keys = [newer, older].map((key) => key.toString("base64"));
  expect(readEncryptionKeys({ keys, key: undefined, dataDirectory: folder })).toEqual([newer, older]);
  expect(() => readEncryptionKeys({ keys, key: keys[0], dataDirectory: folder })).toThrow("both set");
  expect(() => readEncryptionKeys({ keys: ["x"], key: undefined, dataDirectory: folder })).toThrow(
    "base64 of 32 bytes",
  );
  expect(readEncryptionKeys({ keys: [], key: keys[1], dataDirectory: folder })).toEqual([older]);
});

test("what the next start would read is the file's key, none where a setting has it, and a sentence where the file is gone", async () => {
  const settings = { keys: [], key: undefined, dataDirectory: folder };
  const [key] = readEncryptionKeys(settings);
  expect(readKeyOfNextStart(settings)).toEqual(key);
  expect(readKeyOfNextStart({ ...settings, key: key.toString("base64") })).toBeUndefined();
  await rm(join(folder, "encryption-key"));
  expect(() => readKeyOfNextStart(settings)).toThrow("The file of the encryption key is missing");
  expect(await readdir(folder)).toEqual([]);
});

test("keys that no start can use are refused before one is made", async () => {
  const settings = { keys: [], key: undefined, dataDirectory: join(folder, "data") };
  refuseUnusableKeys(settings);
  expect(await readdir(folder)).toEqual(["data"]);
  expect(await readdir(join(folder, "data"))).toEqual([]);
  await writeFile(join(folder, "data", "encryption-key"), "damaged\n");
  expect(() => refuseUnusableKeys(settings)).toThrow("must be the base64 of 32 bytes");
  expect(() => refuseUnusableKeys({ ...settings, key: "x" })).toThrow("must be the base64 of 32 bytes");
});
