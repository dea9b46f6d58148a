/** Writing a job spec: the processor's form, a real row beside it, and a test on five rows before anything runs. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Dataset, JobSpec, JobSpecTestResult } from "@rowmill/client";
import { FlaskConical, Play } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { ActionError, Notice } from "../../components/notice.tsx";
import { useDatasetChoice } from "../../lib/choices.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { parseExactly } from "../../lib/exact-numbers.ts";
import { DraftProblems } from "../../lib/draft-problems.ts";
import { useMay } from "../../lib/session.ts";
import { referencesIn } from "../../lib/specs.ts";
import type { ProcessorType } from "../../lib/specs.ts";
import { ChangedElsewhere, SavedOnTop } from "./changed-elsewhere.tsx";
import { KINDS, Writing, isOfSettings, useDraft } from "./draft.ts";
import type { Draft } from "./draft.ts";
import { LeaveGuard } from "./leave-guard.tsx";
import { JsonField } from "./json-field.tsx";
import { ProcessorForm } from "./processors.tsx";
import { RowBeside } from "./row-beside.tsx";
import { TestResults } from "./test-results.tsx";

const TESTED_ROWS = 5;
/** As the API limits it. */
const MAX_NAME = 200;
/** An example of each; all of them may be left out. */
const SETTINGS_EXAMPLE = `{
  "retry": { "maxAttempts": 4 },
  "timeoutSeconds": 120,
  "concurrency": 50,
  "failurePolicy": { "maxFailedPercent": 10 }
}`;

export function Editor({
  spec,
  datasetId,
  onTouched,
}: {
  spec?: JobSpec | undefined;
  datasetId: string | undefined;
  /** Whether something is written that is not saved. */
  onTouched?: (isTouched: boolean) => void;
}) {
  const draft = useDraft(spec);
  const { saved, isChanged, isTouched } = draft;
  // Somebody has archived it meanwhile: what is written can be copied, and a save would be refused.
  const isArchived = spec !== undefined && spec.archivedAt !== null;
  useEffect(() => onTouched?.(isTouched), [onTouched, isTouched]);
  const [index, setIndex] = useState(0);
  const [picked, setPicked] = useState(datasetId);
  const datasets = useDatasetChoice(picked) ?? [];
  // Until somebody chooses: one that has the columns, so that there is something to test with.
  const chosen = picked ?? suggestDataset(datasets, saved);
  const dataset: Dataset | undefined = datasets.find(({ id }) => id === chosen);
  const { saving, testing, results } = useSaving(draft, { datasetId: chosen, index });
  const failure = saving.error ?? testing.error;
  const outcome = useOutcomeInSight(failure, results);
  const columns = useMemo(() => dataset?.columns.map((column) => column.name), [dataset]);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_320px]">
      <div className="flex min-w-0 flex-col gap-4">
        <LeaveGuard draft={draft} isSaving={saving.isPending || draft.sentWrites !== undefined} />
        {!isArchived && <ChangedElsewhere {...{ saved, spec, isChanged, isTouched }} onShow={draft.begin} />}
        <SavedOnTop onTop={draft.onTop} />
        <DraftForm key={draft.begun} draft={draft} columns={columns} />
        <div ref={outcome} className="flex scroll-mt-16 flex-col gap-4 empty:hidden lg:scroll-mt-4">
          {failure !== null && <ActionError error={failure} />}
          <Warnings of={saved} />
          {results !== undefined && <TestResults results={results} firstIndex={index} />}
        </div>
        {!isArchived && (
          <SaveBar
            draft={draft}
            saving={saving}
            testing={dataset === undefined ? undefined : testing}
            datasetId={chosen}
          />
        )}
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

/** What came of the test stands below a form that is taller than most screens. */
function useOutcomeInSight(failure: Error | null, results: JobSpecTestResult | undefined) {
  const outcome = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure !== null || results !== undefined) outcome.current?.scrollIntoView({ block: "start" });
  }, [failure, results]);
  return outcome;
}

function Warnings({ of: saved }: { of: JobSpec | undefined }) {
  return saved?.warnings?.map(({ path, message }) => <Notice key={path + message} tone="warn" title={message} />);
}

interface Action {
  isPending: boolean;
  mutate: () => void;
}

