import { expect, onTestFinished, test, vi } from "vitest";
import { TurnTime, turnMs } from "./turn-lengths.ts";

test("a turn is short where another run may want its place, and goes on where none does", () => {
  for (const kind of ["computing", "waiting"] as const)
    expect(turnMs(kind, "claims", "by others")).toBeLessThan(turnMs(kind, "claims", "by nobody"));
});

test("a lane whose rows wait for others makes room soon for one that has waited for the loss of its worker", () => {
  for (const part of ["claims", "rows"] as const)
    expect(turnMs("waiting", part, "by a lost job")).toBeLessThanOrEqual(turnMs("waiting", part, "by others") / 10);
});

test("fast rows of the chunk that was claimed last are completed in the same turn", () => {
  for (const wanted of ["by nobody", "by others", "by a lost job"] as const)
    expect(turnMs("computing", "claims", wanted)).toBeLessThan(turnMs("computing", "rows", wanted));
});

test.each([-4, 4])("a turn takes as long where the clock of its process is set by %i hours meanwhile", (hours) => {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const time = new TurnTime("waiting");
  const lengthMs = turnMs("waiting", "rows", "by others");
  vi.setSystemTime(Date.now() + hours * 3_600_000);
  vi.advanceTimersByTime(lengthMs - 1);
  expect(time.isWithin("rows", "by others")).toBe(true);
  vi.advanceTimersByTime(1);
  expect(time.isWithin("rows", "by others")).toBe(false);
});
