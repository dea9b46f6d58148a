/** What is written on this page and not saved: a person is asked before it is lost, and once only. */
import { onSessionResume } from "./session-end.ts";

const screens = new Set<() => boolean>();
let isDiscarded = false;

/** For as long as the screen is there. Returns what ends it. */
export function reportUnsaved(isWritten: () => boolean): () => void {
  screens.add(isWritten);
  return () => screens.delete(isWritten);
}

export const isUnsaved = (): boolean => [...screens].some((isWritten) => isWritten());

/** A person has decided to leave without it: the browser does not ask again as the page is left. */
export function discardUnsaved(): void {
  isDiscarded = true;
}
export const mayAskForUnsaved = (): boolean => !isDiscarded;

// The page is still there, and is worked on.
onSessionResume(() => (isDiscarded = false));
