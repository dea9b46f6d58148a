/** What becomes of jobs whose task throws, and of one owner's many jobs. */
import { pino } from "pino";
import { Client } from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createTestDatabase } from "../../testing/test-database.ts";
import type { TestDatabase } from "../../testing/test-database.ts";
import { openDatabase } from "../database/database.ts";
import type { Database } from "../database/database.ts";
import { openQueue } from "./queue.ts";
import type { Queue } from "./queue.ts";

const lines: Record<string, unknown>[] = [];
let testDatabase: TestDatabase;
let database: Database;
let queue: Queue;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url, { max: 2, onError: () => undefined });
  const log = pino(
    { level: "error" },
    { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) }, // pino writes objects
  );
  queue = await openQueue(testDatabase.url, ["failing", "grouped", "fair", "delayed", "many", "shared"], log);
});
afterAll(async () => {
  await queue.stop();
  await database.close();
  await testDatabase.drop();
});

test("an error that leaves a task is logged once with the job, which is tried again after a pause that grows", async () => {
  const begunAt: number[] = [];
  const pausesWhileActive: number[] = [];
  await queue.work<{ organizationId: string }>("failing", 1, async ({ id }) => {
    begunAt.push(Date.now());
    const { rows } = await database.pool.query<{ pause: number }>(
      "select retry_delay as pause from pgboss.job where id = $1",
      [id],
    );
    pausesWhileActive.push(rows[0]?.pause ?? -1);
    throw new Error(`attempt ${begunAt.length} failed`);
  });
  await queue.enqueueNow("failing", { organizationId: "an organization" });
  await expect.poll(() => begunAt.length).toBe(4);
  // Where the machine stands still, the queue reports that its database is away.
  const ofJobs = lines.filter((line) => "jobId" in line);
  const first = ofJobs.slice(0, 3);
  expect(first).toMatchObject(
    [1, 2, 4].map((retryAfterSeconds, i) => ({
      queue: "failing",
      jobId: ofJobs[0]?.["jobId"],
      organizationId: "an organization",
      retryAfterSeconds,
      err: { message: `attempt ${i + 1} failed` },
    })),
  );
  expect(ofJobs[0]?.["jobId"]).toEqual(expect.any(String));
  for (const [i, { time, retryAfterSeconds }] of first.entries())
    expect((begunAt[i + 1] ?? 0) - Number(time)).toBeGreaterThanOrEqual(1_000 * Number(retryAfterSeconds) - 100);
  // A worker that dies hands its job over without a pause.
  expect(pausesWhileActive.slice(0, 3)).toEqual([0, 0, 0]);
});

test("jobs of one organization leave a place to others", async () => {
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  await queue.work<{ organizationId: string }>("grouped", { places: 3, mostOfOrganization: 2 }, async ({ data }) => {
    begun.push(data.organizationId);
    await end.promise;
  });
  for (let i = 0; i < 10; i++) await queue.enqueueNow("grouped", { organizationId: "one" });
  await queue.enqueueNow("grouped", { organizationId: "other" });
  await expect.poll(() => begun.toSorted()).toEqual(["one", "one", "other"]);
  end.resolve();
  await expect.poll(() => begun.length).toBe(11);
});

