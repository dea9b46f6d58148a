/** Before a run: which rows, how many, what it costs, what may go wrong. The price is on the button. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { Empty, Page } from "../../components/page.tsx";
import { rowmill } from "../../lib/client.ts";
import { plural } from "../../lib/format.ts";
import { useMay } from "../../lib/session.ts";
import { Sheet } from "./sheet.tsx";

export function Launch() {
  const search = useSearch({ from: "/frame/runs/new" });
  const navigate = useNavigate();
  const { datasetId, jobSpecId } = search;
  const mayDatasets = useMay("datasets:read");
  const maySpecs = useMay("job_specs:read");
  const datasets = useQuery({
    queryKey: ["datasets", "choice"],
    queryFn: async () => (await rowmill.datasets.list({ limit: 200 })).data.filter(({ state }) => state === "ready"),
    enabled: mayDatasets,
  });
  const specs = useQuery({
    queryKey: ["job-specs", "choice"],
    queryFn: async () => (await rowmill.jobSpecs.list({ limit: 200 })).data,
    enabled: maySpecs,
  });
  const set = (change: typeof search): void =>
    void navigate({ to: "/runs/new", search: { ...search, ...change }, replace: true });
  const dataset = datasets.data?.find(({ id }) => id === datasetId);
  const spec = specs.data?.find(({ id }) => id === jobSpecId);
  return (
    <Page title="New run" tabTitle="New run">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Dataset" hint={dataset === undefined ? undefined : plural(dataset.rowCount, "row")}>
          <select className="input" value={datasetId ?? ""} onChange={({ target }) => set({ datasetId: target.value })}>
            <option value="">Choose a dataset</option>
            {datasets.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Job spec" hint={spec === undefined ? undefined : `Version ${spec.latestVersion}`}>
          <select className="input" value={jobSpecId ?? ""} onChange={({ target }) => set({ jobSpecId: target.value })}>
            <option value="">Choose a job spec</option>
            {specs.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      </div>
      {datasets.data?.length === 0 && (
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
      {specs.data?.length === 0 && (
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
