/** What the main thread and the thread of conditions say to each other: one message each way. */
import type { ConditionResult } from "./condition.ts";

export type ConditionRequest =
  | { type: "check"; source: string; variable: string }
  | {
      type: "evaluate";
      source: string;
      variable: string;
      /** JSON texts. */
      inputs: readonly string[];
      /** The first of them that is to be evaluated. */
      from: number;
      /** One byte for each input: 0 until it is evaluated, then one more than its place in `resultCodes`. */
      results: SharedArrayBuffer;
    };

export type ConditionAnswer = { problem: string | null; firstError: ConditionError | null };

export interface ConditionError {
  /** Which input. */
  at: number;
  message: string;
}

export const resultCodes: readonly ConditionResult[] = ["match", "no_match", "error"];
