import { useMutation } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useId, useRef } from "react";
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import { Button } from "./button.tsx";
import { ActionError } from "./notice.tsx";
import { visible } from "../lib/format.ts";
import { useModal } from "./modal.ts";

const FIRST_FIELD = ":is(input:not([type=radio], [type=checkbox]), textarea, select):not(:disabled)";

interface DialogProps {
  title: ReactNode;
  onClose: () => void;
  /** What the Enter key does in a field of one line, as in a form. */
  onEnter?: (() => void) | undefined;
  /** Shows the row after (1) or before (-1) the one that is shown: `j` and `k`, as in the list behind. */
  onMove?: ((step: number) => void) | undefined;
  children: ReactNode;
  footer?: ReactNode;
  /** A panel at the right edge. */
  side?: boolean;
  width?: string;
  within?: RefObject<HTMLDialogElement | null>;
}

/** The browser's own modal dialog: it holds the focus, Esc closes it, and what is behind cannot be reached. */
export function Dialog({
  title,
  onClose,
  onEnter,
  onMove,
  children,
  footer,
  side = false,
  width = "max-w-lg",
  within,
}: DialogProps) {
  const own = useRef<HTMLDialogElement>(null);
  const ref = within ?? own;
  const id = useId();
  // Who opens a form begins to write; a panel and a question keep the focus at their beginning.
  useModal(ref, (dialog) => (side ? undefined : dialog.querySelector<HTMLElement>(FIRST_FIELD)?.focus()));
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
      onKeyDown={(event) => onKeyDown(event, ref.current, onEnter, onMove)}
      className={`${place} ${width} border border-line bg-surface shadow-float open:flex open:flex-col`}
    >
      <div className="flex items-start justify-between gap-3 border-b border-line px-5 py-3.5">
        <h2 id={id} className="text-base font-semibold [overflow-wrap:anywhere]">
          {typeof title === "string" ? visible(title) : title}
        </h2>
        <Button look="quiet" icon={X} label="Close" onClick={onClose} className="-my-1 -mr-2" />
      </div>
      {/* What does not fit is scrolled; a card that hides its overflow would shrink instead, and lose its end. */}
      <div className="flex min-h-0 flex-1 flex-col gap-4 overflow-y-auto px-5 py-4 *:shrink-0">{children}</div>
      {footer !== undefined && (
        <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 py-3">{footer}</div>
      )}
    </dialog>
  );
}

function onKeyDown(
  event: KeyboardEvent,
  dialog: HTMLDialogElement | null,
  onEnter: DialogProps["onEnter"],
  onMove: DialogProps["onMove"],
): void {
  const { key, target, nativeEvent } = event;
  const step = onMove !== undefined && !isTyping(event) && { j: 1, k: -1 }[key];
  if (typeof step === "number") {
    event.preventDefault();
    return onMove?.(step);
  }
  if (key !== "Enter" || nativeEvent.isComposing || event.defaultPrevented || onEnter === undefined) return;
  if (!(target instanceof HTMLInputElement) || target.closest("dialog") !== dialog) return;
  event.preventDefault();
  onEnter();
}

/** Whether the key is a part of a text, or of a shortcut of the browser. */
const isTyping = ({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  ctrlKey || metaKey || altKey || (target instanceof HTMLElement && target.matches("input, textarea, select"));

/**
 * A dialog with one action. Its button is busy while the action runs; an action that fails leaves the dialog open and shows why.
 * The action itself closes the dialog, since some show something more, or go elsewhere.
 */
export function ActionDialog({
  action,
  onAct,
  look = "primary",
  isReady = true,
  isBusy = false,
  closing = "Close",
  beside,
  children,
  ...dialog
}: Omit<DialogProps, "footer" | "onEnter" | "within"> & {
  /** What the button does, as it is written on it. Undefined: there is nothing to do yet, or no longer. */
  action: string | undefined;
  onAct: () => Promise<unknown>;
  look?: "primary" | "danger";
  /** Whether what the action needs is there. */
  isReady?: boolean;
  /** Something else that the button waits for: a count, an estimate. */
  isBusy?: boolean;
  closing?: string;
  /** At the left end of the footer. */
  beside?: ReactNode;
}) {
  const act = useMutation({ mutationFn: onAct });
  const within = useRef<HTMLDialogElement>(null);
  const mayAct = action !== undefined && isReady && !act.isPending && !isBusy;
  const begin = (): void => {
    if (!reportUnreadable(within.current)) act.mutate();
  };
  return (
    <Dialog
      {...dialog}
      within={within}
      // What cannot be taken back is pressed.
      onEnter={mayAct && look !== "danger" ? begin : undefined}
      footer={
        <>
          {beside !== undefined && <span className="mr-auto">{beside}</span>}
          <Button onClick={dialog.onClose}>{closing}</Button>
          {action !== undefined && (
            <Button look={look} disabled={!isReady} isBusy={act.isPending || isBusy} onClick={begin}>
              {action}
            </Button>
          )}
        </>
      }
    >
      {children}
      {act.error !== null && <ActionError error={act.error} />}
    </Dialog>
  );
}

/** A field of numbers or times with a text that cannot be read is empty to the page: the browser shows it, and nothing is sent. */
function reportUnreadable(dialog: HTMLDialogElement | null): boolean {
  const fields = dialog?.querySelectorAll("input") ?? [];
  const unreadable = [...fields].find(({ validity }) => validity.badInput);
  unreadable?.reportValidity();
  return unreadable !== undefined;
}

/** Asks before what cannot be taken back; the button says what it does. */
export function Confirm({
  onConfirm,
  closing = "Keep",
  children,
  ...dialog
}: {
  title: string;
  /** On the button that changes nothing. */
  closing?: string;
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  async function confirm(): Promise<void> {
    await onConfirm();
    dialog.onClose();
  }
  return (
    <ActionDialog {...dialog} width="max-w-md" look="danger" closing={closing} onAct={confirm}>
      <div>{children}</div>
    </ActionDialog>
  );
}
