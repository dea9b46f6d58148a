/** What is in the columns: type, gaps, range, and how the values are distributed. */
import { useQuery } from "@tanstack/react-query";
import type { ColumnStatistics, Dataset } from "@rowmill/client";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { Section } from "../../components/page.tsx";
import { rowmill } from "../../lib/client.ts";
import { count, decimal, percent, plural, preview } from "../../lib/format.ts";

type Column = Dataset["columns"][number];
type Statistics = ColumnStatistics["columns"][number];
const FEW_COLUMNS = 12;

export function Columns({ dataset }: { dataset: Dataset }) {
  const [isWhole, setWhole] = useState(false);
  const visibleColumns = isWhole ? dataset.columns : dataset.columns.slice(0, FEW_COLUMNS);
  const { data: statistics } = useQuery({
    queryKey: ["datasets", dataset.id, "column-statistics", isWhole],
    queryFn: () => readStatistics(dataset, isWhole ? dataset.columns.length : FEW_COLUMNS),
    // The rows of a dataset never change.
    staleTime: Infinity,
  });
  return (
    <Section
      title="Columns"
      {...(statistics === undefined || statistics.isComplete
        ? {}
        : {
            note: `The bars are of ${plural(statistics.examinedRows, "row")} that lie evenly over the dataset; ranges and gaps are of all rows.`,
          })}
    >
      <ul className="grid gap-2 grid-cols-2 sm:[grid-template-columns:repeat(auto-fill,minmax(220px,1fr))]">
        {visibleColumns.map((column, at) => (
          <ColumnCard
            key={column.name}
            column={column}
            rows={dataset.rowCount}
            statistics={statistics?.columns[at]}
            examinedRows={statistics?.examinedRows ?? 0}
          />
        ))}
      </ul>
      {dataset.columns.length > FEW_COLUMNS && (
        <Button look="quiet" className="self-start" onClick={() => setWhole(!isWhole)}>
          {isWhole ? "Show fewer" : `Show all ${count(dataset.columns.length)} columns`}
        </Button>
      )}
    </Section>
  );
}

/** Of so many columns at least, as far as there are any; a response has some hundred. */
async function readStatistics(dataset: Dataset, atLeast: number): Promise<ColumnStatistics> {
  const found = await rowmill.datasets.columnStatistics(dataset.id);
  const { columns } = found;
  for (let known = 0; known < columns.length && columns.length < Math.min(atLeast, dataset.columns.length);) {
    known = columns.length;
    columns.push(...(await rowmill.datasets.columnStatistics(dataset.id, { fromColumn: known })).columns);
  }
  return found;
}

function ColumnCard({
  column: { name, type, nullCount, min, max },
  rows,
  statistics,
  examinedRows,
}: {
  column: Column;
  rows: number;
  statistics: Statistics | undefined;
  examinedRows: number;
}) {
  return (
    <li className="card flex flex-col gap-1.5 px-3.5 py-2.5">
      <div>
        <p className="flex items-baseline justify-between gap-2">
          <span className="truncate font-medium" title={name}>
            {preview(name, 60)}
          </span>
          <span className="shrink-0 text-xs text-soft">{type}</span>
        </p>
        <p className={`text-xs tabular-nums ${nullCount > 0 ? "text-warn" : "text-soft"}`}>
          {nullCount === 0
            ? "always there"
            : `missing in ${count(nullCount)} (${percent((100 * nullCount) / Math.max(1, rows))})`}
        </p>
      </div>
      <div className="mt-auto">
        {statistics?.histogram != null && <Histogram bins={statistics.histogram} />}
        {min !== undefined && max !== undefined && (
          <p
            className="flex flex-wrap justify-between gap-x-2 text-xs text-soft tabular-nums"
            title={`${min} to ${max}`}
          >
            <span className="max-w-full truncate">{shown(min)}</span>
            {min !== max && <span className="max-w-full truncate">{shown(max)}</span>}
          </p>
        )}
        {statistics?.frequentValues != null && statistics.frequentValues.length > 0 && (
          <FrequentValues statistics={statistics} values={statistics.frequentValues} rows={examinedRows} />
        )}
      </div>
    </li>
  );
}

function Histogram({ bins }: { bins: NonNullable<Statistics["histogram"]> }) {
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const fullest = bins.find((bin) => bin.count === most);
  return (
    <div
      role="img"
      aria-label={`Distribution in ${plural(bins.length, "bin")}${fullest === undefined ? "" : `; most values lie from ${shown(fullest.from)} to ${shown(fullest.to)}`}`}
      className="flex h-9 items-end gap-px border-b border-edge"
    >
      {bins.map((bin, i) => (
        <span
          key={i}
          title={`${shown(bin.from)} to ${shown(bin.to)}: ${plural(bin.count, "row")}`}
          className={`min-w-0 flex-1 rounded-t-[1px] ${bin.count === 0 ? "" : "bg-bar-busy hover:bg-accent"}`}
          // One value is seen, too.
          style={{ height: bin.count === 0 ? 0 : `${Math.max(5, (100 * bin.count) / most)}%` }}
        />
      ))}
    </div>
  );
}

const SHOWN_VALUES = 3;

function FrequentValues({
  statistics: { distinctValues },
  values,
  rows,
}: {
  statistics: Statistics;
  values: NonNullable<Statistics["frequentValues"]>;
  rows: number;
}) {
  const isUnique = (values[0]?.count ?? 0) <= 1;
  const differ =
    distinctValues === null ? "more than 1,000 different values" : plural(distinctValues, "different value");
  if (isUnique && rows > 1)
    return (
      <p className="line-clamp-3 text-xs [overflow-wrap:anywhere] text-soft">
        {differ}, such as “<bdi>{preview(values[0]?.value, 60)}</bdi>”
      </p>
    );
  return (
    <ul className="flex flex-col gap-0.5" title={differ}>
      {values.slice(0, SHOWN_VALUES).map(({ value, count: own }) => (
        <li key={value} className="relative flex justify-between gap-2 px-1 text-xs">
          <span
            aria-hidden
            className="absolute inset-y-0 left-0 rounded-[2px] bg-raised"
            style={{ width: `${(100 * own) / Math.max(1, rows)}%` }}
          />
          <bdi className="relative truncate">{value === "" ? "(empty text)" : preview(value, 60)}</bdi>
          <span className="relative text-soft tabular-nums">{percent((100 * own) / Math.max(1, rows))}</span>
        </li>
      ))}
    </ul>
  );
}

/** Of a point in time, the day is enough here; of a number, what can be read at a glance. */
const shown = (value: string | number): string =>
  typeof value === "number"
    ? decimal(value)
    : /^\d{4}-\d{2}-\d{2}T/.test(value)
      ? value.slice(0, 10)
      : preview(value, 24);
