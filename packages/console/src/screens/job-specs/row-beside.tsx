/** A real row beside the template: its columns are inserted where the cursor was. */
import { useQuery } from "@tanstack/react-query";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Dataset, DatasetRow } from "@rowmill/client";
import { Button } from "../../components/button.tsx";
import { insertColumn } from "../../lib/column-targets.ts";
import { count, preview, rowNumber } from "../../lib/format.ts";
import { rowQuery } from "../../lib/row-query.ts";
import { referenceTo } from "../../lib/specs.ts";

interface RowBesideProps {
  datasets: readonly Dataset[];
  dataset: Dataset | undefined;
  index: number;
  onDataset: (id: string) => void;
  onIndex: (index: number) => void;
}

export function RowBeside({ datasets, dataset, index, onDataset, onIndex }: RowBesideProps) {
  const { data: row, isPlaceholderData } = useQuery({
    ...rowQuery(dataset?.id ?? "", index),
    enabled: dataset !== undefined && dataset.rowCount > 0,
    placeholderData: (before) => before,
  });
  return (
    <aside
      aria-label="A row of the dataset"
      className="card flex max-h-[calc(100dvh-40px)] flex-col overflow-hidden lg:sticky lg:top-5"
    >
      <div className="flex flex-col gap-2 border-b border-line px-3.5 py-3">
        <label className="flex flex-col gap-1">
          <span className="font-medium">Try it with</span>
          <select className="input" value={dataset?.id ?? ""} onChange={({ target }) => onDataset(target.value)}>
            <option value="">Choose a dataset</option>
            {datasets.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {dataset !== undefined && <RowSteps dataset={dataset} index={index} onIndex={onIndex} />}
      </div>
      {dataset === undefined ? (
        <p className="px-3.5 py-4 text-soft">
          With a dataset, its columns stand here, beside a real row. A click puts one into the text.
        </p>
      ) : (
        <Columns dataset={dataset} row={row ?? undefined} isStale={isPlaceholderData} />
      )}
    </aside>
  );
}

function RowSteps({ dataset, index, onIndex }: { dataset: Dataset; index: number; onIndex: (index: number) => void }) {
  const go = (to: number): void => {
    if (to >= 0 && to < dataset.rowCount) onIndex(to);
  };
  return (
    <div className="flex items-center justify-between gap-2">
      <span className="text-soft tabular-nums">
        Row {rowNumber(index)} of {count(dataset.rowCount)}
      </span>
      <span className="flex gap-1">
        <Button icon={ChevronLeft} label="Previous row" aria-disabled={index === 0} onClick={() => go(index - 1)} />
        <Button
          icon={ChevronRight}
          label="Next row"
          aria-disabled={index >= dataset.rowCount - 1}
          onClick={() => go(index + 1)}
        />
      </span>
    </div>
  );
}

function Columns({
  dataset,
  row,
  isStale,
}: {
  dataset: Dataset;
  row: DatasetRow | undefined;
  /** The values are those of the row before. */
  isStale: boolean;
}) {
  return (
    <ul
      aria-label="Columns"
      aria-busy={isStale}
      className="overflow-y-auto p-1.5 transition-opacity delay-200 aria-busy:opacity-50"
    >
      <li className="px-2 py-1 text-xs text-soft">A click puts a column into the text.</li>
      {dataset.columns.map(({ name }) => (
        <li key={name}>
          <button
            type="button"
            title={`Insert ${referenceTo(name)}`}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => insertColumn(name)}
            className="flex w-full flex-col rounded-md px-2 py-1.5 text-left hover:bg-raised"
          >
            <span className="max-w-full truncate font-mono text-xs text-accent">{preview(name, 60)}</span>
            <span className="line-clamp-2 [overflow-wrap:anywhere]">
              {row === undefined ? (
                "\u00a0"
              ) : row.data[name] === null || row.data[name] === undefined ? (
                <span className="text-soft">–</span>
              ) : (
                <bdi>{preview(row.data[name], 120)}</bdi>
              )}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
