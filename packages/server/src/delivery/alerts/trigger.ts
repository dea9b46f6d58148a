/**
 * When a rule fires. Pure: what a rule remembers, the events that pass its filter, and the time go in; alerts and what it
 * remembers now come out.
 *
 *     each    every event fires
 *     count   this many events within the window fire together, and counting starts again
 *
 * A rule that fires while it cools down is suppressed: one record counts all that one cooldown suppresses, so that a million
 * events are a thousand alerts at most, and not a million records.
 */
import type { AlertTrigger } from "@rowmill/contract/alert-conditions";

/**
 * Events closer together than this part of the window are remembered as one moment, the earlier one; so what a rule
 * remembers stays small whatever it counts to.
 */
const MOMENTS_PER_WINDOW = 500;

/** A moment, in milliseconds since 1970, and how many events there were. */
export type Counted = [atMs: number, count: number];

export interface RuleMemory {
  /** Oldest first. */
  counted: readonly Counted[];
  coolingUntil: Date | null;
}

export interface MatchingEvent {
  id: string;
  atMs: number;
  /** More than one for a digest. */
  count: number;
}

export interface Firing {
  /** The event that made the rule fire. */
  eventId: string;
  eventCount: number;
  sinceMs: number;
}

export interface Decision {
  alerts: Firing[];
  /** All that was suppressed, as one; `eventId` is that of the first. */
  suppressed: Firing | null;
  memory: RuleMemory;
}

export function decide(
  rule: { trigger: AlertTrigger; cooldownSeconds: number },
  memory: RuleMemory,
  events: readonly MatchingEvent[],
  now: Date,
): Decision {
  let { counted, coolingUntil } = memory;
  const alerts: Firing[] = [];
  let suppressed: Firing | null = null;
  for (const event of events) {
    let firing: Firing = { eventId: event.id, eventCount: event.count, sinceMs: event.atMs };
    if (rule.trigger.type === "count") {
      counted = count(counted, event, rule.trigger.windowSeconds * 1_000);
      const eventCount = counted.reduce((sum, [, n]) => sum + n, 0);
      if (eventCount < rule.trigger.count) continue;
      firing = { eventId: event.id, eventCount, sinceMs: counted[0]?.[0] ?? event.atMs };
      counted = [];
    }
    if (coolingUntil !== null && now < coolingUntil) {
      suppressed = together(suppressed, firing);
      continue;
    }
    alerts.push(firing);
    coolingUntil = rule.cooldownSeconds === 0 ? null : new Date(now.getTime() + rule.cooldownSeconds * 1_000);
  }
  return { alerts, suppressed, memory: { counted, coolingUntil } };
}

const together = (first: Firing | null, next: Firing): Firing =>
  first === null ? next : { ...first, eventCount: first.eventCount + next.eventCount };

/** Events may come a little out of order: those of several processes, or of a transaction that took long. */
function count(counted: readonly Counted[], event: MatchingEvent, windowMs: number): Counted[] {
  const momentMs = windowMs / MOMENTS_PER_WINDOW;
  const all: Counted[] = [...counted, [event.atMs, event.count] satisfies Counted].toSorted(([a], [b]) => a - b);
  const newestMs = all.at(-1)?.[0] ?? event.atMs;
  const merged: Counted[] = [];
  for (const [atMs, n] of all) {
    if (atMs <= newestMs - windowMs) continue;
    const last = merged.at(-1);
    if (last !== undefined && atMs - last[0] < momentMs) last[1] += n;
    else merged.push([atMs, n]);
  }
  return merged;
}
