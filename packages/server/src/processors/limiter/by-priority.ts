/**
 * Waiting items: the highest priority first, and first come, first served among equals. Of ten that are taken, one is of a lower priority
 * where one waits, the one that came first: never would be a run that stands still for days, beside an urgent one of a million rows.
 */
export interface Prioritized {
  /** Higher goes first. */
  priority: number;
}

/** As often as in the queue of lanes (`resources/runs/lanes.ts`). */
const TAKEN_PER_LOWER_ONE = 10;

interface Line<Item> {
  priority: number;
  /** With their numbers in the order of arrival. */
  items: Map<Item, number>;
}

export class ByPriority<Item extends Prioritized> implements Iterable<Item> {
  /** By priority, the highest first. There are few different ones. */
  #lines: Line<Item>[] = [];
  #size = 0;
  #arrivals = 0;
  /** Since the last one of a lower priority, while one waited. */
  #takenOfHighest = 0;

  get size(): number {
    return this.#size;
  }

  add(item: Item): void {
    const { priority } = item;
    let line = this.#lines.find((other) => other.priority === priority);
    if (line === undefined) {
      line = { priority, items: new Map() };
      this.#lines = [...this.#lines, line].toSorted((a, b) => b.priority - a.priority);
    }
    line.items.set(item, this.#arrivals++);
    this.#size++;
  }

  /** It gets what it waits for. */
  take(item: Item): void {
    const [highest, ...lower] = this.#lines.filter(({ items }) => items.size > 0);
    if (highest?.items.has(item) !== true || lower.length === 0) this.#takenOfHighest = 0;
    else this.#takenOfHighest++;
    this.delete(item);
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

  /** In the order in which they are to be taken. Items may be taken or deleted meanwhile. */
  *[Symbol.iterator](): Iterator<Item> {
    const lines = this.#lines.map(({ items }) => new Ahead(items));
    let takenOfHighest = this.#takenOfHighest;
    for (;;) {
      const [highest, ...lower] = lines.filter(({ first }) => first !== undefined);
      if (highest === undefined) return;
      const isLowerNext = lower.length > 0 && takenOfHighest + 1 >= TAKEN_PER_LOWER_ONE;
      const next = isLowerNext
        ? lower.reduce((one, other) => (arrivalOf(other) < arrivalOf(one) ? other : one))
        : highest;
      const item = next.move();
      if (item === undefined) continue;
      takenOfHighest = isLowerNext || lower.length === 0 ? 0 : takenOfHighest + 1;
      yield item;
    }
  }
}

/** Items of a line, with the one that comes next. */
class Ahead<Item> {
  readonly #items: ReadonlyMap<Item, number>;
  readonly #entries: Iterator<[Item, number]>;
  first: [Item, number] | undefined;

  constructor(items: ReadonlyMap<Item, number>) {
    this.#items = items;
    this.#entries = items.entries();
    this.move();
  }

  /** Returns what came next; undefined: it was deleted meanwhile. */
  move(): Item | undefined {
    const [item] = this.first ?? [];
    const next = this.#entries.next();
    this.first = next.done === true ? undefined : next.value;
    return item !== undefined && this.#items.has(item) ? item : undefined;
  }
}

const arrivalOf = ({ first }: Ahead<unknown>): number => first?.[1] ?? Number.POSITIVE_INFINITY;
