import { stateName } from "../../components/state.tsx";
import { NameFilter } from "../../components/table.tsx";
import { useDatasets, useJobSpecs } from "../../lib/choices.ts";
import { useMay } from "../../lib/session.ts";
import { SINCE, STATES } from "./search.ts";
import type { RunsSearch } from "./search.ts";

export function RunFilters({ search, onChange }: { search: RunsSearch; onChange: (change: RunsSearch) => void }) {
  return (
    <div className="grid grid-cols-2 gap-2 max-sm:w-full sm:contents">
      <select
        aria-label="State"
        className="input sm:w-auto!"
        value={search.state ?? ""}
        onChange={({ target }) => onChange({ state: target.value })}
      >
        {Object.entries(STATES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {search.state !== undefined && !(search.state in STATES) && (
          <option value={search.state}>{search.state.split(",").map(stateName).join(", ")}</option>
        )}
      </select>
      <NameFilter value={search.name} onChange={(name) => onChange({ name })} />
      <Things search={search} onChange={onChange} />
      <select
        aria-label="Created"
        className="input max-sm:last:odd:col-span-2 sm:w-auto!"
        value={search.since ?? ""}
        onChange={({ target }) => onChange({ since: target.value })}
      >
        <option value="">Any time</option>
        {Object.entries(SINCE).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </div>
  );
}

function Things({ search, onChange }: { search: RunsSearch; onChange: (change: RunsSearch) => void }) {
  const maySpecs = useMay("job_specs:read");
  const mayDatasets = useMay("datasets:read");
  const specs = useJobSpecs(search.jobSpecId);
  const datasets = useDatasets(search.datasetId);
  return (
    <>
      {maySpecs && (
        <Choice
          label="Job spec"
          all="All job specs"
          value={search.jobSpecId}
          options={specs.items ?? []}
          isPart={specs.isPart}
          onChange={(jobSpecId) => onChange({ jobSpecId })}
        />
      )}
      {mayDatasets && (
        <Choice
          label="Dataset"
          all="All datasets"
          value={search.datasetId}
          options={datasets.items ?? []}
          isPart={datasets.isPart}
          onChange={(datasetId) => onChange({ datasetId })}
        />
      )}
    </>
  );
}

function Choice({
  label,
  all,
  value = "",
  options,
  isPart,
  onChange,
}: {
  label: string;
  all: string;
  value: string | undefined;
  options: readonly { id: string; name: string }[];
  /** There are older ones, which an address may name. */
  isPart: boolean;
  onChange: (id: string) => void;
}) {
  return (
    <select
      aria-label={label}
      className="input sm:w-44!"
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{all}</option>
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {value !== "" && !options.some(({ id }) => id === value) && <option value={value}>{value}</option>}
      {isPart && <option disabled>Only the newest are listed</option>}
    </select>
  );
}
