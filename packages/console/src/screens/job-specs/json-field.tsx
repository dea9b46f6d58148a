import { useContext, useState } from "react";
import { CodeField } from "../../components/code-field.tsx";
import { roundedNumberIn } from "../../lib/exact-numbers.ts";
import { Writing } from "./draft.ts";

/** JSON as text; the value changes when the text is JSON without a number that would be rounded. An empty text is no value. */
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
  const { mark, unreadable, type } = useContext(Writing);
  const key = `${type} ${path}`;
  const [text, setText] = useState(
    () => unreadable.get(key) ?? (value === undefined ? "" : JSON.stringify(value, null, 2)),
  );
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
        mark();
        unreadable.delete(key);
        if (next.trim() === "") return onChange(undefined);
        try {
          const parsed: unknown = JSON.parse(next);
          // A rounded number would stay in the draft where the field goes, with the method of a request for instance.
          if (roundedNumberIn(next) === undefined) return onChange(parsed);
        } catch {
          // The field shows where it is wrong, and nothing is saved meanwhile.
        }
        unreadable.set(key, next);
      }}
    />
  );
}
