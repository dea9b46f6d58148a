/** Which rows, what it costs, what may go wrong; the price is on the button. */
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Dataset, RunEstimate } from "@rowmill/client";
import { Play } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { CodeMenu } from "../../components/menu.tsx";
import { EstimateFacts } from "./estimate.tsx";
import { ActionError, ErrorNotice, Notice } from "../../components/notice.tsx";
import { Section } from "../../components/page.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { plural, usd } from "../../lib/format.ts";
import type { Request } from "../../lib/request.ts";
import { LimitFields } from "./limit-fields.tsx";
import { SAMPLE_ROWS, bodyOf, emptyForm } from "./run-body.ts";
import type { LaunchForm, RunBody, ScopeType } from "./run-body.ts";
import { ScopeFields } from "./scope-fields.tsx";
import { useEstimate } from "./use-estimate.ts";

export function Sheet({ dataset, jobSpecId }: { dataset: Dataset; jobSpecId: string }) {
  const navigate = useNavigate();
  const [type, setType] = useState<ScopeType>("all");
  const [form, setForm] = useState(() => emptyForm(dataset.rowCount));
  const set = (change: Partial<LaunchForm>): void => setForm({ ...form, ...change });
  const wanted = bodyOf(dataset.id, jobSpecId, type, form);
  const isWhole = type !== "filter" || form.where.trim() !== "";
  // While a new price is on its way, that of other rows is in sight: nothing is started at it.
  const { estimate, isCurrent, error } = useEstimate("run-estimate", pricedPartOf(wanted), askForPrice, {
    isEnabled: isWhole,
    isFilter: type === "filter",
  });
  const once = useOnce();
  const start = useMutation({
    mutationFn: (chosen: RunBody) => once(chosen, (options) => rowmill.runs.create(chosen, options)),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      void navigate({ to: "/runs/$runId", params: { runId: run.id } });
    },
  });
  const wantsSample = estimate?.suggestions.some(({ code }) => code === "sample_first") === true && type !== "sample";
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && isCurrent) start.mutate(wanted);
      }}
    >
      <div className="card flex flex-col gap-4 px-5 py-4">
        <ScopeFields dataset={dataset} type={type} setType={setType} form={form} set={set} />
        {!isWhole ? null : error !== null ? (
          <ErrorNotice error={error} />
        ) : (
          <EstimateFacts estimate={estimate} isCurrent={isCurrent} />
        )}
        {wantsSample && (
          <SampleFirst
            onSample={() => {
              setType("sample");
              set({ sample: String(SAMPLE_ROWS) });
            }}
          />
        )}
      </div>
      <Section title="Name and limits">
        <LimitFields form={form} set={set} />
      </Section>
      {start.error !== null && <ActionError error={start.error} />}
      <div className="flex flex-wrap items-center gap-3">
        <StartButton
          estimate={isWhole && isCurrent ? estimate : undefined}
          isBusy={start.isPending || (isWhole && !isCurrent && error === null)}
        />
        <CodeMenu request={requestOf(wanted)} />
      </div>
    </form>
  );
}

const requestOf = (body: RunBody): Request => ({
  method: "POST",
  path: "v1/runs",
  body,
  typescript: `const run = await rowmill.runs.create(${JSON.stringify(body, null, 2)});\nconsole.log(run.id, run.state);`,
});

function StartButton({ estimate, isBusy }: { estimate: RunEstimate | undefined; isBusy: boolean }) {
  const rows = estimate?.rows;
  const cost = estimate?.estimate.costUsd;
  return (
    <Button
      look="primary"
      type="submit"
      icon={Play}
      className="min-h-10! px-5! text-base!"
      disabled={rows === undefined && !isBusy}
      isBusy={isBusy}
    >
      {rows === undefined ? "Run" : `Run ${plural(rows, "row")}`}
      {cost !== null && cost !== undefined && ` for about ${usd(cost.expected)}`}
    </Button>
  );
}

/** Neither name nor deadline changes what it costs. */
const pricedPartOf = ({ name: _name, deadlineAt: _deadline, ...body }: RunBody): RunBody => body;
const askForPrice = (body: RunBody, options: { signal: AbortSignal }): Promise<RunEstimate> =>
  rowmill.runs.estimate(body, options);

function SampleFirst({ onSample }: { onSample: () => void }) {
  return (
    <Notice
      tone="info"
      title={`Sample ${SAMPLE_ROWS} rows first`}
      actions={<Button onClick={onSample}>Sample {SAMPLE_ROWS}</Button>}
    >
      Their results make the estimate for all rows narrow.
    </Notice>
  );
}
