/** Why intake refuses a file or a row of it. */
export const intakeErrorCodes = [
  "empty_file",
  "encoding_error",
  "invalid_json_line",
  "invalid_csv",
  "invalid_parquet",
  "row_too_large",
  "too_many_columns",
  "checksum_mismatch",
  "download_failed",
  "decompression_limit",
  "unsupported_format",
] as const;
export type IntakeErrorCode = (typeof intakeErrorCodes)[number];
