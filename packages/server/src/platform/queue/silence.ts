/**
 * Whether the database gives no response: it stands still, and keeps the beats of workers waiting. A process asks several times a second
 * whether jobs are due (`due-jobs.ts`), so that it finds out soon after the beginning, and at the end.
 */

/** More than a busy machine lets a statement wait. */
export const SILENT_MS = 2_000;
/** A silence that lasts longer is taken for that of a connection alone: its other side may be gone without a word. */
export const LONGEST_SILENCE_MS = 20_000;

export interface Silence {
  /** A statement has waited so long by now, and no other one got its response meanwhile. */
  lasts(): boolean;
  /** One had waited so long that got its response in the last milliseconds. */
  hasEnded(withinMs: number): boolean;
}

type Execute<Values, Result> = (text: string, values?: Values) => Promise<Result>;

/** The same function, whose statements are watched. */
export function watchSilence<Values, Result>(
  execute: Execute<Values, Result>,
  now: () => number = () => performance.now(),
): { execute: Execute<Values, Result>; silence: Silence } {
  const waiting = new Set<{ since: number }>();
  let endedAt = Number.NEGATIVE_INFINITY;
  let respondedAt = Number.NEGATIVE_INFINITY;
  return {
    async execute(text, values) {
      const statement = { since: now() };
      waiting.add(statement);
      try {
        return await execute(text, values);
      } finally {
        waiting.delete(statement);
        respondedAt = now();
        if (now() - statement.since >= SILENT_MS) endedAt = now();
      }
    },
    silence: {
      lasts: () =>
        [...waiting].some(({ since }) => {
          const silentMs = now() - Math.max(since, respondedAt);
          return silentMs >= SILENT_MS && silentMs < LONGEST_SILENCE_MS;
        }),
      hasEnded: (withinMs) => now() - endedAt < withinMs,
    },
  };
}
