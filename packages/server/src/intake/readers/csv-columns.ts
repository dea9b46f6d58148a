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

interface Extreme {
  text: string;
  value: number;
  instant: Instant | undefined;
}

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
      this.#min = extremeOf(bytes, start, end);
    }
    if (this.#max === undefined || compareCell(bytes, start, end, this.#max) > 0) {
      this.#max = extremeOf(bytes, start, end);
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
    column.min = isNumber ? this.#min.value : this.#min.text;
    column.max = isNumber ? this.#max.value : this.#max.text;
    return column;
  }
}

/** Compares the cell that `findings` is about with an earlier one of the same kind. */
function compareCell(bytes: Buffer, start: number, end: number, other: Extreme): number {
  if ((findings.kinds & NUMERAL) !== 0) {
    if (findings.value !== other.value || !findings.isRounded) return findings.value - other.value;
    return compareDecimals(bytes.toString("latin1", start, end), other.text);
  }
  if (findings.instant !== undefined && other.instant !== undefined) {
    return compareInstants(findings.instant, other.instant);
  }
  const text = bytes.toString("latin1", start, end);
  return text < other.text ? -1 : Number(text > other.text);
}

function extremeOf(bytes: Buffer, start: number, end: number): Extreme {
  return { text: bytes.toString("latin1", start, end), value: findings.value, instant: findings.instant };
}

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
