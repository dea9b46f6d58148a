/** What is wrong with a file on its way into a dataset: single errors, the refusal of the file, and the list that decides between them. */
import type { IntakeErrorCode } from "@rowmill/contract/intake-errors";
import { cutText, storableText } from "../../platform/text.ts";

/** What a person reads before correcting the file; a file that is wrong throughout says the same thing in every line. */
export const MAX_LISTED_ERRORS = 100;
/** Enough to find the mistake in most lines. A list of 100 uploads has up to 10,000 of them. */
const MAX_TEXT_CHARACTERS = 300;
/** A character of UTF-16 has at most three bytes in UTF-8, and may be cut at the end. */
const MAX_TEXT_BYTES = MAX_TEXT_CHARACTERS * 3 + 3;

export interface IntakeError {
  /** From 1, in the (unpacked) file; for Parquet, which has no lines, the number of the row. */
  line: number;
  code: IntakeErrorCode;
  message: string;
  /** The beginning of the row or line as it stands in the file; absent where it is not at hand. */
  text?: string;
}

/** What is wrong with one row; the reader knows the line. */
export interface RowProblem {
  code: IntakeErrorCode;
  message: string;
}

/** The beginning of a row, at most 300 characters, as it can be stored: what is not UTF-8 becomes U+FFFD, and so does U+0000. */
export function beginningOf(row: Buffer | string): string {
  const text = typeof row === "string" ? row : row.toString("utf8", 0, Math.min(row.length, MAX_TEXT_BYTES));
  return storableText(cutText(text, MAX_TEXT_CHARACTERS)).replace(/[\r\n]+$/, "");
}

/**
 * The whole file is refused. `code` is that of the error which decided; `errors` are the first 100, never none. `isSkippable`: each is of a
 * single row, and other rows may be valid.
 */
export class IntakeRejected extends Error {
  override readonly name = "IntakeRejected";
  readonly code: IntakeErrorCode;
  readonly errors: IntakeError[];
  readonly isSkippable: boolean;

  constructor(code: IntakeErrorCode, errors: IntakeError[], isSkippable = false) {
    const decisive = errors.find((error) => error.code === code);
    super(`The file is refused (${code}): ${decisive?.message ?? ""}`);
    this.code = code;
    this.errors = errors;
    this.isSkippable = isSkippable;
  }
}

/** Refuses a file for a reason that concerns all of it. */
export function rejectFile(code: IntakeErrorCode, message: string, line = 1, row?: Buffer): never {
  throw new IntakeRejected(code, [{ line, code, message, ...(row && { text: beginningOf(row) }) }]);
}

/**
 * The rejected rows of one file. In `reject` mode the hundredth one ends the reading; in `skip` mode all are counted
 * and the first hundred listed.
 */
export class RowErrors {
  rejectedRows = 0;
  readonly listed: IntakeError[] = [];
  readonly #onInvalidRow: "reject" | "skip";

  constructor(onInvalidRow: "reject" | "skip") {
    this.#onInvalidRow = onInvalidRow;
  }

  /** `row`: its bytes or text, or as much of the beginning as there is. */
  addRow(line: number, problem: RowProblem, row: Buffer | string): void {
    this.rejectedRows++;
    if (this.listed.length < MAX_LISTED_ERRORS) this.listed.push({ line, ...problem, text: beginningOf(row) });
    if (this.#onInvalidRow === "reject" && this.listed.length === MAX_LISTED_ERRORS) this.#reject(true);
  }

  /** An error behind which nothing can be read, whatever the mode. */
  fail(line: number, problem: RowProblem, row?: Buffer | string): never {
    const before = this.listed.slice(0, MAX_LISTED_ERRORS - 1);
    const last = { line, ...problem, ...(row !== undefined && { text: beginningOf(row) }) };
    throw new IntakeRejected(problem.code, [...before, last]);
  }

  /** Called when the file has been read to its end. Throws if nothing may be stored. */
  settle(rowsAccepted: number): void {
    if (this.listed.length > 0 && (this.#onInvalidRow === "reject" || rowsAccepted === 0))
      this.#reject(rowsAccepted > 0);
    if (rowsAccepted === 0) rejectFile("empty_file", "The file holds no rows.");
  }

  #reject(isSkippable: boolean): never {
    const [first] = this.listed;
    if (first === undefined) throw new Error("a file cannot be rejected without an error");
    throw new IntakeRejected(first.code, this.listed, isSkippable);
  }
}
