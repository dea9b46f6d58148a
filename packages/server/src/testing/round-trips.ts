/** What is sent to PostgreSQL, and in how many round trips. */
import { Connection } from "pg";
import type { Pool } from "pg";
import { vi } from "vitest";

/** As `pg` has them. */
const sent = Connection.prototype as unknown as Record<"bind" | "sync", (...given: unknown[]) => void>;

/** Names of the statements that are sent while `work` lasts: by connection, and by the round trip in which they were sent. */
export async function roundTripsOf(work: () => Promise<unknown>): Promise<string[][][]> {
  const connections = new Map<unknown, string[][]>();
  const tripsOf = (connection: unknown): string[][] => {
    const found = connections.get(connection) ?? [[]];
    connections.set(connection, found);
    return found;
  };
  const { bind, sync } = sent;
  const binds = vi.spyOn(sent, "bind").mockImplementation(function (this: unknown, ...given: unknown[]) {
    const { statement = "" } = given[0] as { statement?: string }; // as it is sent
    tripsOf(this).at(-1)?.push(statement);
    bind.apply(this, given);
  });
  const syncs = vi.spyOn(sent, "sync").mockImplementation(function (this: unknown) {
    tripsOf(this).push([]);
    sync.apply(this, []);
  });
  try {
    await work();
  } finally {
    binds.mockRestore();
    syncs.mockRestore();
  }
  return [...connections.values()];
}

/** Of a pool with one connection: `count` grows with each round trip. */
export async function countRoundTrips(pool: Pool): Promise<{ count: number }> {
  const trips = { count: 0 };
  const client = await pool.connect();
  const query = client.query.bind(client) as (...given: unknown[]) => unknown;
  Object.assign(client, {
    query: (...given: unknown[]) => {
      trips.count += 1;
      return query(...given);
    },
  });
  client.release();
  return trips;
}
