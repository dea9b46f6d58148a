import { Check, Copy as CopyIcon } from "lucide-react";
import { useState } from "react";
import { copyText } from "../lib/copy.ts";
import { toast } from "./toast.tsx";

const SHOWN_MS = 1500;

/** Copies a text, or what `read` fetches: a copy is whole, whatever the cell shows. */
export function Copy({
  text,
  label,
  children,
}: {
  text: string | (() => Promise<string>);
  label: string;
  children?: string;
}) {
  const [isDone, setDone] = useState(false);
  async function copy(): Promise<void> {
    try {
      await copyText(typeof text === "string" ? text : await text());
      setDone(true);
      setTimeout(() => setDone(false), SHOWN_MS);
    } catch (error) {
      toast(error instanceof Error ? error.message : "It could not be copied.", "bad");
    }
  }
  const Icon = isDone ? Check : CopyIcon;
  return (
    <button
      type="button"
      title={label}
      aria-label={children === undefined ? label : `${children}: ${label}`}
      onClick={() => void copy()}
      className="-mx-1 inline-flex max-w-full items-center gap-1.5 rounded px-1 py-0.5 text-soft hover:bg-raised hover:text-ink"
    >
      {children !== undefined && <span className="truncate font-mono text-xs">{children}</span>}
      <Icon aria-hidden size={13} className={`shrink-0 ${isDone ? "text-good" : ""}`} />
    </button>
  );
}
