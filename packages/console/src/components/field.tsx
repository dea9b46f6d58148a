import { cloneElement, useId } from "react";
import type { ReactElement, ReactNode } from "react";

type Control = ReactElement<{
  id?: string;
  "aria-describedby"?: string | undefined;
  "aria-invalid"?: boolean | undefined;
}>;

/** A label, its control, what helps, and what is wrong. */
export function Field({
  label,
  hint,
  error,
  children,
  className = "",
}: {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: Control;
  className?: string;
}) {
  const id = useId();
  const described = error !== undefined || hint !== undefined ? `${id}-note` : undefined;
  return (
    <div className={`flex min-w-0 flex-col gap-1 ${className}`}>
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      {cloneElement(children, {
        id,
        "aria-describedby": described,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {described !== undefined && (
        <p id={described} className={error === undefined ? "text-xs text-soft" : "text-xs text-bad"}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

interface NumberFieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** As it is written: text that is being typed is not a number yet. */
  value: string | number;
  onChange: (text: string) => void;
  min?: number;
  max?: number;
  step?: number | "any";
  placeholder?: string;
  required?: boolean;
  className?: string;
}

export function NumberField({ label, hint, value, onChange, className = "", ...limits }: NumberFieldProps) {
  return (
    <Field label={label} hint={hint} className={className}>
      <input
        className="input"
        type="number"
        inputMode={limits.step === undefined ? "numeric" : "decimal"}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        {...limits}
      />
    </Field>
  );
}

/** Most rows of a run in flight at once, as the API limits it. */
const MAX_CONCURRENCY = 1_000;

/** What a run may use, wherever it is set. */
export function ConcurrencyField({
  hint = "Empty: as the job spec says.",
  value,
  onChange,
}: Pick<NumberFieldProps, "hint" | "value" | "onChange">) {
  return (
    <NumberField
      label="Rows in flight at once"
      hint={hint}
      min={1}
      max={MAX_CONCURRENCY}
      value={value}
      onChange={onChange}
    />
  );
}

/** When a run ends as failed before all of its rows are tried. */
export function FailedPercentField({ hint, value, onChange }: Pick<NumberFieldProps, "hint" | "value" | "onChange">) {
  return (
    <NumberField
      label="End when so many percent fail"
      hint={hint}
      min={0}
      max={100}
      step="any"
      value={value}
      onChange={onChange}
    />
  );
}

export function BudgetField({
  hint,
  value,
  onChange,
}: {
  hint: ReactNode;
  value: string;
  onChange: (text: string) => void;
}) {
  return (
    <Field label="Budget in US dollars" hint={hint}>
      <input
        className="input"
        inputMode="decimal"
        pattern="\d{1,12}(\.\d{1,12})?"
        placeholder="5.00"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}

/** One of a few, side by side. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  isLabelHidden = false,
  columns,
}: {
  label: string;
  isLabelHidden?: boolean;
  /** On a phone, of options that have no room in one line: none stands alone in the last one. */
  columns?: 2 | 3;
  value: T;
  options: readonly (readonly [T, ReactNode])[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className={isLabelHidden ? "sr-only" : "mb-1 font-medium"}>{label}</legend>
      <div
        className={`flex flex-wrap gap-1 self-start rounded-lg bg-raised p-1 ${columns === undefined ? "" : `max-sm:grid max-sm:self-stretch max-sm:text-center ${columns === 2 ? "max-sm:grid-cols-2" : "max-sm:grid-cols-3"}`}`}
      >
        {options.map(([option, text]) => (
          <label
            key={option}
            className="cursor-pointer rounded-md px-2.5 py-1 text-soft has-checked:bg-chosen has-checked:font-medium has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={value === option}
              onChange={() => onChange(option)}
            />
            {text}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
