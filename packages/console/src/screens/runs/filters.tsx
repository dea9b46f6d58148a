import { useQuery } from "@tanstack/react-query";
import { rowmill } from "../../lib/client.ts";
import { useMay } from "../../lib/session.ts";
import { SINCE, STATES } from "./search.ts";
import type { RunsSearch } from "./search.ts";

/** As many as a list to choose from may have; others are chosen from their own page. */
const MOST = 200;

export function RunFilters({ search, onChange }: { search: RunsSearch; onChange: (change: RunsSearch) => void }) {
  return (
    <>
      <select
        aria-label="State"
        className="input w-auto"
        value={search.state ?? ""}
        onChange={({ target }) => onChange({ state: target.value })}
      >
        {Object.entries(STATES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {search.state !== undefined && !(search.state in STATES) && (
          <option value={search.state}>{search.state.replaceAll(",", ", ")}</option>
        )}
      </select>
      <input
        aria-label="Name begins with"
        type="search"
        className="input w-44!"
        placeholder="Name begins with…"
        value={search.name ?? ""}
        onChange={({ target }) => onChange({ name: target.value })}
      />
      <Things search={search} onChange={onChange} />
      <select
        aria-label="Created"
        className="input w-auto"
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
    </>
  );
}

function Things({ search, onChange }: { search: RunsSearch; onChange: (change: RunsSearch) => void }) {
  const maySpecs = useMay("job_specs:read");
  const mayDatasets = useMay("datasets:read");
  const { data: specs = [] } = useQuery({
    queryKey: ["job-specs", "choices"],
    queryFn: async () => (await rowmill.jobSpecs.list({ limit: MOST })).data,
    enabled: maySpecs,
  });
  const { data: datasets = [] } = useQuery({
    queryKey: ["datasets", "choices"],
    queryFn: async () => (await rowmill.datasets.list({ limit: MOST })).data,
    enabled: mayDatasets,
  });
  return (
    <>
      {maySpecs && (
        <Choice
          label="Job spec"
          all="All job specs"
          value={search.jobSpecId}
          options={specs}
          onChange={(jobSpecId) => onChange({ jobSpecId })}
        />
      )}
      {mayDatasets && (
        <Choice
          label="Dataset"
          all="All datasets"
          value={search.datasetId}
          options={datasets}
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
  onChange,
}: {
  label: string;
  all: string;
  value: string | undefined;
  options: readonly { id: string; name: string }[];
  onChange: (id: string) => void;
}) {
  return (
    <select aria-label={label} className="input w-44!" value={value} onChange={({ target }) => onChange(target.value)}>
      <option value="">{all}</option>
      {options.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      {value !== "" && !options.some(({ id }) => id === value) && <option value={value}>{value}</option>}
    </select>
  );
}
