import type { Dataset } from "@rowmill/client";
import { Choice, Field, NumberField } from "../../components/field.tsx";
import { count } from "../../lib/format.ts";
import type { LaunchForm, ScopeType } from "./run-body.ts";

interface ScopeFieldsProps {
  dataset: Dataset;
  type: ScopeType;
  setType: (type: ScopeType) => void;
  form: LaunchForm;
  set: (change: Partial<LaunchForm>) => void;
}

/** Which rows of the dataset. */
export function ScopeFields({ dataset, type, setType, form, set }: ScopeFieldsProps) {
  const number = (name: "limit" | "sample" | "from" | "to", label: string, min: number, hint?: string) => (
    <NumberField
      label={label}
      hint={hint}
      className={hint === undefined ? "max-w-48" : "max-w-64"}
      min={min}
      required
      value={form[name]}
      onChange={(text) => set({ [name]: text })}
    />
  );
  return (
    <>
      <Choice<ScopeType>
        label="Rows"
        columns={3}
        value={type}
        onChange={setType}
        options={[
          ["all", `All ${count(dataset.rowCount)}`],
          ["limit", "The first"],
          ["sample", "A sample"],
          ["range", "A range"],
          ["filter", "A filter"],
        ]}
      />
      {type === "limit" && number("limit", "Number of rows", 1)}
      {type === "sample" &&
        number("sample", "Number of rows", 1, "Drawn evenly from all of them; the same again each time.")}
      {type === "range" && (
        <div className="flex gap-4">
          {number("from", "From row", 1)}
          {number("to", "To row", 1)}
        </div>
      )}
      {type === "filter" && (
        <Field
          label="Rows for which this is true"
          hint={`An expression in CEL over the columns: ${exampleOf(dataset)}`}
        >
          <input
            className="input font-mono"
            required
            spellCheck={false}
            value={form.where}
            onChange={({ target }) => set({ where: target.value })}
          />
        </Field>
      )}
    </>
  );
}

/** With columns of this dataset: a text and a number, as far as it has them. */
function exampleOf({ columns }: Dataset): string {
  const text = columns.find(({ type }) => type === "string");
  const number = columns.findLast(({ type }) => type === "integer" || type === "number" || type === "decimal");
  const parts = [
    ...(text === undefined ? [] : [`${memberOf(text.name)}.contains('late')`]),
    ...(number === undefined ? [] : [`${numberOf(number)} >= ${number.max ?? 100}`]),
  ];
  return parts.length === 0 ? `has(${memberOf(columns[0]?.name ?? "id")})` : parts.join(" && ");
}

/** A decimal keeps all of its digits, and is a text to an expression. */
const numberOf = ({ name, type }: Dataset["columns"][number]): string =>
  type === "decimal" ? `double(${memberOf(name)})` : memberOf(name);

const memberOf = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? `row.${name}` : `row[${JSON.stringify(name)}]`;
