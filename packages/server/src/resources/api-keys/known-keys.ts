/**
 * Keys that this process has read, with the version that was read. A request that goes ahead with one has its version checked before the
 * response (`platform/database/key-check.ts`); so no entry has to be removed when a key changes, and an outdated one does no harm.
 */
import type { KnownKey } from "../../platform/auth/caller.ts";

interface KeyAsRead extends KnownKey {
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

/** Each takes about a kilobyte. The one that was quiet for longest is forgotten first, and read again when it comes back. */
const MOST_KEYS = 5_000;

/** By digest in hexadecimal: a dump of the process's memory must not contain keys. */
export class KnownKeys {
  readonly #keys = new Map<string, KeyAsRead>();

  find(digest: string): KeyAsRead | undefined {
    const found = this.#keys.get(digest);
    if (found === undefined) return undefined;
    this.remember(digest, found);
    return found;
  }

  remember(digest: string, key: KeyAsRead): void {
    this.#keys.delete(digest);
    this.#keys.set(digest, key);
    const [oldest] = this.#keys.keys();
    if (this.#keys.size > MOST_KEYS && oldest !== undefined) this.#keys.delete(oldest);
  }

  forget(digest: string): void {
    this.#keys.delete(digest);
  }
}
