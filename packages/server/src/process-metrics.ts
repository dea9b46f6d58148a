/**
 * Metrics of the process: memory, processor time, event loop, garbage collection. Services of one process have them in common, since a
 * collection does not end: it looks at the event loop a hundred times a second and at each collection of garbage.
 */
import { collectDefaultMetrics, Registry } from "prom-client";

let collected: Registry | undefined;

export function processMetrics(): Registry {
  if (collected === undefined) {
    collected = new Registry();
    collectDefaultMetrics({ register: collected });
  }
  return collected;
}
