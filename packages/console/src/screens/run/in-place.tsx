import { Pencil } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { toast } from "../../components/toast.tsx";
import { readError } from "../../components/notice.tsx";

interface InPlaceProps {
  label: string;
  text: string;
  children: ReactNode;
  onSave: (text: string) => Promise<unknown>;
}

/** A value that is changed where it stands: Enter saves, Esc and leaving it change nothing. The text is taken once: a refresh does not touch it. */
export function InPlace({ label, text, children, onSave }: InPlaceProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  async function save(): Promise<void> {
    if (draft === null) return;
    if (draft.trim() === text) return setDraft(null);
    setBusy(true);
    try {
      await onSave(draft.trim());
      setDraft(null);
    } catch (error) {
      toast(readError(error).title, "bad");
    }
    setBusy(false);
  }
  if (draft === null)
    return (
      <button
        type="button"
        onClick={() => setDraft(text)}
        className="group -mx-1 inline-flex max-w-full items-center gap-1.5 rounded px-1 text-left hover:bg-raised"
      >
        <span className="min-w-0">{children}</span>
        <span className="sr-only">{`${label}: change`}</span>
        <Pencil aria-hidden size={12} className="shrink-0 text-soft opacity-60 group-hover:opacity-100" />
      </button>
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        aria-label={label}
        className="input min-h-7! w-28! py-0.5!"
        inputMode="decimal"
        autoFocus
        disabled={isBusy}
        value={draft}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => setDraft(target.value)}
        onBlur={() => {
          if (!isBusy) setDraft(null);
        }}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          setDraft(null);
        }}
      />
    </form>
  );
}
