/** Light, dark, or as the system: kept in the browser, applied before anything is drawn, and in all tabs. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "rowmill-theme";

/** Where the browser keeps nothing, it is that of this page. */
let current: Theme = "system";
const watchers = new Set<() => void>();

/** What was chosen before, and what is chosen in another tab. */
export function followTheme(): void {
  show(keptTheme());
  addEventListener("storage", ({ key }) => {
    if (key === KEY || key === null) show(keptTheme());
  });
}

export function applyTheme(theme: Theme): void {
  writeKept(KEY, theme);
  show(theme);
}

/** What is chosen now, wherever it was chosen. */
export const useTheme = (): Theme => useSyncExternalStore(watch, () => current);

function show(theme: Theme): void {
  current = theme;
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  for (const notify of watchers) notify();
}

function watch(notify: () => void): () => void {
  watchers.add(notify);
  return () => watchers.delete(notify);
}

function keptTheme(): Theme {
  const kept = readKept(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** A browser may refuse storage altogether. */
export function readKept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeKept(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Nothing is kept: the next visit begins with the defaults.
  }
}
