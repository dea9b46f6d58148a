import { afterAll, beforeAll, expect, test, vi } from "vitest";

beforeAll(() => vi.useFakeTimers({ now: Date.parse("2026-11-25T12:00:00Z") }));
afterAll(() => vi.useRealTimers());

test("the time is that of the service where the clock of the browser is wrong, and its own where they agree", async () => {
  const { compareClocks, serviceNow } = await import("./clock.ts");
  const shown = (): string => new Date(serviceNow()).toISOString();
  compareClocks(null);
  compareClocks("no date");
  compareClocks("Wed, 25 Nov 2026 11:59:57 GMT");
  expect(shown()).toBe("2026-11-25T12:00:00.000Z");
  compareClocks("Wed, 25 Nov 2026 15:30:00 GMT");
  expect(shown()).toBe("2026-11-25T15:30:00.000Z");
  // Somebody sets the clock right.
  vi.setSystemTime(Date.parse("2026-11-25T15:30:10Z"));
  compareClocks("Wed, 25 Nov 2026 15:30:10 GMT");
  expect(shown()).toBe("2026-11-25T15:30:10.000Z");
});
