/** What the error of a run advises. Its job spec may have been archived since, and takes no retry runs then: what works is said where it is shown. */

export const RETRY_WITH_HIGHER_BUDGET = "Retry the run with a higher `budget.maxCostUsd`.";
const CREATE_WITH_HIGHER_BUDGET =
  "The job spec is archived, so the run cannot be retried: make another job spec with its definition, and a run of the rows with a higher `budget.maxCostUsd`.";

export const RETRY_WITH_FASTER_VERSION =
  "Make the code or the schema faster, test it on some of these rows (POST /v1/job-specs/{jobSpecId}/test), add a version with it, " +
  "and retry the run with that version.";
const CREATE_WITH_FASTER_CODE =
  "Make the code or the schema faster. The job spec is archived, so it takes no version and the run cannot be retried: make another job spec, " +
  "test it on some of these rows (POST /v1/job-specs/{jobSpecId}/test), and create a run of the rows with it.";

const instead: readonly (readonly [advice: string, ofArchived: string])[] = [
  [RETRY_WITH_HIGHER_BUDGET, CREATE_WITH_HIGHER_BUDGET],
  [RETRY_WITH_FASTER_VERSION, CREATE_WITH_FASTER_CODE],
];

type RunError = { code: string; message: string };

export function errorWithAdvice<E extends RunError | null>(error: E, isArchived: boolean): E {
  if (error === null || !isArchived) return error;
  const message = instead.reduce((text, [advice, ofArchived]) => text.replace(advice, ofArchived), error.message);
  return { ...error, message };
}
