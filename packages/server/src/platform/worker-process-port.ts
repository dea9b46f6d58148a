/** The side of a worker process (`worker-process.ts`) that does the work: one response to each request. */
import { writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

/** What the parent sends. `work`: its number, which each report carries. `isCareful`: every step is reported before it begins. */
export interface Envelope<Request> {
  request: Request;
  work: number;
  isCareful: boolean;
}

/** A pipe of bytes: the parent must see the last step of a process that then hangs or dies. */
const PROGRESS_FD = 3;
/** Uint32: the work item. Int32: the step that begins. Uint8: a result of the step before. */
export const PROGRESS_RECORD_BYTES = 9;
/** The first steps of each request are always reported: most requests have no more than these. */
export const ALWAYS_REPORTED = 16;
/** A report costs a system call, which is as much as a small step. */
const REPORT_EVERY_MS = 20;

/**
 * `begin` names the part of the request that begins: its time starts, and it is blamed if it is the last. `resultBefore`, from 0 to 255,
 * belongs to the part that was begun before it.
 */
export function serveRequests<Request, Response>(
  respond: (request: Request, begin: (at: number, resultBefore?: number) => void) => Response,
): void {
  if (process.send === undefined) throw new Error("this runs in a worker process");
  endWithParent();
  const record = Buffer.alloc(PROGRESS_RECORD_BYTES);
  let work = 0;
  let isCareful = false;
  let reports = 0;
  let reportedAt = 0;
  const begin = (at: number, resultBefore = 0): void => {
    const now = performance.now();
    if (!isCareful && reports > ALWAYS_REPORTED && now - reportedAt < REPORT_EVERY_MS) return;
    reports += 1;
    reportedAt = now;
    record.writeUInt32LE(work, 0);
    record.writeInt32LE(at, 4);
    record.writeUInt8(resultBefore, 8);
    writeSync(PROGRESS_FD, record);
  };
  process.on("message", (envelope: Envelope<Request>) => {
    ({ work, isCareful } = envelope);
    reports = 0;
    begin(-1);
    process.send?.(respond(envelope.request, begin));
  });
}

/** Also in the middle of a step that never ends, in which this thread would not notice. */
function endWithParent(): void {
  process.once("disconnect", () => process.exit(0));
  new Worker(new URL("./end-with-parent.ts", import.meta.url), { workerData: process.ppid }).unref();
}
