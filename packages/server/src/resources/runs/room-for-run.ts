/** What a new run needs to know of its organization, which is locked for it as `lockOrganization` does. */
import type { OrganizationLimit } from "@rowmill/contract/organizations";
import type { Transaction } from "../../platform/database/database.ts";
import { prepared } from "../../platform/database/prepared.ts";
import { notFound } from "../../platform/http/errors.ts";
import type { DefaultLimits } from "../../services.ts";

export interface Room {
  storedBytes: number;
  rowsPerRun: number;
  storageBytes: number;
  /** The new one included. */
  runsInProgress: number;
}

export const lockRoom = prepared("lock_organization_for_run", ["organizationId"], (db, at) =>
  db
    .selectFrom("organizations as o")
    .select([
      "o.limits",
      (eb) =>
        eb
          .selectFrom("storageUsage as u")
          .select("u.bytes")
          .whereRef("u.organizationId", "=", "o.id")
          .as("storedBytes"),
    ])
    .where("o.id", "=", at.organizationId)
    .forNoKeyUpdate(),
);

/** `found`: what `lockRoom` returned. */
export function roomOf([found]: Awaited<ReturnType<typeof lockRoom>>, defaults: DefaultLimits): Room {
  if (found === undefined) throw notFound("organization");
  const { limits, storedBytes } = found;
  const limit = (name: OrganizationLimit): number => limits[name] ?? defaults[name] ?? Number.POSITIVE_INFINITY;
  return {
    storedBytes: storedBytes ?? 0,
    rowsPerRun: limit("rowsPerRun"),
    storageBytes: limit("storageBytes"),
    runsInProgress: limit("runsInProgress"),
  };
}

export const findRoom = async (tx: Transaction, organizationId: string, defaults: DefaultLimits): Promise<Room> =>
  roomOf(await lockRoom(tx, { organizationId }), defaults);
