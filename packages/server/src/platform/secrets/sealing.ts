/**
 * Secrets at rest: AES-256-GCM under the installation's key. The associated data names table, column, row and organization,
 * so that a sealed value moved elsewhere does not open.
 */
import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto";

const VERSION = "v1";
const TAG_BYTES = 16;
const IV_BYTES = 12;
export const KEY_BYTES = 32;

export interface Sealer {
  /** Tells one key from another without giving it away. */
  fingerprint: string;
  seal(plain: string, place: string): string;
  /** Throws when the value was not sealed under this key for this place. */
  open(sealed: string, place: string): string;
  /** A key derived for another purpose, such as the authentication of cursors. */
  derive(purpose: string): Buffer;
}

export function createSealer(key: Buffer): Sealer {
  if (key.length !== KEY_BYTES) throw new Error(`the encryption key must be ${KEY_BYTES} bytes, not ${key.length}`);
  const fingerprint = createHmac("sha256", key).update("rowmill key fingerprint").digest("hex").slice(0, 16);
  return {
    fingerprint,
    seal(plain, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place));
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [VERSION, fingerprint, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open(sealed, place) {
      const [version, , iv, tag, text] = sealed.split(".");
      if (version !== VERSION || iv === undefined || tag === undefined || text === undefined)
        throw new Error("not a sealed value");
      const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(iv, "base64url"), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(place))
        .setAuthTag(Buffer.from(tag, "base64url"));
      return decipher.update(text, "base64url", "utf8") + decipher.final("utf8");
    },
    derive: (purpose) => Buffer.from(hkdfSync("sha256", key, "", purpose, KEY_BYTES)),
  };
}

export const sha256 = (content: string | Buffer): Buffer => createHash("sha256").update(content).digest();
