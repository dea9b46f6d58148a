import { isMainThread } from "node:worker_threads";
import { setImmediate as nextRound } from "node:timers/promises";
import { expect, test } from "vitest";
import { waitFor } from "../../testing/wait.ts";
import { runAs } from "../current-work.ts";
import { startWatchdog } from "./watchdog.ts";
import type { Stall } from "./watchdog.ts";

/** Stands still by itself, like a schema or a large body that is looked through. */
function blockTheLoop(beats: () => boolean): number {
  let rounds = 0;
  while (!beats()) rounds++;
  return rounds;
}

test("names what blocks the event loop, whose it is, and where it is", async () => {
  expect(isMainThread).toBe(true);
  const stalls: Stall[] = [];
  const watchdog = startWatchdog((stall) => stalls.push(stall));
  const work = { name: "createJobSpec", organizationId: "org_1", requestId: "req_1" };
  await waitFor(
    async () => {
      await runAs(work, async () => {
        await nextRound();
        const endsAt = performance.now() + 1_000;
        blockTheLoop(() => performance.now() >= endsAt);
      });
      return stalls.some((stall) => stall.work !== undefined);
    },
    { what: "the stall is reported" },
  );
  await watchdog.stop();
  const named = stalls.find((stall) => stall.work !== undefined);
  expect(named?.work).toEqual(work);
  expect(named?.ms).toBeGreaterThanOrEqual(250);
  expect(named?.stack.join("\n")).toContain("blockTheLoop");
});
