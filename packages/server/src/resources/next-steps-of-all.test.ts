/** Sentences and next steps of uploads and exports: every way to end without a dataset or a file has both. */
import { describe, expect, test } from "vitest";
import { operations } from "@rowmill/contract";
import { datasetUploadStates } from "@rowmill/contract/dataset-uploads";
import { exportStatuses } from "@rowmill/contract/exports";
import { intakeErrorCodes, intakeErrors } from "@rowmill/contract/intake-errors";
import type { Operation } from "@rowmill/contract/operation";
import type { NextStep } from "@rowmill/contract/run-reasons";
import * as uploads from "./dataset-uploads/upload-next-steps.ts";
import * as files from "./exports/export-next-steps.ts";

const upload = { id: "upload_x", error: undefined, isSkippable: false };
const file = { id: "export_x", runId: "run_x", error: null };
const exportErrors = ["unknown_column", "too_many_columns", "storage_limit_reached", "worker_lost"];

test.each(datasetUploadStates.filter((state) => state !== "completed"))("an upload that is %s", (state) => {
  expect(uploads.stateMessageOf({ ...upload, state })).toMatch(/\.$/);
  expect(uploads.nextStepsOf({ ...upload, state })).not.toEqual([]);
});

test("only an upload whose errors are all of single rows can leave these out", () => {
  const error = { code: "invalid_csv", message: intakeErrors.invalid_csv } as const;
  const stepOf = (isSkippable: boolean) => uploads.nextStepsOf({ ...upload, state: "failed", error, isSkippable })[0];
  expect(stepOf(true)?.description).toContain("`onInvalidRow: skip`");
  expect(stepOf(false)?.description).not.toContain("skip");
});

test.each(intakeErrorCodes)("an upload that failed with %s names it", (code) => {
  const failed = { ...upload, state: "failed", error: { code, message: intakeErrors[code] } } as const;
  expect(uploads.stateMessageOf(failed)).toBe(`The upload made no dataset. ${intakeErrors[code]}`);
  expect(uploads.nextStepsOf(failed)[0]).toMatchObject({ action: "upload_again", path: "/v1/dataset-uploads" });
});

test.each(exportStatuses.filter((status) => status !== "ready"))("an export that is %s", (status) => {
  expect(files.statusMessageOf({ ...file, status })).toMatch(/\.$/);
  expect(files.nextStepsOf({ ...file, status })).not.toEqual([]);
});

test("an export of a deleted run cannot be made again", () => {
  const error = { code: "run_deleted", message: "The run was deleted." };
  expect(files.nextStepsOf({ ...file, status: "failed", error })).toEqual([]);
});

describe("what is done and ready", () => {
  test("needs neither", () => {
    expect(uploads.stateMessageOf({ ...upload, state: "completed" })).toBeNull();
    expect(uploads.nextStepsOf({ ...upload, state: "completed" })).toEqual([]);
    expect(files.statusMessageOf({ ...file, status: "ready" })).toBeNull();
    expect(files.nextStepsOf({ ...file, status: "ready" })).toEqual([]);
  });
});

test("each step is an operation that exists, or none", () => {
  const steps: NextStep[] = [
    ...datasetUploadStates.flatMap((state) => uploads.nextStepsOf({ ...upload, state })),
    ...exportStatuses.flatMap((status) => files.nextStepsOf({ ...file, status })),
    ...exportErrors.flatMap((code) => files.nextStepsOf({ ...file, status: "failed", error: { code, message: "" } })),
  ];
  const known = Object.values(operations as Record<string, Operation>).map(
    ({ method, path }) =>
      `${method} ${path.replace("{datasetUploadId}", "upload_x").replace("{exportId}", "export_x").replace("{runId}", "run_x")}`,
  );
  const unknown = steps.filter(({ method, path }) => path !== undefined && !known.includes(`${method} ${path}`));
  expect(unknown).toEqual([]);
});
