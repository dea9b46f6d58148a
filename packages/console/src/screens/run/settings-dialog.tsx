import { isTerminal } from "@rowmill/client";
import type { Body, Run } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { BudgetField, ConcurrencyField, FailedPercentField, Field } from "../../components/field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { plural, shortDecimal, usd } from "../../lib/format.ts";
import { runQuery } from "../../lib/runs.ts";

/**
 * Name always; what it may spend and how fast it goes until it has ended; to resume a run whose budget is spent, nothing but the
 * budget. The form is filled once: a refresh changes nothing in it.
 */
export function RunSettings({ run, resumes = false, onClose }: { run: Run; resumes?: boolean; onClose: () => void }) {
  const hasEnded = isTerminal(run);
  const rest = restUsd(run);
  const [form, setForm] = useState(() => formOf(run, resumes ? rest : undefined));
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  async function save(): Promise<void> {
    let changed = await rowmill.runs.update(run.id, bodyOf(form, run));
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
            hint={`${usd(run.usage.costUsd)} is spent. ${rest === undefined ? "" : `At the cost of a row so far, the other ${plural(run.rows.total - run.rows.succeeded - run.rows.failed, "row")} need about ${usd(String(rest))}. `}Empty: no budget.`}
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
  form: ReturnType<typeof formOf>;
  set: (change: Partial<ReturnType<typeof formOf>>) => void;
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
        rows={run.failurePolicy?.minEvaluatedRows}
        value={form.maxFailed}
        onChange={(maxFailed) => set({ maxFailed })}
      />
    </>
  );
}

/** With the cost of the rows that are left, the budget is proposed that lets them pass. */
const formOf = (run: Run, rest: number | undefined) => ({
  name: run.name ?? "",
  budget:
    rest === undefined ? shortDecimal(run.budget?.maxCostUsd ?? "") : cents(Number(run.usage.costUsd) + rest * MARGIN),
  concurrency: run.concurrency === null ? "" : String(run.concurrency),
  priority: String(run.priority),
  maxFailed: String(run.failurePolicy?.maxFailedPercent ?? ""),
});

function bodyOf(
  { name, budget, concurrency, priority, maxFailed }: ReturnType<typeof formOf>,
  run: Run,
): Body<"updateRun"> {
  const named = { name: name.trim() === "" ? null : name.trim() };
  if (isTerminal(run)) return named;
  return {
    ...named,
    priority: Number(priority),
    ...(concurrency === "" ? {} : { concurrency: Number(concurrency) }),
    failurePolicy: failurePolicyOf(maxFailed, run),
    budget: budget === "" ? null : { maxCostUsd: budget, onExceeded: run.budget?.onExceeded ?? "pause" },
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
