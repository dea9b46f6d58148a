/** What was used and what it cost: over the days, and by model, job spec, key and run. The view is in the address. */
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { UsageGroup } from "@rowmill/client";
import { Download } from "lucide-react";
import { useState } from "react";
import { Button, ButtonLink } from "../../components/button.tsx";
import { readRequest } from "../../lib/request.ts";
import { Choice } from "../../components/field.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { ErrorNotice, Notice } from "../../components/notice.tsx";
import { Empty, Page, Section } from "../../components/page.tsx";
import { TimeChart } from "./time-chart.tsx";
import { rowmill } from "../../lib/client.ts";
import { saveFile, toCsv } from "../../lib/csv.ts";
import { plural, shortCount, usd } from "../../lib/format.ts";
import { useBudgets } from "../../lib/budgets.ts";
import { GROUPINGS, RANGES, costOf, everyDay, groupingOf, idOf, rangeOf, totalOf } from "../../lib/usage.ts";
import type { Grouping, Total } from "../../lib/usage.ts";
import { Breakdown, useUsageNames } from "./breakdown.tsx";

const POLL_MS = 60_000;
const MEASURES = { cost: "Cost", calls: "Calls", tokens: "Tokens" } as const;
type Measure = keyof typeof MEASURES;
const valueOf = (measure: Measure, group: UsageGroup | undefined): number =>
  group === undefined
    ? 0
    : { cost: Number(group.pricedCostUsd), calls: group.requests, tokens: group.inputTokens + group.outputTokens }[
        measure
      ];

export function Usage() {
  const search = useSearch({ from: "/frame/usage" });
  const navigate = useNavigate({ from: "/usage" });
  const by = groupingOf(search.by);
  const { from, to } = rangeOf(search.range);
  const { jobSpecId, apiKeyId } = search;
  const filter = { from, to, ...(jobSpecId ? { jobSpecId } : {}), ...(apiKeyId ? { apiKeyId } : {}) };
  const {
    data: days,
    error,
    refetch,
  } = useQuery({
    queryKey: ["usage", "days", filter],
    queryFn: async () => (await rowmill.usage({ ...filter, groupBy: "day", limit: 400 })).data,
    refetchInterval: POLL_MS,
  });
  const set = (change: typeof search): void =>
    void navigate({ search: { ...search, ...change }, replace: true, resetScroll: false });
  const total = totalOf(days ?? []);
  const nameOf = useUsageNames();
  const filtered = jobSpecId || apiKeyId;
  return (
    <Page
      title="Usage"
      tabTitle="Usage"
      request={readRequest("v1/usage", "usage", { query: { ...filter, groupBy: by } })}
      actions={
        <>
          <RangeField range={search.range} onChange={(range) => set({ range })} />
          <ExportButton by={by} filter={filter} nameOf={nameOf} />
        </>
      }
    >
      <ListStatus list={{ isLoading: days === undefined, error, tryAgain: () => void refetch() }} />
      {filtered && (
        <OnlyOne
          name={nameOf(jobSpecId ? "job_spec" : "api_key", jobSpecId || apiKeyId || null)}
          onAll={() => set({ jobSpecId: "", apiKeyId: "" })}
        />
      )}
      {days !== undefined && days.length === 0 && <NothingUsed />}
      {days !== undefined && days.length > 0 && (
        <>
          <Totals total={total} />
          {total.unpricedRequests > 0 && <Unpriced requests={total.unpricedRequests} />}
          <Days days={days} from={from} to={to} isPriced={total.pricedCostUsd > 0} hasBudgets={!filtered} />
          <Section title="Breakdown" actions={<GroupingChoice by={by} onChange={(next) => set({ by: next })} />}>
            <Breakdown key={by} by={by} filter={filter} total={total} onFilter={set} />
          </Section>
        </>
      )}
    </Page>
  );
}

const GroupingChoice = ({ by, onChange }: { by: Grouping; onChange: (by: Grouping) => void }) => (
  <Choice
    label="Added up by"
    isLabelHidden
    value={by}
    options={Object.entries(GROUPINGS) as [Grouping, string][]}
    onChange={onChange}
  />
);

function OnlyOne({ name, onAll }: { name: string; onAll: () => void }) {
  return (
    <p className="flex flex-wrap items-center gap-2 text-soft">
      Only {name}
      <Button look="quiet" onClick={onAll}>
        Show all
      </Button>
    </p>
  );
}

