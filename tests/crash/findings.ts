/** What a trial may find. The first three are what the service promises not to do. */
import { setTimeout as pause } from "node:timers/promises";

export const findingKinds = ["lost", "doubled", "stuck", "orphan", "wrong"] as const;

export interface Finding {
  /**
   * `lost`: an acknowledged fact is gone. `doubled`: there is more than one of what may be there once. `stuck`: no end in the
   * bound. `orphan`: something that belongs to nothing. `wrong`: anything else that may not be, such as a response 500.
   */
  kind: (typeof findingKinds)[number];
  what: string;
}

export class StuckError extends Error {}

/** What a trial that ended with this error has found. */
export const findingOf = (error: unknown): Finding => ({
  kind: error instanceof StuckError ? "stuck" : "wrong",
  what: error instanceof Error ? error.message : String(error),
});

/** Between two looks at something that takes seconds. */
const LOOK_PAUSE_MS = 100;

/** The first value of `look` that is not undefined. */
export async function until<T>(what: string, boundMs: number, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + boundMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new StuckError(`${what} did not come within ${boundMs} ms`);
    await pause(LOOK_PAUSE_MS);
  }
}

/** Compares what is there with what must be there, once each. */
export function compareOnce(
  what: string,
  expected: Iterable<string | number>,
  found: Iterable<string | number>,
): Finding[] {
  const counts = new Map<string | number, number>();
  for (const one of found) counts.set(one, (counts.get(one) ?? 0) + 1);
  const findings: Finding[] = [];
  const missing: (string | number)[] = [];
  const many: (string | number)[] = [];
  for (const one of expected) {
    const count = counts.get(one) ?? 0;
    counts.delete(one);
    if (count === 0) missing.push(one);
    if (count > 1) many.push(one);
  }
  if (missing.length > 0) findings.push({ kind: "lost", what: `${what}: ${summary(missing)} missing` });
  if (many.length > 0) findings.push({ kind: "doubled", what: `${what}: ${summary(many)} there more than once` });
  if (counts.size > 0) findings.push({ kind: "orphan", what: `${what}: ${summary([...counts.keys()])} unexpected` });
  return findings;
}

const SHOWN = 5;
const summary = (items: readonly (string | number)[]): string =>
  `${items.slice(0, SHOWN).join(", ")}${items.length > SHOWN ? ` and ${items.length - SHOWN} more are` : items.length === 1 ? " is" : " are"}`;
