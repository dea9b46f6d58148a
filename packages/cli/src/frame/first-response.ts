/** Says that a service does not respond, before the client stops trying, which takes it minutes. */

/** As the client uses it. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A service that works responds to a first request far sooner. */
const PATIENCE_MS = 5_000;

/** Only the first request: later ones may be uploads, or wait for an event. */
export function withNoteOnSilence(send: Fetch, note: (text: string) => void, patienceMs = PATIENCE_MS): Fetch {
  let isFirst = true;
  return async (url, init) => {
    if (!isFirst) return send(url, init);
    isFirst = false;
    const { origin } = new URL(url);
    const timer = setTimeout(() => note(`No response from ${origin} yet; Ctrl-C ends the wait.`), patienceMs);
    try {
      return await send(url, init);
    } finally {
      clearTimeout(timer);
    }
  };
}
