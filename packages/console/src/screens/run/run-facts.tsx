import { isTerminal } from "@rowmill/client";
import type { Run } from "@rowmill/client";
import type { ReactNode } from "react";
import { InPlace } from "./in-place.tsx";
import { Meter } from "../../components/meter.tsx";
import { Time } from "../../components/time.tsx";
import { count, decimal, duration, percent, plural, shortCount, shortDecimal, usd } from "../../lib/format.ts";
import { queries, rowmill } from "../../lib/client.ts";
import { describeFailurePolicy, describeRows, describeScope, partsOf, runQuery } from "../../lib/runs.ts";
import { useMay } from "../../lib/session.ts";

type Change = (body: Parameters<typeof rowmill.runs.update>[1]) => Promise<void>;

export function RunFacts({ run }: { run: Run }) {
  const { usage } = run;
  const isOpen = useMay("runs:write") && !isTerminal(run);
  const policy = run.failurePolicy === null ? "" : describeFailurePolicy(run.failurePolicy);
  const hasLimits = run.deadlineAt !== null || policy !== "";
  const change: Change = async (body) =>
    void queries.setQueryData(runQuery(run.id).queryKey, await rowmill.runs.update(run.id, body));
  return (
    <section aria-label="Progress" className="card flex flex-col gap-4 px-5 py-4">
      <Progress run={run} />
      {/* Six facts are one line of a wide screen, and more are lines of four. */}
      <dl
        className={`grid grid-cols-2 gap-x-6 gap-y-3 border-t border-line pt-4 ${isOpen || hasLimits ? "sm:grid-cols-4" : "sm:grid-cols-3 lg:grid-cols-6"}`}
      >
        <Fact name="Speed">{speedOf(run)}</Fact>
        <CostFact run={run} change={isOpen ? change : undefined} />
        <Fact name="Tokens">
          {usage.inputTokens + usage.outputTokens === 0
            ? "–"
            : `${shortCount(usage.inputTokens)} in, ${shortCount(usage.outputTokens)} out`}
        </Fact>
        {isOpen && <Adjustable run={run} change={change} />}
        {run.deadlineAt !== null && (
          <Fact name="Deadline">
            <Time at={run.deadlineAt} />
          </Fact>
        )}
        {policy !== "" && <Fact name="Ends early">{policy}</Fact>}
        <Fact name="Attempts">{count(usage.attempts)}</Fact>
        <Fact name="Scope">{describeScope(run)}</Fact>
        <Fact name={isTerminal(run) ? "Ended" : "Started"}>
          <Time at={isTerminal(run) ? run.finishedAt : run.startedAt} />
        </Fact>
      </dl>
    </section>
  );
}

function Progress({ run }: { run: Run }) {
  const { rows, progress } = run;
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="text-2xl font-semibold tracking-[-0.02em] tabular-nums">
          {percent(progress.percent)}
          <span className="ml-2 text-sm font-normal tracking-normal text-soft">
            {count(rows.succeeded + rows.failed)} of {plural(rows.total, "row")} done
          </span>
        </p>
        <p className="text-soft tabular-nums">
          {run.state === "running" && progress.etaSeconds !== null
            ? `${duration(progress.etaSeconds)} left`
            : run.finishedAt !== null && run.startedAt !== null
              ? `took ${duration((new Date(run.finishedAt).getTime() - new Date(run.startedAt).getTime()) / 1000)}`
              : ""}
        </p>
      </div>
      <Meter parts={partsOf(rows)} total={rows.total} label={describeRows(rows)} className="h-2.5" />
      <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-soft">
        <Legend color="bg-bar-good" text={`${count(rows.succeeded)} succeeded`} />
        {rows.failed > 0 && <Legend color="bg-bar-bad" text={`${count(rows.failed)} failed`} />}
        {rows.running > 0 && <Legend color="bg-bar-busy" text={`${count(rows.running)} in progress`} />}
        {rows.pending > 0 && <Legend color="bg-line" text={`${count(rows.pending)} not begun`} />}
        {rows.canceled > 0 && <Legend color="bg-line" text={`${count(rows.canceled)} canceled`} />}
        {rows.skipped > 0 && <Legend color="bg-line" text={`${count(rows.skipped)} skipped`} />}
      </ul>
    </div>
  );
}

/** Below, rows are counted by the minute. */
const SLOW_ROWS_PER_SECOND = 0.1;

function speedOf({ progress, state }: Run): string {
  // What it was before it stood still is no speed.
  const speed = state === "paused" ? 0 : (progress.rowsPerSecond ?? 0);
  if (speed === 0) return "–";
  return speed < SLOW_ROWS_PER_SECOND ? `${decimal(speed * 60)} rows/min` : `${decimal(speed)} rows/s`;
}

/** Which of them were charged without a response, the row shows: a run has no sum of them. */
const hasRepeatedAttempts = ({ usage, rows }: Run): boolean =>
  Number(usage.costUsd ?? 0) > 0 && usage.attempts > rows.succeeded + rows.failed + rows.running;

function CostFact({ run, change }: { run: Run; change: Change | undefined }) {
  const { usage, budget } = run;
  return (
    <Fact name={budget === null ? "Cost" : "Cost and budget"}>
      {usd(usage.costUsd)}
      {change !== undefined ? (
        <>
          {" "}
          <InPlace
            label="Budget in US dollars, empty for none"
            text={shortDecimal(budget?.maxCostUsd ?? "")}
            onSave={(text) =>
              change({
                budget: text === "" ? null : { maxCostUsd: text, onExceeded: budget?.onExceeded ?? "pause" },
              })
            }
          >
            <span className="text-soft">{budget === null ? "no budget" : `of ${usd(budget.maxCostUsd)}`}</span>
          </InPlace>
        </>
      ) : (
        budget !== null && <span className="text-soft"> of {usd(budget.maxCostUsd)}</span>
      )}
      {budget !== null && usage.costUsd !== null && (
        <Meter
          className="mt-1.5 h-1"
          parts={[
            {
              value: Number(usage.costUsd),
              look: Number(usage.costUsd) > 0.9 * Number(budget.maxCostUsd) ? "bad" : "quiet",
            },
          ]}
          total={Number(budget.maxCostUsd)}
          label={`${usd(usage.costUsd)} of ${usd(budget.maxCostUsd)} spent`}
        />
      )}
      {hasRepeatedAttempts(run) && (
        <p className="mt-0.5 text-xs text-soft">A call whose response was lost counts with its highest cost.</p>
      )}
    </Fact>
  );
}

function Adjustable({ run, change }: { run: Run; change: Change }) {
  return (
    <>
      <Fact name="Rows in flight at once">
        <InPlace
          label="Rows in flight at once"
          text={run.concurrency === null ? "" : String(run.concurrency)}
          onSave={(text) => change({ concurrency: Number(text) })}
        >
          {run.concurrency ?? "as the job spec says"}
        </InPlace>
      </Fact>
      <Fact name="Priority, 5 is served first">
        <InPlace
          label="Priority from 1 to 5"
          text={String(run.priority)}
          onSave={(text) => change({ priority: Number(text) })}
        >
          {run.priority}
        </InPlace>
      </Fact>
    </>
  );
}

function Legend({ color, text }: { color: string; text: string }) {
  return (
    <li className="flex items-center gap-1.5 tabular-nums">
      <span aria-hidden className={`size-2 rounded-[2px] ${color}`} />
      {text}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-xs text-soft">{name}</dt>
      <dd className="tabular-nums [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
