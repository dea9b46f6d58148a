/** Which rows, what it costs, what may go wrong; the price is on the button. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Dataset, RunEstimate } from "@rowmill/client";
import { Play } from "lucide-react";
import { useDeferredValue, useState } from "react";
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

export function Sheet({ dataset, jobSpecId }: { dataset: Dataset; jobSpecId: string }) {
  const navigate = useNavigate();
  const [type, setType] = useState<ScopeType>("all");
  const [form, setForm] = useState(() => emptyForm(dataset.rowCount));
  const set = (change: Partial<LaunchForm>): void => setForm({ ...form, ...change });
  const wanted = bodyOf(dataset.id, jobSpecId, type, form);
  const body = useDeferredValue(wanted);
  const isWhole = type !== "filter" || form.where.trim() !== "";
  const estimate = useEstimate(body, isWhole);
  // While a new price is on its way the button has that of other rows: nothing is started at it.
  const isPriced = !estimate.isPlaceholderData && JSON.stringify(body) === JSON.stringify(wanted);
  const once = useOnce();
  const start = useMutation({
    mutationFn: (chosen: RunBody) => once(chosen, (options) => rowmill.runs.create(chosen, options)),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: ["runs"] });
      void navigate({ to: "/runs/$runId", params: { runId: run.id } });
    },
  });
  const wantsSample =
    estimate.data?.suggestions.some(({ code }) => code === "sample_first") === true && type !== "sample";
  return (
    <form
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        if (isWhole && isPriced && estimate.data !== undefined) start.mutate(wanted);
      }}
    >
      <div className="card flex flex-col gap-4 px-5 py-4">
        <ScopeFields dataset={dataset} type={type} setType={setType} form={form} set={set} />
        {estimate.error !== null ? (
          <ErrorNotice error={estimate.error} />
        ) : (
          isWhole && <EstimateFacts estimate={estimate.data} />
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
          estimate={isWhole ? estimate.data : undefined}
          isBusy={start.isPending || (isWhole && !isPriced)}
        />
        <CodeMenu request={requestOf(body)} />
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
      disabled={rows === undefined}
      isBusy={isBusy}
    >
      {rows === undefined ? "Run" : `Run ${plural(rows, "row")}`}
      {cost !== null && cost !== undefined && ` for about ${usd(cost.expected)}`}
    </Button>
  );
}

/** Neither name nor deadline changes what it costs. */
const useEstimate = ({ name: _name, deadlineAt: _deadline, ...body }: RunBody, isEnabled: boolean) =>
  useQuery({
    // Not below "runs": a run that begins changes no estimate of this sheet.
    queryKey: ["run-estimate", body],
    queryFn: () => rowmill.runs.estimate(body),
    enabled: isEnabled,
    retry: false,
    placeholderData: (before) => before,
  });

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
