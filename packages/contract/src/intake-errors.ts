/**
 * Why a file, or a line of it, is refused on its way into a dataset: the one table of intake codes, as they stand in
 * `errors[].code` of a dataset upload.
 */
export const intakeErrors = {
  empty_file: "The file holds no rows.",
  encoding_error:
    "The content is not text in the encoding that is given (UTF-8 if none is), or its compressed form is damaged or cut off.",
  invalid_json_line: "A row is not a JSON object that can be stored.",
  invalid_csv: "A record does not follow RFC 4180 or does not fit the header.",
  invalid_parquet: "The file is not a readable Parquet file, or a row of it cannot be stored.",
  row_too_large: "A row is larger than a row may be.",
  too_many_columns: "The table has more columns than a table may have.",
  checksum_mismatch: "The content is not what its checksum says.",
  download_failed: "The content could not be fetched from its URL.",
  decompression_limit: "The content holds more bytes or rows than a dataset may, or unpacks to suspiciously many.",
  storage_limit_reached: "The organization stores as much as it may.",
  unsupported_format: "The content is of a kind that is not read.",
  internal_error: "The service could not read the content, for a reason of its own.",
} as const;

export type IntakeErrorCode = keyof typeof intakeErrors;
export const intakeErrorCodes = Object.keys(intakeErrors) as IntakeErrorCode[];
