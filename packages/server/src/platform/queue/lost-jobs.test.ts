/** When jobs of workers that are gone are taken, and when nobody looks for them. */
import { pino } from "pino";
import { PgBoss } from "pg-boss";
import type { Pool } from "pg";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { cleanUpLater, undo } from "../../testing/cleanup.ts";
import { createTestDatabase, openTestPool } from "../../testing/test-database.ts";
import { BEAT_SECONDS, LOST_AFTER_SECONDS, LOST_FOR_BOSS_SECONDS, createBoss, startBoss } from "./boss.ts";
import type { Job } from "./job-runner.ts";
import { BEAT_AGAIN_MS, LATE_MS, MOST_LATE_LOOKS, createLook } from "./lost-jobs.ts";
import type { LostJobsParts } from "./lost-jobs.ts";
import { openQueue } from "./queue.ts";
import type { Queue } from "./queue.ts";

const OWN = { organizationId: "an organization" };
const log = pino({ level: "silent" });

let databaseUrl: string;
let pool: Pool;
let queue: Queue;
beforeAll(async () => {
  const database = await createTestDatabase();
  cleanUpLater(() => database.drop());
  databaseUrl = database.url;
  pool = openTestPool(database.url, 2);
  cleanUpLater(() => pool.end());
  queue = await openQueue(database.url, ["looked", "worked", "shared", "other"], log);
  cleanUpLater(() => queue.stop());
});

/** A job that a worker has, whose last beat was this long ago. */
async function newActiveJob(name: string, beatAgo: string, by: Pick<Pool, "query"> = pool): Promise<void> {
  await queue.enqueueNow(name, OWN);
  await by.query(
    "update pgboss.job set state = 'active', started_on = now(), heartbeat_on = now() - $2::interval where name = $1 and state = 'created'",
    [name, beatAgo],
  );
}

const readState = async (name: string): Promise<unknown[]> =>
  (await pool.query<object>("select state, retry_count, heartbeat_on from pgboss.job where name = $1", [name])).rows;

/** Without errors of idle connections, as with `openTestPool`. */
async function startLookingBoss(): Promise<PgBoss> {
  const boss = createBoss(databaseUrl, { connections: 2 }).on("error", () => undefined);
  cleanUpLater(() => boss.stop());
  await startBoss(boss, ["looked"]);
  return boss;
}

const lookParts: LostJobsParts = {
  log,
  execute: (text, values) => pool.query(text, values),
  queues: new Set(["looked"]),
  wakeWorkers: () => undefined,
  wasAway: () => false,
  silence: { lasts: () => false, hasEnded: () => false },
  reportWaiting: () => undefined,
  onError: (error) => {
    throw error;
  },
};

