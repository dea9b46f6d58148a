/** Which events an endpoint gets: everything, whole groups by a pattern, or single types. */
import { useQuery } from "@tanstack/react-query";
import { ErrorNotice } from "../../components/notice.tsx";
import { plain } from "../../lib/format.ts";
import { eventTypesQuery } from "../../lib/webhooks.ts";

const groupOf = (type: string): string => type.slice(0, type.indexOf("."));

export function EventTypesField({
  value,
  onChange,
}: {
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
}) {
  const { data, error } = useQuery(eventTypesQuery);
  if (error !== null) return <ErrorNotice error={error} />;
  const types = (data ?? []).filter(({ deliverable }) => deliverable);
  const groups = [...new Set(types.map(({ type }) => groupOf(type)))];
  const isAll = value.includes("*");
  const set = (entry: string, isOn: boolean): void => {
    const group = groupOf(entry);
    // A pattern makes the types that it stands for superfluous.
    const kept = value.filter((own) => own !== entry && !(entry.endsWith(".*") && groupOf(own) === group));
    onChange(isOn ? [...kept, entry] : kept);
  };
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 font-medium">Events</legend>
      <Check
        label="Every event"
        note="also of types that come later"
        isOn={isAll}
        onChange={(isOn) => onChange(isOn ? ["*"] : [])}
      />
      {!isAll &&
        groups.map((group) => (
          <Group
            key={group}
            pattern={`${group}.*`}
            types={types.filter(({ type }) => groupOf(type) === group)}
            value={value}
            onSet={set}
          />
        ))}
    </fieldset>
  );
}

function Group({
  pattern,
  types,
  value,
  onSet,
}: {
  pattern: string;
  types: readonly { type: string; meaning: string }[];
  value: readonly string[];
  onSet: (entry: string, isOn: boolean) => void;
}) {
  const isWhole = value.includes(pattern);
  const chosen = types.filter(({ type }) => value.includes(type)).length;
  return (
    <details open={isWhole || chosen > 0} className="card group px-3 py-2">
      <summary className="flex items-center gap-2 marker:content-none">
        <span className="w-3 text-soft transition-transform group-open:rotate-90" aria-hidden>
          ›
        </span>
        <code className="flex-1 font-mono text-xs">{pattern}</code>
        <span className="text-xs text-soft">
          {isWhole ? "all" : chosen > 0 ? `${chosen} of ${types.length}` : `${types.length}`}
        </span>
      </summary>
      <div className="mt-2 flex flex-col gap-1.5 pl-5">
        <Check label={`All of ${pattern}`} isOn={isWhole} onChange={(isOn) => onSet(pattern, isOn)} />
        {types.map(({ type, meaning }) => (
          <Check
            key={type}
            label={type}
            note={plain(meaning)}
            isOn={isWhole || value.includes(type)}
            isFixed={isWhole}
            onChange={(isOn) => onSet(type, isOn)}
          />
        ))}
      </div>
    </details>
  );
}

function Check({
  label,
  note,
  isOn,
  isFixed = false,
  onChange,
}: {
  label: string;
  note?: string;
  isOn: boolean;
  isFixed?: boolean;
  onChange: (isOn: boolean) => void;
}) {
  return (
    <label className="flex items-baseline gap-2">
      <input
        type="checkbox"
        className="translate-y-px accent-fill"
        checked={isOn}
        disabled={isFixed}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="min-w-0">
        <span className={label.includes(".") ? "font-mono text-xs" : ""}>{label}</span>
        {note !== undefined && <span className="text-xs text-soft"> · {note}</span>}
      </span>
    </label>
  );
}
