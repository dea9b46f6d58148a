import { BudgetField, ConcurrencyField, FailedPercentField, Field } from "../../components/field.tsx";
import { serviceNow } from "../../lib/clock.ts";
import { MINUTE_MS, localMinute } from "../../lib/format.ts";
import { ROWS_BEFORE_PERCENTAGE } from "../../lib/runs.ts";
import { LAST_DEADLINE } from "./run-body.ts";
import type { LaunchForm } from "./run-body.ts";

/** The name of the run, and what ends it before it does harm. */
export function LimitFields({ form, set }: { form: LaunchForm; set: (change: Partial<LaunchForm>) => void }) {
  return (
    <div className="card grid gap-x-6 gap-y-4 px-5 py-4 sm:grid-cols-2 lg:grid-cols-3">
      <Field label="Name" hint="Empty: the job spec and the dataset.">
        <input
          className="input"
          maxLength={200}
          value={form.name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <BudgetField hint="Never exceeded. Empty: none." value={form.budget} onChange={(budget) => set({ budget })} />
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
      <ConcurrencyField value={form.concurrency} onChange={(text) => set({ concurrency: text })} />
      <FailedPercentField
        hint={`After ${ROWS_BEFORE_PERCENTAGE} rows. Empty: as the job spec says.`}
        value={form.maxFailed}
        onChange={(maxFailed) => set({ maxFailed })}
      />
      <Field label="Deadline" hint="A run that has not ended by then expires.">
        <input
          className="input"
          type="datetime-local"
          min={localMinute(serviceNow() + MINUTE_MS)}
          max={LAST_DEADLINE}
          value={form.deadline}
          onChange={({ target }) => set({ deadline: target.value })}
        />
      </Field>
    </div>
  );
}
