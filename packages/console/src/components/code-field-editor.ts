/** The editor of a code field, which takes the place of a plain field once it is loaded. */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { RefObject } from "react";
import { flushSync } from "react-dom";
import { addTarget } from "../lib/column-targets.ts";
import type { ColumnTarget } from "../lib/column-targets.ts";
import type { CodeEditor, EditorOptions } from "../lib/editor/editor.ts";
import type { Language } from "../lib/editor/language.ts";
import { loadEditor } from "../lib/editor/load.ts";
import { referenceIn } from "../lib/specs.ts";

/** The editor in the place of the plain field, once it is loaded. It takes over the text, the focus and the selection. */
export function useEditor(
  language: Language,
  value: string,
  onChange: (text: string) => void,
  options: Pick<EditorOptions, "label" | "description" | "placeholder" | "minLines">,
) {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const editor = useRef<CodeEditor>(null);
  const [isLoaded, setLoaded] = useState(false);
  const [place, setPlace] = useState<string>();
  const now = useRef({ value, onChange });
  now.current = { value, onChange };

  useEffect(() => {
    let isGone = false;
    const create = async (): Promise<void> => {
      const createEditor = await loadEditor(language);
      if (isGone || host.current === null) return;
      const before = plain.current;
      const hadFocus = before !== null && before === document.activeElement;
      const made = createEditor(host.current, {
        ...options,
        text: now.current.value,
        // At once: a later text from outside must not meet an older one here.
        onChange: (text) => flushSync(() => now.current.onChange(text)),
        onParseProblem: setPlace,
      });
      if (before !== null) made.select(before.selectionStart, before.selectionEnd);
      editor.current = made;
      setLoaded(true);
      if (hadFocus) made.focus();
    };
    create().catch((failure: unknown) =>
      console.warn("The editor cannot be loaded; the plain field remains.", failure),
    );
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = null;
    };
    // What a field is does not change while it is there.
  }, []);
  useLayoutEffect(() => editor.current?.setText(value), [value, isLoaded]);
  return { host, plain, editor, isLoaded, place };
}

/** A column that is chosen beside the field goes into its text, where the field was the last one with the focus. */
export function useInsertion(
  language: Language,
  plain: RefObject<HTMLTextAreaElement | null>,
  editor: RefObject<CodeEditor | null>,
  onChange: (text: string) => void,
): ColumnTarget {
  const change = useRef(onChange);
  change.current = onChange;
  const target = useRef<ColumnTarget>({
    insertColumn(column) {
      const text = language === "javascript" ? `row[${JSON.stringify(column)}]` : referenceIn(language, column);
      if (editor.current !== null) return editor.current.insert(text);
      const field = plain.current;
      if (field === null) return;
      field.focus();
      field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
      change.current(field.value);
    },
  });
  useEffect(() => addTarget(target.current), []);
  return target.current;
}
