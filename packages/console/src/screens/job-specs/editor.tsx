/** Writing a job spec: the processor's form, a real row beside it, and a test on five rows before anything runs. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Dataset, JobSpec, JobSpecTestResult } from "@rowmill/client";
import { FlaskConical, Play } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useMay } from "../../lib/session.ts";
import { definitionOf, processorOf } from "../../lib/specs.ts";
import type { Processor, ProcessorType } from "../../lib/specs.ts";
import { ProcessorForm } from "./processors.tsx";
import { RowBeside } from "./row-beside.tsx";
import { TestResults } from "./test-results.tsx";

const STARTS: { [T in ProcessorType]: Extract<Processor, { type: T }> } = {
  llm: { type: "llm", connection: "", model: "", messages: [{ role: "user", content: "" }] },
  http: { type: "http", method: "GET", url: "" },
  transform: { type: "transform", code: "export default (row) => ({\n  ...row,\n});\n" },
  mock: { type: "mock" },
};
const TESTED_ROWS = 5;

export function Editor({
  spec,
  datasetId,
  suggestedName = "",
}: {
  spec?: JobSpec;
  datasetId: string | undefined;
  suggestedName?: string;
}) {
  // The draft is made once: what is fetched again meanwhile changes nothing in it.
  const [saved, setSaved] = useState(spec);
  const [name, setName] = useState(spec?.name ?? suggestedName);
  const [processor, setProcessor] = useState<Processor>(spec === undefined ? STARTS.llm : processorOf(spec.processor));
  const [drafts, setDrafts] = useState<Partial<Record<ProcessorType, Processor>>>({});
  const [index, setIndex] = useState(0);
  const [results, setResults] = useState<JobSpecTestResult>();
  const navigate = useNavigate();
  const mayDatasets = useMay("datasets:read");
  const mayRun = useMay("runs:write");
  const { data: datasets = [] } = useQuery({
    queryKey: ["datasets", "choice"],
    queryFn: async () => (await rowmill.datasets.list({ limit: 200 })).data.filter(({ state }) => state === "ready"),
    enabled: mayDatasets,
  });
  const [chosen, setChosen] = useState(datasetId ?? "");
  const dataset: Dataset | undefined = datasets.find(({ id }) => id === chosen);
  const isChanged = saved === undefined || JSON.stringify(processor) !== JSON.stringify(saved.processor);

  async function save(): Promise<JobSpec> {
    const title = name.trim();
    if (saved === undefined) return rowmill.jobSpecs.create({ name: title, processor });
    if (isChanged) await rowmill.jobSpecs.versions.create(saved.id, { ...definitionOf(saved), processor });
    return title === saved.name ? rowmill.jobSpecs.get(saved.id) : rowmill.jobSpecs.update(saved.id, { name: title });
  }
  async function keep(): Promise<JobSpec> {
    const made = await save();
    setSaved(made);
    queries.setQueryData(["job-specs", made.id], made);
    void queries.invalidateQueries({ queryKey: ["job-specs"], refetchType: "none" });
    if (saved === undefined)
      void navigate({
        to: "/job-specs/$jobSpecId",
        params: { jobSpecId: made.id },
        search: chosen === "" ? {} : { datasetId: chosen },
        replace: true,
      });
    return made;
  }
  const saving = useMutation({ mutationFn: keep });
  const testing = useMutation({
    mutationFn: async () => {
      const made = await save();
      const rows = (await rowmill.datasets.rows(chosen, { fromIndex: index, limit: TESTED_ROWS })).data;
      const result = await rowmill.jobSpecs.test(made.id, { rows: rows.map(({ data }) => data), details: true });
      return { made, result };
    },
    onSuccess: ({ made, result }) => {
      setSaved(made);
      setResults(result);
      queries.setQueryData(["job-specs", made.id], made);
      // The address stays: another one would begin the screen again, and the results would be gone.
    },
  });
  const isReady = name.trim() !== "";
  const columns = dataset?.columns.map((column) => column.name);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="card flex flex-col gap-4 px-5 py-4">
          <Field label="Name">
            <input
              className="input"
              value={name}
              placeholder="Label reviews"
              maxLength={200}
              onChange={({ target }) => setName(target.value)}
            />
          </Field>
          <Choice<ProcessorType>
            label="For each row"
            value={processor.type}
            onChange={(type) => {
              setDrafts({ ...drafts, [processor.type]: processor });
              setProcessor(drafts[type] ?? STARTS[type]);
            }}
            options={[
              ["llm", "Ask a model"],
              ["http", "Make a request"],
              ["transform", "Run a function"],
              ["mock", "Rehearse"],
            ]}
          />
          <ProcessorForm key={processor.type} processor={processor} onChange={setProcessor} columns={columns} />
        </div>
        <div className="card sticky bottom-3 z-10 flex flex-wrap items-center justify-between gap-3 px-5 py-3 shadow-float">
          <p className="text-soft">
            {saved === undefined
              ? "Not saved yet."
              : isChanged
                ? `Changed since version ${saved.latestVersion}: saving makes version ${saved.latestVersion + 1}.`
                : `Version ${saved.latestVersion}, saved.`}
          </p>
          <div className="flex flex-wrap gap-2">
            {dataset !== undefined && (
              <Button
                icon={FlaskConical}
                disabled={!isReady}
                isBusy={testing.isPending}
                onClick={() => testing.mutate()}
              >
                {isChanged ? "Save and test on 5 rows" : "Test on 5 rows"}
              </Button>
            )}
            {(isChanged || saved?.name !== name.trim()) && (
              <Button look="primary" disabled={!isReady} isBusy={saving.isPending} onClick={() => saving.mutate()}>
                {saved === undefined
                  ? "Save"
                  : isChanged
                    ? `Save as version ${saved.latestVersion + 1}`
                    : "Save the name"}
              </Button>
            )}
            {!isChanged && saved !== undefined && mayRun && (
              <ButtonLink
                look="primary"
                icon={Play}
                to="/runs/new"
                search={{ jobSpecId: saved.id, ...(chosen === "" ? {} : { datasetId: chosen }) }}
              >
                Start a run
              </ButtonLink>
            )}
          </div>
        </div>
        {(saving.error ?? testing.error) !== null && <ErrorNotice error={saving.error ?? testing.error} />}
        {saved?.warnings?.map(({ path, message }) => (
          <Notice key={path + message} tone="warn" title={message} />
        ))}
        {results !== undefined && <TestResults results={results} firstIndex={index} />}
      </div>
      <RowBeside
        datasets={datasets}
        dataset={dataset}
        index={index}
        onDataset={(id) => {
          setChosen(id);
          setIndex(0);
        }}
        onIndex={setIndex}
      />
    </div>
  );
}
