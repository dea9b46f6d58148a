/** Where the encryption keys come from: a setting, or a file in the data directory that is made once. */
import { randomBytes } from "node:crypto";
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../make-directory.ts";
import { KEY_BYTES } from "./sealing.ts";

const FILE_NAME = "encryption-key";

export const encryptionKeyFile = (dataDirectory: string): string => join(dataDirectory, FILE_NAME);

export interface KeySettings {
  /** `ROWMILL_ENCRYPTION_KEYS`; empty without it. */
  keys: readonly string[];
  /** `ROWMILL_ENCRYPTION_KEY` */
  key: string | undefined;
  dataDirectory: string;
}

export const keySettings = (config: {
  ROWMILL_ENCRYPTION_KEYS: readonly string[];
  ROWMILL_ENCRYPTION_KEY?: string | undefined;
  ROWMILL_DATA_DIR: string;
}): KeySettings => ({
  keys: config.ROWMILL_ENCRYPTION_KEYS,
  key: config.ROWMILL_ENCRYPTION_KEY,
  dataDirectory: config.ROWMILL_DATA_DIR,
});

/** Throws a sentence where the file that the next start reads the key from is missing. Undefined where a setting has the key. */
export function readKeyOfNextStart({ keys, key, dataDirectory }: KeySettings): Buffer | undefined {
  if (keys.length > 0 || key !== undefined) return undefined;
  const file = encryptionKeyFile(dataDirectory);
  if (!existsSync(file)) throw new Error(`The file of the encryption key is missing (${file}).`);
  return decode(readFileSync(file, "utf8").trim(), file);
}

/** Whether the next call of `readEncryptionKeys` makes a key. */
export const isKeyFileMissing = ({ keys, key, dataDirectory }: KeySettings): boolean =>
  keys.length === 0 && key === undefined && !existsSync(encryptionKeyFile(dataDirectory));

/** Refuses keys that no start can use, and a data directory that cannot be made. No key is made: the start may be refused for something else. */
export function refuseUnusableKeys(settings: KeySettings): void {
  if (isKeyFileMissing(settings)) makeDirectory(settings.dataDirectory, 0o700);
  else readEncryptionKeys(settings);
}

/** The key that seals, and those that only open. A file that is missing is made: it is on the disk before anything can be sealed with its key. */
export function readEncryptionKeys({ keys, key, dataDirectory }: KeySettings): [Buffer, ...Buffer[]] {
  const [first, ...older] = keys.map((each) => decode(each, "Each of ROWMILL_ENCRYPTION_KEYS"));
  if (first === undefined) return [readEncryptionKey(key, dataDirectory)];
  if (key !== undefined)
    throw new Error(
      "ROWMILL_ENCRYPTION_KEY and ROWMILL_ENCRYPTION_KEYS are both set: put the key into the list, and set the list only",
    );
  return [first, ...older];
}

export function readEncryptionKey(setting: string | undefined, dataDirectory: string): Buffer {
  if (setting !== undefined) return decode(setting, "ROWMILL_ENCRYPTION_KEY");
  const file = encryptionKeyFile(dataDirectory);
  makeDirectory(dataDirectory, 0o700);
  try {
    return decode(readFileSync(file, "utf8").trim(), file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  // Written whole under another name and linked into place: of two first starts at once, both read the same key.
  const draft = `${file}.${process.pid}.${randomBytes(4).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  syncDirectory(dataDirectory);
  return decode(readFileSync(file, "utf8").trim(), file);
}

/** Without this, a power cut may take the name away from what was written. Windows refuses it for directories. */
function syncDirectory(directory: string): void {
  if (process.platform === "win32") return;
  const handle = openSync(directory, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function decode(text: string, source: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length !== KEY_BYTES) throw new Error(`${source} must be the base64 of ${KEY_BYTES} bytes`);
  return key;
}