function SaveBar({
  draft: { saved, isChanged, title, next },
  saving,
  testing,
  datasetId,
}: {
  draft: Draft;
  saving: Action;
  /** Undefined where there are no rows to test with. */
  testing: Action | undefined;
  datasetId: string;
}) {
  return (
    <div className="card sticky bottom-3 z-10 flex flex-wrap items-center justify-between gap-3 px-5 py-3 shadow-float">
      <SavedState saved={saved} isChanged={isChanged} isNamed={saved?.name === title} next={next} />
      <div className="flex flex-wrap gap-2">
        {testing !== undefined && (
          <Button icon={FlaskConical} isBusy={testing.isPending} onClick={() => testing.mutate()}>
            {isChanged ? "Save and test on 5 rows" : "Test on 5 rows"}
          </Button>
        )}
        {(isChanged || saved?.name !== title) && (
          <Button look="primary" isBusy={saving.isPending} onClick={() => saving.mutate()}>
            {saveLabel(saved, isChanged, next)}
          </Button>
        )}
        {!isChanged && saved !== undefined && <StartRun jobSpecId={saved.id} datasetId={datasetId} />}
      </div>
    </div>
  );
}

/** Saves a draft, and tests it on rows of a dataset from one on. */
function useSaving(draft: Draft, { datasetId, index }: { datasetId: string; index: number }) {
  const [results, setResults] = useState<JobSpecTestResult>();
  const isNew = draft.saved === undefined;
  const fail = (error: Error): void => {
    draft.remember(error);
    // It may be refused for what somebody else has done, such as to archive it.
    void queries.invalidateQueries({ queryKey: ["job-specs", draft.saved?.id], exact: true });
  };
  const { goTo, keepInAddress } = useAddress(datasetId);
  const saving = useMutation({
    onError: fail,
    mutationFn: draft.store,
    onSuccess: () => queries.invalidateQueries({ queryKey: ["job-specs"], refetchType: "none" }),
  });
  const testing = useMutation({
    onError: fail,
    mutationFn: async () => {
      // Before the test, which may fail: the next press saves no other one.
      const { made } = await draft.store();
      // The path stays: another one would begin the screen again, and the results would be gone.
      if (isNew) keepInAddress(made);
      const query = { fromIndex: index, limit: TESTED_ROWS };
      const exact = { parseJson: parseExactly };
      const rows = (await rowmill.datasets.rows(datasetId, query, exact)).data;
      const body = { rows: rows.map(({ data }) => data), details: true };
      return rowmill.jobSpecs.test(made.id, body, exact);
    },
    onSuccess: setResults,
  });
  // What was written while it was being saved would be lost on the screen of what is saved.
  const onSuccess = ({ made, isAllSaved }: { made: JobSpec; isAllSaved: boolean }): void =>
    isAllSaved ? goTo(made) : keepInAddress(made);
  const save = (): void => saving.mutate(undefined, isNew ? { onSuccess } : {});
  return { saving: { ...saving, mutate: save }, testing, results };
}

/** Where a new job spec is once it is saved. Only while the screen is there: a person who has left it is not brought back. */
function useAddress(datasetId: string) {
  const navigate = useNavigate();
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => void (isHere.current = false);
  }, []);
  const search = datasetId === "" ? {} : { datasetId };
  const goTo = ({ id }: JobSpec): void => {
    const params = { jobSpecId: id };
    if (isHere.current)
      void navigate({ to: "/job-specs/$jobSpecId", params, search, replace: true, ignoreBlocker: true });
  };
  const keepInAddress = ({ id }: JobSpec): void => {
    if (isHere.current)
      void navigate({ to: "/job-specs/new", search: { ...search, jobSpecId: id }, replace: true, resetScroll: false });
  };
  return { goTo, keepInAddress };
}

function DraftForm({ draft, columns }: { draft: Draft; columns: string[] | undefined }) {
  const { name, setName, processor, setProcessor, title, chooseType, mark, unreadable } = draft;
  const { type } = processor;
  const writing = useMemo(() => ({ mark, unreadable, type }), [mark, unreadable, type]);
  return (
    <div ref={draft.form} className="card flex flex-col gap-4 px-5 py-4" onInput={draft.mark}>
      <Writing value={writing}>
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
            onChange={chooseType}
            options={Object.entries(KINDS) as [ProcessorType, string][]} // its keys
          />
          <ProcessorForm key={processor.type} processor={processor} onChange={setProcessor} columns={columns} />
          <SettingsField draft={draft} />
        </DraftProblems>
      </Writing>
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

function SavedState({
  saved,
  isChanged,
  isNamed,
  next,
}: {
  saved: JobSpec | undefined;
  isChanged: boolean;
  /** Whether its name is the one in the form. */
  isNamed: boolean;
  next: number;
}) {
  return (
    <p role="status" className="text-soft">
      {saved === undefined
        ? "Not saved yet."
        : isChanged
          ? `Changed since version ${saved.latestVersion}: saving makes version ${next}.`
          : isNamed
            ? `Version ${saved.latestVersion}, saved.`
            : `Version ${saved.latestVersion} is saved, its new name is not.`}
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
