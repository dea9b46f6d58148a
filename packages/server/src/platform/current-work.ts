/**
 * What the thread is at work on, and whose it is. It follows the work through everything that it waits for, so that the watchdog can
 * name it (`watchdog/watchdog.ts`).
 */
import { AsyncLocalStorage } from "node:async_hooks";

export interface Work {
  /** An operation of the contract, a queue or a periodic task. */
  name: string;
  organizationId?: string;
  requestId?: string;
  jobId?: string;
  runId?: string;
}

const current = new AsyncLocalStorage<Work>();

export const runAs = <T>(work: Work, task: () => T): T => current.run(work, task);

export const currentWork = (): Work | undefined => current.getStore();
