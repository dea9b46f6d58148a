/** How often records are looked at while somebody waits, by a clock that the tests set. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createFirstFollows } from "./first-follows.ts";
import { shareLooks } from "./shared-looks.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});

afterEach(() => {
  vi.useRealTimers();
});

/** As the feeds of an organization are made: a new one after the last follower left. */
function newFeed() {
  const firstFollows = createFirstFollows();
  const reads: string[][] = [];
  const read = (ids: string[]): Promise<{ id: string }[]> => {
    reads.push(ids);
    return Promise.resolve(ids.map((id) => ({ id })));
  };
  const make = () => shareLooks({ firstFollows, read, onEmpty: () => (looks = make()) });
  let looks = make();
  return { reads, follow: (id: string) => looks.follow(id) };
}

/** One request that waits: follows the record, and leaves it after this time. */
async function waitFor(feed: ReturnType<typeof newFeed>, id: string, ms: number): Promise<void> {
  const follower = feed.follow(id);
  const left = new AbortController();
  const ended = (async () => {
    for (;;) await follower.next(left.signal);
  })().catch(() => undefined);
  await vi.advanceTimersByTimeAsync(ms);
  left.abort();
  await ended;
  follower.close();
}

test("a client that follows a record again every second costs two looks a second at most, once it has waited for long", async () => {
  const feed = newFeed();
  for (let i = 0; i < 20; i++) {
    await waitFor(feed, "a", 950);
    await vi.advanceTimersByTimeAsync(50);
  }
  const before = feed.reads.length;
  for (let i = 0; i < 30; i++) {
    await waitFor(feed, "a", 950);
    await vi.advanceTimersByTimeAsync(50);
  }
  const looks = feed.reads.length - before;
  expect(looks).toBeGreaterThanOrEqual(30);
  expect(looks).toBeLessThanOrEqual(60);
});

test("a record that somebody begins to follow is looked at soon, whoever waits for others since long", async () => {
  const feed = newFeed();
  const left = new AbortController();
  const old = feed.follow("old");
  await vi.advanceTimersByTimeAsync(60_000);
  const oldNext = old.next(left.signal);
  const young = feed.follow("young");
  const youngNext = young.next(left.signal);
  await vi.advanceTimersByTimeAsync(20);
  expect(feed.reads).toEqual([["old", "young"]]);
  expect(await Promise.all([oldNext, youngNext])).toEqual([{ id: "old" }, { id: "young" }]);
});

test("a record that nobody followed for a while is looked at soon again", async () => {
  const feed = newFeed();
  await waitFor(feed, "a", 60_000);
  await vi.advanceTimersByTimeAsync(11_000);
  const before = feed.reads.length;
  await waitFor(feed, "a", 20);
  expect(feed.reads.length - before).toBe(1);
});

test("nothing is read where every waiter has gone, though a follower is still open", async () => {
  const feed = newFeed();
  const follower = feed.follow("a");
  const left = new AbortController();
  const gone = follower.next(left.signal).catch((error: unknown) => error);
  left.abort(new Error("gone"));
  expect(await gone).toEqual(new Error("gone"));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(feed.reads).toEqual([]);
  const next = follower.next(new AbortController().signal);
  await vi.advanceTimersByTimeAsync(500);
  expect(await next).toEqual({ id: "a" });
  expect(feed.reads).toEqual([["a"]]);
});

test("the times of first follows are bounded in number: the one that was left first is forgotten", async () => {
  const firstFollows = createFirstFollows();
  const firstAt = performance.now();
  for (let i = 0; i <= 10_000; i++) firstFollows.leave(`id ${i}`, firstAt);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(firstFollows.begin("id 0")).toBe(firstAt + 1_000);
  expect(firstFollows.begin("id 1")).toBe(firstAt);
});
