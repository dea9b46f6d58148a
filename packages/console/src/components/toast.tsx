/** Short words about what has just happened. What needs a reaction is a notice in its place instead. */
import { CircleCheck, CircleX } from "lucide-react";
import { useSyncExternalStore } from "react";

interface Toast {
  id: number;
  text: string;
  tone: "good" | "bad";
}
const SHOWN_MS = 6000;
let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const id = ++last;
  set([...toasts.slice(-2), { id, text, tone }]);
  setTimeout(() => set(toasts.filter((shown) => shown.id !== id)), SHOWN_MS);
}

export function Toasts() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-4 z-50 flex flex-col items-end gap-2"
    >
      {shown.map(({ id, text, tone }) => (
        <div key={id} className="card pointer-events-auto flex max-w-sm items-center gap-2 px-3.5 py-2.5 shadow-float">
          {tone === "good" ? (
            <CircleCheck aria-hidden size={16} className="text-good" />
          ) : (
            <CircleX aria-hidden size={16} className="text-bad" />
          )}
          {text}
        </div>
      ))}
    </div>
  );
}
