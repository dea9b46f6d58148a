/** Where the encryption key comes from: the setting, or a file in the data directory that is made once. */
import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KEY_BYTES } from "./sealing.ts";

const FILE_NAME = "encryption-key";

export function readEncryptionKey(setting: string | undefined, dataDirectory: string): Buffer {
  if (setting !== undefined) return decode(setting, "ROWMILL_ENCRYPTION_KEY");
  const file = join(dataDirectory, FILE_NAME);
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
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
  return decode(readFileSync(file, "utf8").trim(), file);
}

function decode(text: string, source: string): Buffer {
  const key = Buffer.from(text, "base64");
  if (key.length !== KEY_BYTES) throw new Error(`${source} must be the base64 of ${KEY_BYTES} bytes`);
  return key;
}
