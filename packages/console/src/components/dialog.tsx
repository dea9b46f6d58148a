import { X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

const FIRST_FIELD = ":is(input:not([type=radio], [type=checkbox]), textarea, select):not(:disabled)";

/** The browser's own modal dialog: it holds the focus, Esc closes it, and what is behind cannot be reached. */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  side = false,
  width = "max-w-lg",
}: {
  title: ReactNode;
  onClose: () => void;
  children: ReactNode;
  footer?: ReactNode;
  /** A panel at the right edge. */
  side?: boolean;
  width?: string;
}) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (dialog !== null && !dialog.open) {
      dialog.showModal();
      // Who opens a form begins to write; a panel and a question keep the focus at their beginning.
      if (!side) dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    }
    return () => dialog?.close();
  }, [side]);
  const place = side
    ? "ml-auto mr-0 my-0 h-dvh max-h-dvh w-full rounded-none border-y-0 border-r-0"
    : "m-auto max-h-[min(90dvh,860px)] w-[calc(100%-24px)] rounded-xl";
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => {
        if (event.target === ref.current) onClose();
      }}
      className={`${place} ${width} border border-line bg-surface shadow-float open:flex open:flex-col`}
    >
      <div className="flex items-start justify-between gap-3 border-b border-line px-5 py-3.5">
        <h2 id={id} className="text-base font-semibold [overflow-wrap:anywhere]">
          {title}
        </h2>
        <Button look="quiet" icon={X} label="Close" onClick={onClose} className="-my-1 -mr-2" />
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4">{children}</div>
      {footer !== undefined && (
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
      )}
    </dialog>
  );
}
