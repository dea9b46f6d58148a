/**
 * Statements of lists that a connection has prepared. Their text differs with the filters and not with the values, and their plan depends
 * on neither values nor estimates (decision 0020): so PostgreSQL reads and plans each of them once for a connection. That takes it two
 * thirds of the time of a page.
 */
import { createHash } from "node:crypto";

/** One takes PostgreSQL 380 KB in each connection. The lists have about 300 texts, of which few are in use at a time. */
export const MOST_PREPARED = 32;

export class ListStatements {
  /** Names by texts, the one that was used last at the end. */
  readonly #names = new Map<string, string>();

  /** The name of this text, and the one that must be closed for it: the one that has not been used for the longest time. */
  nameOf(text: string): { name: string; closing: string | undefined } {
    const known = this.#names.get(text);
    const name = known ?? `list_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.delete(text);
    const closing = known === undefined && this.#names.size >= MOST_PREPARED ? this.#takeOldest() : undefined;
    this.#names.set(text, name);
    return { name, closing };
  }

  #takeOldest(): string | undefined {
    for (const [text, name] of this.#names) {
      this.#names.delete(text);
      return name;
    }
    return undefined;
  }
}
