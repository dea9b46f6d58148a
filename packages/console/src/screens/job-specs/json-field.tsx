import { useContext, useState } from "react";
import { CodeField } from "../../components/code-field.tsx";
import { Writing } from "./draft.ts";

/** JSON as text; the value changes when the text is JSON. An empty text is no value. */
export function JsonField({
  label,
  hint,
  value,
  onChange,
  columns,
  path,
  minLines,
  placeholder,
}: {
  label: string;
  hint?: string;
  value: unknown;
  onChange: (value: unknown) => void;
  columns?: readonly string[] | undefined;
  path: string;
  minLines?: number;
  placeholder?: string;
}) {
  const write = useContext(Writing);
  const [text, setText] = useState(() => (value === undefined ? "" : JSON.stringify(value, null, 2)));
  return (
    <CodeField
      label={label}
      hint={hint}
      language="json"
      value={text}
      columns={columns}
      path={path}
      {...(minLines === undefined ? {} : { minLines })}
      {...(placeholder === undefined ? {} : { placeholder })}
      onChange={(next) => {
        setText(next);
        write();
        if (next.trim() === "") return onChange(undefined);
        try {
          onChange(JSON.parse(next));
        } catch {
          // The field shows where it is wrong, and nothing is saved meanwhile.
        }
      }}
    />
  );
}
