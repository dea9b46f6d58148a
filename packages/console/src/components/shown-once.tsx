import { useRef } from "react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Copy } from "./copy.tsx";
import { Dialog } from "./dialog.tsx";

/** A secret that the service shows once: it is copied here and now, or replaced later. */
export function ShownOnce({
  title,
  name,
  value,
  onClose,
  children,
}: {
  title: string;
  /** What it is: "signing secret". */
  name: string;
  value: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const ref = useRef<HTMLElement>(null);
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <Button look="primary" onClick={onClose}>
          I have stored it
        </Button>
      }
    >
      <div className="flex items-start gap-2 rounded-lg border border-edge bg-raised px-3 py-2">
        <code
          ref={ref}
          tabIndex={0}
          aria-label={name}
          onFocus={() => {
            if (ref.current !== null) getSelection()?.selectAllChildren(ref.current);
          }}
          className="min-w-0 flex-1 font-mono text-xs leading-6 break-all select-all"
        >
          {value}
        </code>
        <Copy text={value} label={`Copy the ${name}`} />
      </div>
      <div className="text-soft">{children}</div>
    </Dialog>
  );
}
