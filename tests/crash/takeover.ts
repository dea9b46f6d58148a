/** How often chunks are taken from their workers, and how long those of one that was hit stay with nobody who works on them. */
import { setTimeout as pause } from "node:timers/promises";
import type { DatabaseServer } from "./database-server.ts";

const LOOK_PAUSE_MS = 100;

interface ClaimedChunk {
  run_id: string;
  chunk_no: number;
  claim_no: number;
}

const READ_CLAIMED = "select run_id, chunk_no, claim_no from run_chunks where state = 'running'";

/**
 * Called just before the worker is hit: the milliseconds until every chunk that was claimed then has ended or has a newer claim;
 * undefined where none was claimed. Those of other workers end in a moment.
 */
export async function watchTakeover(
  database: DatabaseServer,
  boundMs: number,
): Promise<() => Promise<number | undefined>> {
  const before = await database.query<ClaimedChunk>(READ_CLAIMED);
  const startedAt = Date.now();
  const watch = async (): Promise<number | undefined> => {
    if (before.length === 0) return undefined;
    for (;;) {
      const now = await database.query<ClaimedChunk>(READ_CLAIMED);
      const isOpen = before.some((chunk) => now.some((one) => isSameClaim(chunk, one)));
      const ms = Date.now() - startedAt;
      if (!isOpen || ms > boundMs) return ms;
      await pause(LOOK_PAUSE_MS);
    }
  };
  const ended = watch();
  // It is awaited after the fault.
  ended.catch(() => undefined);
  return () => ended;
}

/** How often the worker of a chunk was taken for lost. */
export async function countLosses(database: DatabaseServer): Promise<number> {
  const [row] = await database.query<{ n: number }>("select coalesce(sum(deaths), 0)::int as n from run_chunks");
  return row?.n ?? 0;
}

const isSameClaim = (one: ClaimedChunk, other: ClaimedChunk): boolean =>
  one.run_id === other.run_id && one.chunk_no === other.chunk_no && one.claim_no === other.claim_no;