function RangeField({ range, onChange }: { range: string | undefined; onChange: (range: string) => void }) {
  return (
    <select
      aria-label="Days"
      className="input w-auto!"
      value={range ?? "30"}
      onChange={({ target }) => onChange(target.value)}
    >
      {Object.entries(RANGES).map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

function NothingUsed() {
  return (
    <Empty title="Nothing was used in these days." actions={<ButtonLink to="/runs/new">Start a run</ButtonLink>}>
      Each call that a run makes to a model or a service is counted on the day of its result, with its tokens and its
      price. Rehearsals and functions call nobody, and cost nothing.
    </Empty>
  );
}

function Unpriced({ requests }: { requests: number }) {
  return (
    <Notice
      tone="warn"
      title={`${plural(requests, "call has", "calls have")} no known price.`}
      actions={<ButtonLink to="/connections">Connections</ButtonLink>}
    >
      What they cost is missing in every sum here. Set the prices of their models in the connection.
    </Notice>
  );
}

function Totals({ total }: { total: Total }) {
  const facts: [string, string][] = [
    ["Cost", costOf(total)],
    ["Calls", shortCount(total.requests)],
    ["Tokens in", shortCount(total.inputTokens)],
    ["Tokens out", shortCount(total.outputTokens)],
    ["Rows", shortCount(total.rows)],
  ];
  return (
    <dl className="card grid grid-cols-2 gap-x-8 gap-y-3 px-5 py-4 sm:grid-cols-5">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="text-xl font-semibold tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

interface DaysProps {
  days: readonly UsageGroup[];
  from: string;
  to: string;
  isPriced: boolean;
  hasBudgets: boolean;
}

/** The chart: each day by itself, or their sum so far against what open budgets still allow. */
function Days({ days, from, to, isPriced, hasBudgets }: DaysProps) {
  const [measure, setMeasure] = useState<Measure>(isPriced ? "cost" : "calls");
  const [look, setLook] = useState<"each" | "sum">("each");
  const budgets = useBudgets();
  const all = everyDay(days, from, to);
  let sum = 0;
  const values = all.map(({ day, group }) => {
    const value = valueOf(measure, group);
    sum += value;
    return { day, value: look === "sum" ? sum : value };
  });
  const format = (value: number): string => (measure === "cost" ? usd(String(value)) : shortCount(Math.round(value)));
  const inAll = measure === "cost" ? costOf(totalOf(days)) : format(sum);
  const limit =
    look === "sum" && measure === "cost" && hasBudgets && budgets.leftUsd > 0
      ? { value: sum + budgets.leftUsd, name: "what open budgets allow" }
      : undefined;
  return (
    <section aria-label="By day" className="card flex flex-col gap-2 px-5 py-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <Choice
          label="Measure"
          isLabelHidden
          value={measure}
          options={Object.entries(MEASURES) as [Measure, string][]}
          onChange={setMeasure}
        />
        <Choice
          label="Days"
          isLabelHidden
          value={look}
          options={[
            ["each", "Each day"],
            ["sum", "Sum so far"],
          ]}
          onChange={setLook}
        />
      </div>
      <TimeChart
        label={`${MEASURES[measure]} by day, ${from} to ${to}. In all: ${inAll}`}
        days={values}
        look={look === "sum" ? "line" : "bars"}
        limit={limit}
        format={format}
      />
      {budgets.runs > 0 && hasBudgets && <OpenBudgets budgets={budgets} isDrawn={limit !== undefined} />}
    </section>
  );
}

function OpenBudgets({ budgets, isDrawn }: { budgets: ReturnType<typeof useBudgets>; isDrawn: boolean }) {
  return (
    <p className="text-xs text-soft">
      {plural(budgets.runs, "open run has a budget", "open runs have budgets")}: {usd(String(budgets.spentUsd))} of{" "}
      {usd(String(budgets.maxUsd))} spent, {usd(String(budgets.leftUsd))} left
      {isDrawn && " (dashed line)"}.
    </p>
  );
}

type NameOf = ReturnType<typeof useUsageNames>;

function ExportButton({ by, filter, nameOf }: { by: Grouping; filter: { from: string; to: string }; nameOf: NameOf }) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  async function save(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const groups: UsageGroup[] = [];
      for await (const group of rowmill.usage({ ...filter, groupBy: by, limit: 1000 })) groups.push(group);
      const rows = groups.map((group) => [
        idOf(group, by),
        by === "day" || by === "model" ? null : nameOf(by, idOf(group, by)),
        group.rows,
        group.attempts,
        group.requests,
        group.inputTokens,
        group.outputTokens,
        group.unpricedRequests,
        group.costUsd,
        group.pricedCostUsd,
      ]);
      const head = [
        by,
        "name",
        "rows",
        "attempts",
        "requests",
        "inputTokens",
        "outputTokens",
        "unpricedRequests",
        "costUsd",
        "pricedCostUsd",
      ];
      saveFile(`usage-by-${by.replace("_", "-")}-${filter.from}-${filter.to}.csv`, toCsv(head, rows));
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }
  return (
    <>
      <Button icon={Download} isBusy={isBusy} onClick={() => void save()}>
        CSV by {GROUPINGS[by].toLowerCase()}
      </Button>
      {error !== null && <ErrorNotice error={error} />}
    </>
  );
}
