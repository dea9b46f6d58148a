/**
 * A text that a program reads: JSON, JavaScript, or a prompt with references to columns. It is a plain field until the editor is
 * loaded, and remains one where that fails; what was typed meanwhile, the focus and the selection go over into the editor.
 */
import { useId, useLayoutEffect } from "react";
import type { ReactNode, RefObject } from "react";
import { rememberTarget } from "../lib/column-targets.ts";
import { useProblems } from "../lib/draft-problems.ts";
import { explainRounding, roundedNumberIn } from "../lib/exact-numbers.ts";
import type { Language } from "../lib/editor/language.ts";
import { referencesIn } from "../lib/specs.ts";
import { useEditor, useInsertion } from "./code-field-editor.ts";

/** Lines that a field grows to by itself. */
const MAX_LINES = 24;
const FRAME = "input overflow-hidden p-0! focus-within:outline-2 focus-within:outline-accent";

interface CodeFieldProps {
  label: string;
  hint?: ReactNode;
  language: Language;
  value: string;
  onChange: (text: string) => void;
  /** Undefined: no dataset is chosen, and nothing can be said about the references. */
  columns?: readonly string[] | undefined;
  /** Where the text stands in the request, as a JSON Pointer: errors of the service are shown here. */
  path?: string;
  minLines?: number;
  placeholder?: string;
}

export function CodeField({
  label,
  hint,
  language,
  value,
  onChange,
  columns,
  path,
  minLines = 4,
  placeholder,
}: CodeFieldProps) {
  const id = useId();
  const problems = useProblems(path);
  const syntax = language === "json" ? jsonProblem(value) : undefined;
  const unknown = columns === undefined || language === "javascript" ? [] : unknownReferences(value, columns);
  const leaving = language === "template" ? "" : "Tab indents; Escape, then Tab, goes to the next field.";
  const { host, plain, editor, isLoaded, place } = useEditor(language, value, onChange, {
    label,
    description: leaving,
    placeholder,
    minLines,
  });
  useLayoutEffect(() => editor.current?.setColumns(columns), [columns, isLoaded]);
  useLayoutEffect(() => editor.current?.setProblems(problems), [problems, isLoaded]);
  const target = useInsertion(language, plain, editor, onChange);
  const error = syntax === undefined ? problems.map(({ message }) => message).join(" ") : (place ?? syntax);

  return (
    <div
      className="group flex min-w-0 flex-col gap-1"
      data-syntax-error={syntax === undefined ? undefined : label}
      onFocus={() => rememberTarget(target)}
    >
      <label
        htmlFor={id}
        className="flex flex-wrap items-baseline justify-between gap-x-3"
        onClick={() => editor.current?.focus()}
      >
        <span className="font-medium">{label}</span>
        {leaving !== "" && <Leaving text={leaving} />}
      </label>
      <div ref={host} className={`${FRAME} ${isLoaded ? "" : "hidden"}`} data-editor={language} />
      {!isLoaded && (
        <PlainText
          ref={plain}
          id={id}
          value={value}
          minLines={minLines}
          placeholder={placeholder}
          isInvalid={error !== ""}
          onChange={onChange}
        />
      )}
      <Notes error={error} hint={hint} unknown={unknown} />
    </div>
  );
}

const unknownReferences = (text: string, columns: readonly string[]): string[] => [
  ...new Set(referencesIn(text).filter((name) => !columns.includes(name))),
];

const Leaving = ({ text }: { text: string }) => (
  <span aria-hidden className="invisible text-xs text-soft group-focus-within:visible max-sm:hidden">
    {text}
  </span>
);

/** In the place of the editor until it is loaded. */
function PlainText({
  ref,
  id,
  value,
  minLines,
  placeholder,
  isInvalid,
  onChange,
}: {
  ref: RefObject<HTMLTextAreaElement | null>;
  id: string;
  value: string;
  minLines: number;
  placeholder: string | undefined;
  isInvalid: boolean;
  onChange: (text: string) => void;
}) {
  return (
    <textarea
      ref={ref}
      id={id}
      value={value}
      rows={Math.min(MAX_LINES, Math.max(minLines, value.split("\n").length))}
      spellCheck={false}
      placeholder={placeholder}
      aria-invalid={isInvalid ? true : undefined}
      onChange={({ target: { value: text } }) => onChange(text)}
      className="input px-2.5! py-2! font-mono text-[13px] leading-5"
    />
  );
}

/** What is wrong with the text, or else how it is written. */
function Notes({ error, hint, unknown }: { error: string; hint: ReactNode; unknown: readonly string[] }) {
  return (
    <>
      {/* There before an error, which is announced then. */}
      <div role="status" className="text-xs empty:absolute">
        {error !== "" ? (
          <p className="[overflow-wrap:anywhere] text-bad">{error}</p>
        ) : (
          hint !== undefined && <p className="text-soft">{hint}</p>
        )}
      </div>
      {unknown.length > 0 && (
        <p className="text-xs text-bad">The dataset has no column {unknown.map((name) => `“${name}”`).join(", ")}.</p>
      )}
    </>
  );
}

/** In the words of the browser, until the editor knows the place. */
function jsonProblem(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  try {
    JSON.parse(text);
    const rounded = roundedNumberIn(text);
    return rounded === undefined ? undefined : explainRounding(rounded.number);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The labels of fields below an element whose text cannot be read. */
export const unreadableFields = (element: HTMLElement): string[] =>
  [...element.querySelectorAll<HTMLElement>("[data-syntax-error]")].map(({ dataset }) => dataset["syntaxError"] ?? "");
