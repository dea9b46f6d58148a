/**
 * Locks that last longer than a transaction may last, such as while somebody uploads for an hour. All those of a
 * process belong to one connection, which is taken while there is any: PostgreSQL releases them the moment the
 * process dies. If the connection breaks, they are lost, and their holders are asked to stop.
 */
import type pg from "pg";

export interface SessionLock {
  /** Another process may have the lock now. */
  lost: AbortSignal;
  release(): Promise<void>;
}

export interface SessionLocks {
  /** Undefined: somebody has it. */
  tryHold(name: string): Promise<SessionLock | undefined>;
}

interface Holder {
  client: Promise<pg.PoolClient>;
  lost: AbortController;
  users: number;
}

export function createSessionLocks(pool: pg.Pool): SessionLocks {
  let current: Holder | undefined;
  /** PostgreSQL counts how often one connection has taken a lock, and would give it to us twice. */
  const ours = new Set<string>();

  const lose = (holder: Holder): void => {
    if (current === holder) current = undefined;
    holder.lost.abort();
  };

  const join = (): Holder => {
    current ??= openHolder(pool, lose);
    current.users += 1;
    return current;
  };

  const leave = async (holder: Holder): Promise<void> => {
    holder.users -= 1;
    if (holder.users > 0) return;
    if (current === holder) current = undefined;
    // Closed and not reused: with it goes whatever it may still hold.
    (await holder.client).release(true);
  };

  return {
    async tryHold(name) {
      if (ours.has(name)) return undefined;
      ours.add(name);
      const holder = join();
      const release = async (): Promise<void> => {
        ours.delete(name);
        await leave(holder);
      };
      try {
        const client = await holder.client;
        if (!(await tryLock(client, name))) {
          await release();
          return undefined;
        }
        return {
          lost: holder.lost.signal,
          async release() {
            // If this fails, the connection is broken, and the lock is free already.
            await client.query("select pg_advisory_unlock(hashtextextended($1, 0))", [name]).catch(() => lose(holder));
            await release();
          },
        };
      } catch (error) {
        await release();
        throw error;
      }
    },
  };
}

function openHolder(pool: pg.Pool, lose: (holder: Holder) => void): Holder {
  const holder: Holder = { client: pool.connect(), lost: new AbortController(), users: 0 };
  holder.client.then(
    (client) => client.once("end", () => lose(holder)),
    () => lose(holder),
  );
  return holder;
}

async function tryLock(client: pg.PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock(hashtextextended($1, 0)) as locked",
    [name],
  );
  return rows[0]?.locked === true;
}
