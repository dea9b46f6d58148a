import { Link } from "@tanstack/react-router";
import type { RunEstimate } from "@rowmill/client";
import { count, duration, plural, rowNumber, shortCount, usd } from "../../lib/format.ts";

const BASES: Record<RunEstimate["estimate"]["basis"], string> = {
  earlier_results: "From earlier results of this version.",
  limits: "From the limits of the job spec: a wide range until some rows have run.",
  no_calls: "This job spec calls nobody.",
};

/** No estimate knows milliseconds. */
const roughly = (seconds: number): string => (seconds < 1 ? "under 1 s" : duration(seconds));

/** A name, what is expected, and the range where there is one. */
type Fact = [name: string, expected: string, range?: string];

function factsOf({ basis, costUsd, requests, durationSeconds }: RunEstimate["estimate"], rows: number): Fact[] {
  const facts: Fact[] = [["Rows", count(rows)]];
  if (basis === "no_calls") return facts;
  if (costUsd === null) facts.push(["Cost", "Unknown"]);
  else facts.push(["Cost", usd(costUsd.expected), ...rangeOf(costUsd, usd)]);
  facts.push(["Calls", shortCount(requests.expected), ...rangeOf(requests, shortCount)]);
  if (durationSeconds === null) return facts;
  const { expected, high } = durationSeconds;
  const isSure = expected === high || high <= 1;
  facts.push(isSure ? ["Time", roughly(expected)] : ["Time", roughly(expected), `up to ${duration(high)}`]);
  return facts;
}

const rangeOf = <T,>({ low, high }: { low: T; high: T }, show: (value: T) => string): [] | [string] =>
  low === high ? [] : [`${show(low)} to ${show(high)}`];

/** What a run would take and cost, with its range. */
export function EstimateFacts({
  estimate: whole,
  isCurrent,
}: {
  estimate: RunEstimate | undefined;
  /** Otherwise another one is on its way. */
  isCurrent: boolean;
}) {
  const facts = whole === undefined ? [] : factsOf(whole.estimate, whole.rows);
  const problems = (isCurrent && whole?.problems) || [];
  return (
    <div className="flex flex-col gap-3">
      {facts.length > 0 && <Facts facts={isCurrent ? facts : facts.map(([name]) => [name, "…"])} />}
      {/* A filter is evaluated over all rows: of a million, that takes a while. */}
      <p role="status" className="text-xs text-soft">
        {whole === undefined || !isCurrent ? "Counting rows and cost…" : <Basis estimate={whole.estimate} />}
      </p>
      {problems.length > 0 && <Problems problems={problems} />}
    </div>
  );
}

function Basis({ estimate }: Pick<RunEstimate, "estimate">) {
  return (
    <>
      {BASES[estimate.basis]}
      {estimate.cachedSampledRows !== undefined &&
        ` The cache has ${count(estimate.cachedSampledRows)} of ${plural(estimate.sampledRows, "row")} that were looked up.`}
      {estimate.unpricedModels.length > 0 && (
        <>
          {` No price is set for ${estimate.unpricedModels.map(({ model }) => model).join(", ")}, so no budget can be set. `}
          <Link to="/connections" className="link">
            Set the price in the connection
          </Link>
          .
        </>
      )}
    </>
  );
}

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-2 gap-x-6 gap-y-2 rounded-lg bg-raised px-4 py-3 sm:grid-cols-4">
      {facts.map(([name, value, range]) => (
        <div key={name}>
          <dt className="text-xs text-soft">{name}</dt>
          <dd className="text-base font-semibold tabular-nums">{value}</dd>
          {range !== undefined && <dd className="text-xs text-soft tabular-nums">{range}</dd>}
        </div>
      ))}
    </dl>
  );
}

function Problems({ problems }: { problems: RunEstimate["problems"] }) {
  return (
    <div className="rounded-lg border border-line px-4 py-3">
      <p className="font-medium text-warn">{plural(problems.length, "problem")} found before any call</p>
      <ul className="mt-1 flex flex-col gap-1 text-soft">
        {problems.slice(0, 4).map(({ index, code, message }) => (
          <li key={`${index}${code}${message}`} className="[overflow-wrap:anywhere]">
            {index === null ? "All rows" : `Row ${rowNumber(index)}`}: {message}
          </li>
        ))}
      </ul>
    </div>
  );
}
