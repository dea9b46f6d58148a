/**
 * The time of the service. The clock of a browser may be hours away from it: what is past would be shown as to come, days of usage
 * would be those of another day, and a key could be made with an end that is over.
 */
import { useSyncExternalStore } from "react";

/** One clock for all of the page. */
export const TICK_MS = 10_000;
/** The header has whole seconds, and a response is some time on its way. */
const EXACT_MS = 5_000;

let offsetMs = 0;
let now = Date.now();
const listeners = new Set<() => void>();

export const serviceNow = (): number => Date.now() + offsetMs;

/** `fetch`, which compares the clocks by the header `Date` of each response. */
export async function fetchAndCompareClocks(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  compareClocks(response.headers.get("date"));
  return response;
}

export function compareClocks(date: string | null): void {
  const said = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(said) || Math.abs(said - serviceNow()) < EXACT_MS) return;
  const difference = said - Date.now();
  offsetMs = Math.abs(difference) < EXACT_MS ? 0 : difference;
  tick();
}

function tick(): void {
  now = serviceNow();
  for (const listener of listeners) listener();
}
setInterval(tick, TICK_MS);

/** The time of the last tick. */
export const useServiceTime = (): number =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => now,
  );
