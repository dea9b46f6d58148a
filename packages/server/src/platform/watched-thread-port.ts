/** The side of a watched thread (`watched-thread.ts`) that does the work: one response to each request. */
import { parentPort, workerData } from "node:worker_threads";

/** Shared memory, Int32 each. `step` counts what was begun, `at` says which part of the request that is. */
export const progressSlots = { isAtWork: 0, step: 1, at: 2 } as const;
export const PROGRESS_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;

/** `begin` names the part of the request that is begun: its time starts, and it is blamed if it is the last. */
export function answerRequests<Request, Answer>(
  answer: (request: Request, begin: (at: number) => void) => Answer,
): void {
  const port = parentPort;
  if (port === null) throw new Error("this runs in a worker thread");
  const progress = new Int32Array(workerData as SharedArrayBuffer); // what `watched-thread.ts` passes
  const begin = (at: number): void => {
    Atomics.store(progress, progressSlots.at, at);
    Atomics.add(progress, progressSlots.step, 1);
  };
  port.on("message", (request: Request) => {
    begin(-1);
    Atomics.store(progress, progressSlots.isAtWork, 1);
    const answered = answer(request, begin);
    Atomics.store(progress, progressSlots.isAtWork, 0);
    port.postMessage(answered);
  });
}
