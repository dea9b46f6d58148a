/**
 * Secrets at rest: AES-256-GCM under the installation's first key. Further keys only open what was sealed before the first one
 * took their place. The associated data names table, column, row and organization,
 * so that a sealed value moved elsewhere does not open.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  randomBytes,
} from "node:crypto";

/** Of no use is to try again: the value was sealed under a key that the service no longer has. */
export class LostKeyError extends Error {
  override readonly name = "LostKeyError";
}

/** What `open` returns; undefined where it meets a key that is lost. */
export function openUnlessLost<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof LostKeyError) return undefined;
    throw error;
  }
}

const VERSION = "v1";
const TAG_BYTES = 16;
const IV_BYTES = 12;
export const KEY_BYTES = 32;

export interface Sealer {
  /** Of the key that seals. Distinguishes keys without revealing them. */
  fingerprint: string;
  /** Of all keys that open, the first among them. */
  fingerprints: readonly string[];
  seal(plain: string, place: string): string;
  /** Throws when the value was not sealed for this place, and a `LostKeyError` when its key is not among these. */
  open(sealed: string, place: string): string;
  /** Keys derived for another purpose, such as the authentication of cursors; one of each key, in their order. */
  derive(purpose: string): readonly [Buffer, ...Buffer[]];
}

const fingerprintOf = (key: Buffer): string =>
  createHmac("sha256", key).update("rowmill key fingerprint").digest("hex").slice(0, 16);

/** All sealed values in a text, such as the JSON of a column. */
export const SEALED_VALUE = /v1\.[0-9a-f]{16}\.[\w-]+\.[\w-]+\.[\w-]*/g;

/** The first key seals, all of them open. */
export function createSealer(key: Buffer, ...older: readonly Buffer[]): Sealer {
  for (const { length } of [key, ...older])
    if (length !== KEY_BYTES) throw new Error(`the encryption key must be ${KEY_BYTES} bytes, not ${length}`);
  const fingerprint = fingerprintOf(key);
  // Made once: Node takes longer to examine a buffer than to encrypt a secret.
  const sealing = createSecretKey(key);
  const keys = new Map([key, ...older].map((each) => [fingerprintOf(each), createSecretKey(each)]));
  const derive = (from: Buffer, purpose: string) => Buffer.from(hkdfSync("sha256", from, "", purpose, KEY_BYTES));
  return {
    fingerprint,
    fingerprints: [...keys.keys()],
    seal(plain, place) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv("aes-256-gcm", sealing, iv, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(place),
      );
      const text = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return [VERSION, fingerprint, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open(sealed, place) {
      const [version, sealedUnder = "", iv, tag, text] = sealed.split(".");
      if (version !== VERSION || iv === undefined || tag === undefined || text === undefined)
        throw new Error("not a sealed value");
      const opening = keys.get(sealedUnder);
      if (opening === undefined)
        throw new LostKeyError(`sealed under the key ${sealedUnder}, which is not among the keys`);
      const decipher = createDecipheriv("aes-256-gcm", opening, Buffer.from(iv, "base64url"), {
        authTagLength: TAG_BYTES,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(Buffer.from(tag, "base64url"));
      return decipher.update(text, "base64url", "utf8") + decipher.final("utf8");
    },
    derive: (purpose) => [derive(key, purpose), ...older.map((each) => derive(each, purpose))],
  };
}

export const sha256 = (content: string | Buffer): Buffer => hash("sha256", content, "buffer");
