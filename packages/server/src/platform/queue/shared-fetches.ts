/**
 * A notification of pg-boss wakes every idle worker of its queue, and each asks for a job: of the dozens of statements for one job, all
 * but one would be in vain. Here the workers of a queue ask one after the other, and an empty response counts for all who had asked
 * before its statement began. What is fetched has a place from then on (`places.ts`).
 */
import { createHash } from "node:crypto";
import type { FetchedJob, QueuePlaces } from "./places.ts";

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
/** Where it says which jobs may be taken: of which organizations is said beside it. */
const MAY_BE_TAKEN = /\bnot j\.blocked\b/i;
const QUEUE = /\bj\.name = '([^']+)'/;

export interface FetchOptions {
  /** Of the jobs that are taken. */
  lostAfterSeconds?: number;
  /** Undefined: nobody works on the queue here. */
  placesOf?: (queue: string) => QueuePlaces | undefined;
}

/** Executes statements of pg-boss: those that take jobs shared, and prepared, since they are large and the same each time. */
export function shareFetches(
  execute: Execute,
  { lostAfterSeconds, placesOf = () => undefined }: FetchOptions = {},
): (text: string, values?: unknown[]) => Promise<Result> {
  const askingOf = new Map<string, Asking[]>();

  /** Which organizations have their share may change from one statement to the next. */
  async function fetch(text: string, values: unknown[]): Promise<Result> {
    const places = placesOf(QUEUE.exec(text)?.[1] ?? "");
    // There are more workers than places where jobs may go on without one.
    if (places?.hasFree() === false) return { rows: [] };
    const full = places?.full() ?? [];
    const statement =
      places === undefined || full.length === 0 ? { text, values } : leaveOut(full, places, { text, values });
    const result = await execute({ name: nameOf(statement.text), ...statement });
    for (const job of result.rows) places?.take(job as FetchedJob); // pg-boss names these columns so
    return result;
  }

  async function fetchAll(key: string, asking: Asking[], text: string, values: unknown[]): Promise<void> {
    while (asking.length > 0) {
      // Who asks from here on may ask for a job that the statement does not see.
      const before = asking.length;
      try {
        const result = await fetch(text, values);
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
      void fetchAll(key, asking, text, values);
    }
    return promise;
  };
}

function leaveOut(
  organizations: string[],
  { takesBegunJobs }: QueuePlaces,
  { text, values }: { text: string; values: unknown[] },
): { text: string; values: unknown[] } {
  const isOfOthers = `j.group_id is null or j.group_id <> all($${values.length + 1}::text[])`;
  const mayBeTaken = takesBegunJobs ? `j.state = 'retry' or ${isOfOthers}` : isOfOthers;
  return {
    text: text.replace(MAY_BE_TAKEN, (found) => `${found} and (${mayBeTaken})`),
    values: [...values, organizations],
  };
}

/** PostgreSQL bounds the length of names. */
const nameOf = (text: string): string => `fetch_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
