import { expect, test } from "vitest";
import { waitFor } from "../../testing/wait.ts";
import type { Log } from "../log.ts";
import { createLateWrites } from "./late-writes.ts";

const AWAY = Object.assign(new Error("away"), { code: "ECONNREFUSED" });

function startLateWrites() {
  const logged: [string, object][] = [];
  const note = (level: string) => (about: object) => void logged.push([level, about]);
  const log = { info: () => undefined, warn: note("warn"), error: note("error") } as unknown as Log; // what is used of it
  return { late: createLateWrites(log, { tryAgainMs: 1, longestAtStopMs: 10 }), logged };
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
