import { FileUp } from "lucide-react";
import { useId } from "react";
import type { RefObject } from "react";
import { useFileDrop } from "../../lib/file-drop.ts";

/** A file by dropping it, here or elsewhere on the screen, or by choosing it. */
export function Drop({
  onFile,
  children,
  isBusy = false,
  inputRef,
}: {
  onFile: (file: File) => void;
  children: string;
  isBusy?: boolean;
  inputRef?: RefObject<HTMLInputElement | null>;
}) {
  const id = useId();
  const isOver = useFileDrop(isBusy ? undefined : onFile);
  return (
    <div
      className={`flex flex-col items-center gap-1.5 rounded-lg border-2 border-dashed px-6 py-8 text-center ${isOver ? "border-accent bg-raised" : "border-edge"}`}
    >
      <FileUp aria-hidden size={22} strokeWidth={1.6} className="text-soft" />
      <p>
        <label
          htmlFor={id}
          className="cursor-pointer font-medium text-accent underline-offset-2 has-focus-visible:outline-2 hover:underline"
        >
          Choose a file
          <input
            id={id}
            ref={inputRef}
            type="file"
            disabled={isBusy}
            className="sr-only"
            onChange={({ target }) => {
              const file = target.files?.[0];
              target.value = "";
              if (file !== undefined) onFile(file);
            }}
          />
        </label>{" "}
        or drop it here
      </p>
      <p className="text-xs text-soft">{children}</p>
    </div>
  );
}
