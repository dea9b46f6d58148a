/**
 * For what goes over all organizations: a row of one of them that cannot be worked on keeps nobody else's from it. What has failed is left out
 * for the rest of the pass, and thrown at its end, together; `log-failures.ts` logs it with the organization.
 */
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { OrganizationsFailedError } from "../log-failures.ts";
import type { FailureOfOrganization } from "../log-failures.ts";
import { isUnavailable } from "./database.ts";

/** Of one organization in one pass: each costs a transaction. Its other rows wait for the next pass, which leaves these out. */
const MOST_OF_ORGANIZATION = 10;
/**
 * Of all organizations together: each statement of a pass names them. Beyond these, those of the organization that has the most are forgotten,
 * and its next pass begins with the first ones again.
 */
const MOST_REMEMBERED = 10_000;
/** Before what has failed is tried again, where a pass follows each second: twice as long after each failure, from here … */
const FIRST_PAUSE_MS = 1_000;
/** … up to this. */
const LONGEST_PAUSE_MS = 60_000;

interface Owned {
  organizationId: string;
  /** Absent: the organization itself is what is worked on. */
  id?: string;
  /** Several rows of the organization are worked on in one transaction, as many as `rowsAtOnce` allows. */
  isGroup?: true;
}

/** What is noted of rows of an organization that one transaction works on. */
export const rowsOfOne = (organizationId: string, ids: readonly string[]): Owned => {
  const [id] = ids;
  return id === undefined || ids.length > 1 ? { organizationId, isGroup: true } : { organizationId, id };
};

/**
 * What has failed in earlier passes of one task: an organization with more broken rows than a pass takes would never come to its others, since each
 * pass finds the same ones first. They are left out until a pass has come to the end of its rows, and then tried again. With a clock, each is
 * left out for its pause, too, however few they are.
 */
export class FormerFailures {
  readonly #idsOf = new Map<string, Set<string>>();
  readonly #pauses = new Map<string, { ms: number; endsAt: number }>();
  readonly #now: (() => number) | undefined;

  constructor(now?: () => number) {
    this.#now = now;
  }

