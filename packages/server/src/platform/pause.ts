/** Waits, or ends the wait early when the signal aborts; the caller looks at the signal. */

/** Most waits of the hot path are ended early: no error is made for that, since each would cost the trace of its stack. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms));
    signal.addEventListener("abort", end, { once: true });
  });
}
