/**
 * Proposes the delimiter of a file from its first lines. Only a proposal: the file is then read strictly with it, and
 * every record must have as many fields as the header. A candidate that does not split the first record is not a candidate,
 * so a ragged file never becomes a table of one column; it becomes a list of errors.
 */
import { CsvScanner } from "./csv-scanner.ts";
import { MAX_COLUMNS } from "../../resources/datasets/dataset-columns.ts";

/** In the order of preference when several fit equally well. */
const CANDIDATES = [",", ";", "\t", "|"];
const DEFAULT = ",";
const MAX_SAMPLED_RECORDS = 200;
/** A spreadsheet that saved the file again has put a delimiter behind the declaration for each further column. */
const MAX_DECLARATION_BYTES = 4_096;

export function isDelimiter(text: string): boolean {
  return /^[\t\x20-\x7e]$/.test(text) && text !== '"';
}

/** `sep=;` as the first line, which Excel writes and reads; in quotes, too. */
const DECLARATION = /^(?:sep=([\t\x20-\x2f:-@[-`{-~])|"sep=([\t\x20-\x2f:-@[-`{-~])")[;,\t]*(?:\r\n?|\n)/i;

/**
 * The delimiter that the first line of the file declares. That line is no record. The rows are not looked at: a comma in the only column
 * of a file with `sep=;` is text. `head` is without a byte order mark.
 */
export function findDeclaredDelimiter(head: Buffer): string | undefined {
  const [, bare, quoted] = DECLARATION.exec(head.toString("latin1", 0, MAX_DECLARATION_BYTES)) ?? [];
  const delimiter = bare ?? quoted;
  return delimiter === undefined || !isDelimiter(delimiter) ? undefined : delimiter;
}

export function proposeDelimiter(head: Buffer): string {
  const scored = CANDIDATES.map((delimiter) => ({ delimiter, ...scoreDelimiter(head, delimiter) }));
  const fitting = scored.filter(({ fieldCount }) => fieldCount > 1);
  // The largest share of records that fit the first one decides, then the number of columns; sorting keeps the order of equals.
  fitting.sort((a, b) => b.share - a.share || b.fieldCount - a.fieldCount);
  return fitting[0]?.delimiter ?? DEFAULT;
}

function scoreDelimiter(head: Buffer, delimiter: string): { fieldCount: number; share: number } {
  const counts: number[] = [];
  const scanner = new CsvScanner({
    delimiter: delimiter.charCodeAt(0),
    maxRecordBytes: head.length,
    maxFields: MAX_COLUMNS,
    onRecord: ({ fieldCount, problem }) => counts.push(problem === undefined ? fieldCount : 0),
  });
  scanner.scan(head);
  // The last record of the head may be cut off; it only counts if there is no other.
  if (counts.length === 0) scanner.end();
  const [fieldCount = 0] = counts;
  const sampled = counts.slice(0, MAX_SAMPLED_RECORDS);
  return { fieldCount, share: sampled.filter((count) => count === fieldCount).length / Math.max(1, sampled.length) };
}
