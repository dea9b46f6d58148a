/**
 * Writes that nobody waits for, and that must not be lost with a database that is away for a moment:
 *
 *   write ──made──▶ over
 *     │ failed
 *     ▼
 *   waits in this process ──each second──▶ written again, in the order in which they came
 *     │ another error than an outage, for a minute; or the process has stopped
 *     ▼
 *   logged, with what was to be written
 *
 * A write must bear to be made again after an error (`transactionOnce`). A process that is killed loses those that wait.
 */
import { setTimeout as wait } from "node:timers/promises";
import { isUnavailable } from "./database.ts";
import type { Log } from "../log.ts";
import { pause } from "../pause.ts";

const TRY_AGAIN_MS = 1_000;
/** An error that is no outage may pass, as a deadlock does; a bug does not. */
const LONGEST_FAILURE_MS = 60_000;
/** A process that stops has hardly more. */
const LONGEST_AT_STOP_MS = 5_000;
const TRY_AGAIN_AT_STOP_MS = 500;
/** Each takes some hundred bytes, in an outage of hours as well. */
const MOST_WAITING = 10_000;

/** What is written, for the log. */
type About = Readonly<Record<string, unknown>>;

interface LateWrite {
  write: () => Promise<void>;
  about: About;
  /** When it first failed by itself; undefined where the latest error is an outage. */
  failingSince: number | undefined;
}

export interface LateWrites {
  /** Resolves after the first try, whatever becomes of it. */
  write(write: () => Promise<void>, about: About): Promise<void>;
  /** Gives those that wait a last moment. */
  stop(): Promise<void>;
}

interface Patience {
  tryAgainMs?: number;
  longestAtStopMs?: number;
  /** Milliseconds, for tests. */
  now?: (() => number) | undefined;
}

export function createLateWrites(
  log: Log,
  { tryAgainMs = TRY_AGAIN_MS, longestAtStopMs = LONGEST_AT_STOP_MS, now = () => performance.now() }: Patience = {},
): LateWrites {
  const waiting: LateWrite[] = [];
  const stopping = new AbortController();
  let trying: Promise<void> | undefined;
  let isOver = false;

  const giveUp = ({ about }: Pick<LateWrite, "about">, error: unknown): void =>
    log.error({ err: error, ...about }, "what was paid for could not be written, and is missing in the usage");
  const pass = (): Promise<void> => tryEach(waiting, now, giveUp);

  async function tryAgain(): Promise<void> {
    while (waiting.length > 0) {
      await pause(tryAgainMs, stopping.signal);
      if (stopping.signal.aborted) return;
      await pass();
    }
    // At once: what fails from now on is tried again by another.
    trying = undefined;
    log.info("what was paid for, and could not be written, is written");
  }

  return {
    async write(write, about) {
      try {
        await write();
        return;
      } catch (error) {
        if (isOver || waiting.length >= MOST_WAITING) return giveUp({ about }, error);
        log.warn({ err: error, ...about }, "what was paid for could not be written yet; it is tried again");
        waiting.push({ write, about, failingSince: isUnavailable(error) ? undefined : now() });
      }
      trying ??= tryAgain();
    },
    async stop() {
      stopping.abort();
      await trying;
      const endsAt = performance.now() + longestAtStopMs;
      for (;;) {
        await pass();
        if (waiting.length === 0 || performance.now() >= endsAt) break;
        await wait(TRY_AGAIN_AT_STOP_MS);
      }
      isOver = true;
      for (const late of waiting.splice(0)) giveUp(late, new Error("the process has stopped"));
    },
  };
}

/** Each that waits, once, until one meets an outage: the others would meet it, too. */
async function tryEach(
  waiting: LateWrite[],
  now: () => number,
  giveUp: (late: LateWrite, error: unknown) => void,
): Promise<void> {
  for (const late of waiting.slice()) {
    try {
      await late.write();
      waiting.splice(waiting.indexOf(late), 1);
    } catch (error) {
      if (isUnavailable(error)) {
        late.failingSince = undefined;
        return;
      }
      late.failingSince ??= now();
      if (now() - late.failingSince < LONGEST_FAILURE_MS) continue;
      waiting.splice(waiting.indexOf(late), 1);
      giveUp(late, error);
    }
  }
}
