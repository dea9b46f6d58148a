/** Work that is done when it is woken, and otherwise at intervals: a lost wake-up costs only the wait. */
import { runAs } from "./current-work.ts";
import { createFailureLog } from "./log-failures.ts";
import type { Log } from "./log.ts";

/** After a pass that failed; the database may be away. */
const PAUSE_AFTER_ERROR_MS = 1_000;

export interface WakefulLoop {
  /** The next pass begins at once, or right after the one that is under way. */
  wake(): void;
  /** No further pass begins; resolves after the one under way. */
  stop(): Promise<void>;
}

export interface WakefulWork {
  /** For the log and the watchdog. */
  name: string;
  /** Between two passes, however often it is woken. */
  leastPauseMs: number;
  /** Returns after how many milliseconds the next pass is due at the latest; 0 is at once. */
  pass: () => Promise<number>;
}

export function startWakefulLoop(log: Log, { name, leastPauseMs, pass }: WakefulWork): WakefulLoop {
  const stopping = new AbortController();
  const logFailure = createFailureLog(log);
  let isWoken = false;
  let endWait: (() => void) | undefined;
  let endRest: (() => void) | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      isWoken = false;
      let pauseMs = PAUSE_AFTER_ERROR_MS;
      try {
        pauseMs = await runAs({ name }, pass);
      } catch (error) {
        logFailure(error, `failed, and will be tried again: ${name}`);
      }
      if (!stopping.signal.aborted && leastPauseMs > 0) await wait(leastPauseMs, (end) => (endRest = end));
      if (!stopping.signal.aborted && !isWoken && pauseMs > leastPauseMs)
        await wait(pauseMs - leastPauseMs, (end) => (endWait = end));
    }
  }

  const ended = run();
  return {
    wake() {
      isWoken = true;
      endWait?.();
    },
    stop() {
      stopping.abort();
      endRest?.();
      endWait?.();
      return ended;
    },
  };
}

function wait(pauseMs: number, setEnd: (end: (() => void) | undefined) => void): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      setEnd(undefined);
      resolve();
    };
    const timer = setTimeout(end, pauseMs);
    setEnd(end);
  });
}
