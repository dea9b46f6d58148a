/** How long a step of a worker process may take. Other programs of a busy machine are not its fault. */
import { readFile } from "node:fs/promises";

/** The unit of times in /proc, which Linux fixes for all programs. */
const TICK_MS = 10;
/** Starting a process and loading its modules, on a busy machine. */
const START_LIMIT_MS = 30_000;

/** Of a work item, the step that is being done. */
interface Step {
  /** Steps that the process has named; 0 before it has the request. */
  reports: number;
  /** When the last one was named. */
  seenAt: number;
  /** What the process had used of the processors when that step was first seen. */
  before: { reports: number; processorMs: number | undefined };
}

/** What a process has had of the processors, with all of its threads. Undefined where there is no /proc, and after its end. */
export async function readProcessorMs(pid: number | undefined): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  // By proc(5). The name of the program may have spaces and parentheses, so the fields count from its end.
  const fields = stat?.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * `maxStretch`: a step that gets too little of the processors may take so many times its limit, where the system reports what it got.
 */
export function isOverdue(
  { reports, seenAt, before }: Step,
  processorMs: number | undefined,
  limitMs: number,
  maxStretch: number,
): boolean {
  const tookMs = performance.now() - seenAt;
  if (reports === 0) return tookMs > START_LIMIT_MS;
  const usedMs =
    processorMs === undefined || before.processorMs === undefined ? tookMs : processorMs - before.processorMs;
  return tookMs > limitMs && (usedMs >= limitMs || tookMs > maxStretch * limitMs);
}
