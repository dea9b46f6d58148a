/** Before a run: which rows, how many, what it costs, what may go wrong. The price is on the button. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { Dataset, JobSpec } from "@rowmill/client";
import { useState } from "react";
import { ButtonLink } from "../../components/button.tsx";
import { Field } from "../../components/field.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { NameBegins } from "../../components/name-begins.tsx";
import { Empty, Page } from "../../components/page.tsx";
import { useDatasets, useJobSpecs } from "../../lib/choices.ts";
import type { ChoiceOf } from "../../lib/choices.ts";
import { plural } from "../../lib/format.ts";
import { Sheet } from "./sheet.tsx";

export function Launch() {
  const search = useSearch({ from: "/frame/runs/new" });
  const navigate = useNavigate();
  const { datasetId, jobSpecId } = search;
  const [begin, setBegin] = useState({ dataset: "", spec: "" });
  const ofDatasets = useDatasets(datasetId, begin.dataset);
  const ofSpecs = useJobSpecs(jobSpecId, begin.spec);
  const set = (change: typeof search): void =>
    void navigate({ to: "/runs/new", search: { ...search, ...change }, replace: true });
  const dataset = ofDatasets.items?.find(({ id }) => id === datasetId);
  const spec = ofSpecs.items?.find(({ id }) => id === jobSpecId);
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
          choice={ofDatasets}
          begin={begin.dataset}
          onBegin={(dataset) => setBegin({ ...begin, dataset })}
          onChange={(id) => set({ datasetId: id })}
        />
        <ThingField
          label="Job spec"
          one="job spec"
          hint={spec === undefined ? undefined : `Version ${spec.latestVersion}`}
          value={jobSpecId}
          choice={ofSpecs}
          begin={begin.spec}
          onBegin={(spec) => setBegin({ ...begin, spec })}
          onChange={(id) => set({ jobSpecId: id })}
        />
      </div>
      <Missing datasets={ofDatasets} specs={ofSpecs} begin={begin} datasetId={datasetId} />
      {dataset !== undefined && spec !== undefined && (
        <Sheet key={dataset.id + spec.id} dataset={dataset} jobSpecId={spec.id} />
      )}
    </Page>
  );
}

/** Why there is nothing to choose from. */
function Missing({
  datasets,
  specs,
  begin,
  datasetId,
}: {
  datasets: ChoiceOf<Dataset>;
  specs: ChoiceOf<JobSpec>;
  begin: { dataset: string; spec: string };
  datasetId: string | undefined;
}) {
  return (
    <>
      {[datasets, specs].map(({ error, tryAgain }, i) => (
        <ListStatus key={i} list={{ isLoading: false, error, tryAgain }} />
      ))}
      {datasets.items?.length === 0 && begin.dataset === "" && <NoDatasets />}
      {specs.items?.length === 0 && begin.spec === "" && (
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
    </>
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
  begin,
  onBegin,
  onChange,
}: {
  label: string;
  one: string;
  hint: string | undefined;
  value: string | undefined;
  choice: ChoiceOf<{ id: string; name: string }>;
  /** What the names in the list begin with, where the list has not all. */
  begin: string;
  onBegin: (begin: string) => void;
  onChange: (id: string) => void;
}) {
  const { items, isPart, error } = choice;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Field label={label} hint={hint}>
        <select className="input" value={value ?? ""} onChange={({ target }) => onChange(target.value)}>
          <option value="">{items === undefined && error === null ? "Loading…" : `Choose a ${one}`}</option>
          {items?.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
          {isPart && <option disabled>These are the newest: find others by their name</option>}
        </select>
      </Field>
      {(isPart || begin !== "") && <NameBegins one={one} value={begin} onChange={onBegin} />}
    </div>
  );
}
