/**
 * Whether a part that the service needs works, for those who watch it. Without such a part some requests fail and all others go on, so it
 * is reported and does not take the service out of use.
 */
import type { Log } from "./log.ts";

/** A look may cost something: as often as probes of usual kinds need it. */
const KEPT_MS = 10_000;
/** The caller does not wait longer; clients of stores and name servers try for minutes. */
const TIMEOUT_MS = 3_000;

export interface SelfCheck {
  /** Looks now. Rejects with what is wrong. */
  look(): Promise<void>;
  /** Kept for a while, and one look serves all who ask meanwhile. */
  works(): Promise<boolean>;
}

/** What the log gets when it ceases to work, and when it works again. */
export interface SelfCheckWords {
  failed: string;
  worksAgain: string;
  /** The network of the machine is at fault: the log has a warning with the reason, and no stack. A laptop is often offline. */
  isOfNetwork?: true;
}

export function createSelfCheck(
  look: () => Promise<void>,
  log: Log,
  words: SelfCheckWords,
  { now = () => performance.now(), timeoutMs = TIMEOUT_MS }: { now?: () => number; timeoutMs?: number } = {},
): SelfCheck {
  let looking: Promise<boolean> | undefined;
  let known: { works: boolean; until: number } | undefined;

  function report(error: unknown): void {
    if (words.isOfNetwork === true && error instanceof Error) log.warn({ reason: error.message }, words.failed);
    else log.error({ err: error }, words.failed);
  }

  async function lookOnce(): Promise<boolean> {
    let failure: { error: unknown } | undefined;
    try {
      await withTimeout(look(), timeoutMs);
    } catch (error) {
      failure = { error };
    }
    const works = failure === undefined;
    const didWork = known?.works ?? true;
    if (failure !== undefined && didWork) report(failure.error);
    if (works && !didWork) log.info(words.worksAgain);
    known = { works, until: now() + KEPT_MS };
    return works;
  }

  return {
    look,
    works() {
      if (known !== undefined && now() < known.until) return Promise.resolve(known.works);
      looking ??= lookOnce().finally(() => (looking = undefined));
      return looking;
    },
  };
}

async function withTimeout(work: Promise<void>, timeoutMs: number): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error("there was no response in time")), timeoutMs);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