describe("a look", () => {
  const woken: string[] = [];
  const errors: unknown[] = [];
  let waitedFor: string[] = [];
  const parts: LostJobsParts = {
    ...lookParts,
    wakeWorkers: (name) => void woken.push(name),
    reportWaiting: (names) => void (waitedFor = [...names]),
    onError: (error) => void errors.push(error),
  };
  beforeEach(async () => {
    await pool.query("delete from pgboss.job");
    woken.length = 0;
    errors.length = 0;
    waitedFor = [];
  });

  test("comes again at the moment at which the first of the active jobs is lost, and takes none before", async () => {
    // The time of a transaction stands still.
    const client = await pool.connect();
    undo.push(async () => void (await client.query("rollback").finally(() => client.release())));
    await client.query("begin");
    await newActiveJob("looked", "0 seconds", client);
    await newActiveJob("looked", "1 second", client);
    await newActiveJob("other", "8 seconds", client);
    const look = createLook({ ...parts, execute: (text, values) => client.query(text, values) });
    expect(await look()).toBe(1_000 * (LOST_AFTER_SECONDS - 1) + 20);
    expect(woken).toEqual([]);
  });

  test("takes what is lost, wakes its queue, and leaves the number of attempts to the next worker", async () => {
    await newActiveJob("looked", "10.1 seconds");
    await newActiveJob("other", "1 minute");
    await createLook(parts)();
    expect(woken).toEqual(["looked"]);
    expect(await readState("looked")).toEqual([{ state: "retry", retry_count: 0, heartbeat_on: null }]);
    expect(await readState("other")).toMatchObject([{ state: "active" }]);
  });

  test("comes again in a second after it has taken a job, and reports it as long as no place is free for it", async () => {
    await newActiveJob("looked", "1 minute");
    // A busy machine may let a statement come late, which is not what this is about.
    const look = createLook({ ...parts, execute: (text, [names, , ids]) => pool.query(text, [names, null, ids]) });
    expect(await look()).toBe(1_000);
    expect(waitedFor).toEqual([]);
    for (let again = 0; again < 2; again++) {
      expect(await look()).toBe(1_000);
      expect(waitedFor).toEqual(["looked"]);
    }
    await pool.query(
      "update pgboss.job set state = 'active', heartbeat_on = now() + interval '1 minute' where name = 'looked'",
    );
    expect(await look()).toBeGreaterThan(1_000);
    expect(waitedFor).toEqual([]);
    expect(woken).toEqual(["looked"]);
  });

  test("comes again soon for a lost job whose beat is on its way", async () => {
    await newActiveJob("looked", "1 minute");
    const client = await pool.connect();
    await client.query("begin; update pgboss.job set heartbeat_on = now() where name = 'looked'");
    expect(await createLook(parts)()).toBeLessThan(1_000);
    await client.query("commit");
    client.release();
    await createLook(parts)();
    expect(woken).toEqual([]);
    expect(await readState("looked")).toMatchObject([{ state: "active" }]);
  });

  test("lets the others beat again where its own process stood still, once", async () => {
    await newActiveJob("looked", "1 minute");
    let now = 0;
    const look = createLook({ ...parts, now: () => now });
    now += 5_001;
    expect(await look()).toBe(BEAT_AGAIN_MS);
    expect(woken).toEqual([]);
    now += BEAT_AGAIN_MS + 5_001;
    await look();
    expect(woken).toEqual(["looked"]);
  });

  test("lets the others beat again where the database was away", async () => {
    await newActiveJob("looked", "1 minute");
    let isAway = true;
    const look = createLook({ ...parts, wasAway: (withinMs) => isAway && withinMs === BEAT_AGAIN_MS });
    expect([await look(), await look()]).toEqual([BEAT_AGAIN_MS, BEAT_AGAIN_MS]);
    expect(woken).toEqual([]);
    isAway = false;
    await look();
    expect(woken).toEqual(["looked"]);
  });

  test("is not sent while another statement waits for its response, and lets the others beat again once, when that has come", async () => {
    await newActiveJob("looked", "1 minute");
    let lasts = true;
    const look = createLook({ ...parts, silence: { lasts: () => lasts, hasEnded: () => true } });
    expect([await look(), await look()]).toEqual([BEAT_AGAIN_MS, BEAT_AGAIN_MS]);
    lasts = false;
    expect(await look()).toBe(BEAT_AGAIN_MS);
    expect(woken).toEqual([]);
    await look();
    expect(woken).toEqual(["looked"]);
  });

  test("takes nothing where its statement comes late: the database stood still, and kept beats waiting", async () => {
    let isFrozen = false;
    const execute: LostJobsParts["execute"] = async (text, values) => {
      if (isFrozen) await new Promise((resolve) => setTimeout(resolve, LATE_MS + 200));
      return pool.query(text, values);
    };
    const look = createLook({ ...parts, execute });
    await look();
    await newActiveJob("looked", "1 minute");
    isFrozen = true;
    for (let late = 0; late < MOST_LATE_LOOKS; late++) {
      expect(await look()).toBe(BEAT_AGAIN_MS);
      expect(woken).toEqual([]);
    }
    // A database that is always so slow must not keep lost jobs for ever.
    await look();
    expect(woken).toEqual(["looked"]);
  });

  test("that fails is reported, and lets the others beat again, too", async () => {
    const refused = new Error("refused");
    const look = createLook({ ...parts, execute: () => Promise.reject(refused) });
    expect(await look()).toBe(BEAT_AGAIN_MS);
    expect(errors).toEqual([refused]);
  });
});

