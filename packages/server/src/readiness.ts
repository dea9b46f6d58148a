/** Whether the database responds: checked once for all callers of the same time, and not again for a moment. */

/** Far below the pause of any probe, and so many queries a second at most are made by them all. */
const KEPT_MS = 500;

export function createReadiness(
  ask: () => Promise<unknown>,
  now: () => number = () => performance.now(),
): () => Promise<void> {
  let asking: Promise<void> | undefined;
  let readyUntil = Number.NEGATIVE_INFINITY;
  return () => {
    if (now() < readyUntil) return Promise.resolve();
    asking ??= ask()
      .then(() => void (readyUntil = now() + KEPT_MS))
      .finally(() => (asking = undefined));
    return asking;
  };
}
