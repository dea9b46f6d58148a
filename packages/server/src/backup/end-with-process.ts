/** What this program has begun and must not leave behind, whatever ends it but SIGKILL. */

/** `end` works at once. The returned function takes it back: what was begun is complete. */
export function endWithProcess(end: () => void): () => void {
  process.once("exit", end);
  return () => void process.off("exit", end);
}

/** Ctrl-C, a closed terminal, a request to end, and a parent that is gone. */
export function exitOnSignals(): void {
  // 1: nobody looks at it. Those who have sent the signal know that they did.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"]) process.once(signal, () => process.exit(1));
}
