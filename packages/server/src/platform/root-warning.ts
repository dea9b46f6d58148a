import type { Log } from "./log.ts";

/** A fault in a process that may do everything is a fault of the whole machine. `userId` is undefined where there are no such ids. */
export function warnOfRoot(log: Pick<Log, "warn">, userId = process.getuid?.()): void {
  if (userId === 0)
    log.warn(
      "The service runs as root, which it does not need: run it as a user of its own that owns ROWMILL_DATA_DIR.",
    );
}
