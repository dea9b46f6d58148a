/** What the main thread and the worker process of conditions say to each other: one message each way. */
import type { ConditionResult } from "./condition.ts";

export type ConditionRequest =
  | { type: "check"; source: string; variable: string }
  | {
      type: "evaluate";
      source: string;
      variable: string;
      inputs: Inputs;
      /** The first of them that is to be evaluated, and the first that is not. */
      from: number;
      until: number;
    };

/** JSON texts; or as rows of a dataset are stored: one a line, "\n" between them, packed by zstd. */
export type Inputs = readonly string[] | Buffer;

export interface ConditionResponse {
  problem: string | null;
  firstError: ConditionError | null;
  /** One byte for each input from `from` on: one more than its place in `resultCodes`. */
  codes: Uint8Array;
}

export interface ConditionError {
  /** Which input. */
  at: number;
  message: string;
}

export const resultCodes: readonly ConditionResult[] = ["match", "no_match", "error"];
