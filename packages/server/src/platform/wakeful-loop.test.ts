import { pino } from "pino";
import { expect, test } from "vitest";
import { currentWork, runAs } from "./current-work.ts";
import type { Work } from "./current-work.ts";
import { startWakefulLoop } from "./wakeful-loop.ts";

test("a pass is known by the name of its loop, whoever has started the loop", async () => {
  const { promise, resolve } = Promise.withResolvers<Work | undefined>();
  const pass = async (): Promise<number> => {
    resolve(currentWork());
    return 60_000;
  };
  const loop = runAs({ name: "a request" }, () =>
    startWakefulLoop(pino({ level: "silent" }), { name: "send alerts", leastPauseMs: 0, pass }),
  );
  expect(await promise).toEqual({ name: "send alerts" });
  await loop.stop();
});
