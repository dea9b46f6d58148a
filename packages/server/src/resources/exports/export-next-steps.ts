/** What an export waits for or why it has no file, as a sentence, and what can be done then. */
import type { ExportStatus } from "@rowmill/contract/exports";
import type { NextStep } from "@rowmill/contract/run-reasons";

export interface ShownExport {
  /** As clients know them. */
  id: string;
  runId: string;
  status: ExportStatus;
  error: { code: string; message: string } | null;
}

export function statusMessageOf({ status, error }: ShownExport): string | null {
  const messages: Record<ExportStatus, string | null> = {
    queued: "The export waits for a worker.",
    running: "The file is being written.",
    ready: null,
    expired: "The file was deleted when its time was over.",
    failed: `The file could not be written. ${error?.message ?? "The log of the service says why."}`,
    canceled: "The export was canceled.",
  };
  return messages[status];
}

export function nextStepsOf({ id, runId, status, error }: ShownExport): NextStep[] {
  const again = (description: string): NextStep => ({
    action: "export_again",
    description,
    method: "POST",
    path: `/v1/runs/${runId}/exports`,
  });
  const unfinished: NextStep[] = [
    { action: "wait", description: "The export goes on by itself." },
    { action: "cancel", description: "Ends the export.", method: "POST", path: `/v1/exports/${id}/cancel` },
  ];
  const steps: Record<ExportStatus, NextStep[]> = {
    queued: unfinished,
    running: unfinished,
    ready: [],
    expired: [again("Writes the file once more.")],
    failed: afterFailure(error?.code ?? "internal_error", again),
    canceled: [again("Writes the file after all.")],
  };
  return steps[status];
}

function afterFailure(code: string, again: (description: string) => NextStep): NextStep[] {
  switch (code) {
    case "run_deleted":
      return [];
    case "unknown_column":
      return [again("Writes a file with columns that the rows have.")];
    case "too_many_columns":
      return [again("Writes a file with fewer columns, chosen by `columns`, or as `jsonl`.")];
    case "storage_limit_reached":
      return [again("Writes the file after datasets, runs or exports were deleted."), askOperator];
    default:
      return [again("Writes the file once more."), askOperator];
  }
}

const askOperator: NextStep = {
  action: "ask_operator",
  description: "Only the operator can raise a limit, or find the cause in the log of the service.",
};
