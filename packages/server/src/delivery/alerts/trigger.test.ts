import { describe, expect, test } from "vitest";
import { decide } from "./trigger.ts";
import type { MatchingEvent, RuleMemory } from "./trigger.ts";

const now = new Date("2026-11-20T09:30:00Z");
const fresh: RuleMemory = { counted: [], coolingUntil: null };
const each = { type: "each" } as const;
const three = { type: "count", count: 3, windowSeconds: 60 } as const;
const at = (seconds: number, count = 1): MatchingEvent => ({ id: `at ${seconds}`, atMs: seconds * 1_000, count });

describe("each", () => {
  test("fires for every event without a cooldown", () => {
    const { alerts, suppressed } = decide({ trigger: each, cooldownSeconds: 0 }, fresh, [at(1), at(2)], now);
    expect(alerts.map(({ eventId }) => eventId)).toEqual(["at 1", "at 2"]);
    expect(suppressed).toBeNull();
  });

  test("suppresses what comes while it cools down, as one", () => {
    const rule = { trigger: each, cooldownSeconds: 300 };
    const first = decide(rule, fresh, [at(1), at(2), at(3, 40)], now);
    expect(first.alerts).toEqual([{ eventId: "at 1", eventCount: 1, sinceMs: 1_000 }]);
    expect(first.suppressed).toEqual({ eventId: "at 2", eventCount: 41, sinceMs: 2_000 });
    const cooling = decide(rule, first.memory, [at(4)], new Date(now.getTime() + 299_999));
    expect([cooling.alerts.length, cooling.suppressed?.eventCount]).toEqual([0, 1]);
    const over = decide(rule, cooling.memory, [at(5)], new Date(now.getTime() + 300_000));
    expect([over.alerts.length, over.suppressed]).toEqual([1, null]);
  });
});

describe("count", () => {
  const rule = { trigger: three, cooldownSeconds: 0 };

  test("fires when so many events lie within the window, and begins again", () => {
    const { alerts, memory } = decide(rule, fresh, [at(1), at(20), at(60), at(61), at(62)], now);
    expect(alerts).toEqual([{ eventId: "at 60", eventCount: 3, sinceMs: 1_000 }]);
    expect(memory.counted).toEqual([
      [61_000, 1],
      [62_000, 1],
    ]);
  });

  test("slides: what is older than the window does not count", () => {
    expect(decide(rule, fresh, [at(1), at(20), at(61)], now).alerts).toEqual([]);
    expect(decide(rule, fresh, [at(1), at(20), at(61), at(79.9)], now).alerts).toEqual([
      { eventId: "at 79.9", eventCount: 3, sinceMs: 20_000 },
    ]);
  });

  test("remembers over batches, and counts the rows of a digest", () => {
    const first = decide(rule, fresh, [at(1)], now);
    expect(first.alerts).toEqual([]);
    expect(decide(rule, first.memory, [at(2, 1_000)], now).alerts).toMatchObject([{ eventCount: 1_001 }]);
  });

  test("takes events that come out of order", () => {
    expect(decide(rule, fresh, [at(70), at(5), at(60), at(65)], now).alerts).toMatchObject([
      { eventId: "at 65", eventCount: 3, sinceMs: 60_000 },
    ]);
  });

  test("remembers little, however far it counts", () => {
    const million = { trigger: { type: "count", count: 1_000_000, windowSeconds: 60 } as const, cooldownSeconds: 0 };
    const events = Array.from({ length: 20_000 }, (_, i) => at(i / 400));
    const { memory } = decide(million, fresh, events, now);
    expect(memory.counted.length).toBeLessThanOrEqual(501);
    expect(memory.counted.reduce((sum, [, n]) => sum + n, 0)).toBe(20_000);
  });

  test("suppresses what it counts while it cools down", () => {
    const cooling = { trigger: three, cooldownSeconds: 60 };
    const { alerts, suppressed } = decide(
      cooling,
      fresh,
      [1, 2, 3, 4, 5, 6, 7, 8, 9].map((s) => at(s)),
      now,
    );
    expect(alerts).toHaveLength(1);
    expect(suppressed).toEqual({ eventId: "at 6", eventCount: 6, sinceMs: 4_000 });
  });
});
