/** Writing a job spec: the processor's form, a real row beside it, and a test on five rows before anything runs. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { RowmillApiError } from "@rowmill/client";
import type { Dataset, JobSpec, JobSpecTestResult } from "@rowmill/client";
import { FlaskConical, Play } from "lucide-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { unreadableFields } from "../../components/code-field.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ActionError, Notice } from "../../components/notice.tsx";
import { useDatasetChoice } from "../../lib/choices.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { useOnce } from "../../lib/once.ts";
import { DraftProblems } from "../../lib/draft-problems.ts";
import type { PathProblem } from "../../lib/draft-problems.ts";
import { useMay } from "../../lib/session.ts";
import { definitionOf, missingIn, processorOf, referencesIn } from "../../lib/specs.ts";
import type { Processor, ProcessorType } from "../../lib/specs.ts";
import { ChangedElsewhere, isChangedElsewhere } from "./changed-elsewhere.tsx";
import { JsonField } from "./json-field.tsx";
import { ProcessorForm } from "./processors.tsx";
import { RowBeside } from "./row-beside.tsx";
import { TestResults } from "./test-results.tsx";

const STARTS: { [T in ProcessorType]: Extract<Processor, { type: T }> } = {
  llm: { type: "llm", connection: "", model: "", messages: [{ role: "user", content: "" }] },
  http: { type: "http", method: "GET", url: "" },
  transform: { type: "transform", code: "export default (row) => ({\n  ...row,\n});\n" },
  mock: { type: "mock" },
};
const KINDS: Record<ProcessorType, string> = {
  llm: "Ask a model",
  http: "Make a request",
  transform: "Run a function",
  mock: "Rehearse",
};
const TESTED_ROWS = 5;
/** As the API limits it. */
const MAX_NAME = 200;
const SUGGESTED_CHARACTERS = 50;
/** An example of each; all of them may be left out. */
const SETTINGS_EXAMPLE = `{
  "retry": { "maxAttempts": 4 },
  "timeoutSeconds": 120,
  "concurrency": 50,
  "failurePolicy": { "maxFailedPercent": 10 }
}`;

export function Editor({ spec, datasetId }: { spec?: JobSpec; datasetId: string | undefined }) {
  const draft = useDraft(spec);
  const { saved, isChanged } = draft;
  const [index, setIndex] = useState(0);
  const [picked, setPicked] = useState(datasetId);
  const datasets = useDatasetChoice(picked) ?? [];
  // Until somebody chooses: one that has the columns, so that there is something to test with.
  const chosen = picked ?? suggestDataset(datasets, saved);
  const dataset: Dataset | undefined = datasets.find(({ id }) => id === chosen);
  const { saving, testing, results } = useSaving(draft, { datasetId: chosen, index });
  const failure = saving.error ?? testing.error;
  const next = 1 + Math.max(saved?.latestVersion ?? 0, spec?.latestVersion ?? 0);
  const outcome = useRef<HTMLDivElement>(null);
  // What came of the test stands below a form that is taller than most screens.
  useEffect(() => {
    if (failure !== null || results !== undefined) outcome.current?.scrollIntoView({ block: "start" });
  }, [failure, results]);
  const columns = useMemo(() => dataset?.columns.map((column) => column.name), [dataset]);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-w-0 flex-col gap-4">
        <ChangedElsewhere saved={saved} spec={spec} isTouched={draft.isTouched} onShow={draft.begin} />
        <DraftForm key={draft.begun} draft={draft} columns={columns} />
        <div ref={outcome} className="flex scroll-mt-16 flex-col gap-4 empty:hidden lg:scroll-mt-4">
          {failure !== null && <ActionError error={failure} />}
          {saved?.warnings?.map(({ path, message }) => (
            <Notice key={path + message} tone="warn" title={message} />
          ))}
          {results !== undefined && <TestResults results={results} firstIndex={index} />}
        </div>
        <div className="card sticky bottom-3 z-10 flex flex-wrap items-center justify-between gap-3 px-5 py-3 shadow-float">
          <SavedState saved={saved} isChanged={isChanged} next={next} />
          <div className="flex flex-wrap gap-2">
            {dataset !== undefined && (
              <Button icon={FlaskConical} isBusy={testing.isPending} onClick={() => testing.mutate()}>
                {isChanged ? "Save and test on 5 rows" : "Test on 5 rows"}
              </Button>
            )}
            {(isChanged || saved?.name !== draft.title) && (
              <Button look="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
                {saveLabel(saved, isChanged, next)}
              </Button>
            )}
            {!isChanged && saved !== undefined && <StartRun jobSpecId={saved.id} datasetId={chosen} />}
          </div>
        </div>
      </div>
      <RowBeside
        datasets={datasets}
        dataset={dataset}
        index={index}
        onDataset={(id) => {
          setPicked(id);
          setIndex(0);
        }}
        onIndex={setIndex}
      />
    </div>
  );
}

