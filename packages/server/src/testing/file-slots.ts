/**
 * How many test files run at once: a set number in any case, and further ones while processors are idle. Files that wait for a lease, a
 * retry or a killed service leave the processors to others; while files compute, those that came in addition are not replaced.
 */
import { availableParallelism, cpus, totalmem } from "node:os";

const PER_PROCESSOR = { always: 2, most: 3 };
/** The one PostgreSQL has 300 connections for the services of all. */
const MOST_AT_ALL = 8;
/** Each takes most of a gigabyte; there are databases, browsers and services beside them. */
const MEMORY_BYTES = 2 * 1024 ** 3;

const processors = availableParallelism();
/** In a container with a part of the machine, the times are those of the whole machine. */
const seesItsProcessors = cpus().length === processors;
/** Zero, or more than the machine has, where there is no limit. */
const memoryBytes = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
const always = Math.min(MOST_AT_ALL, PER_PROCESSOR.always * processors);
const most = seesItsProcessors
  ? Math.min(MOST_AT_ALL, PER_PROCESSOR.most * processors, Math.floor(memoryBytes / MEMORY_BYTES))
  : always;

/**
 * Each file may own a server, a database and worker threads, and waits for them about half of its time. With more at once while the
 * processors are busy, each would only take longer.
 */
export const FILES_AT_ONCE = { always, most: Math.max(always, most) };

/** Before each further file, processors are watched for this long: a file that has begun keeps one busy by then. */
const WATCH_MS = 2_000;
/** Of the time of all processors. With a quarter, a fifth of it was left idle: most files wait a little all the time. */
const IDLE_SHARE = 0.1;
/** With less, there are more files than the processors have time for. */
const BUSY_SHARE = 0.05;

export interface ProcessorTimes {
  idle: number;
  all: number;
}

export interface SlotOptions {
  /** This many files run at once in any case. */
  always: number;
  most: number;
  watchMs?: number;
  readTimes?: () => ProcessorTimes;
}

export class FileSlots {
  readonly #options: Required<SlotOptions>;
  readonly #waiting = new Set<() => void>();
  #running = 0;
  /** From `always` to `most`, by what the last looks at the processors have found: short files end more often than there is a look. */
  #limit: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SlotOptions) {
    this.#options = { watchMs: WATCH_MS, readTimes: readProcessorTimes, ...options };
    this.#limit = options.always;
  }

  /** Calls `begin` when the file has its slot. The returned function frees the slot, or ends the wait for it. */
  take(begin: () => void): () => void {
    this.#waiting.add(begin);
    this.#begin();
    this.#watch();
    return () => {
      if (!this.#waiting.delete(begin)) this.#running -= 1;
      this.#begin();
    };
  }

  /** In the order in which they came, until as many are running as may. */
  #begin(): void {
    for (const begin of this.#waiting) {
      if (this.#running >= this.#limit) return;
      this.#waiting.delete(begin);
      this.#running += 1;
      begin();
    }
  }

  /** While a file waits. */
  #watch(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    const { always, most, readTimes, watchMs } = this.#options;
    const before = readTimes();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const after = readTimes();
      const idleShare = (after.idle - before.idle) / (after.all - before.all);
      if (idleShare >= IDLE_SHARE) this.#limit = Math.min(this.#limit + 1, most);
      else if (idleShare < BUSY_SHARE) this.#limit = Math.max(this.#limit - 1, always);
      this.#begin();
      this.#watch();
    }, watchMs);
    this.#timer.unref();
  }
}

function readProcessorTimes(): ProcessorTimes {
  const sums = { idle: 0, all: 0 };
  for (const { times } of cpus()) {
    sums.idle += times.idle;
    sums.all += Object.values(times).reduce((sum, time) => sum + time);
  }
  return sums;
}
