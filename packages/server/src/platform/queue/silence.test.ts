import { expect, test } from "vitest";
import { LONGEST_SILENCE_MS, SILENT_MS, watchSilence } from "./silence.ts";

test("a silence lasts from when a statement has waited for long until its response, and is remembered for a while", async () => {
  let ms = 0;
  const responses: (() => void)[] = [];
  const { execute, silence } = watchSilence(
    () => new Promise<void>((resolve) => responses.push(resolve)),
    () => ms,
  );
  const kept = execute("kept waiting");
  ms = SILENT_MS - 1;
  expect([silence.lasts(), silence.hasEnded(1_000)]).toEqual([false, false]);
  ms = 5 * SILENT_MS;
  const late = execute("sent late");
  expect([silence.lasts(), silence.hasEnded(1_000)]).toEqual([true, false]);
  for (const respond of responses) respond();
  await Promise.all([kept, late]);
  expect([silence.lasts(), silence.hasEnded(1_000)]).toEqual([false, true]);
  ms += 1_000;
  expect(silence.hasEnded(1_000)).toBe(false);
});

test("no silence is that of one connection: other statements get their responses, or it lasts for long", async () => {
  let ms = 0;
  const { execute, silence } = watchSilence(
    (text) => (text === "never" ? new Promise<void>(() => undefined) : Promise.resolve()),
    () => ms,
  );
  void execute("never");
  ms = 2 * SILENT_MS;
  expect(silence.lasts()).toBe(true);
  await execute("at once");
  ms += SILENT_MS - 1;
  expect(silence.lasts()).toBe(false);
  ms += 1;
  expect(silence.lasts()).toBe(true);
  ms += LONGEST_SILENCE_MS - SILENT_MS;
  expect(silence.lasts()).toBe(false);
});

test("a statement that fails after a while has ended a silence, too", async () => {
  let ms = 0;
  const { execute, silence } = watchSilence(
    async () => {
      ms += SILENT_MS;
      throw new Error("broken off");
    },
    () => ms,
  );
  await expect(execute("kept waiting")).rejects.toThrow("broken off");
  expect(silence.hasEnded(1_000)).toBe(true);
});