/** What is written, and not saved yet. It is made once: what is fetched again meanwhile changes nothing in it. */
function useDraft(spec: JobSpec | undefined) {
  const [saved, setSaved] = useState(spec);
  const [name, setName] = useState(spec?.name ?? "");
  const [processor, setProcessor] = useState<Processor>(spec === undefined ? STARTS.llm : processorOf(spec.processor));
  /** What a version fixes beside its processor. */
  const [settings, setSettings] = useState<unknown>(() => settingsOf(spec));
  const form = useRef<HTMLDivElement>(null);
  const [refused, setRefused] = useState<{ processor: Processor; settings: unknown; error: unknown }>();
  const [isOpen, setOpen] = useState(false);
  // A name can be given later: nobody should have to invent one to try something.
  const title = name.trim() === "" ? (saved?.name ?? suggestName(processor)) : name.trim();
  const isChanged =
    saved === undefined ||
    JSON.stringify([processor, settings ?? {}]) !== JSON.stringify([saved.processor, settingsOf(saved) ?? {}]);
  // What was refused is marked at its place until it is changed.
  const problems = useMemo(
    () =>
      refused?.processor === processor && refused.settings === settings && refused.error instanceof RowmillApiError
        ? refused.error.details
        : [],
    [refused, processor, settings],
  );
  function remember(error: unknown): void {
    setRefused({ processor, settings, error });
    if (error instanceof RowmillApiError && error.details.some(isOfSettings)) setOpen(true);
  }
  const once = useOnce();
  async function save(): Promise<JobSpec> {
    const unreadable = form.current === null ? [] : unreadableFields(form.current);
    if (unreadable.length > 0) throw new Error(`Not saved: the JSON of “${unreadable.join("” and “")}” is not valid.`);
    const missing = missingIn(processor);
    if (missing.length > 0) throw new Error(`Not saved yet: ${missing.join(", ")}.`);
    const definition = { ...objectOf(settings), processor };
    if (saved === undefined) {
      const body = { ...definition, name: title };
      return once(body, (options) => rowmill.jobSpecs.create(body, options));
    }
    if (isChanged)
      await once([saved.id, definition], (options) => rowmill.jobSpecs.versions.create(saved.id, definition, options));
    return title === saved.name ? rowmill.jobSpecs.get(saved.id) : rowmill.jobSpecs.update(saved.id, { name: title });
  }
  /** How often the fields have taken what was saved elsewhere. */
  const [begun, setBegun] = useState(0);
  const begin = useCallback((other: JobSpec): void => {
    setSaved(other);
    setName(other.name);
    setProcessor(processorOf(other.processor));
    setSettings(settingsOf(other));
    setBegun((times) => times + 1);
  }, []);
  function keep(made: JobSpec): void {
    // Nothing was written here, and something was saved elsewhere.
    if (!isTouched && isChangedElsewhere(saved, made)) begin(made);
    else setSaved(made);
    queries.setQueryData(["job-specs", made.id], made);
  }
  const isTouched = isChanged || title !== saved.name;
  const fields = { name, setName, processor, setProcessor, settings, setSettings, isOpen, setOpen };
  return { ...fields, form, saved, title, isChanged, isTouched, problems, remember, save, begun, begin, keep };
}
type Draft = ReturnType<typeof useDraft>;

/** Saves a draft, and tests it on rows of a dataset from one on. */
function useSaving(draft: Draft, { datasetId, index }: { datasetId: string; index: number }) {
  const navigate = useNavigate();
  const [results, setResults] = useState<JobSpecTestResult>();
  const isNew = draft.saved === undefined;
  const saving = useMutation({
    mutationFn: draft.save,
    onError: draft.remember,
    onSuccess: (made) => {
      draft.keep(made);
      void queries.invalidateQueries({ queryKey: ["job-specs"], refetchType: "none" });
    },
  });
  /** Only while the screen is there: a person who has left it is not brought back. */
  const goTo = (made: JobSpec): void =>
    void navigate({
      to: "/job-specs/$jobSpecId",
      params: { jobSpecId: made.id },
      search: datasetId === "" ? {} : { datasetId },
      replace: true,
    });
  const keepInAddress = ({ id }: JobSpec): void =>
    void navigate({
      to: "/job-specs/new",
      search: { ...(datasetId !== "" && { datasetId }), jobSpecId: id },
      replace: true,
      resetScroll: false,
    });
  const testing = useMutation({
    onError: draft.remember,
    mutationFn: async () => {
      const made = await draft.save();
      const query = { fromIndex: index, limit: TESTED_ROWS };
      const exact = { parseJson: parseExactly };
      const rows = (await rowmill.datasets.rows(datasetId, query, exact)).data;
      const body = { rows: rows.map(({ data }) => data), details: true };
      const result = await rowmill.jobSpecs.test(made.id, body, exact);
      return { made, result };
    },
    // The path stays: another one would begin the screen again, and the results would be gone.
    onSuccess: ({ made, result }) => {
      draft.keep(made);
      setResults(result);
      if (isNew) keepInAddress(made);
    },
  });
  const save = (): void => saving.mutate(undefined, isNew ? { onSuccess: goTo } : {});
  return { saving: { ...saving, mutate: save }, testing, results };
}

