import { useSyncExternalStore } from "react";
import { ago, exactTime } from "../lib/format.ts";

/** One clock for all of the page. */
const TICK_MS = 10_000;
let now = Date.now();
const listeners = new Set<() => void>();
setInterval(() => {
  now = Date.now();
  for (const listener of listeners) listener();
}, TICK_MS);

export function Time({ at }: { at: string | null }) {
  const time = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
  if (at === null) return <span className="text-soft">–</span>;
  return (
    <time dateTime={at} title={exactTime(at)} className="whitespace-nowrap">
      {ago(
        at,
        Math.max(
          time,
          new Date(at).getTime() > time && new Date(at).getTime() - time < TICK_MS ? new Date(at).getTime() : time,
        ),
      )}
    </time>
  );
}
