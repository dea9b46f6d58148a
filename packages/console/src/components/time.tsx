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

/** How long ago, with the date and time beside the pointer; `isExact` where the order of things within a minute matters: the reverse. */
export function Time({ at, isExact = false }: { at: string | null; isExact?: boolean }) {
  const time = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
  if (at === null) return <span className="text-soft">–</span>;
  const moment = new Date(at).getTime();
  // The clock of the page may be a tick behind.
  const distance = ago(at, moment > time && moment - time < TICK_MS ? moment : time);
  const exact = exactTime(at);
  return (
    <time dateTime={at} title={isExact ? distance : exact} className="whitespace-nowrap tabular-nums">
      {isExact ? exact : distance}
    </time>
  );
}
