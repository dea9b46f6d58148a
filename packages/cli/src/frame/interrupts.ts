/** Ctrl-C: aborts what goes on, unless a command takes it over. The second one ends the process at once. */
import { exitCodes } from "./exit-codes.ts";
import { Interrupted } from "./problem.ts";

export interface Interrupts {
  readonly signal: AbortSignal;
  /** Returns what gives Ctrl-C back. */
  take(listener: () => void): () => void;
  close(): void;
}

export function createInterrupts(): Interrupts {
  const controller = new AbortController();
  let listener: (() => void) | undefined;
  let count = 0;
  const onSignal = (): void => {
    count++;
    if (count > 1) process.exit(exitCodes.interrupted.code);
    if (listener === undefined) controller.abort(new Interrupted());
    else listener();
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  return {
    signal: controller.signal,
    take(taken) {
      listener = taken;
      return () => {
        listener = undefined;
      };
    },
    close() {
      process.off("SIGINT", onSignal);
      process.off("SIGTERM", onSignal);
    },
  };
}
