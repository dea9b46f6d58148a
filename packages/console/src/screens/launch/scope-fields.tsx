import type { Dataset } from "@rowmill/client";
import { Choice, Field, NumberField } from "../../components/field.tsx";
import { count } from "../../lib/format.ts";
import type { LaunchForm, ScopeType } from "./run-body.ts";

/** Which rows of the dataset. */
export function ScopeFields({
  dataset,
  type,
  setType,
  form,
  set,
}: {
  dataset: Dataset;
  type: ScopeType;
  setType: (type: ScopeType) => void;
  form: LaunchForm;
  set: (change: Partial<LaunchForm>) => void;
}) {
  return (
    <>
      <Choice<ScopeType>
        label="Rows"
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
      {type === "limit" && (
        <NumberField
          label="Number of rows"
          className="max-w-48"
          min={1}
          required
          value={form.limit}
          onChange={(text) => set({ limit: text })}
        />
      )}
      {type === "sample" && (
        <NumberField
          label="Number of rows"
          hint="Drawn evenly from all of them; the same again each time."
          className="max-w-64"
          min={1}
          required
          value={form.sample}
          onChange={(text) => set({ sample: text })}
        />
      )}
      {type === "range" && (
        <div className="flex gap-4">
          <NumberField
            label="From row"
            className="max-w-40"
            min={0}
            required
            value={form.from}
            onChange={(text) => set({ from: text })}
          />
          <NumberField
            label="Before row"
            className="max-w-40"
            min={1}
            required
            value={form.to}
            onChange={(text) => set({ to: text })}
          />
        </div>
      )}
      {type === "filter" && (
        <Field
          label="Rows for which this is true"
          hint={`A CEL expression over row: row.${dataset.columns[0]?.name ?? "country"} == 'DE' && row.amount > 100`}
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
