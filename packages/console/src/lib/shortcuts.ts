/** One registry of keys: it feeds the listener, the hints, and the sheet that `?` opens. */
import { useLayoutEffect } from "react";

export interface Shortcut {
  /** As it is typed: `g r` is two keys one after the other, `mod+k` is Ctrl or ⌘. Empty: only Cmd+K has it. */
  keys: string;
  label: string;
  run: () => void;
  /** Under which heading of the sheet it stands; if absent, under that of the screen. */
  group?: "Everywhere" | "Go to";
}

const registered = new Set<Shortcut>();
/** Two keys belong together within this time. */
const SEQUENCE_MS = 900;

export const shortcuts = (): Shortcut[] => [...registered];

export function useShortcuts(list: Shortcut[]): void {
  // With the screen, and not a moment later: a key may be pressed as soon as it is seen.
  useLayoutEffect(() => {
    for (const shortcut of list) registered.add(shortcut);
    return () => {
      for (const shortcut of list) registered.delete(shortcut);
    };
  });
}

let before = { key: "", at: 0 };

function onKeyDown(event: KeyboardEvent): void {
  // An editor is inside a shadow root.
  const [target] = event.composedPath();
  const isTyping =
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  const isMod = event.ctrlKey || event.metaKey;
  const name = isMod ? `mod+${event.key.toLowerCase()}` : event.key;
  if (event.altKey || event.defaultPrevented || (isTyping && !isMod)) return;
  // When it was pressed, however long the thread was busy until now.
  const at = event.timeStamp;
  const sequence = at - before.at < SEQUENCE_MS ? `${before.key} ${name}` : name;
  before = { key: name, at };
  const isModal = document.querySelector("dialog[open]") !== null;
  const found =
    [...registered].reverse().find(({ keys }) => keys !== "" && keys === sequence) ??
    [...registered].reverse().find(({ keys }) => keys !== "" && keys === name);
  if (found === undefined && !isModal && !isMod && (name === "j" || name === "k")) return enterRows(event);
  if (found === undefined || (isModal && !isMod)) return;
  event.preventDefault();
  before = { key: "", at: 0 };
  found.run();
}

/** `j` and `k` go into the rows of the screen from anywhere. */
function enterRows(event: KeyboardEvent): void {
  const rows = document.querySelector<HTMLElement>("main [data-rows]");
  if (rows === null) return;
  event.preventDefault();
  rows.focus();
  rows.dispatchEvent(new KeyboardEvent("keydown", { key: event.key, bubbles: true, cancelable: true }));
}

window.addEventListener("keydown", onKeyDown);

const isMac = /mac/i.test(navigator.platform);
export const keyNames = (keys: string): string[] =>
  keys
    .split(" ")
    .map((key) =>
      key.replace("mod+", isMac ? "⌘" : "Ctrl ").replace(/k$/, (last) => (keys.includes("mod+") ? "K" : last)),
    );
