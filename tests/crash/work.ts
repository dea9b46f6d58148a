import type { Finding } from "./findings.ts";

/** A phase that has begun. */
export interface Work {
  /** The service has acknowledged that it is to work. */
  begun: Promise<unknown>;
  /** All that was acknowledged has come to its end. */
  ended: Promise<unknown>;
  /** Once it has ended. `faults`: how often something was hit meanwhile. */
  check(faults: number): Promise<Finding[]>;
}
