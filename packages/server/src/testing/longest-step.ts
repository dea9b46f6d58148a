/** How long the thread of a test, and of the service that it has started, does nothing else. */

/**
 * Returns the longest time for which this thread was busy with one thing while `work` went on: from one beat of the event loop to the
 * next, in processor time, so that a busy machine does not count.
 */
export async function longestStep(work: () => Promise<void>): Promise<number> {
  let most = 0;
  let before = processorMs();
  const beat = (): void => {
    const now = processorMs();
    most = Math.max(most, now - before);
    before = now;
  };
  const timer = setInterval(beat, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  beat();
  return most;
}

/** How long the work holds the thread: each time, and not by a collection of all that other tests have left. It is done again while that is `mostMs` or more. */
export async function leastHold(mostMs: number, work: () => Promise<void>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3 && least >= mostMs; times++) least = Math.min(least, await longestStep(work));
  return least;
}

/** For how long work may hold the thread: for 250 ms, and on a slow machine for half of what `reading`, which is not to be done on the thread, takes here. */
export const mostHoldMs = async (reading: () => unknown): Promise<number> =>
  Math.max(250, (await longestStep(async () => void reading())) / 2);

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
