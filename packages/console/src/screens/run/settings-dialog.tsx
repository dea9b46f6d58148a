import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { BudgetField, ConcurrencyField, Field } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { usd } from "../../lib/format.ts";
import { runQuery } from "../../lib/runs.ts";

/** Name always; what it may spend and how fast it goes until it has ended. The form is filled once: a refresh changes nothing in it. */
export function RunSettings({ run, resumes = false, onClose }: { run: Run; resumes?: boolean; onClose: () => void }) {
  const hasEnded = isTerminal(run);
  const [form, setForm] = useState({
    name: run.name ?? "",
    budget: run.budget?.maxCostUsd.replace(/\.?0+$/, "") ?? "",
    concurrency: run.concurrency === null ? "" : String(run.concurrency),
    priority: String(run.priority),
  });
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const set = (change: Partial<typeof form>): void => setForm({ ...form, ...change });
  async function save(): Promise<void> {
    setBusy(true);
    try {
      let changed = await rowmill.runs.update(run.id, {
        name: form.name.trim() === "" ? null : form.name.trim(),
        ...(hasEnded
          ? {}
          : {
              priority: Number(form.priority),
              ...(form.concurrency === "" ? {} : { concurrency: Number(form.concurrency) }),
              budget:
                form.budget === "" ? null : { maxCostUsd: form.budget, onExceeded: run.budget?.onExceeded ?? "pause" },
            }),
      });
      if (resumes) changed = await rowmill.runs.resume(run.id);
      queries.setQueryData(runQuery(run.id).queryKey, changed);
      onClose();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  }
  return (
    <Dialog
      title={resumes ? "Raise the budget" : "Adjust the run"}
      onClose={onClose}
      width="max-w-md"
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" isBusy={isBusy} onClick={() => void save()}>
            {resumes ? "Save and resume" : "Save"}
          </Button>
        </>
      }
    >
      <Field label="Name">
        <input
          className="input"
          value={form.name}
          onChange={(event) => set({ name: event.target.value })}
          placeholder="Job spec and dataset"
        />
      </Field>
      {!hasEnded && (
        <>
          <BudgetField
            hint={`${usd(run.usage.costUsd)} is spent. Empty: no budget.`}
            value={form.budget}
            onChange={(budget) => set({ budget })}
          />
          <div className="grid grid-cols-2 gap-4">
            <ConcurrencyField value={form.concurrency} onChange={(text) => set({ concurrency: text })} />
            <Field label="Priority" hint="5 is served first.">
              <select
                className="input"
                value={form.priority}
                onChange={(event) => set({ priority: event.target.value })}
              >
                {[1, 2, 3, 4, 5].map((value) => (
                  <option key={value}>{value}</option>
                ))}
              </select>
            </Field>
          </div>
        </>
      )}
      {error !== null && <ErrorNotice error={error} />}
    </Dialog>
  );
}
