/**
 * The columns of JSON rows, found while they pass: names in order of first appearance, one type per column if all its
 * values that are not null agree (integers and other numbers agree on `number`), else `mixed`. Strings that are all dates,
 * or all timestamps, are called so. Numbers are compared as doubles; 1e400 takes no part in `min` and `max`.
 *
 * Rows whose member names are data (`{"user-17": …}`) have no end of columns: from the limit on new ones are left out of
 * the list. They are in the rows all the same.
 */
import {
  type Column,
  type ColumnType,
  MAX_COLUMN_NAME_BYTES,
  MAX_COLUMNS,
} from "../../resources/datasets/dataset-columns.ts";
import type { JsonObject } from "./json-row.ts";
import { compareInstants, type Instant, isDate, parseTimestamp } from "./text-dates.ts";

export interface ColumnState {
  name: string;
  type: ColumnType | undefined;
  valueCount: number;
  minNumber: number;
  maxNumber: number;
  minText: string | undefined;
  maxText: string | undefined;
  minInstant: Instant | undefined;
  maxInstant: Instant | undefined;
}

export class JsonColumns {
  #rowCount = 0;
  readonly #byName = new Map<string, ColumnState>();
  readonly #inOrder: ColumnState[] = [];

  addRow(row: JsonObject): void {
    this.countRow();
    let position = 0;
    for (const name in row) {
      const value = row[name];
      // Rows of one file mostly have the same members in the same order: no look-up by name then.
      const expected = this.#inOrder[position++];
      const column = expected?.name === name ? expected : this.#findOrAdd(name);
      if (column === undefined || value === null) continue;
      column.valueCount++;
      addValue(column, value);
    }
  }

  /** Of a row whose values are added one by one. */
  countRow(): void {
    this.#rowCount++;
  }

  /** Undefined: no row has had it, or it is one too many. */
  find(name: string): ColumnState | undefined {
    return this.#byName.get(name);
  }

  list(): Column[] {
    return this.#inOrder.map((column) => ({
      name: column.name,
      type: column.type ?? "string",
      nullCount: this.#rowCount - column.valueCount,
      ...findRange(column),
    }));
  }

  #findOrAdd(name: string): ColumnState | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    // A UTF-16 code unit is at least one byte of UTF-8.
    if (this.#inOrder.length === MAX_COLUMNS || name.length > MAX_COLUMN_NAME_BYTES) return undefined;
    const column: ColumnState = {
      name,
      type: undefined,
      valueCount: 0,
      minNumber: Infinity,
      maxNumber: -Infinity,
      minText: undefined,
      maxText: undefined,
      minInstant: undefined,
      maxInstant: undefined,
    };
    this.#byName.set(name, column);
    this.#inOrder.push(column);
    return column;
  }
}

function addValue(column: ColumnState, value: unknown): void {
  if (typeof value === "number") {
    addNumber(column, value);
  } else if (typeof value === "string") {
    addText(column, value);
  } else if (typeof value === "boolean") {
    addBoolean(column);
  } else {
    column.type = joinTypes(column.type, Array.isArray(value) ? "array" : "object");
  }
}

export function addNumber(column: ColumnState, value: number): void {
  column.type = joinTypes(column.type, Number.isInteger(value) ? "integer" : "number");
  if (value < column.minNumber && Number.isFinite(value)) column.minNumber = value;
  if (value > column.maxNumber && Number.isFinite(value)) column.maxNumber = value;
}

export function addBoolean(column: ColumnState): void {
  column.type = joinTypes(column.type, "boolean");
}

/** Whether it does not matter for the column what its next text says. */
export function takesPlainText({ type }: ColumnState): boolean {
  return type !== undefined && type !== "date" && type !== "timestamp";
}

/** Some text, in a column where `takesPlainText`. */
export function addPlainText(column: ColumnState): void {
  column.type = joinTypes(column.type, "string");
}

export function addText(column: ColumnState, text: string): void {
  const isOpen = column.type === undefined;
  if ((isOpen || column.type === "date") && isDate(text)) {
    column.type = "date";
    if (column.minText === undefined || text < column.minText) column.minText = text;
    if (column.maxText === undefined || text > column.maxText) column.maxText = text;
    return;
  }
  const instant = isOpen || column.type === "timestamp" ? parseTimestamp(text) : undefined;
  if (instant === undefined) {
    column.type = joinTypes(column.type, "string");
    return;
  }
  column.type = "timestamp";
  if (column.minInstant === undefined || compareInstants(instant, column.minInstant) < 0) {
    column.minInstant = instant;
    column.minText = text;
  }
  if (column.maxInstant === undefined || compareInstants(instant, column.maxInstant) > 0) {
    column.maxInstant = instant;
    column.maxText = text;
  }
}

function joinTypes(known: ColumnType | undefined, found: ColumnType): ColumnType {
  if (known === undefined || known === found) return found;
  if (isNumeric(known) && isNumeric(found)) return "number";
  return isText(known) && isText(found) ? "string" : "mixed";
}

function isNumeric(type: ColumnType): boolean {
  return type === "integer" || type === "number";
}

function isText(type: ColumnType): boolean {
  return type === "string" || type === "date" || type === "timestamp";
}

function findRange(column: ColumnState): { min?: string | number; max?: string | number } {
  if (column.type !== undefined && isNumeric(column.type) && Number.isFinite(column.minNumber)) {
    return { min: column.minNumber, max: column.maxNumber };
  }
  const isDated = column.type === "date" || column.type === "timestamp";
  return isDated && column.minText !== undefined && column.maxText !== undefined
    ? { min: column.minText, max: column.maxText }
    : {};
}
