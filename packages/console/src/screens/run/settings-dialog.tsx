import { isTerminal } from "@rowmill/client";
import type { Body, Run } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { BudgetField, ConcurrencyField, FailedPercentField, Field } from "../../components/field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { plural, shortDecimal, usd } from "../../lib/format.ts";
import { ROWS_BEFORE_PERCENTAGE, runQuery } from "../../lib/runs.ts";

/**
 * Name always; what it may spend and how fast it goes until it has ended; to resume a run whose budget is spent, nothing but the
 * budget. The form is filled once: a refresh changes nothing in it.
 */
export function RunSettings({ run, resumes = false, onClose }: { run: Run; resumes?: boolean; onClose: () => void }) {
  const hasEnded = isTerminal(run);
  const rest = restUsd(run);
  const [form, setForm] = useState(() => formOf(run, resumes ? rest : undefined));
  const [opened] = useState(() => formOf(run, undefined));
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  async function save(): Promise<void> {
    let changed = await rowmill.runs.update(run.id, bodyOf(form, opened, run));
    if (resumes) changed = await rowmill.runs.resume(run.id);
    queries.setQueryData(runQuery(run.id).queryKey, changed);
    onClose();
  }
  return (
    <ActionDialog
      title={resumes ? "Raise the budget" : hasEnded ? "Rename the run" : "Adjust the run"}
      width="max-w-md"
      action={resumes ? "Save and resume" : "Save"}
      onAct={save}
      onClose={onClose}
    >
      {!resumes && (
        <Field label="Name">
          <input
            className="input"
            maxLength={200}
            value={form.name}
            onChange={(event) => set({ name: event.target.value })}
            placeholder="Job spec and dataset"
          />
        </Field>
      )}
      {!hasEnded && (
        <>
          <BudgetField
            hint={`${usd(run.usage.costUsd)} is spent. ${rest === undefined ? "" : `At the cost of a row so far, about ${usd(String(rest))} more is needed for the other ${plural(run.rows.total - run.rows.succeeded - run.rows.failed, "row")}. `}Empty: no budget.`}
            value={form.budget}
            onChange={(budget) => set({ budget })}
          />
          {!resumes && <PaceFields run={run} form={form} set={set} />}
        </>
      )}
    </ActionDialog>
  );
}

interface PartProps {
  run: Run;
  form: RunForm;
  set: (change: Partial<RunForm>) => void;
}

/** How fast it goes, and when it ends before its last row. */
function PaceFields({ run, form, set }: PartProps) {
  return (
    <>
      <div className="grid grid-cols-2 gap-4">
        <ConcurrencyField
          // The API has no way back to that of the job spec.
          hint={run.concurrency === null ? "Empty: as the job spec says." : "Empty: as it is."}
          value={form.concurrency}
          onChange={(concurrency) => set({ concurrency })}
        />
        <PriorityField value={form.priority} onChange={(priority) => set({ priority })} />
      </div>
      <FailedPercentField
        hint={`After ${plural(run.failurePolicy?.minEvaluatedRows ?? ROWS_BEFORE_PERCENTAGE, "row")}. Empty: no such limit.`}
        value={form.maxFailed}
        onChange={(maxFailed) => set({ maxFailed })}
      />
    </>
  );
}

type RunForm = ReturnType<typeof formOf>;

/** With the cost of the rows that are left, the budget is proposed that lets them pass. */
const formOf = (run: Run, rest: number | undefined) => ({
  name: run.name ?? "",
  budget:
    rest === undefined ? shortDecimal(run.budget?.maxCostUsd ?? "") : cents(Number(run.usage.costUsd) + rest * MARGIN),
  concurrency: run.concurrency === null ? "" : String(run.concurrency),
  priority: String(run.priority),
  maxFailed: String(run.failurePolicy?.maxFailedPercent ?? ""),
});

/** What was changed here, and nothing else: somebody may have changed the rest meanwhile. */
function bodyOf(form: RunForm, opened: RunForm, run: Run): Body<"updateRun"> {
  const { name, budget, concurrency, priority, maxFailed } = form;
  const has = (field: keyof RunForm): boolean => form[field] !== opened[field];
  return {
    ...(has("name") && { name: name.trim() === "" ? null : name.trim() }),
    ...(has("priority") && { priority: Number(priority) }),
    ...(has("concurrency") && concurrency !== "" && { concurrency: Number(concurrency) }),
    ...(has("maxFailed") && { failurePolicy: failurePolicyOf(maxFailed, run) }),
    ...(has("budget") && {
      budget: budget === "" ? null : { maxCostUsd: budget, onExceeded: run.budget?.onExceeded ?? "pause" },
    }),
  };
}

/** What else the policy of the run says stays as it is. */
function failurePolicyOf(maxFailed: string, { failurePolicy }: Run): Body<"updateRun">["failurePolicy"] {
  const { maxFailedPercent: _before, ...rest } = failurePolicy ?? {};
  if (maxFailed !== "") return { ...rest, maxFailedPercent: Number(maxFailed) };
  return rest.maxFailedRows === undefined ? null : rest;
}

function PriorityField({ value: chosen, onChange }: { value: string; onChange: (priority: string) => void }) {
  return (
    <Field label="Priority" hint="5 is served first.">
      <select className="input" value={chosen} onChange={({ target }) => onChange(target.value)}>
        {[1, 2, 3, 4, 5].map((value) => (
          <option key={value}>{value}</option>
        ))}
      </select>
    </Field>
  );
}

/** What the rows that are left cost, as far as the rows so far show it. */
function restUsd({ rows, usage }: Run): number | undefined {
  const done = rows.succeeded + rows.failed;
  const spent = Number(usage.costUsd ?? 0);
  return done === 0 || spent === 0 ? undefined : (spent / done) * (rows.total - done);
}
/** To whole cents, upwards. */
const cents = (value: number): string => (Math.ceil(value * 100) / 100).toFixed(2);
/** The rows that are left may be longer than those before. */
const MARGIN = 1.2;
