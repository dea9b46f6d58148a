/**
 * Ctrl-C: aborts what goes on, unless a command takes it over. The second one ends the process at once. A request to end (SIGTERM) is
 * the same as the first Ctrl-C, however often it comes: a supervisor may send it to every process of a group.
 */
import { exitCodes } from "./exit-codes.ts";
import { Interrupted } from "./problem.ts";

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Returns what gives Ctrl-C back. */
  take(listener: () => void): () => void;
  /** From here on the signals are those of somebody else. */
  close(): void;
}

export function createInterrupts(): Interrupts {
  const controller = new AbortController();
  let listener: (() => void) | undefined;
  let isInterrupted = false;
  const interrupt = (): void => {
    const isFirst = !isInterrupted;
    isInterrupted = true;
    if (listener === undefined) controller.abort(new Interrupted());
    else if (isFirst) listener();
  };
  const onInterrupt = (): void => {
    if (isInterrupted) process.exit(exitCodes.interrupted.code);
    interrupt();
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", interrupt);
  return {
    signal: controller.signal,
    take(taken) {
      listener = taken;
      return () => {
        listener = undefined;
      };
    },
    close() {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", interrupt);
    },
  };
}
