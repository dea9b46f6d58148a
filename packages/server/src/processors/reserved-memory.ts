/**
 * The memory that rows in flight may take together in this process. A job spec can ask for a thousand rows at once with a prompt
 * or a response of 8 MiB each, which would end the process, and the work of everybody in it.
 *
 * What a row takes at most is set aside before it is sent. An organization may have as much as is left for the others: one
 * alone has half of all, a second one half of the rest. An organization that has reserved nothing is never refused, so that all make
 * progress. Of what their organization may have, its owners (runs, mostly) share in the same way: one alone has three quarters, so that a run
 * whose calls get no response does not keep the others of its organization from theirs.
 */
import type { Party } from "../platform/fair-share.ts";
import { usableMemoryBytes } from "../platform/usable-memory.ts";

/** The rest is for rows and outputs, the database, files, and what V8 has not collected yet. */
const SHARE_OF_MACHINE = 1 / 4;
/** Half of what a heap has by default: prompts are strings. */
const MAX_BYTES = 2 * 1024 * 1024 * 1024;
/** What an owner may have of what the others of its organization have left. */
const SHARE_OF_OWNER = 3 / 4;

export interface ReservedMemory {
  /** Returns what releases it, where there is room and nobody of the organization waits: most often. Otherwise undefined. */
  takeNow(party: Party, bytes: number): (() => void) | undefined;
  /** Waits until there is room. Returns what releases it. Rejects with the signal's reason. */
  take(party: Party, bytes: number, signal: AbortSignal): Promise<() => void>;
}

interface Waiter {
  bytes: number;
  admit: () => void;
}

interface Owner {
  bytes: number;
  waiting: Set<Waiter>;
}

interface Holder {
  bytes: number;
  owners: Map<string, Owner>;
}

export const createReservedMemory = (totalBytes: number): ReservedMemory => new MemoryOfRows(totalBytes);

class MemoryOfRows implements ReservedMemory {
  readonly #holders = new Map<string, Holder>();
  #free: number;

  constructor(totalBytes: number) {
    this.#free = totalBytes;
  }

  takeNow(party: Party, bytes: number): (() => void) | undefined {
    const { holder, owner } = this.#enter(party);
    for (const { waiting } of holder.owners.values()) if (waiting.size > 0) return undefined;
    if (!this.#fits(holder, bytes) || !this.#hasShareLeft(holder, owner, bytes)) return undefined;
    this.#hold(holder, owner, bytes);
    return this.#releasing(holder, owner, bytes);
  }

  async take(party: Party, bytes: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    const { holder, owner } = this.#enter(party);
    const waiter: Waiter = { bytes, admit: () => {} };
    owner.waiting.add(waiter);
    while (this.#admitNext(holder));
    if (owner.waiting.has(waiter)) await this.#untilThereIsRoom(owner, waiter, signal);
    return this.#releasing(holder, owner, bytes);
  }

  #releasing(holder: Holder, owner: Owner, bytes: number): () => void {
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#hold(holder, owner, -bytes);
      this.#admitWaiting();
    };
  }

  #untilThereIsRoom(owner: Owner, waiter: Waiter, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        owner.waiting.delete(waiter);
        this.#admitWaiting();
        reject(signal.reason as Error); // of the row's time, or of the run
      };
      waiter.admit = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
    });
  }

  #enter({ organizationId, ownerId }: Party): { holder: Holder; owner: Owner } {
    const holder = this.#holders.get(organizationId) ?? { bytes: 0, owners: new Map<string, Owner>() };
    this.#holders.set(organizationId, holder);
    const owner = holder.owners.get(ownerId) ?? { bytes: 0, waiting: new Set() };
    holder.owners.set(ownerId, owner);
    return { holder, owner };
  }

  /**
   * The owner that has the least comes first; of its own, first come, first served. Nobody who has more takes what it waits for: small
   * rows would otherwise leave no room for a large one, ever.
   */
  #admitNext(holder: Holder): boolean {
    const waiting: Owner[] = [];
    for (const owner of holder.owners.values()) if (owner.waiting.size > 0) waiting.push(owner);
    for (const owner of waiting.sort((a, b) => a.bytes - b.bytes)) {
      const [first] = owner.waiting;
      if (first === undefined) continue;
      if (!this.#fits(holder, first.bytes)) return false;
      if (!this.#hasShareLeft(holder, owner, first.bytes)) continue;
      owner.waiting.delete(first);
      this.#hold(holder, owner, first.bytes);
      first.admit();
      return true;
    }
    return false;
  }

  #fits(holder: Holder, bytes: number): boolean {
    return holder.bytes === 0 || holder.bytes + bytes <= this.#free;
  }

  #hasShareLeft(holder: Holder, owner: Owner, bytes: number): boolean {
    const ofOrganization = (holder.bytes + this.#free) / 2;
    const leftByOthers = ofOrganization - (holder.bytes - owner.bytes);
    return owner.bytes === 0 || owner.bytes + bytes <= leftByOthers * SHARE_OF_OWNER;
  }

  #hold(holder: Holder, owner: Owner, bytes: number): void {
    owner.bytes += bytes;
    holder.bytes += bytes;
    this.#free -= bytes;
  }

  #admitWaiting(): void {
    for (const [organizationId, holder] of this.#holders) {
      while (this.#admitNext(holder));
      for (const [ownerId, owner] of holder.owners)
        if (owner.bytes === 0 && owner.waiting.size === 0) holder.owners.delete(ownerId);
      if (holder.owners.size === 0) this.#holders.delete(organizationId);
    }
  }
}

/** Of this process, whatever its runs are. */
export const reservedMemory = createReservedMemory(Math.min(MAX_BYTES, usableMemoryBytes() * SHARE_OF_MACHINE));
