/**
 * Places that a process has, and how many of them each organization has. One alone may have three quarters, a second one three
 * quarters of the rest, and so on: no organization has all, and one that has none is never refused while a place is free.
 */

/** What an organization may have of the places that others have left. */
const SHARE = 3 / 4;

export interface OrganizationShares {
  /** All places that are taken. */
  readonly all: number;
  of(organizationId: string): number;
  /** Whether the organization has less than its share of so many places. */
  mayTake(organizationId: string, places: number): boolean;
  take(organizationId: string): void;
  leave(organizationId: string): void;
}

export function createOrganizationShares(): OrganizationShares {
  const taken = new Map<string, number>();
  let all = 0;
  const of = (organizationId: string): number => taken.get(organizationId) ?? 0;
  return {
    get all() {
      return all;
    },
    of,
    mayTake(organizationId, places) {
      const own = of(organizationId);
      return own < Math.max(1, Math.floor((places - (all - own)) * SHARE));
    },
    take(organizationId) {
      taken.set(organizationId, of(organizationId) + 1);
      all += 1;
    },
    leave(organizationId) {
      const left = of(organizationId) - 1;
      if (left === 0) taken.delete(organizationId);
      else taken.set(organizationId, left);
      all -= 1;
    },
  };
}
