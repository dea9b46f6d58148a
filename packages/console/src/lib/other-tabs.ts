/** Reports to the other tabs of this browser that the cookie has another session, or none. */
import { baseUrl } from "./client.ts";

const NAME = `rowmill-session ${baseUrl}`;
const channel = typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(NAME);

export function reportToOtherTabs(): void {
  if (channel !== undefined) return channel.postMessage(null);
  try {
    // Its change is the message: other tabs get an event where the value is another one.
    localStorage.setItem(NAME, String(Math.random()));
  } catch (error) {
    // A browser that keeps nothing for this page: the service refuses what other tabs send.
    console.debug(error);
  }
}

export function listenToOtherTabs(listener: () => void): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  if (channel !== undefined) channel.addEventListener("message", listener, { signal });
  else
    window.addEventListener(
      "storage",
      ({ key }) => {
        if (key === NAME) listener();
      },
      { signal },
    );
  return () => stop.abort();
}
