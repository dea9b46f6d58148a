import { expect, test } from "vitest";
import { turnMs } from "./turn-lengths.ts";

test("a turn is short where another run may want its place, and goes on where none does", () => {
  for (const kind of ["computing", "waiting"] as const)
    expect(turnMs(kind, "claims", true)).toBeLessThan(turnMs(kind, "claims", false));
});

test("fast rows of the chunk that was claimed last are completed in the same turn", () => {
  for (const othersMayWait of [true, false])
    expect(turnMs("computing", "claims", othersMayWait)).toBeLessThan(turnMs("computing", "rows", othersMayWait));
});