  get ids(): string[] {
    const now = this.#now?.() ?? 0;
    const paused = [...this.#pauses].flatMap(([id, { endsAt }]) => (endsAt > now ? [id] : []));
    return [...new Set([...paused, ...[...this.#idsOf.values()].flatMap((ids) => [...ids])])];
  }

  /** At the end of a pass: what has failed in it, by organization. */
  keep(failed: ReadonlyMap<string, readonly string[]>): void {
    if (this.#now !== undefined) this.#keepPauses([...failed.values()].flat(), this.#now());
    for (const organizationId of this.#idsOf.keys())
      if ((failed.get(organizationId)?.length ?? 0) < MOST_OF_ORGANIZATION) this.#idsOf.delete(organizationId);
    for (const [organizationId, ids] of failed) {
      if (ids.length < MOST_OF_ORGANIZATION) continue;
      const known = this.#idsOf.get(organizationId) ?? new Set<string>();
      for (const id of ids) known.add(id);
      this.#idsOf.set(organizationId, known);
      this.#forgetMost();
    }
  }

  #keepPauses(failed: readonly string[], now: number): void {
    // Since then there was a pass: it was not found any more, or has not failed.
    for (const [id, { endsAt }] of this.#pauses) if (endsAt < now - LONGEST_PAUSE_MS) this.#pauses.delete(id);
    for (const id of failed) {
      const before = this.#pauses.get(id)?.ms;
      if (before === undefined && this.#pauses.size >= MOST_REMEMBERED) continue;
      const ms = before === undefined ? FIRST_PAUSE_MS : Math.min(2 * before, LONGEST_PAUSE_MS);
      this.#pauses.set(id, { ms, endsAt: now + ms });
    }
  }

  #forgetMost(): void {
    const sizes = [...this.#idsOf].map(([organizationId, ids]) => ({ organizationId, size: ids.size }));
    if (sizes.reduce((sum, { size }) => sum + size, 0) <= MOST_REMEMBERED) return;
    const [most] = sizes.toSorted((a, b) => b.size - a.size);
    if (most !== undefined) this.#idsOf.delete(most.organizationId);
  }
}

/** Of a task, by the name of each of its parts. */
export type FormerFailuresOf = (part: string) => FormerFailures;

/** `now`: milliseconds, for a task that is repeated each second. */
export function rememberFailures(now?: () => number): FormerFailuresOf {
  const parts = new Map<string, FormerFailures>();
  return (part) => {
    const known = parts.get(part) ?? new FormerFailures(now);
    parts.set(part, known);
    return known;
  };
}

export class FailuresByOrganization {
  readonly #failures: FailureOfOrganization[] = [];
  readonly #idsOf = new Map<string, string[]>();
  readonly #organizations: string[] = [];
  /** Those whose rows go one by one, until the row is found that a group has failed of. */
  readonly #oneByOne = new Set<string>();
  readonly #former: FormerFailures;

  constructor(former = new FormerFailures()) {
    this.#former = former;
  }

  /**
   * Throws it again where it concerns everybody: the database is away, or nothing had been found yet. Otherwise what was found is left out
   * from now on. Of a group that is nothing yet: its rows are found again, one by one, and the one that fails by itself is left out. What fails
   * then without being one row would be found for ever: its organization is left out.
   */
  note(found: Owned | undefined, error: unknown): void {
    if (found === undefined || isUnavailable(error)) throw error;
    const { organizationId, id, isGroup } = found;
    if (isGroup && !this.#oneByOne.has(organizationId)) return void this.#oneByOne.add(organizationId);
    this.#oneByOne.delete(organizationId);
    this.#failures.push({ organizationId, error });
    if (id !== undefined) this.#idsOf.set(organizationId, [...(this.#idsOf.get(organizationId) ?? []), id]);
    const count = this.#failures.filter((failure) => failure.organizationId === organizationId).length;
    if (id === undefined || count >= MOST_OF_ORGANIZATION) this.#organizations.push(organizationId);
  }

  /** How many rows of the organization one transaction may work on, of `most`. */
  rowsAtOnce(organizationId: string, most: number): number {
    return this.#oneByOne.has(organizationId) ? 1 : most;
  }

  /** Of what was found by an earlier statement of the pass. */
  isLeftOut(organizationId: string): boolean {
    return this.#organizations.includes(organizationId);
  }

  /** SQL: a condition on columns, by their names, that what has failed does not meet. */
  leftOut(organizationId: string, id = "null"): RawBuilder<boolean> {
    const ids = [...this.#former.ids, ...[...this.#idsOf.values()].flat()];
    if (this.#failures.length === 0 && ids.length === 0) return sql<boolean>`true`;
    return sql<boolean>`
      (${sql.raw(organizationId)} <> all(${this.#organizations}::uuid[])
        and (${sql.raw(id)}::uuid = any(${ids}::uuid[])) is not true)`;
  }

  /** Called at the end of the pass. */
  throwAny(): void {
    this.#former.keep(this.#idsOf);
    if (this.#failures.length > 0) throw new OrganizationsFailedError(this.#failures);
  }
}

/** Does it for one after the other. */
export async function forEachOwned<Item extends Owned>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures = new FailuresByOrganization();
  for await (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.note(item, error);
    }
  }
  failures.throwAny();
}

/** Called with what was found, before it is worked on. */
export type NoteFound = (found: Owned) => void;

/**
 * Finds and does one after the other, until `next` returns false. It calls `note` with what it has found before it works on it, and must
 * leave out what `failures` does.
 */
export async function untilNoneLeft(
  next: (failures: FailuresByOrganization, note: NoteFound) => Promise<boolean>,
  former?: FormerFailures,
): Promise<void> {
  const failures = new FailuresByOrganization(former);
  for (;;) {
    let found: Owned | undefined;
    try {
      const wasOne = await next(failures, (noted) => (found = noted));
      if (!wasOne) break;
    } catch (error) {
      failures.note(found, error);
    }
  }
  failures.throwAny();
}
