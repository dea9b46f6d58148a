/** Waiting items: the highest priority first, and first come, first served among equals. */
export interface Prioritized {
  /** Higher goes first. */
  priority: number;
}

export class ByPriority<Item extends Prioritized> implements Iterable<Item> {
  /** By priority, the highest first. There are few different ones. */
  #lines: { priority: number; items: Set<Item> }[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const { priority } = item;
    let line = this.#lines.find((other) => other.priority === priority);
    if (line === undefined) {
      line = { priority, items: new Set() };
      this.#lines = [...this.#lines, line].toSorted((a, b) => b.priority - a.priority);
    }
    line.items.add(item);
    this.#size++;
  }

  /** False: it was not there. */
  delete(item: Item): boolean {
    const isGone = this.#lines.some(({ items }) => items.delete(item));
    if (isGone) this.#size--;
    return isGone;
  }

  clear(): void {
    this.#lines = [];
    this.#size = 0;
  }

  /** Items may be deleted meanwhile. */
  *[Symbol.iterator](): Iterator<Item> {
    for (const { items } of this.#lines) yield* items;
  }
}
