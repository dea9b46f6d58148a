/** Sources that pause, as those of programs do that ask a database or another service for the next rows. */

/**
 * Below the 40 seconds after which the service closes a connection that sends nothing, and below the limits of most proxies; streams of
 * events send something as often.
 */
const KEEP_ALIVE_MS = 15_000;

export const PAUSE: unique symbol = Symbol("pause");

/** The items of the source, and `PAUSE` whenever one is waited for at a tick. */
export async function* withPauses<T>(source: AsyncIterable<T>): AsyncGenerator<T | typeof PAUSE, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  let state: "waits" | "has given" | "is over" = "has given";
  let wake: () => void = () => undefined;
  const timer = setInterval(() => wake(), KEEP_ALIVE_MS);
  try {
    for (;;) {
      state = "waits";
      const next = promised(() => iterator.next()).catch((error: unknown) => {
        state = "is over";
        throw error;
      });
      let result = await nextOrPause(next);
      while (result === PAUSE) {
        yield PAUSE;
        result = await nextOrPause(next);
      }
      state = result.done === true ? "is over" : "has given";
      if (result.done === true) return;
      yield result.value;
    }
  } finally {
    clearInterval(timer);
    if (state === "has given") await iterator.return?.();
    else if (state === "waits") closeLater(iterator);
  }

  /** Not Promise.race with one promise for the tick: that would keep a reaction for each item until then. */
  function nextOrPause(next: Promise<IteratorResult<T>>): Promise<IteratorResult<T> | typeof PAUSE> {
    return new Promise((resolve, reject) => {
      wake = () => resolve(PAUSE);
      next.then(resolve, reject);
    });
  }
}

/** What `iterator.next()` gives. When the signal aborts before: throws its reason, and closes the source. */
export async function firstOf<T>(iterator: AsyncIterator<T>, signal: AbortSignal): Promise<IteratorResult<T>> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const onAbort = (): void => {
      closeLater(iterator);
      // The reason is whatever the caller aborted with; it is theirs to recognize.
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal.reason);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    iterator
      .next()
      .finally(() => signal.removeEventListener("abort", onAbort))
      .then(resolve, reject);
  });
}

/** A generator closes once it has what it waits for. Nobody waits for that, so nobody learns of an error in it. */
export function closeLater(iterator: AsyncIterator<unknown>): void {
  promised(() => iterator.return?.()).catch(() => undefined);
}

/** As `for await` takes what an iterator gives: a program may have written one whose methods give no promises. */
const promised = async <T>(call: () => T | Promise<T>): Promise<T> => await call();
