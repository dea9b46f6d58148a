/** What usually stands behind a refused file, and what to do: for people who read the table of intake codes. */
import type { IntakeErrorCode } from "./intake-errors.ts";

export const intakeCauses: Readonly<Record<IntakeErrorCode, string>> = {
  empty_file: "The export that wrote the file found nothing, or all of its rows were invalid and left out.",
  encoding_error: "A spreadsheet wrote the file in another encoding, or a transfer cut it off.",
  invalid_json_line:
    "A line was cut off, is an array or a number, or has `\\u0000`, a lone surrogate or too many levels.",
  invalid_csv: "A quote is not closed or not doubled, or a record has more or fewer fields than the header.",
  invalid_parquet: "The file was cut off, or uses a compression, an encoding or a type that is not supported.",
  row_too_large: "A cell holds a whole document or file. Often a quote that is not closed joins many lines into one.",
  too_many_columns: "The table was transposed, or has one column for each day or measurement.",
  checksum_mismatch: "The file changed after its checksum was computed, or a transfer damaged it.",
  download_failed: "The URL expired, leads to a private address, or its server responded with an error or too slowly.",
  decompression_limit: "The file is larger than a dataset may be, or was made to exhaust the service.",
  storage_limit_reached: "The organization keeps many datasets, results and exports.",
  unsupported_format: "The file is a spreadsheet or an archive, or its name or content type says another format.",
  internal_error: "A defect of the service, or a process that died several times. Its log has the cause.",
};

export const intakeActions: Readonly<Record<IntakeErrorCode, string>> = {
  empty_file: "Upload a file that has rows.",
  encoding_error: "Upload the undamaged file as UTF-8, or a CSV file with its encoding in `csv.encoding`.",
  invalid_json_line: "Correct the line, or let invalid rows be left out with `onInvalidRow: skip`.",
  invalid_csv: "Correct the record, or let invalid rows be left out with `onInvalidRow: skip`.",
  invalid_parquet: "Upload the table as another Parquet file, or as CSV or JSON Lines.",
  row_too_large: "Upload the file with smaller rows; store large contents elsewhere, and their URLs in the row.",
  too_many_columns: "Upload the table with fewer columns, for example with one row for each measurement.",
  checksum_mismatch: "Upload the file with the `sizeBytes` and `sha256` of its bytes.",
  download_failed: "Use a URL that is public and still valid, or send the file with `source.type: upload`.",
  decompression_limit: "Upload the rows in several smaller files.",
  storage_limit_reached:
    "Delete datasets, runs or exports that are not needed, or ask the operator for a higher limit.",
  unsupported_format: "Upload the rows as JSON Lines, JSON, CSV, TSV or Parquet.",
  internal_error: "Upload the file once more; if it fails again, send the upload's id to the operator.",
};
