/** A text with references to columns, colored; a reference that the dataset does not have is marked. */
import { useRef } from "react";
import { referencesIn } from "../lib/specs.ts";

const PARTS = /(\{\{[^}]*\}\})/g;
const SHARED = "block w-full font-mono text-[13px] leading-5 whitespace-pre-wrap [overflow-wrap:anywhere] px-2.5 py-2";

export function TemplateField({
  id,
  label,
  value,
  onChange,
  columns,
  rows = 4,
  placeholder,
}: {
  id?: string;
  label?: string;
  value: string;
  onChange: (value: string) => void;
  /** Undefined: no dataset is chosen, and nothing can be said about the references. */
  columns: readonly string[] | undefined;
  rows?: number;
  placeholder?: string;
}) {
  const colored = useRef<HTMLDivElement>(null);
  const unknown =
    columns === undefined ? [] : [...new Set(referencesIn(value).filter((name) => !columns.includes(name)))];
  return (
    <div>
      <div className="input relative overflow-hidden p-0! focus-within:outline-2 focus-within:outline-accent">
        <div
          ref={colored}
          aria-hidden
          className={`${SHARED} pointer-events-none absolute inset-0 overflow-hidden text-ink`}
        >
          {value.split(PARTS).map((part, i) =>
            part.startsWith("{{") ? (
              <span
                key={i}
                className={`rounded-sm ${referencesIn(part).some((name) => unknown.includes(name)) ? "bg-bad/15 text-bad" : "bg-accent/12 text-accent"}`}
              >
                {part}
              </span>
            ) : (
              part
            ),
          )}
          {"\n"}
        </div>
        <textarea
          id={id}
          aria-label={label}
          value={value}
          rows={Math.min(24, Math.max(rows, value.split("\n").length + 1))}
          spellCheck={false}
          placeholder={placeholder}
          data-template
          onChange={({ target }) => onChange(target.value)}
          onScroll={({ currentTarget }) => {
            if (colored.current !== null) colored.current.scrollTop = currentTarget.scrollTop;
          }}
          className={`${SHARED} relative resize-y bg-transparent text-transparent caret-ink outline-none selection:bg-accent/25`}
        />
      </div>
      {unknown.length > 0 && (
        <p className="mt-1 text-xs text-bad">
          The dataset has no column {unknown.map((name) => `“${name}”`).join(", ")}.
        </p>
      )}
    </div>
  );
}
