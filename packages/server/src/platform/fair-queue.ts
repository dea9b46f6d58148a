/**
 * Who gets the next free thread. Each owner (a run) has a line of its own; the thread goes to the owner that has used
 * the least thread time, so that a run with slow rows and a run with fast rows get the same time and not the same
 * number of turns. An owner that was away starts level with the others: waiting saves up nothing. An owner whose code
 * made a thread hang gets one thread at a time, so that it can never hold all of them.
 */

interface Owner<Task> {
  waiting: Task[];
  inHand: number;
  usedMs: number;
  /** What its turns in hand are expected to use: as much as the last one did. */
  lastTurnMs: number;
  hasHung: boolean;
}

export class FairQueue<Task> {
  readonly #owners = new Map<string, Owner<Task>>();
  /** The used time at which an owner that comes newly starts. */
  #levelMs = 0;

  add(ownerId: string, task: Task): void {
    let owner = this.#owners.get(ownerId);
    if (owner === undefined) {
      owner = { waiting: [], inHand: 0, usedMs: this.#levelMs, lastTurnMs: 1, hasHung: false };
      this.#owners.set(ownerId, owner);
    }
    if (owner.waiting.length === 0 && owner.inHand === 0) owner.usedMs = Math.max(owner.usedMs, this.#levelMs);
    owner.waiting.push(task);
  }

  /** The next task, which counts as in hand until `finish`; null when none may start. */
  take(): { ownerId: string; task: Task } | null {
    let best: { ownerId: string; owner: Owner<Task>; score: number } | null = null;
    for (const [ownerId, owner] of this.#owners) {
      if (owner.waiting.length === 0 || (owner.hasHung && owner.inHand > 0)) continue;
      const score = owner.usedMs + owner.inHand * owner.lastTurnMs;
      if (best === null || score < best.score) best = { ownerId, owner, score };
    }
    const task = best?.owner.waiting.shift();
    if (best === null || task === undefined) return null;
    best.owner.inHand++;
    this.#levelMs = Math.max(this.#levelMs, best.owner.usedMs);
    return { ownerId: best.ownerId, task };
  }

  finish(ownerId: string, usedMs: number, hung: boolean): void {
    const owner = this.#owners.get(ownerId);
    if (owner === undefined) return;
    owner.inHand--;
    owner.usedMs += usedMs;
    owner.lastTurnMs = usedMs;
    if (hung) owner.hasHung = true;
    this.#forgetAbsent();
  }

  /** Takes a waiting task out; false when it is in hand or done. */
  remove(ownerId: string, task: Task): boolean {
    const waiting = this.#owners.get(ownerId)?.waiting ?? [];
    const at = waiting.indexOf(task);
    if (at === -1) return false;
    waiting.splice(at, 1);
    this.#forgetAbsent();
    return true;
  }

  /** Owners that wait for nothing and owe no time; those that owe are remembered until the others have caught up. */
  #forgetAbsent(): void {
    for (const [ownerId, owner] of this.#owners) {
      if (owner.waiting.length === 0 && owner.inHand === 0 && owner.usedMs <= this.#levelMs)
        this.#owners.delete(ownerId);
    }
  }
}
