/** What is going on: runs in progress, what they cost, what fails. */
import { serviceNow } from "../lib/clock.ts";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Run } from "@rowmill/client";
import { ButtonLink } from "../components/button.tsx";
import { DayBars } from "./home-days.tsx";
import { Meter } from "../components/meter.tsx";
import { ListStatus } from "../components/loading.tsx";
import { Page, Section } from "../components/page.tsx";
import { State } from "../components/state.tsx";
import { Table } from "../components/table.tsx";
import { rowmill } from "../lib/client.ts";
import { duration, percent, plural, shortCount, usd } from "../lib/format.ts";
import { pollEvery } from "../lib/live/live.ts";
import { titleOf, useNames } from "../lib/names.ts";
import { useStarters } from "../lib/people.ts";
import { describeRows, isMoving, partsOf } from "../lib/runs.ts";
import { useMay } from "../lib/session.ts";
import { useBudgets } from "../lib/budgets.ts";
import { costOf, totalOf } from "../lib/usage.ts";
import { FirstSteps } from "./home-first-steps.tsx";
import { FailingEndpoints, NewestFailures } from "./home-troubles.tsx";
import { columnsOf, shownColumns } from "./runs/run-columns.tsx";

/** Where no stream stands. */
const POLL_MS = 2_500;
/** The cost of runs that work, which no event reports. */
const COST_MS = 15_000;
const SPEND_POLL_MS = 30_000;
const NEWEST = 8;

export function Home() {
  const nameOf = useNames();
  const mayRuns = useMay("runs:read");
  const {
    data: newest,
    error,
    refetch,
  } = useQuery({
    queryKey: ["runs", "home"],
    queryFn: async () => (await rowmill.runs.list({ limit: NEWEST })).data,
    refetchInterval: () => pollEvery(POLL_MS),
    enabled: mayRuns,
  });
  const { data: open = [] } = useQuery({
    queryKey: ["runs", "open"],
    queryFn: async () =>
      (await rowmill.runs.list({ state: ["running", "queued", "paused", "canceling"], limit: 6 })).data,
    // The stream brings states and counts; what open runs cost is read.
    refetchInterval: ({ state: { data } }) =>
      data?.some(isMoving) === true ? Math.min(COST_MS, pollEvery(POLL_MS)) : pollEvery(POLL_MS),
    enabled: mayRuns,
  });
  const isNew = newest !== undefined && newest.length === 0;
  const ended = (newest ?? []).filter(({ id }) => !open.some((run) => run.id === id));
  const { hasSeveral, starterOf } = useStarters(ended);
  return (
    <Page title={isNew ? "Welcome to Rowmill" : "Home"} tabTitle="Home">
      <ListStatus list={{ error, isLoading: mayRuns && newest === undefined, tryAgain: () => void refetch() }} />
      {isNew ? <FirstSteps /> : <Spend />}
      {open.length > 0 && (
        <Section title="In progress">
          <ul className="grid gap-3 lg:grid-cols-2">
            {open.map((run) => (
              <OpenRun key={run.id} run={run} title={titleOf(run, nameOf)} />
            ))}
          </ul>
        </Section>
      )}
      <NewestFailures runs={newest ?? []} nameOf={nameOf} />
      <FailingEndpoints />
      {ended.length > 0 && (
        <Section
          title="Newest runs"
          actions={
            <ButtonLink look="quiet" className="-mr-3" to="/runs">
              All runs
            </ButtonLink>
          }
        >
          <Table
            label="Newest runs"
            items={ended}
            keyOf={({ id }) => id}
            columns={columnsOf({ nameOf, starterOf }, shownColumns({}, hasSeveral))}
          />
        </Section>
      )}
    </Page>
  );
}

