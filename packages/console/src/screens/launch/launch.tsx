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
        <Field label="Dataset" hint={dataset === undefined ? undefined : plural(dataset.rowCount, "row")}>
          <select className="input" value={datasetId ?? ""} onChange={({ target }) => set({ datasetId: target.value })}>
            <option value="">Choose a dataset</option>
            {datasets?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Job spec" hint={spec === undefined ? undefined : `Version ${spec.latestVersion}`}>
          <select className="input" value={jobSpecId ?? ""} onChange={({ target }) => set({ jobSpecId: target.value })}>
            <option value="">Choose a job spec</option>
            {specs?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {datasets?.length === 0 && (
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
      )}
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
