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

function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
