import { useEffect, useState } from "react";

/** Between two keys that somebody types. */
const SETTLED_MS = 400;

/** The value, once it has not changed for a moment: what is asked for by it is more than each key is worth. */
export function useSettled(value: string, settledMs = SETTLED_MS): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settledMs);
    return () => clearTimeout(timer);
  }, [value, settledMs]);
  return settled;
}
