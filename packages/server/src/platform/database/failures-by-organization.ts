/**
 * For what goes over all organizations: a row of one of them that cannot be worked on keeps nobody else's from it. What has failed is left out
 * for the rest of the pass, and thrown at its end, together; `log-failures.ts` logs it with the organization.
 */
import { sql } from "kysely";
import type { RawBuilder } from "kysely";
import { OrganizationsFailedError } from "../log-failures.ts";
import type { FailureOfOrganization } from "../log-failures.ts";
import { isUnavailable } from "./database.ts";

/** Of one organization in one pass: more are as broken. Its other rows wait for the next pass. */
const MOST_OF_ORGANIZATION = 10;

interface Owned {
  organizationId: string;
  /** Absent: the organization itself is what is worked on. */
  id?: string;
}

export class FailuresByOrganization {
  readonly #failures: FailureOfOrganization[] = [];
  readonly #ids: string[] = [];
  readonly #organizations: string[] = [];

  /**
   * Throws it again where it concerns everybody: the database is away, or nothing had been found yet. Otherwise what was found is left out
   * from now on.
   */
  note(found: Owned | undefined, error: unknown): void {
    if (found === undefined || isUnavailable(error)) throw error;
    const { organizationId, id } = found;
    this.#failures.push({ organizationId, error });
    if (id !== undefined) this.#ids.push(id);
    const count = this.#failures.filter((failure) => failure.organizationId === organizationId).length;
    if (id === undefined || count >= MOST_OF_ORGANIZATION) this.#organizations.push(organizationId);
  }

  /** SQL: a condition on columns, by their names, that what has failed does not meet. */
  leftOut(organizationId: string, id = "null"): RawBuilder<boolean> {
    if (this.#failures.length === 0) return sql<boolean>`true`;
    return sql<boolean>`
      (${sql.raw(organizationId)} <> all(${this.#organizations}::uuid[])
        and (${sql.raw(id)}::uuid = any(${this.#ids}::uuid[])) is not true)`;
  }

  /** Called at the end of the pass. */
  throwAny(): void {
    if (this.#failures.length > 0) throw new OrganizationsFailedError(this.#failures);
  }
}

/** Does it for one after the other. */
export async function forEachOwned<Item extends Owned>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures = new FailuresByOrganization();
  for (const item of items) {
    try {
      await work(item);
    } catch (error) {
      failures.note(item, error);
    }
  }
  failures.throwAny();
}

/**
 * Finds and does one after the other, until `next` returns false. It calls `note` with what it has found before it works on it, and must
 * leave out what `failures` does.
 */
export async function untilNoneLeft(
  next: (failures: FailuresByOrganization, note: (found: Owned) => void) => Promise<boolean>,
): Promise<void> {
  const failures = new FailuresByOrganization();
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
