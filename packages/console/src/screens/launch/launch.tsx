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
  // An address may name one that is older than those to choose from.
  const named = useQuery({
    queryKey: ["datasets", datasetId],
    queryFn: () => rowmill.datasets.get(datasetId ?? ""),
    enabled: mayDatasets && datasetId !== undefined && isMissing(datasets.data, datasetId),
  });
  const namedSpec = useQuery({
    queryKey: ["job-specs", jobSpecId],
    queryFn: () => rowmill.jobSpecs.get(jobSpecId ?? ""),
    enabled: maySpecs && jobSpecId !== undefined && isMissing(specs.data, jobSpecId),
  });
  const datasetChoice = withNamed(datasets.data, named.data?.state === "ready" ? named.data : undefined);
  const specChoice = withNamed(specs.data, namedSpec.data);
  const dataset = datasetChoice.find(({ id }) => id === datasetId);
  const spec = specChoice.find(({ id }) => id === jobSpecId);
  return (
    <Page title="New run" tabTitle="New run">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Dataset" hint={dataset === undefined ? undefined : plural(dataset.rowCount, "row")}>
          <select className="input" value={datasetId ?? ""} onChange={({ target }) => set({ datasetId: target.value })}>
            <option value="">Choose a dataset</option>
            {datasetChoice.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Job spec" hint={spec === undefined ? undefined : `Version ${spec.latestVersion}`}>
          <select className="input" value={jobSpecId ?? ""} onChange={({ target }) => set({ jobSpecId: target.value })}>
            <option value="">Choose a job spec</option>
            {specChoice.map(({ id, name }) => (
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

const isMissing = (choice: readonly { id: string }[] | undefined, id: string): boolean =>
  choice !== undefined && choice.every((item) => item.id !== id);

/** Those to choose from, and the one that the address names. */
const withNamed = <T extends { id: string }>(choice: readonly T[] | undefined, named: T | undefined): readonly T[] =>
  named === undefined || choice === undefined || choice.some(({ id }) => id === named.id)
    ? (choice ?? [])
    : [named, ...choice];
