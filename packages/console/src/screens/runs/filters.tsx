import { useState } from "react";
import { NameBegins } from "../../components/name-begins.tsx";
import { stateName } from "../../components/state.tsx";
import { NameFilter } from "../../components/table.tsx";
import { useDatasets, useJobSpecs, useKeys } from "../../lib/choices.ts";
import type { ChoiceOf } from "../../lib/choices.ts";
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
  const [begin, setBegin] = useState({ dataset: "", spec: "" });
  const specs = useJobSpecs(search.jobSpecId, begin.spec);
  const datasets = useDatasets(search.datasetId, begin.dataset);
  const keys = useKeys();
  return (
    <>
      {maySpecs && (
        <Choice
          label="Job spec"
          one="job spec"
          value={search.jobSpecId}
          choice={specs}
          begin={begin.spec}
          onBegin={(spec) => setBegin({ ...begin, spec })}
          onChange={(jobSpecId) => onChange({ jobSpecId })}
        />
      )}
      {mayDatasets && (
        <Choice
          label="Dataset"
          one="dataset"
          value={search.datasetId}
          choice={datasets}
          begin={begin.dataset}
          onBegin={(dataset) => setBegin({ ...begin, dataset })}
          onChange={(datasetId) => onChange({ datasetId })}
        />
      )}
      {/* Without the names of keys it is chosen nowhere, and may stand in an address. */}
      {(keys !== undefined || search.apiKeyId !== undefined) && (
        <Choice
          label="Started by"
          one="key"
          value={search.apiKeyId}
          choice={keys ?? { items: undefined, isPart: false }}
          begin=""
          onBegin={() => undefined}
          onChange={(apiKeyId) => onChange({ apiKeyId })}
        />
      )}
    </>
  );
}

function Choice({
  label,
  one,
  value = "",
  choice: { items = [], isPart },
  begin,
  onBegin,
  onChange,
}: {
  label: string;
  one: string;
  value: string | undefined;
  choice: Pick<ChoiceOf<{ id: string; name: string }>, "items" | "isPart">;
  /** What the names in the list begin with, where the list has not all. */
  begin: string;
  onBegin: (begin: string) => void;
  onChange: (id: string) => void;
}) {
  return (
    <>
      <select
        aria-label={label}
        className="input sm:w-44!"
        value={value}
        onChange={({ target }) => onChange(target.value)}
      >
        <option value="">All {one}s</option>
        {items.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {value !== "" && !items.some(({ id }) => id === value) && <option value={value}>{value}</option>}
        {isPart && <option disabled>These are the newest: find others by their name</option>}
      </select>
      {(isPart || begin !== "") && <NameBegins one={one} value={begin} className="input sm:w-44!" onChange={onBegin} />}
    </>
  );
}
