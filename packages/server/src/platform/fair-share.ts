/**
 * Decides who gets the next free thread, or the next slot of another shared resource. Organizations share first, and then the owners
 * within each of them (runs, rules): who starts fifty runs has one organization's share, and not fifty. At both levels the next
 * slot goes to the one that has used the least time, so that slow work and fast work get the same time and not the same number
 * of work items. One that was away starts level with the others: waiting saves up nothing. An owner whose code made a thread hang
 * gets one thread at a time from then on, and its organization never the last idle one beside others: so a second hang cannot hold all.
 */

export interface Party {
  organizationId: string;
  /** What shares within the organization, such as a run. */
  ownerId: string;
}

interface Account {
  inFlight: number;
  usedMs: number;
  /** What its running tasks are expected to use: as much as the last one did. */
  lastUseMs: number;
}

interface Owner<Task> extends Account {
  waiting: Task[];
  hasHung: boolean;
}

interface Organization<Task> extends Account {
  hasHung: boolean;
  owners: Shares<Owner<Task>>;
}

export class FairShare<Task> {
  readonly #organizations = new Shares<Organization<Task>>();

  add({ organizationId, ownerId }: Party, task: Task): void {
    const organization = this.#organizations.enter(
      organizationId,
      () => ({ ...newAccount(), hasHung: false, owners: new Shares<Owner<Task>>() }),
      isWanting,
    );
    const newOwner = (): Owner<Task> => ({ ...newAccount(), waiting: [], hasHung: false });
    organization.owners.enter(ownerId, newOwner, hasWaiting).waiting.push(task);
  }

  get hasWaiting(): boolean {
    return this.#organizations.some(isWanting);
  }

  /**
   * The next task, which counts as running until `finish`; null when none may start. `idle`: how many may start now; with 0, one more for an
   * organization of which nothing is running.
   */
  take(idle = Number.POSITIVE_INFINITY): { party: Party; task: Task } | null {
    const organization = this.#organizations.pick((member) => mayTake(member, idle));
    const owner = organization?.member.owners.pick(mayStart);
    const task = owner?.member.waiting.shift();
    if (organization === undefined || owner === undefined || task === undefined) return null;
    this.#organizations.begin(organization.member);
    organization.member.owners.begin(owner.member);
    return { party: { organizationId: organization.id, ownerId: owner.id }, task };
  }

  finish({ organizationId, ownerId }: Party, usedMs: number, hasHung: boolean): void {
    const organization = this.#organizations.get(organizationId);
    const owner = organization?.owners.get(ownerId);
    if (organization === undefined || owner === undefined) return;
    if (hasHung) organization.hasHung = owner.hasHung = true;
    settle(organization, usedMs);
    settle(owner, usedMs);
    this.#forgetAbsent(organization);
  }

  /** Removes a waiting task; false when it is running or done. */
  remove({ organizationId, ownerId }: Party, task: Task): boolean {
    const organization = this.#organizations.get(organizationId);
    const waiting = organization?.owners.get(ownerId)?.waiting ?? [];
    const at = waiting.indexOf(task);
    if (organization === undefined || at === -1) return false;
    waiting.splice(at, 1);
    this.#forgetAbsent(organization);
    return true;
  }

  #forgetAbsent({ owners }: Organization<Task>): void {
    owners.forgetAbsent(hasWaiting);
    this.#organizations.forgetAbsent(isWanting);
  }
}

/** Accounts of one level, and the used time at which one that comes newly starts. */
class Shares<Member extends Account> {
  readonly #members = new Map<string, Member>();
  #levelMs = 0;

  get(id: string): Member | undefined {
    return this.#members.get(id);
  }

  enter(id: string, create: () => Member, isPresent: (member: Member) => boolean): Member {
    let member = this.#members.get(id);
    if (member === undefined) {
      member = create();
      this.#members.set(id, member);
    }
    if (member.inFlight === 0 && !isPresent(member)) member.usedMs = Math.max(member.usedMs, this.#levelMs);
    return member;
  }

  /** Of those that may begin, the one that has used the least. */
  pick(mayBegin: (member: Member) => boolean): { id: string; member: Member } | undefined {
    let best: { id: string; member: Member; score: number } | undefined;
    for (const [id, member] of this.#members) {
      if (!mayBegin(member)) continue;
      const score = member.usedMs + member.inFlight * member.lastUseMs;
      if (best === undefined || score < best.score) best = { id, member, score };
    }
    return best;
  }

  some(matches: (member: Member) => boolean): boolean {
    return this.#members.values().some(matches);
  }

  begin(member: Member): void {
    member.inFlight++;
    this.#levelMs = Math.max(this.#levelMs, member.usedMs);
  }

  /** Those that wait for nothing and owe no time; those that owe are remembered until the others have caught up. */
  forgetAbsent(isPresent: (member: Member) => boolean): void {
    for (const [id, member] of this.#members)
      if (member.inFlight === 0 && member.usedMs <= this.#levelMs && !isPresent(member)) this.#members.delete(id);
  }
}

const newAccount = (): Account => ({ inFlight: 0, usedMs: 0, lastUseMs: 1 });

const hasWaiting = (owner: Owner<unknown>): boolean => owner.waiting.length > 0;
const mayStart = (owner: Owner<unknown>): boolean => hasWaiting(owner) && !(owner.hasHung && owner.inFlight > 0);
const mayTake = ({ owners, hasHung, inFlight }: Organization<unknown>, idle: number): boolean =>
  owners.some(mayStart) && (inFlight === 0 || idle > (hasHung ? 1 : 0));
const isWanting = ({ owners }: Organization<unknown>): boolean => owners.some(hasWaiting);

function settle(account: Account, usedMs: number): void {
  account.inFlight--;
  account.usedMs += usedMs;
  account.lastUseMs = usedMs;
}
