/** A database with the table of limiters, and a clock that tests advance. */
import { createMigratedDatabase } from "../../testing/test-database.ts";
import { cleanUpLater } from "../../testing/cleanup.ts";
import { openDatabase } from "../../platform/database/database.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Time } from "./waiting-line.ts";

export async function openLimiterDatabase(): Promise<Database> {
  const created = await createMigratedDatabase();
  cleanUpLater(() => created.drop());
  const database = openDatabase(created.url, { max: 8, onError: () => {} });
  cleanUpLater(() => database.close());
  return database;
}

interface TestTime extends Time {
  databaseNow(): number;
  /** Lets so many milliseconds pass, timer by timer; the database responds in no time. */
  pass(ms: number): Promise<void>;
  /** Timers that are set. */
  pending(): number;
}

export function createTestTime(database: Database): TestTime {
  const BEGINNING = 1_800_000_000;
  let nowMs = 0;
  const timers = new Map<symbol, { at: number; call: () => void }>();

  /** All statements have responses, and what follows from the responses has happened. */
  async function rest(): Promise<void> {
    const { pool } = database;
    do for (let round = 0; round < 3; round++) await new Promise(setImmediate);
    while (pool.waitingCount > 0 || pool.idleCount < pool.totalCount);
  }

  return {
    now: () => nowMs,
    databaseNow: () => BEGINNING + nowMs / 1000,
    after(ms, call) {
      const name = Symbol("timer");
      timers.set(name, { at: nowMs + ms, call });
      return () => void timers.delete(name);
    },
    pending: () => timers.size,
    async pass(ms) {
      const until = nowMs + ms;
      for (;;) {
        await rest();
        const [next] = [...timers].toSorted(([, one], [, other]) => one.at - other.at);
        if (next === undefined || next[1].at > until) break;
        const [name, { at, call }] = next;
        timers.delete(name);
        nowMs = Math.max(nowMs, at);
        call();
      }
      nowMs = until;
      await rest();
    },
  };
}
