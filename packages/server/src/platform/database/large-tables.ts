/** Tables whose rows grow with those of datasets and runs, and the column by which each may be spread over servers (decision 0025). */
export const largeTables = {
  dataset_chunks: "dataset_id",
  run_chunks: "run_id",
  run_segments: "run_id",
  run_failures: "run_id",
  run_row_keys: "run_id",
} as const;

export type LargeTable = keyof typeof largeTables;

export const largeTableNames = Object.keys(largeTables) as LargeTable[];

const NAMES = new RegExp(String.raw`\b(?:${largeTableNames.join("|")})\b`);

export const namesLargeTable = (statement: string): boolean => NAMES.test(statement);