test("jobs of an organization that has its share of the places wait in their order, and it is known that they do", async () => {
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const isWithinShare: boolean[] = [];
  const own = (n: number) => ({ organizationId: "one", n });
  for (const n of [0, 1, 2, 3]) await queue.enqueueNow("fair", own(n));
  await queue.work<{ n: number }>("fair", { places: 3, mostOfOrganization: "share" }, async (job) => {
    begun.push(job.data.n);
    isWithinShare.push(job.isWithinShare);
    await ends[job.data.n]?.promise;
  });
  await expect.poll(() => begun).toEqual([0, 1]);
  await expect.poll(() => queue.wanted("fair")).toBe("by others");
  // It comes behind those that wait, though it is sent at the moment at which a place is free.
  await queue.enqueueNow("fair", own(4));
  ends[1]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2]);
  ends[2]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3]);
  ends[3]?.resolve();
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4]);
  await expect.poll(() => queue.wanted("fair")).toBe("by nobody");
  expect(isWithinShare).toEqual([true, true, true, true, true]);
  // One that was begun before has what is to be released at once.
  await queue.enqueueNow("fair", own(5));
  await database.pool.query(
    "update pgboss.job set state = 'retry', started_on = now(), retry_limit = 2 where data->>'n' = '5'",
  );
  await expect.poll(() => begun).toEqual([0, 1, 2, 3, 4, 5]);
  expect(isWithinShare.at(-1)).toBe(false);
  for (const end of ends) end.resolve();
});

test("idle places are woken for a job whose time has come, of which nothing notifies", async () => {
  const begun: { n: number; at: number }[] = [];
  await queue.work<{ n: number }>("delayed", 20, async ({ data }) => {
    begun.push({ n: data.n, at: Date.now() });
  });
  const due = Date.now() + 2_000;
  for (let n = 0; n < 5; n++) await queue.enqueueNow("delayed", { n }, { startAfterSeconds: 2 });
  await expect.poll(() => begun.map(({ n }) => n).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
  for (const { at } of begun) expect(at).toBeGreaterThanOrEqual(due - 100);
});

test("a place that has ended a job takes the next one at once, without a notification", async () => {
  const JOBS = 40;
  for (let n = 0; n < JOBS; n++) await queue.enqueueNow("many", { n });
  const begunAt: number[] = [];
  await queue.work("many", 1, async () => void begunAt.push(performance.now()));
  await expect.poll(() => begunAt.length).toBe(JOBS);
  // Between two looks for due jobs, which wake all places, are 500 ms: with them alone it would be a job or two in each of them. A machine that
  // stands still for longer makes one long pause.
  const pauses = begunAt.slice(1).map((at, i) => at - begunAt[i]!);
  expect(pauses.filter((ms) => ms > 400).length).toBeLessThan(JOBS / 4);
});

test("one statement looks for a job for all idle places of a queue", async () => {
  const done: number[] = [];
  await queue.work<{ no: number }>("shared", 20, async ({ data }) => void done.push(data.no));
  const { looks, mostAtOnce } = watchLooks("shared");
  await queue.enqueueNow("shared", { no: 1 });
  await expect.poll(() => done).toEqual([1]);
  expect(looks.length).toBeGreaterThan(0);
  // Twenty places that each look for themselves are woken together. How many looks follow each other depends on the machine.
  expect(mostAtOnce()).toBe(1);
  // Planned once for a connection.
  expect(looks.map((name) => name?.slice(0, 6))).toEqual(looks.map(() => "fetch_"));
});

/** From now on: the names of the statements that look for a job of the queue, and how many of them were under way together. */
function watchLooks(name: string) {
  const looks: (string | undefined)[] = [];
  let [underWay, most] = [0, 0];
  const query = Reflect.get(Client.prototype, "query") as (this: Client, ...given: unknown[]) => unknown;
  const watched = function (this: Client, ...given: unknown[]): unknown {
    const [statement, callback] = [given[0] as { text?: string; name?: string }, given.at(-1)]; // a text has neither
    if (!new RegExp(`'${name}'[\\s\\S]*SKIP LOCKED`).test(statement.text ?? "") || typeof callback !== "function")
      return query.apply(this, given);
    looks.push(statement.name);
    most = Math.max(most, ++underWay);
    return query.apply(this, [
      ...given.slice(0, -1),
      (...result: unknown[]) => {
        underWay--;
        (callback as (...result: unknown[]) => void)(...result);
      },
    ]);
  };
  vi.spyOn(Client.prototype, "query").mockImplementation(watched);
  return { looks, mostAtOnce: () => most };
}
