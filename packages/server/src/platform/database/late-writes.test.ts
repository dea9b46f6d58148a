import { expect, test } from "vitest";
import { waitFor } from "../../testing/wait.ts";
import type { Log } from "../log.ts";
import { createLateWrites } from "./late-writes.ts";

const AWAY = Object.assign(new Error("away"), { code: "ECONNREFUSED" });

function startLateWrites(now?: () => number) {
  const logged: [string, object][] = [];
  const note = (level: string) => (about: object) => void logged.push([level, about]);
  const log = { info: () => undefined, warn: note("warn"), error: note("error") } as unknown as Log; // what is used of it
  return { late: createLateWrites(log, { tryAgainMs: 1, longestAtStopMs: 10, now }), logged };
}

test("what is written at once is written once", async () => {
  const { late, logged } = startLateWrites();
  let writes = 0;
  await late.write(() => Promise.resolve(void writes++), {});
  await late.stop();
  expect({ writes, logged }).toEqual({ writes: 1, logged: [] });
});

test("what fails while the database is away is written when it is back, in its order, and nobody waits for that", async () => {
  const { late } = startLateWrites();
  let isAway = true;
  const written: number[] = [];
  for (const n of [1, 2, 3])
    await late.write(() => (isAway ? Promise.reject(AWAY) : Promise.resolve(void written.push(n))), { n });
  expect(written).toEqual([]);
  isAway = false;
  await waitFor(() => written.length === 3, { what: "all are written" });
  expect(written).toEqual([1, 2, 3]);
  await late.stop();
  expect(written).toHaveLength(3);
});

test("a write that fails by itself does not keep the others, and is tried again as well", async () => {
  const { late, logged } = startLateWrites();
  let isAway = true;
  let failures = 0;
  const written: string[] = [];
  const failing = (): Promise<void> => {
    if (isAway) return Promise.reject(AWAY);
    if (++failures < 3) return Promise.reject(new Error("deadlock"));
    return Promise.resolve(void written.push("failing"));
  };
  await late.write(failing, {});
  await late.write(() => (isAway ? Promise.reject(AWAY) : Promise.resolve(void written.push("other"))), {});
  isAway = false;
  await waitFor(() => written.length === 2, { what: "both are written" });
  expect(written).toEqual(["other", "failing"]);
  await late.stop();
  expect(logged.filter(([level]) => level === "error")).toEqual([]);
});

test("a process that stops tries once more, and logs what it could not write", async () => {
  const { late, logged } = startLateWrites();
  let tries = 0;
  await late.write(() => (++tries, Promise.reject(AWAY)), { runId: "r" });
  const before = tries;
  await late.stop();
  expect(tries).toBeGreaterThan(before);
  expect(logged.at(-1)).toMatchObject(["error", { runId: "r" }]);
});

test("an error after an outage of an hour may pass as well as any other", async () => {
  let now = 0;
  const { late, logged } = startLateWrites(() => now);
  const errors = [AWAY, AWAY, new Error("in progress"), new Error("deadlock")];
  let writes = 0;
  await late.write(() => {
    const error = errors.shift();
    if (error === AWAY) now += 3_600_000;
    return error === undefined ? Promise.resolve(void writes++) : Promise.reject(error);
  }, {});
  await waitFor(() => errors.length === 0 && logged.length + writes > 1, { what: "it is written, or given up" });
  await late.stop();
  expect(logged.filter(([level]) => level === "error")).toEqual([]);
  expect(writes).toBe(1);
});

test("an error that lasts for a minute is given up, and logged with what was to be written", async () => {
  let now = 0;
  const { late, logged } = startLateWrites(() => now);
  await late.write(() => Promise.reject(new Error("a bug")), { runId: "r" });
  now = 60_000;
  await waitFor(() => logged.length === 2, { what: "it is given up" });
  expect(logged[1]).toMatchObject(["error", { runId: "r" }]);
  await late.stop();
});

test("what fails after the stop is logged as missing, and does not wait", async () => {
  const { late, logged } = startLateWrites();
  await late.stop();
  await late.write(() => Promise.reject(AWAY), { runId: "r" });
  expect(logged).toMatchObject([["error", { runId: "r" }]]);
});

test("what fails in the moment in which the last one is written is tried again, too", async () => {
  // How many steps of the queue lie between is not known: each of them is tried.
  for (let steps = 0; steps < 12; steps++) {
    const { late } = startLateWrites();
    const isBack = Promise.withResolvers<void>();
    let tries = 0;
    await late.write(() => (++tries === 1 ? Promise.reject(AWAY) : isBack.promise), {});
    await waitFor(() => tries === 2, { what: "the first is tried again" });
    let others = 0;
    isBack.resolve();
    for (let step = 0; step < steps; step++) await Promise.resolve();
    await late.write(() => (++others === 1 ? Promise.reject(AWAY) : Promise.resolve()), {});
    await waitFor(() => others > 1, { what: `the other is tried again, after ${steps} steps` });
    await late.stop();
    expect([tries, others]).toEqual([2, 2]);
  }
});
