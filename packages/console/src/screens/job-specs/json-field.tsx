import { useState } from "react";
import { Field } from "../../components/field.tsx";

/** JSON as text; the value changes when the text is JSON. */
export function JsonField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(value, null, 2));
  const [problem, setProblem] = useState<string>();
  return (
    <Field label={label} hint={hint} error={problem}>
      <textarea
        className="input font-mono text-xs"
        rows={Math.min(12, text.split("\n").length + 1)}
        spellCheck={false}
        data-template
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          try {
            onChange(JSON.parse(target.value));
            setProblem(undefined);
          } catch (error) {
            setProblem(error instanceof Error ? error.message : String(error));
          }
        }}
      />
    </Field>
  );
}
