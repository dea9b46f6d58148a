/**
 * Finds out what blocks the event loop, and whose it is. A thread watches the beats of this one; when they stop for a quarter of a
 * second, it interrupts what runs and takes its name, its organization and its stack.
 */
import { Worker, isMainThread } from "node:worker_threads";
import { currentWork } from "../current-work.ts";
import type { Work } from "../current-work.ts";
import { BEAT_EVERY_MS, SAMPLE_SYMBOL } from "./watchdog-protocol.ts";
import type { Sample, StallReport, WatchdogStart } from "./watchdog-protocol.ts";

export const STALL_MS = 250;

/** Frames of the culprit; the innermost says what it does, the outer ones how it came to it. */
const STACK_FRAMES = 12;
/** The sampling function and the expression that calls it, behind the line of the error. */
const OWN_STACK_LINES = 3;

const THREAD_LIMITS = { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 };

export interface Stall {
  ms: number;
  work: Work | undefined;
  stack: readonly string[];
}

export interface Watchdog {
  stop(): Promise<void>;
}

const listeners = new Set<(stall: Stall) => void>();
let running: { worker: Worker; timer: NodeJS.Timeout } | undefined;

/** One thread watches for all services of a process. */
export function startWatchdog(onStall: (stall: Stall) => void): Watchdog {
  listeners.add(onStall);
  // The debugger's protocol reaches the main thread only.
  if (isMainThread) running ??= start();
  return {
    async stop() {
      listeners.delete(onStall);
      if (listeners.size > 0 || running === undefined) return;
      const { worker, timer } = running;
      running = undefined;
      clearInterval(timer);
      await worker.terminate();
    },
  };
}

function start(): { worker: Worker; timer: NodeJS.Timeout } {
  const workerData: WatchdogStart = { beats: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT), stallMs: STALL_MS };
  const beat = new Int32Array(workerData.beats);
  Object.defineProperty(globalThis, Symbol.for(SAMPLE_SYMBOL), { value: takeSample, configurable: true });
  const timer = setInterval(() => Atomics.add(beat, 0, 1), BEAT_EVERY_MS);
  const worker = new Worker(new URL("./watchdog-thread.ts", import.meta.url), {
    workerData,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: THREAD_LIMITS,
  });
  worker.on("message", ({ stalledMs, sample }: StallReport) => {
    const work = sample?.work ?? undefined;
    const stall = { ms: stalledMs, work: work as Work | undefined, stack: sample?.stack ?? [] }; // written by `takeSample`
    for (const listener of listeners) listener(stall);
  });
  worker.on("error", (error) => {
    for (const listener of listeners) listener({ ms: 0, work: { name: "watchdog" }, stack: [String(error)] });
  });
  timer.unref();
  worker.unref();
  return { worker, timer };
}

/** Called in the middle of whatever runs. */
function takeSample(): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK_FRAMES + OWN_STACK_LINES;
  const { stack = "" } = new Error("here");
  Error.stackTraceLimit = limit;
  const sample: Sample = {
    work: { ...currentWork() },
    stack: stack
      .split("\n")
      .slice(OWN_STACK_LINES)
      .map((line) => line.trim()),
  };
  if (currentWork() === undefined) sample.work = null;
  return JSON.stringify(sample);
}
