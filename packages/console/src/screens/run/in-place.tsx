import { Check, Pencil, X } from "lucide-react";
import { useRef, useState } from "react";
import type { ReactNode, RefObject } from "react";
import { flushSync } from "react-dom";
import { Button } from "../../components/button.tsx";
import { toast } from "../../components/toast.tsx";
import { readError } from "../../components/notice.tsx";

interface InPlaceProps {
  label: string;
  text: string;
  children: ReactNode;
  onSave: (text: string) => Promise<unknown>;
}

/** A value that is changed where it stands: Enter saves, Esc changes nothing. The text is taken once: a refresh does not touch it. */
export function InPlace({ label, text, children, onSave }: InPlaceProps) {
  const [draft, setDraft] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const form = useRef<HTMLFormElement>(null);
  function close(): void {
    const { activeElement, body } = document;
    // A save that ends late does not take the focus from where somebody has gone on to work.
    const hasFocus = activeElement === body || form.current?.contains(activeElement) === true;
    flushSync(() => setDraft(null));
    if (hasFocus) button.current?.focus();
  }
  async function save(): Promise<void> {
    if (draft === null) return;
    if (draft.trim() === text) return close();
    setBusy(true);
    try {
      await onSave(draft.trim());
      close();
    } catch (error) {
      toast(readError(error).title, "bad");
    }
    setBusy(false);
  }
  if (draft === null)
    return (
      <button
        ref={button}
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
    <Editor
      form={form}
      label={label}
      text={text}
      draft={draft}
      isBusy={isBusy}
      onDraft={setDraft}
      onSave={save}
      onClose={close}
    />
  );
}

interface EditorProps {
  form: RefObject<HTMLFormElement | null>;
  label: string;
  text: string;
  draft: string;
  isBusy: boolean;
  onDraft: (draft: string | null) => void;
  onSave: () => Promise<void>;
  onClose: () => void;
}

function Editor({ form, label, text, draft, isBusy, onDraft, onSave, onClose }: EditorProps) {
  return (
    <form
      ref={form}
      // No taller than the text that it replaces: what stands below does not move.
      className="mt-0.5 -mb-2.5 flex items-center gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave();
      }}
      // A value that was typed stays when the focus goes elsewhere: to another window, or to the sign-in over an ended session.
      onBlur={({ currentTarget, relatedTarget }) => {
        if (draft === text && !currentTarget.contains(relatedTarget)) onDraft(null);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || isBusy) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <input
        aria-label={label}
        className="input min-h-7! w-20! min-w-0 px-2! py-0.5!"
        inputMode="decimal"
        autoFocus
        readOnly={isBusy}
        value={draft}
        onFocus={({ target }) => target.select()}
        onChange={({ target }) => onDraft(target.value)}
      />
      <Button look="quiet" icon={Check} label="Save" type="submit" isBusy={isBusy} className="min-h-7! w-7!" />
      <Button
        look="quiet"
        icon={X}
        label="Keep as it is"
        // What is being saved is saved.
        disabled={isBusy}
        onClick={onClose}
        className="min-h-7! w-7!"
      />
    </form>
  );
}