function OpenRun({ run, title }: { run: Run; title: string }) {
  const { rows, progress, usage, budget } = run;
  return (
    <li className="card flex min-w-0 flex-col gap-2 px-4 py-3">
      <div className="flex items-start justify-between gap-3">
        <Link to="/runs/$runId" params={{ runId: run.id }} className="min-w-0 truncate font-medium hover:underline">
          {title}
        </Link>
        <State state={run.state} />
      </div>
      <Meter parts={partsOf(rows)} total={rows.total} label={describeRows(rows)} className="h-2" />
      <p className="text-xs text-soft tabular-nums">
        {percent(progress.percent)} of {shortCount(rows.total)}
        {rows.failed > 0 && <span className="text-bad"> · {shortCount(rows.failed)} failed</span>}
        {run.state === "running" && progress.etaSeconds !== null && ` · ${duration(progress.etaSeconds)} left`}
        {usage.costUsd !== "0.000000" && ` · ${usd(usage.costUsd)}`}
        {budget !== null && ` of ${usd(budget.maxCostUsd)}`}
      </p>
      {run.state === "paused" && run.stateReasonMessage !== null && (
        <p className="text-warn">{run.stateReasonMessage}</p>
      )}
    </li>
  );
}

/** Today and this month (UTC, as the service counts days), and the days before as bars. */
function Spend() {
  const may = useMay("organization:read");
  const today = new Date(serviceNow()).toISOString().slice(0, 10);
  const { data: days } = useQuery({
    queryKey: ["usage", "by-day", today],
    queryFn: async () => (await rowmill.usage({ groupBy: "day", limit: 31 })).data,
    refetchInterval: () => pollEvery(SPEND_POLL_MS),
    enabled: may,
  });
  const budgets = useBudgets();
  if (days === undefined || days.length === 0) return null;
  const spent = days.find(({ day }) => day === today);
  const month = days.filter(({ day }) => day?.startsWith(today.slice(0, 7)) === true);
  const sum = totalOf(month);
  return (
    <dl
      className={`card grid grid-cols-2 gap-x-8 gap-y-3 px-5 py-4 ${budgets.runs > 0 ? "sm:grid-cols-[auto_auto_auto_1fr]" : "sm:grid-cols-[auto_auto_1fr]"}`}
    >
      <div>
        <dt className="text-xs text-soft">Today</dt>
        <dd className="text-xl font-semibold tabular-nums">{costOf(totalOf(spent === undefined ? [] : [spent]))}</dd>
        <dd className="text-xs text-soft tabular-nums">{plural(spent?.requests ?? 0, "call")}</dd>
      </div>
      <div>
        <dt className="text-xs text-soft">This month</dt>
        <dd className="text-xl font-semibold tabular-nums">{costOf(sum)}</dd>
        <dd className="text-xs text-soft tabular-nums">{plural(sum.requests, "call")}</dd>
      </div>
      {budgets.runs > 0 && (
        <div className="col-span-2 sm:col-span-1 sm:w-44">
          <dt className="text-xs text-soft">Left in open budgets</dt>
          <dd className="text-xl font-semibold tabular-nums">{usd(String(budgets.leftUsd))}</dd>
          <dd>
            <Meter
              className="mt-1 h-1.5"
              parts={[{ value: budgets.spentUsd, look: budgets.leftUsd === 0 ? "bad" : "good" }]}
              total={budgets.maxUsd}
              label={`${usd(String(budgets.spentUsd))} of ${usd(String(budgets.maxUsd))} spent`}
            />
            <span className="text-xs text-soft tabular-nums">
              of {usd(String(budgets.maxUsd))} in {plural(budgets.runs, "run")}
            </span>
          </dd>
        </div>
      )}
      <div className="col-span-2 min-w-0 sm:col-span-1">
        <dt className="flex justify-between text-xs text-soft">
          Last 30 days
          <Link to="/usage" className="link">
            Usage
          </Link>
        </dt>
        <dd className="mt-1.5">
          <DayBars days={days} height={40} />
        </dd>
      </div>
    </dl>
  );
}
