/** Modal dialogs of the browser: where the focus is while one is open, and where it goes afterwards. */
import { useLayoutEffect } from "react";
import type { RefObject } from "react";

/**
 * Opens the dialog, and closes it before it is removed: the browser returns the focus only then to where it was. Where that place
 * is gone, the rows of the screen get it, or the screen itself. `onOpen` runs once it is open.
 */
export function useModal(ref: RefObject<HTMLDialogElement | null>, onOpen?: (dialog: HTMLDialogElement) => void): void {
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (dialog === null) return;
    dialog.showModal();
    onOpen?.(dialog);
    return () => {
      dialog.close();
      if (document.activeElement !== document.body) return;
      const place = document.querySelector<HTMLElement>("main [data-rows]") ?? document.getElementById("main");
      place?.focus({ preventScroll: true });
    };
    // Once: a dialog is opened when it is made, and what it is made with stays.
  }, []);
}