function DraftForm({ draft, columns }: { draft: Draft; columns: string[] | undefined }) {
  const { name, setName, processor, setProcessor, title } = draft;
  const [drafts, setDrafts] = useState<Partial<Record<ProcessorType, Processor>>>({});
  return (
    <div ref={draft.form} className="card flex flex-col gap-4 px-5 py-4">
      <DraftProblems value={draft.problems}>
        <Field label="Name">
          <input
            className="input"
            value={name}
            placeholder={title}
            maxLength={MAX_NAME}
            onChange={({ target }) => setName(target.value)}
          />
        </Field>
        <Choice<ProcessorType>
          label="For each row"
          columns={2}
          value={processor.type}
          onChange={(type) => {
            setDrafts({ ...drafts, [processor.type]: processor });
            setProcessor(drafts[type] ?? STARTS[type]);
          }}
          options={Object.entries(KINDS) as [ProcessorType, string][]} // its keys
        />
        <ProcessorForm key={processor.type} processor={processor} onChange={setProcessor} columns={columns} />
        <SettingsField draft={draft} />
      </DraftProblems>
    </div>
  );
}

function SettingsField({ draft: { settings, setSettings, isOpen, setOpen, problems } }: { draft: Draft }) {
  const wasOpen = useRef(false);
  wasOpen.current ||= isOpen;
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="font-medium">Retries, timeout, limits, cache</summary>
      <div className="mt-2">
        {/* What was written stays, also while it is closed. */}
        {wasOpen.current && (
          <DraftProblems value={problems.filter(isOfSettings)}>
            <JsonField
              label="Settings as JSON"
              hint="inputSchema, outputSchema, retry, timeoutSeconds, concurrency, failurePolicy, cache, dedupe, execution. Empty: the defaults."
              placeholder={SETTINGS_EXAMPLE}
              minLines={6}
              value={settings}
              onChange={setSettings}
              path=""
            />
          </DraftProblems>
        )}
      </div>
    </details>
  );
}

function StartRun({ jobSpecId, datasetId }: { jobSpecId: string; datasetId: string }) {
  if (!useMay("runs:write")) return null;
  return (
    <ButtonLink
      look="primary"
      icon={Play}
      to="/runs/new"
      search={{ jobSpecId, ...(datasetId === "" ? {} : { datasetId }) }}
    >
      Start a run
    </ButtonLink>
  );
}

function SavedState({ saved, isChanged, next }: { saved: JobSpec | undefined; isChanged: boolean; next: number }) {
  return (
    <p className="text-soft">
      {saved === undefined
        ? "Not saved yet."
        : isChanged
          ? `Changed since version ${saved.latestVersion}: saving makes version ${next}.`
          : `Version ${saved.latestVersion}, saved.`}
    </p>
  );
}

function saveLabel(saved: JobSpec | undefined, isChanged: boolean, next: number): string {
  if (saved === undefined) return "Save";
  return isChanged ? `Save as version ${next}` : "Save the name";
}

function suggestDataset(datasets: readonly Dataset[], spec: JobSpec | undefined): string {
  const wanted = spec === undefined ? [] : referencesIn(JSON.stringify(spec.processor));
  if (spec !== undefined && wanted.length === 0) return "";
  const found = datasets.find(({ columns }) => wanted.every((name) => columns.some((column) => column.name === name)));
  return found?.id ?? "";
}

/** After what it does, until somebody names it. */
function suggestName(processor: Processor): string {
  const prompt = processor.type === "llm" ? processor.messages.at(-1)?.content : undefined;
  const text = typeof prompt === "string" ? prompt.replaceAll(/\{\{.*?\}\}/g, "").replaceAll(/\s+/g, " ") : "";
  const start = text
    .trim()
    .slice(0, SUGGESTED_CHARACTERS)
    .replace(/[\s:,.;-]+$/, "");
  return start === "" ? KINDS[processor.type] : start;
}

const isOfSettings = ({ path }: PathProblem): boolean => !/^\/(processor|name)(\/|$)/.test(path);

/** Undefined where nothing but the processor is set. */
function settingsOf(spec: JobSpec | undefined): Record<string, unknown> | undefined {
  if (spec === undefined) return undefined;
  const { processor: _, ...settings } = definitionOf(spec);
  return Object.keys(settings).length === 0 ? undefined : settings;
}

function objectOf(settings: unknown): object {
  if (settings === undefined) return {};
  if (typeof settings === "object" && settings !== null && !Array.isArray(settings)) return settings;
  throw new Error("Not saved: “Settings as JSON” must be an object.");
}
