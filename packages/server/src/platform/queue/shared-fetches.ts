/**
 * A notification of pg-boss wakes every idle worker of its queue, and each asks for a job: of the dozens of statements for one job, all
 * but one would be in vain. Here the workers of a queue ask one after the other, and an empty response counts for all who had asked
 * before its statement began.
 */
import { createHash } from "node:crypto";

interface Result {
  rows: unknown[];
}

export type Execute = (statement: { name?: string; text: string; values?: unknown[] }) => Promise<Result>;

interface Asking {
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/** The statement with which pg-boss takes jobs; no other of its statements begins so. */
const isFetch = (text: string): boolean => /^\s*WITH\s+next\s+AS\s*\(/.test(text) && text.includes("SKIP LOCKED");

/** Where it sets the first beat: the time that a job may be without one is set beside it. */
const FIRST_BEAT = /\bheartbeat_on = (?=[\w.]*now\(\))/;

/**
 * Executes statements of pg-boss: those that take jobs shared, and prepared, since they are large and the same each time. `lostAfterSeconds`:
 * of the jobs that are taken.
 */
export function shareFetches(
  execute: Execute,
  lostAfterSeconds?: number,
): (text: string, values?: unknown[]) => Promise<Result> {
  const askingOf = new Map<string, Asking[]>();

  async function fetchAll(key: string, asking: Asking[], statement: Parameters<Execute>[0]): Promise<void> {
    while (asking.length > 0) {
      // Who asks from here on may ask for a job that the statement does not see.
      const before = asking.length;
      try {
        const result = await execute(statement);
        if (result.rows.length > 0) asking.shift()?.resolve(result);
        else for (const { resolve } of asking.splice(0, before)) resolve({ rows: [] });
      } catch (error) {
        for (const { reject } of asking.splice(0, before)) reject(error);
      }
    }
    askingOf.delete(key);
  }

  return (given, values = []) => {
    if (!isFetch(given)) return execute({ text: given, values });
    // The queue, and the groups that are to be left out.
    const key = JSON.stringify([given, values]);
    const text =
      lostAfterSeconds === undefined
        ? given
        : given.replace(FIRST_BEAT, `heartbeat_seconds = ${lostAfterSeconds}, heartbeat_on = `);
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const asking = askingOf.get(key) ?? [];
    asking.push({ resolve, reject });
    if (asking.length === 1) {
      askingOf.set(key, asking);
      void fetchAll(key, asking, { name: nameOf(text), text, values });
    }
    return promise;
  };
}

/** PostgreSQL bounds the length of names. */
const nameOf = (text: string): string => `fetch_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
