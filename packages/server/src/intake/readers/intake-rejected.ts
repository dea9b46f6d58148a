/** What is wrong with a file on its way into a dataset: single errors, the refusal of the file, and the list that decides between them. */
import type { IntakeErrorCode } from "@rowmill/contract/intake-errors";

/** What a person reads before correcting the file; a file that is wrong throughout says the same thing in every line. */
export const MAX_LISTED_ERRORS = 100;

export interface IntakeError {
  /** From 1, in the (unpacked) file; for Parquet, which has no lines, the number of the row. */
  line: number;
  code: IntakeErrorCode;
  message: string;
}

/** What is wrong with one row; the reader knows the line. */
export interface RowProblem {
  code: IntakeErrorCode;
  message: string;
}

/** The whole file is refused. `code` is that of the error which decided; `errors` are the first 100, never none. */
export class IntakeRejected extends Error {
  override readonly name = "IntakeRejected";
  readonly code: IntakeErrorCode;
  readonly errors: IntakeError[];

  constructor(code: IntakeErrorCode, errors: IntakeError[]) {
    const decisive = errors.find((error) => error.code === code);
    super(`The file is refused (${code}): ${decisive?.message ?? ""}`);
    this.code = code;
    this.errors = errors;
  }
}

/** Refuses a file for a reason that concerns all of it. */
export function rejectFile(code: IntakeErrorCode, message: string, line = 1): never {
  throw new IntakeRejected(code, [{ line, code, message }]);
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

  addRow(line: number, problem: RowProblem): void {
    this.rejectedRows++;
    if (this.listed.length < MAX_LISTED_ERRORS) this.listed.push({ line, ...problem });
    if (this.#onInvalidRow === "reject" && this.listed.length === MAX_LISTED_ERRORS) this.#reject();
  }

  /** An error behind which nothing can be read, whatever the mode. */
  fail(line: number, problem: RowProblem): never {
    const before = this.listed.slice(0, MAX_LISTED_ERRORS - 1);
    throw new IntakeRejected(problem.code, [...before, { line, ...problem }]);
  }

  /** Called when the file has been read to its end. Throws if nothing may be stored. */
  settle(rowsAccepted: number): void {
    if (this.listed.length > 0 && (this.#onInvalidRow === "reject" || rowsAccepted === 0)) this.#reject();
    if (rowsAccepted === 0) rejectFile("empty_file", "The file holds no rows.");
  }

  #reject(): never {
    const [first] = this.listed;
    if (first === undefined) throw new Error("a file cannot be rejected without an error");
    throw new IntakeRejected(first.code, this.listed);
  }
}
