/** Between the watched thread, which counts its beats in shared memory, and the one that watches it. */

export const BEAT_EVERY_MS = 50;

/** The name under which the watched thread offers a function that returns a `Sample` as JSON text. */
export const SAMPLE_SYMBOL = "rowmill.watchdog.sample";

export interface Sample {
  work: Record<string, string> | null;
  /** Innermost frame first. */
  stack: string[];
}

export interface WatchdogStart {
  beats: SharedArrayBuffer;
  stallMs: number;
}

/** Sent when the watched thread is alive again. */
export interface StallReport {
  stalledMs: number;
  /** Null: it could not be interrupted before it ended. */
  sample: Sample | null;
}
