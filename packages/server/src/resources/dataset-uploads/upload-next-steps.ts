/** What an upload waits for or why it made no dataset, as a sentence, and what can be done then. */
import type { DatasetUploadState } from "@rowmill/contract/dataset-uploads";
import { intakeErrors } from "@rowmill/contract/intake-errors";
import type { IntakeErrorCode } from "@rowmill/contract/intake-errors";
import type { NextStep } from "@rowmill/contract/run-reasons";

export interface ShownUpload {
  /** As clients know it. */
  id: string;
  state: DatasetUploadState;
  /** The first one, if any. */
  error: { code: IntakeErrorCode; message: string } | undefined;
  isSkippable: boolean;
}

const withoutErrors = { code: "internal_error", message: intakeErrors.internal_error } as const;

export function stateMessageOf({ state, error = withoutErrors }: ShownUpload): string | null {
  const messages: Record<DatasetUploadState, string | null> = {
    awaiting_content: "The upload waits for its content.",
    processing: "The content is fetched or read. The dataset is ready when the upload is completed.",
    completed: null,
    failed: `The upload made no dataset. ${error.message}`,
    expired: "The upload made no dataset: its content did not arrive in time.",
    canceled: "The upload was canceled before its content arrived.",
  };
  return messages[state];
}

export function nextStepsOf({ id, state, error = withoutErrors, isSkippable }: ShownUpload): NextStep[] {
  const path = `/v1/dataset-uploads/${id}`;
  const again = (description: string): NextStep => ({
    action: "upload_again",
    description,
    method: "POST",
    path: "/v1/dataset-uploads",
  });
  const steps: Record<DatasetUploadState, NextStep[]> = {
    awaiting_content: [
      { action: "send_content", description: "Sends the file as the body.", method: "PUT", path: `${path}/content` },
      { action: "cancel", description: "Ends the upload.", method: "POST", path: `${path}/cancel` },
    ],
    processing: [{ action: "wait", description: "The upload goes on by itself." }],
    completed: [],
    failed: [
      again(isSkippable ? `${corrections[error.code]} ${SKIPPING}` : corrections[error.code]),
      ...(operatorHelps(error.code) ? [askOperator] : []),
    ],
    expired: [again("Begins another upload.")],
    canceled: [again("Begins another upload.")],
  };
  return steps[state];
}

const askOperator: NextStep = {
  action: "ask_operator",
  description: "Only the operator can raise a limit, or find the cause in the log of the service.",
};
const operatorHelps = (code: IntakeErrorCode): boolean => code === "internal_error" || code === "storage_limit_reached";

const SKIPPING = "With `onInvalidRow: skip` invalid rows are left out.";

const corrections: Record<IntakeErrorCode, string> = {
  empty_file: "Uploads a file that has rows.",
  encoding_error: "Uploads the undamaged file as UTF-8, or a CSV file with its encoding in `csv.encoding`.",
  invalid_json_line: "Uploads the corrected file.",
  invalid_csv: "Uploads the corrected file.",
  invalid_parquet: "Uploads the table as another Parquet file, or as CSV or JSON Lines.",
  row_too_large: "Uploads the file with smaller rows.",
  too_many_columns: "Uploads the file with fewer columns.",
  checksum_mismatch: "Uploads the file with the `sizeBytes` and `sha256` of its bytes.",
  download_failed: "Fetches the file again, from a URL that is public and still valid.",
  decompression_limit: "Uploads the rows in several smaller files.",
  storage_limit_reached: "Uploads the file after datasets, runs or exports were deleted.",
  unsupported_format: "Uploads the rows as JSON Lines, JSON, CSV, TSV or Parquet.",
  internal_error: "Uploads the file once more.",
};
