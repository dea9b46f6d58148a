import { ago, exactTime } from "../lib/format.ts";
import { TICK_MS, useServiceTime } from "../lib/clock.ts";

/** How long ago, with the date and time beside the pointer; `isExact` where the order of things within a minute matters: the reverse. */
export function Time({ at, isExact = false }: { at: string | null; isExact?: boolean }) {
  const time = useServiceTime();
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
