/** How the rows of a file are read, where its name and its content do not say it. */
import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import type { Dataset, Rowmill } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { describeIntakeErrors } from "../frame/explain-error.ts";
import { plural } from "../frame/numbers.ts";

const FORMATS = ["csv", "tsv", "json", "jsonl", "parquet"] as const;
const ENCODINGS = ["utf-8", "windows-1252", "iso-8859-1", "utf-16"] as const;

export interface Reading {
  format?: (typeof FORMATS)[number];
  /** Of the text of a table. */
  encoding?: (typeof ENCODINGS)[number];
  /** Between the cells of a table. */
  delimiter?: string;
  /** Whether the first line of a table names its columns. */
  headerRow?: boolean;
  /** Rows that cannot be read are left out. */
  skipInvalid?: boolean;
}

export const formatOption = () =>
  new Option("--format <name>", "format of the input, if its name does not say it").choices(FORMATS);
export const encodingOption = () =>
  new Option(
    "--encoding <name>",
    "of a CSV or TSV input; if absent, UTF-8, or UTF-16 where it can be nothing else",
  ).choices(ENCODINGS);
export const delimiterOption = () =>
  new Option(
    "--delimiter <character>",
    "between the cells of a CSV input, \\t for a tab; found out, if absent",
  ).argParser(delimiter);
export const headerRowOption = () =>
  new Option("--no-header-row", "the first line of a CSV or TSV input is a row: columns are column_1, column_2, …");
export const skipInvalidOption = () =>
  new Option("--skip-invalid", "leave out rows that cannot be read, and list them");

export function delimiter(text: string): string {
  const character = text === String.raw`\t` ? "\t" : text;
  if (!/^[\t -!#-~]$/.test(character))
    throw new InvalidArgumentError("It must be one ASCII character, such as ';', and no quote; \\t is a tab.");
  return character;
}

/** Members of an upload. */
export function readingOf({ format, encoding, delimiter, headerRow, skipInvalid }: Reading) {
  const csv = {
    ...(encoding === undefined ? {} : { encoding }),
    ...(delimiter === undefined ? {} : { delimiter }),
    ...(headerRow === false ? { header: false } : {}),
  };
  return {
    ...(format === undefined ? {} : { format }),
    ...(Object.keys(csv).length === 0 ? {} : { csv }),
    ...(skipInvalid === true ? { onInvalidRow: "skip" as const } : {}),
  };
}

/** What makes another dataset of the same content. Without the newer options it is that of older versions, and of the Python client. */
export function readingIdentity(reading: Reading): unknown[] {
  const { encoding, format, ...newer } = reading;
  const { csv, onInvalidRow } = readingOf(newer);
  return [
    format,
    ...(encoding === undefined ? [] : [encoding]),
    ...(csv === undefined && onInvalidRow === undefined ? [] : [{ csv, onInvalidRow }]),
  ];
}

/** Also where the dataset was made by an earlier command: its rows are not those of the file. */
export async function noteSkippedRows(cli: Cli, rowmill: Rowmill, dataset: Dataset, reading: Reading): Promise<void> {
  if (reading.skipInvalid !== true || dataset.uploadId === null) return;
  const { rowsRejected, errors } = await rowmill.datasetUploads.get(dataset.uploadId, { signal: cli.signal });
  if (rowsRejected === 0) return;
  cli.output.note(
    `${plural(rowsRejected, "row")} cannot be read, and ${rowsRejected === 1 ? "is" : "are"} left out: ${describeIntakeErrors(errors)}.`,
  );
}
