/** Light, dark, or as the system: kept in the browser, applied before anything is drawn, and in all tabs. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";
const KEY = "rowmill-theme";

export function readTheme(): Theme {
  const kept = readKept(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  writeKept(KEY, theme);
  for (const notify of watchers) notify();
}

const watchers = new Set<() => void>();

/** What is chosen now, wherever it was chosen. */
export const useTheme = (): Theme => useSyncExternalStore(watch, readTheme);

function watch(notify: () => void): () => void {
  const onStorage = ({ key }: StorageEvent): void => {
    if (key === KEY) applyTheme(readTheme());
  };
  watchers.add(notify);
  addEventListener("storage", onStorage);
  return () => {
    watchers.delete(notify);
    removeEventListener("storage", onStorage);
  };
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
