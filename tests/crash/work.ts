import type { Finding } from "./findings.ts";

/** A phase that has begun. */
export interface Work {
  /** The service has acknowledged that it is to work. */
  begun: Promise<unknown>;
  /** All that was acknowledged has come to its end. */
  ended: Promise<unknown>;
  /** Once it has ended. `mayRepeatCalls`: a process may have lost calls that were in flight. */
  check(mayRepeatCalls: boolean): Promise<Finding[]>;
  /** Of calls that cost money: how many were made more than once, as soon as it has ended. */
  repeatedCalls?: () => number;
}
