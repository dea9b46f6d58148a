/** Processors that call nobody. */
import { CodeField } from "../../components/code-field.tsx";
import { NumberField } from "../../components/field.tsx";
import type { FormProps } from "./processor-form.ts";

export function Transform({ processor, onChange, columns }: FormProps<"transform">) {
  return (
    <CodeField
      label="Function"
      hint="From a row to any JSON value. It runs in a sandbox, without network, files or clock. Type row. to choose a column."
      language="javascript"
      minLines={12}
      value={processor.code}
      onChange={(code) => onChange({ ...processor, code })}
      columns={columns}
      path="/processor/code"
    />
  );
}

export function Mock({ processor, onChange }: FormProps<"mock">) {
  const number = (name: "failEvery" | "failUntilRetry" | "delayMs", label: string, hint: string) => (
    <NumberField
      label={label}
      hint={hint}
      min={name === "delayMs" ? 0 : 1}
      value={processor[name] ?? ""}
      onChange={(text) => {
        const { [name]: _, ...rest } = processor;
        onChange(text === "" ? rest : { ...rest, [name]: Number(text) });
      }}
    />
  );
  return (
    <>
      <p className="text-soft">
        Echoes each row and calls nobody: a rehearsal of a run, its failures and its retries that costs nothing.
      </p>
      <div className="grid gap-4 sm:grid-cols-3">
        {number("failEvery", "Fail every so many rows", "Empty: none fail.")}
        {number("failUntilRetry", "Until retry number", "Empty: in every run.")}
        {number("delayMs", "Milliseconds a row", "How long each takes.")}
      </div>
    </>
  );
}
