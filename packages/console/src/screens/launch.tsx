/** Before a run: which rows, how many, what it costs, what may go wrong. The price is on the button. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Body, Dataset } from "@rowmill/client";
import { Play } from "lucide-react";
import { useDeferredValue, useState } from "react";
import { CodeMenu } from "../components/code-menu.tsx";
import { Button, ButtonLink } from "../components/button.tsx";
import { EstimateFacts } from "../components/estimate.tsx";
import { Choice, Field } from "../components/field.tsx";
import { ErrorNotice, Notice } from "../components/notice.tsx";
import { Empty, Page, Section } from "../components/page.tsx";
import { queries, rowmill } from "../lib/client.ts";
import { count, plural, usd } from "../lib/format.ts";
import { useMay } from "../lib/session.ts";

type RunBody = Omit<Body<"createRun">, "dryRun">;
type ScopeType = "all" | "limit" | "sample" | "range" | "filter";
const SAMPLE_ROWS = 100;

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

function Sheet({ dataset, jobSpecId }: { dataset: Dataset; jobSpecId: string }) {
  const navigate = useNavigate();
  const [type, setType] = useState<ScopeType>("all");
  const [form, setForm] = useState({
    limit: "100",
    sample: String(SAMPLE_ROWS),
    from: "0",
    to: String(dataset.rowCount),
    where: "",
    name: "",
    budget: "",
    onExceeded: "pause" as "pause" | "cancel",
    concurrency: "",
    maxFailed: "",
    deadline: "",
  });
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  const body = useDeferredValue(bodyOf(dataset.id, jobSpecId, type, form));
  const isWhole = type !== "filter" || form.where.trim() !== "";
  const estimate = useQuery({
    queryKey: ["runs", "estimate", body],
    queryFn: () => rowmill.runs.estimate(body),
    enabled: isWhole,
    retry: false,
    placeholderData: (before) => before,
  });
  const start = useMutation({
    mutationFn: (chosen: RunBody) => rowmill.runs.create(chosen),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      void navigate({ to: "/runs/$runId", params: { runId: run.id } });
    },
  });
  const rows = estimate.data?.rows;
  const cost = estimate.data?.estimate.costUsd;
  const wantsSample =
    estimate.data?.suggestions.some(({ code }) => code === "sample_first") === true && type !== "sample";
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        start.mutate(bodyOf(dataset.id, jobSpecId, type, form));
      }}
    >
      <div className="card flex flex-col gap-4 px-5 py-4">
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
          <Field label="Number of rows" className="max-w-48">
            <input
              className="input"
              type="number"
              min={1}
              required
              value={form.limit}
              onChange={({ target }) => set({ limit: target.value })}
            />
          </Field>
        )}
        {type === "sample" && (
          <Field
            label="Number of rows"
            hint="Drawn evenly from all of them; the same again each time."
            className="max-w-64"
          >
            <input
              className="input"
              type="number"
              min={1}
              required
              value={form.sample}
              onChange={({ target }) => set({ sample: target.value })}
            />
          </Field>
        )}
        {type === "range" && (
          <div className="flex gap-4">
            <Field label="From row" className="max-w-40">
              <input
                className="input"
                type="number"
                min={0}
                required
                value={form.from}
                onChange={({ target }) => set({ from: target.value })}
              />
            </Field>
            <Field label="Before row" className="max-w-40">
              <input
                className="input"
                type="number"
                min={1}
                required
                value={form.to}
                onChange={({ target }) => set({ to: target.value })}
              />
            </Field>
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
        {estimate.error !== null ? (
          <ErrorNotice error={estimate.error} />
        ) : (
          isWhole && <EstimateFacts estimate={estimate.data} />
        )}
        {wantsSample && (
          <Notice
            tone="info"
            title={`Sample ${SAMPLE_ROWS} rows first`}
            actions={
              <Button
                onClick={() => {
                  setType("sample");
                  set({ sample: String(SAMPLE_ROWS) });
                }}
              >
                Sample {SAMPLE_ROWS}
              </Button>
            }
          >
            Their results make the estimate for all rows narrow.
          </Notice>
        )}
      </div>
      <Section title="Limits">
        <div className="card grid gap-x-6 gap-y-4 px-5 py-4 sm:grid-cols-2 lg:grid-cols-3">
          <Field label="Name" hint="Empty: the job spec and the dataset.">
            <input
              className="input"
              maxLength={200}
              value={form.name}
              onChange={({ target }) => set({ name: target.value })}
            />
          </Field>
          <Field label="Budget in US dollars" hint="Never exceeded. Empty: none.">
            <input
              className="input"
              inputMode="decimal"
              pattern="\d{1,12}(\.\d{1,12})?"
              placeholder="5.00"
              value={form.budget}
              onChange={({ target }) => set({ budget: target.value })}
            />
          </Field>
          <Field label="When the budget is spent">
            <select
              className="input"
              value={form.onExceeded}
              disabled={form.budget === ""}
              onChange={({ target }) => set({ onExceeded: target.value as "pause" | "cancel" })}
            >
              <option value="pause">Pause, and wait for me</option>
              <option value="cancel">Cancel the run</option>
            </select>
          </Field>
          <Field label="Rows in flight at once" hint="Empty: as the job spec says.">
            <input
              className="input"
              type="number"
              min={1}
              max={1000}
              value={form.concurrency}
              onChange={({ target }) => set({ concurrency: target.value })}
            />
          </Field>
          <Field label="End when so many percent fail" hint="After 100 rows. Empty: every row is tried.">
            <input
              className="input"
              type="number"
              min={0}
              max={100}
              value={form.maxFailed}
              onChange={({ target }) => set({ maxFailed: target.value })}
            />
          </Field>
          <Field label="Deadline" hint="A run that has not ended by then expires.">
            <input
              className="input"
              type="datetime-local"
              value={form.deadline}
              onChange={({ target }) => set({ deadline: target.value })}
            />
          </Field>
        </div>
      </Section>
      {start.error !== null && <ErrorNotice error={start.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <Button
          look="primary"
          type="submit"
          icon={Play}
          className="min-h-10! px-5! text-base!"
          disabled={!isWhole || rows === undefined}
          isBusy={start.isPending}
        >
          {rows === undefined ? "Run" : `Run ${plural(rows, "row")}`}
          {cost !== null && cost !== undefined && ` for about ${usd(cost.expected)}`}
        </Button>
        <CodeMenu
          request={{
            method: "POST",
            path: "v1/runs",
            body,
            typescript: `const run = await rowmill.runs.create(${JSON.stringify(body, null, 2)});`,
          }}
        />
      </div>
    </form>
  );
}

function bodyOf(
  datasetId: string,
  jobSpecId: string,
  type: ScopeType,
  form: {
    limit: string;
    sample: string;
    from: string;
    to: string;
    where: string;
    name: string;
    budget: string;
    onExceeded: "pause" | "cancel";
    concurrency: string;
    maxFailed: string;
    deadline: string;
  },
): RunBody {
  const scopes: Record<ScopeType, RunBody["scope"]> = {
    all: { type: "all" },
    limit: { type: "limit", count: Math.max(1, Number(form.limit)) },
    sample: { type: "sample", count: Math.max(1, Number(form.sample)), seed: 1 },
    range: { type: "range", from: Number(form.from), to: Number(form.to) },
    filter: { type: "filter", where: form.where },
  };
  return {
    datasetId,
    jobSpecId,
    scope: scopes[type],
    ...(form.name.trim() === "" ? {} : { name: form.name.trim() }),
    ...(/^\d{1,12}(\.\d{1,12})?$/.test(form.budget)
      ? { budget: { maxCostUsd: form.budget, onExceeded: form.onExceeded } }
      : {}),
    ...(form.concurrency === "" ? {} : { concurrency: Number(form.concurrency) }),
    ...(form.maxFailed === "" ? {} : { failurePolicy: { maxFailedPercent: Number(form.maxFailed) } }),
    ...(form.deadline === "" ? {} : { deadlineAt: new Date(form.deadline).toISOString() }),
  };
}
