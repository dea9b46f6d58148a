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

/** One of a few, side by side. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
  isLabelHidden = false,
}: {
  label: string;
  isLabelHidden?: boolean;
  value: T;
  options: readonly (readonly [T, ReactNode])[];
  onChange: (value: T) => void;
}) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className={isLabelHidden ? "sr-only" : "mb-1 font-medium"}>{label}</legend>
      <div className="flex flex-wrap gap-1 self-start rounded-lg bg-raised p-1">
        {options.map(([option, text]) => (
          <label
            key={option}
            className="cursor-pointer rounded-md px-2.5 py-1 text-soft has-checked:bg-surface has-checked:font-medium has-checked:text-ink has-checked:shadow-sm has-focus-visible:outline-2 has-focus-visible:outline-accent"
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
