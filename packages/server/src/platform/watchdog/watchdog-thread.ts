/**
 * Watches the beats of the main thread. When they stop, the main thread is interrupted by the debugger's protocol in the middle of what
 * it does, to evaluate one function: what it returns is the work that stands in the way, with its stack.
 */
import { Session } from "node:inspector";
import { parentPort, workerData } from "node:worker_threads";
import { BEAT_EVERY_MS, SAMPLE_SYMBOL } from "./watchdog-protocol.ts";
import type { Sample, StallReport, WatchdogStart } from "./watchdog-protocol.ts";

/** A longer pause of this thread says that the machine was busy, or asleep, and nothing about the other one. */
const MAX_TICK_MS = 2 * BEAT_EVERY_MS;

const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread");
const { beats, stallMs } = workerData as WatchdogStart; // what `watchdog.ts` passes
const beat = new Int32Array(beats);

let seen = Atomics.load(beat, 0);
let tickedAt = performance.now();
let silentMs = 0;
let taking: { sample: Sample | null; session: Session } | undefined;

setInterval(() => {
  const now = performance.now();
  const tickMs = Math.min(now - tickedAt, MAX_TICK_MS);
  tickedAt = now;
  const value = Atomics.load(beat, 0);
  if (value === seen) {
    silentMs += tickMs;
    if (silentMs >= stallMs) taking ??= takeSample();
    return;
  }
  seen = value;
  if (taking !== undefined) {
    // Connected, it would keep the process from ending.
    taking.session.disconnect();
    const report: StallReport = { stalledMs: Math.round(silentMs), sample: taking.sample };
    port.postMessage(report);
    taking = undefined;
  }
  silentMs = 0;
}, BEAT_EVERY_MS);

function takeSample(): { sample: Sample | null; session: Session } {
  const session = new Session();
  const taken: { sample: Sample | null; session: Session } = { sample: null, session };
  session.connectToMainThread();
  const expression = `globalThis[Symbol.for(${JSON.stringify(SAMPLE_SYMBOL)})]?.()`;
  session.post("Runtime.evaluate", { expression, returnByValue: true }, (error, response) => {
    const text: unknown = error === null ? response?.result.value : undefined;
    if (typeof text === "string") taken.sample = JSON.parse(text) as Sample; // as `watchdog.ts` writes it
  });
  return taken;
}
