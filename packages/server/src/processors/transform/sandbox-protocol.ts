/** What the main thread and a worker thread say to each other: one message each way per work item, text instead of objects; and one that it is ready. */
import type { RowFailure } from "../processor.ts";
import type { PassedText } from "./passed-text.ts";

export type SandboxRequest =
  | {
      type: "rows";
      /** Which sandbox: organization, purpose and hash of the code. */
      sandboxKey: string;
      /** Present when the thread has not seen the key. */
      code: string | null;
      /** A sandbox that the thread shall forget. */
      forget: string | null;
      /** JSON texts, one row on a line. */
      text: PassedText;
      rowCount: number;
      /** So many rows, from the first, in calls of their own, because a call with several of them failed. */
      oneByOne: number;
      capturesLogs: boolean;
    }
  | { type: "check"; code: string };

/** The thread has started, and what it is given is worked on at once. Sent before the first response. */
export interface ThreadReady {
  type: "ready";
}

/** `Text`: how the outputs come. */
export type SandboxResponse<Text = PassedText> =
  | {
      type: "rows";
      /** Rows done, from the first; the rest is returned for another work item. */
      finished: number;
      /** So many of the rest belong to a call that failed, and go one by one. */
      oneByOne: number;
      /** Their outputs, one on a line; an empty line for a failure. */
      text: Text;
      failures: { at: number; failure: RowFailure }[];
      /** One per row when logs were asked for, else empty. */
      logs: string[];
      /** The thread has gathered garbage or failures and asks to be replaced. */
      retires: boolean;
    }
  | { type: "check"; problem: string | null; retires: boolean };

/** Shared memory through which the main thread sees how far a thread is: Int32 each. */
export const progressSlots = { callNumber: 0, firstRow: 1, rowsInCall: 2 } as const;
export const PROGRESS_BYTES = 3 * Int32Array.BYTES_PER_ELEMENT;

export interface ThreadStart {
  progress: SharedArrayBuffer;
  /** For the texts of rows and of outputs (`passed-text.ts`). */
  rows: SharedArrayBuffer;
  outputs: SharedArrayBuffer;
}