test("pg-boss' own look leaves a job alone whose beats wait in a database that stood still", async () => {
  const boss = await startLookingBoss();
  // It does nothing within a minute of the last one.
  const superviseAgain = async (): Promise<void> => {
    await pool.query("update pgboss.queue set monitor_on = null, monitor_claim_on = null where name = 'looked'");
    await boss.supervise("looked");
  };
  const beatAgo = (interval: string): Promise<unknown> =>
    pool.query("update pgboss.job set heartbeat_on = now() - $1::interval where name = 'looked'", [interval]);
  await pool.query("delete from pgboss.job");
  await queue.enqueueNow("looked", OWN);
  expect(await boss.fetch("looked")).toHaveLength(1);
  await beatAgo("1 minute");
  await superviseAgain();
  expect(await readState("looked")).toMatchObject([{ state: "active" }]);
  await beatAgo("1 hour");
  await superviseAgain();
  expect(await readState("looked")).toMatchObject([{ state: "retry" }]);
});

test("workers of an earlier version find ten seconds at a job that waits, whoever had it, and so beat in time", async () => {
  await pool.query("delete from pgboss.job");
  await queue.enqueueNow("looked", OWN);
  const boss = await startLookingBoss();
  const readSeconds = async (): Promise<unknown[]> =>
    (await pool.query<object>("select heartbeat_seconds from pgboss.job where name = 'looked'")).rows;
  expect(await readSeconds()).toEqual([{ heartbeat_seconds: LOST_AFTER_SECONDS }]);
  expect(await boss.fetch("looked")).toHaveLength(1);
  expect(await readSeconds()).toEqual([{ heartbeat_seconds: LOST_FOR_BOSS_SECONDS }]);
  await pool.query("update pgboss.job set heartbeat_on = now() - interval '1 minute' where name = 'looked'");
  await createLook(lookParts)();
  expect(await readSeconds()).toEqual([{ heartbeat_seconds: LOST_AFTER_SECONDS }]);
});

test("a worker has the time for two beats that fail, or to stand still for seven seconds", async () => {
  const work = vi.spyOn(PgBoss.prototype, "work");
  await queue.work("other", 1, () => Promise.resolve());
  expect(work.mock.calls).toMatchObject([["other", { heartbeatRefreshSeconds: BEAT_SECONDS }, expect.any(Function)]]);
  expect(LOST_AFTER_SECONDS - BEAT_SECONDS).toBeGreaterThanOrEqual(7);
  expect(LOST_AFTER_SECONDS / BEAT_SECONDS).toBeGreaterThan(3);
});

test("a job of a worker that is gone is begun again by a place that is free", async () => {
  await newActiveJob("worked", "1 minute");
  const begun: { isRepeated: boolean }[] = [];
  await queue.work("worked", 1, async ({ isRepeated }) => void begun.push({ isRepeated }));
  // Within seconds: pg-boss' own look comes once a minute.
  await expect.poll(() => begun, { timeout: 50_000 }).toEqual([{ isRepeated: true }]);
  await queue.enqueueNow("worked", OWN);
  await expect.poll(() => begun[1]).toEqual({ isRepeated: false });
});

test("a job that was taken from a worker that lives is the next one's", async () => {
  await pool.query("delete from pgboss.job");
  const begun: Job<object>[] = [];
  const ending = Promise.withResolvers<void>();
  await queue.work("shared", 2, async (job) => {
    begun.push(job);
    await ending.promise;
  });
  await queue.enqueueNow("shared", OWN);
  await expect.poll(() => begun.length).toBe(1);
  expect(await begun[0]?.isOurs()).toBe(true);
  await pool.query(
    "update pgboss.job set state = 'retry', heartbeat_on = null, start_after = now() where name = 'shared'",
  );
  expect(await begun[0]?.isOurs()).toBe(false);
  await expect.poll(() => begun.length).toBe(2);
  expect([await begun[0]?.isOurs(), await begun[1]?.isOurs()]).toEqual([false, true]);
  ending.resolve();
});
