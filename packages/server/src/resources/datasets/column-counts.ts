/** The distribution of one column's values, counted while rows pass. Its memory does not grow with the rows. */
import { MAX_COUNTED_VALUES, MAX_FREQUENT_VALUES, MAX_HISTOGRAM_BINS } from "@rowmill/contract/column-statistics";
import type { ColumnStatistics } from "@rowmill/contract/column-statistics";
import type { Column } from "./dataset-columns.ts";

type Described = ColumnStatistics["columns"][number];

/** Texts differ within their first characters, and what is shown of them is no longer. */
const MAX_VALUE_CHARACTERS = 100;

export class ColumnCounts {
  readonly #column: Column;
  readonly #bins: Bins | undefined;
  readonly #values: Map<string, number> | undefined;
  /** Further texts were met than are counted. */
  #hasMore = false;
  #nullCount = 0;

  constructor(column: Column) {
    this.#column = column;
    this.#bins = binsOf(column);
    if (column.type === "string" || column.type === "boolean") this.#values = new Map();
  }

  add(value: unknown): void {
    if (value === null || value === undefined) this.#nullCount++;
    else if (this.#bins !== undefined) this.#bins.add(positionOf(value));
    else if (this.#values !== undefined) this.#addText(textOf(value));
  }

  describe(): Described {
    const { name, type } = this.#column;
    const values = [...(this.#values ?? [])];
    return {
      name,
      type,
      nullCount: this.#nullCount,
      histogram: this.#bins?.describe() ?? null,
      frequentValues:
        this.#values === undefined
          ? null
          : values
              .map(([value, count]) => ({ value, count }))
              .toSorted((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
              .slice(0, MAX_FREQUENT_VALUES),
      distinctValues: this.#values === undefined || this.#hasMore ? null : values.length,
    };
  }

  #addText(text: string): void {
    const values = this.#values;
    if (values === undefined) return;
    const known = values.get(text);
    if (known !== undefined) values.set(text, known + 1);
    else if (values.size < MAX_COUNTED_VALUES) values.set(text, 1);
    else this.#hasMore = true;
  }
}

const textOf = (value: unknown): string =>
  (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).slice(0, MAX_VALUE_CHARACTERS);

/** A value's place on a line: numbers by themselves, dates by their milliseconds. */
const positionOf = (value: unknown): number => {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return NaN;
  const number = Number(value);
  return Number.isNaN(number) ? Date.parse(value) : number;
};

function binsOf({ type, min, max }: Column): Bins | undefined {
  if (min === undefined || max === undefined) return undefined;
  const [least, greatest] = [positionOf(min), positionOf(max)];
  if (!Number.isFinite(least) || !Number.isFinite(greatest)) return undefined;
  return new Bins(type, least, greatest);
}

const DAY_MS = 86_400_000;

class Bins {
  readonly #type: Column["type"];
  readonly #least: number;
  readonly #width: number;
  readonly #counts: number[];

  constructor(type: Column["type"], least: number, greatest: number) {
    this.#type = type;
    this.#least = least;
    // Whole numbers and days are not divided.
    const step = type === "integer" ? 1 : type === "date" ? DAY_MS : 0;
    const span = greatest - least + step;
    const steps = step === 0 ? (span === 0 ? 1 : MAX_HISTOGRAM_BINS) : Math.round(span / step);
    const stepsInBin = Math.max(1, Math.ceil(steps / MAX_HISTOGRAM_BINS));
    this.#width = step === 0 ? span / steps : stepsInBin * step;
    this.#counts = Array<number>(Math.min(MAX_HISTOGRAM_BINS, Math.ceil(steps / stepsInBin))).fill(0);
  }

  add(position: number): void {
    // `1e400` is a number, and lies in no bin.
    if (!Number.isFinite(position)) return;
    const at = this.#width > 0 ? Math.floor((position - this.#least) / this.#width) : 0;
    const bin = Math.min(this.#counts.length - 1, Math.max(0, at));
    this.#counts[bin] = (this.#counts[bin] ?? 0) + 1;
  }

  describe(): { from: number | string; to: number | string; count: number }[] {
    const show = (bin: number): number | string => this.#show(this.#least + bin * this.#width);
    return this.#counts.map((count, bin) => ({ from: show(bin), to: show(bin + 1), count }));
  }

  #show(position: number): number | string {
    if (this.#type !== "date" && this.#type !== "timestamp") return position;
    const text = new Date(position).toISOString();
    return this.#type === "date" ? text.slice(0, 10) : text;
  }
}
