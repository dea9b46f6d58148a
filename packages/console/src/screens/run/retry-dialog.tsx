import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Lineage, Run } from "@rowmill/client";
import { useState } from "react";
import { CodeMenu } from "../../components/menu.tsx";
import { ActionDialog } from "../../components/dialog.tsx";
import { BudgetField, Field } from "../../components/field.tsx";
import { ErrorNotice } from "../../components/notice.tsx";
import { EstimateFacts } from "../launch/estimate.tsx";
import { useEstimate } from "../launch/use-estimate.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { EXACT } from "../../lib/exact-numbers.ts";
import { useOnce } from "../../lib/once.ts";
import { plural, usd } from "../../lib/format.ts";
import { describeSelection } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";
import { RetriedBefore } from "./newer-run.tsx";

export type Selection = NonNullable<Lineage["runs"][number]["selection"]>;

const SELECTIONS = {
  unfinished: "Everything without a result: failed, canceled, never begun",
  failures: "All failed rows",
  retryable_failures: "Failures that may pass with nothing changed",
  all: "All rows once more",
} as const;
type SelectionName = keyof typeof SELECTIONS;

/** What is retried, how many rows that is and what it costs, before anything begins. */
export function RetryDialog({ run, selection, onClose }: { run: Run; selection: Selection; onClose: () => void }) {
  const isFixed = selection.type === "codes" || selection.type === "rows";
  const [chosen, setChosen] = useState<SelectionName>(isFixed ? "failures" : selection.type);
  const [version, setVersion] = useState(String(run.jobSpecVersion));
  const [budget, setBudget] = useState("");
  const navigate = useNavigate();
  const body = {
    selection: isFixed ? selection : { type: chosen },
    jobSpecVersion: Number(version),
    ...(budget === "" ? {} : { budget: { maxCostUsd: budget } }),
  };
  const { estimate, isCurrent, error } = useEstimate(`retry-estimate ${run.id}`, body, (asked, options) =>
    rowmill.runs.estimateRetry(run.id, asked, options),
  );
  const once = useOnce();
  async function start(): Promise<void> {
    const made = await once(body, (options) => rowmill.runs.retry(run.id, body, options));
    void queries.invalidateQueries({ queryKey: ["runs"] });
    onClose();
    void navigate({ to: "/runs/$runId", params: { runId: made.id } });
  }
  const rows = isCurrent ? estimate?.rows : undefined;
  const cost = estimate?.estimate.costUsd;
  return (
    <ActionDialog
      title={isFixed ? describeSelection(selection) : "Retry rows"}
      action={
        rows === undefined
          ? "Retry"
          : `Retry ${plural(rows, "row")}${cost === null || cost === undefined ? "" : `, about ${usd(cost.expected)}`}`
      }
      isReady={rows !== undefined}
      isBusy={!isCurrent && error === null}
      onAct={start}
      onClose={onClose}
      beside={
        <CodeMenu
          request={{
            method: "POST",
            path: `v1/runs/${run.id}/retry`,
            body,
            typescript: `const retry = await rowmill.runs.retry("${run.id}", ${JSON.stringify(body, null, 2)});\nconsole.log(retry.id, retry.state);`,
          }}
        />
      }
    >
      <RetriedBefore run={run} onLeave={onClose} />
      {!isFixed && <SelectionField chosen={chosen} onChange={setChosen} />}
      <div className="grid grid-cols-2 gap-4">
        <VersionField run={run} version={version} onChange={setVersion} />
        <BudgetField hint="Empty: none." value={budget} onChange={setBudget} />
      </div>
      {error !== null ? <ErrorNotice error={error} /> : <EstimateFacts estimate={estimate} isCurrent={isCurrent} />}
    </ActionDialog>
  );
}

function SelectionField({ chosen, onChange }: { chosen: SelectionName; onChange: (selection: SelectionName) => void }) {
  return (
    <Field label="Rows">
      <select className="input" value={chosen} onChange={(event) => onChange(event.target.value as SelectionName)}>
        {Object.entries(SELECTIONS).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The version of the run is what it begins with; a newer one may have the cure. */
function VersionField({ run, version, onChange }: { run: Run; version: string; onChange: (version: string) => void }) {
  const maySpecs = useMay("job_specs:read");
  const { data: spec } = useQuery({
    queryKey: ["job-specs", run.jobSpecId],
    queryFn: () => rowmill.jobSpecs.get(run.jobSpecId, EXACT),
    enabled: maySpecs,
  });
  return (
    <Field
      label="Job spec version"
      hint={
        spec !== undefined && spec.latestVersion > run.jobSpecVersion
          ? `The newest is ${spec.latestVersion}.`
          : undefined
      }
    >
      <select className="input" value={version} onChange={(event) => onChange(event.target.value)}>
        {Array.from({ length: Math.max(spec?.latestVersion ?? 0, run.jobSpecVersion) }, (_, i) => String(i + 1))
          .toReversed()
          .map((number) => (
            <option key={number} value={number}>
              {number}
              {Number(number) === run.jobSpecVersion ? " (of this run)" : ""}
            </option>
          ))}
      </select>
    </Field>
  );
}
