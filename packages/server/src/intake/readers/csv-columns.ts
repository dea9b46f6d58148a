/** The type and the range of one column of a delimited file, found while all its cells pass. */
import type { Column, ColumnType } from "../../resources/datasets/dataset-columns.ts";
import {
  ANY_KIND,
  BOOLEAN,
  type CellFindings,
  classifyCell,
  DATE,
  DECIMAL,
  INTEGER,
  NUMBER,
  TIMESTAMP,
} from "./csv-cells.ts";
import { DOUBLED, UNQUOTED } from "./csv-scanner.ts";
import { compareInstants, type Instant } from "./text-dates.ts";

/** The first kind that all cells have in common is the column's type. */
const typesInOrder: [number, ColumnType][] = [
  [INTEGER, "integer"],
  [NUMBER, "number"],
  [DECIMAL, "decimal"],
  [BOOLEAN, "boolean"],
  [DATE, "date"],
  [TIMESTAMP, "timestamp"],
];
const NUMERAL = INTEGER | NUMBER | DECIMAL;
/** Cells of columns of these types stand in JSON as they are. */
const UNQUOTED_KINDS = INTEGER | NUMBER | BOOLEAN;

/** Its text as bytes: of a column that rises, every cell is the largest one so far, and hardly any text is looked at. */
interface Extreme {
  bytes: Buffer;
  length: number;
  value: number;
  instant: Instant | undefined;
}

/** Of most extremes: a timestamp has 20 to 35 bytes. */
const KEPT_BYTES = 40;

const findings: CellFindings = { kinds: 0, value: 0, isRounded: false, instant: undefined };

export class CsvColumn {
  readonly name: string;
  #nullCount = 0;
  #valueCount = 0;
  /** What every cell so far may be. */
  #kinds = ANY_KIND;
  #min: Extreme | undefined;
  #max: Extreme | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** An empty cell is a null; one written `""` is an empty text, and makes the column one of strings. */
  addCell(bytes: Buffer, start: number, end: number, quoting: number): void {
    if (start === end && quoting === UNQUOTED) {
      this.#nullCount++;
      return;
    }
    this.#valueCount++;
    if (this.#kinds === 0) return;
    if (start === end || quoting === DOUBLED) {
      this.#kinds = 0;
      return;
    }
    classifyCell(bytes, start, end, findings);
    this.#kinds &= findings.kinds;
    if (this.#kinds === 0 || this.#kinds === BOOLEAN) return;
    if (this.#min === undefined || compareCell(bytes, start, end, this.#min) < 0) {
      this.#min = keepExtreme(this.#min, bytes, start, end);
    }
    if (this.#max === undefined || compareCell(bytes, start, end, this.#max) > 0) {
      this.#max = keepExtreme(this.#max, bytes, start, end);
    }
  }

  get type(): ColumnType {
    if (this.#valueCount === 0) return "string";
    return typesInOrder.find(([kind]) => (this.#kinds & kind) !== 0)?.[1] ?? "string";
  }

  /** Whether a cell so far is more than empty. */
  get hasValues(): boolean {
    return this.#valueCount > 0;
  }

  /** Whether the cells so far are strings in JSON. */
  get isText(): boolean {
    return this.#valueCount === 0 || (this.#kinds & UNQUOTED_KINDS) === 0;
  }

  describe(): Column {
    const { name, type } = this;
    const column: Column = { name, type, nullCount: this.#nullCount };
    if (type === "string" || type === "boolean" || this.#min === undefined || this.#max === undefined) return column;
    const isNumber = type === "integer" || type === "number";
    column.min = isNumber ? this.#min.value : textOf(this.#min);
    column.max = isNumber ? this.#max.value : textOf(this.#max);
    return column;
  }
}

/** Compares the cell that `findings` is about with an earlier one of the same kind. */
function compareCell(bytes: Buffer, start: number, end: number, other: Extreme): number {
  if ((findings.kinds & NUMERAL) !== 0) {
    if (findings.value !== other.value || !findings.isRounded) return findings.value - other.value;
    return compareDecimals(bytes.toString("latin1", start, end), textOf(other));
  }
  if (findings.instant !== undefined && other.instant !== undefined) {
    return compareInstants(findings.instant, other.instant);
  }
  // Two dates: they sort as they stand.
  return bytes.compare(other.bytes, 0, other.length, start, end);
}

/** The cell that `findings` is about, in place of an earlier one. */
function keepExtreme(earlier: Extreme | undefined, bytes: Buffer, start: number, end: number): Extreme {
  const length = end - start;
  const extreme = earlier ?? { bytes: Buffer.alloc(KEPT_BYTES), length, value: 0, instant: undefined };
  if (length > extreme.bytes.length) extreme.bytes = Buffer.alloc(length);
  // Most have a few bytes: a call of `copy` would take longer.
  for (let index = 0; index < length; index++) extreme.bytes[index] = bytes[start + index] ?? 0;
  extreme.length = length;
  extreme.value = findings.value;
  extreme.instant = findings.instant;
  return extreme;
}

const textOf = ({ bytes, length }: Extreme): string => bytes.toString("latin1", 0, length);

/** Exactly, whatever their length. */
function compareDecimals(a: string, b: string): number {
  const fractionDigits = Math.max(fractionOf(a).length, fractionOf(b).length);
  const difference = scale(a, fractionDigits) - scale(b, fractionDigits);
  return difference < 0n ? -1 : Number(difference > 0n);
}

function scale(decimal: string, fractionDigits: number): bigint {
  const fraction = fractionOf(decimal).padEnd(fractionDigits, "0");
  return BigInt((decimal.split(".")[0] ?? "") + fraction);
}

function fractionOf(decimal: string): string {
  return decimal.split(".")[1] ?? "";
}
