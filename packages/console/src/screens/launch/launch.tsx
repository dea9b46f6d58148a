/** Before a run: which rows, how many, what it costs, what may go wrong. The price is on the button. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Empty, Page } from "../../components/page.tsx";
import { useDatasetChoice, useJobSpecChoice } from "../../lib/choices.ts";
import { plural } from "../../lib/format.ts";
import { Sheet } from "./sheet.tsx";

export function Launch() {
  const search = useSearch({ from: "/frame/runs/new" });
  const navigate = useNavigate();
  const { datasetId, jobSpecId } = search;
  const datasets = useDatasetChoice(datasetId);
  const specs = useJobSpecChoice(jobSpecId);
  const set = (change: typeof search): void =>
    void navigate({ to: "/runs/new", search: { ...search, ...change }, replace: true });
  const dataset = datasets?.find(({ id }) => id === datasetId);
  const spec = specs?.find(({ id }) => id === jobSpecId);
  return (
    <Page
      trail={
        <Link to="/runs" className="link">
          Runs
        </Link>
      }
      title="New run"
      tabTitle="New run"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <ThingField
          label="Dataset"
          one="dataset"
          hint={dataset === undefined ? undefined : plural(dataset.rowCount, "row")}
          value={datasetId}
          choice={datasets}
          onChange={(id) => set({ datasetId: id })}
        />
        <ThingField
          label="Job spec"
          one="job spec"
          hint={spec === undefined ? undefined : `Version ${spec.latestVersion}`}
          value={jobSpecId}
          choice={specs}
          onChange={(id) => set({ jobSpecId: id })}
        />
      </div>
      {datasets?.length === 0 && <NoDatasets />}
      {specs?.length === 0 && (
        <Empty
          title="There is no job spec yet."
          actions={
            <ButtonLink look="primary" to="/job-specs/new" search={datasetId === undefined ? {} : { datasetId }}>
              New job spec
            </ButtonLink>
          }
        >
          A job spec says what happens to each row.
        </Empty>
      )}
      {dataset !== undefined && spec !== undefined && (
        <Sheet key={dataset.id + spec.id} dataset={dataset} jobSpecId={spec.id} />
      )}
    </Page>
  );
}

function NoDatasets() {
  return (
    <Empty
      title="There is no dataset yet."
      actions={
        <ButtonLink look="primary" to="/datasets">
          Bring a file
        </ButtonLink>
      }
    >
      A run needs rows: bring a file first.
    </Empty>
  );
}

function ThingField({
  label,
  one,
  hint,
  value,
  choice,
  onChange,
}: {
  label: string;
  one: string;
  hint: string | undefined;
  value: string | undefined;
  choice: readonly { id: string; name: string }[] | undefined;
  onChange: (id: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      <select className="input" value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
        <option value="">Choose a {one}</option>
        {choice?.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}
