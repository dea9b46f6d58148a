/** The form of a launch, and the run that it describes. */
import type { Body } from "@rowmill/client";

export type RunBody = Omit<Body<"createRun">, "dryRun">;
export type ScopeType = "all" | "limit" | "sample" | "range" | "filter";
export const SAMPLE_ROWS = 100;

export interface LaunchForm {
  limit: string;
  sample: string;
  from: string;
  to: string;
  where: string;
  name: string;
  budget: string;
  onExceeded: "pause" | "cancel";
  concurrency: string;
  maxFailed: string;
  deadline: string;
}

/** A timestamp of the API has years of four digits; a browser takes six. */
const LAST_YEAR = 9999;
export const LAST_DEADLINE = `${LAST_YEAR}-12-31T23:59`;

export const emptyForm = (rowCount: number): LaunchForm => ({
  limit: "100",
  sample: String(SAMPLE_ROWS),
  from: "1",
  to: String(rowCount),
  where: "",
  name: "",
  budget: "",
  onExceeded: "pause",
  concurrency: "",
  maxFailed: "",
  deadline: "",
});

/** The run that the form describes. What is left empty is left to the defaults. */
export function bodyOf(datasetId: string, jobSpecId: string, type: ScopeType, form: LaunchForm): RunBody {
  const scopes: Record<ScopeType, RunBody["scope"]> = {
    all: { type: "all" },
    limit: { type: "limit", count: Math.max(1, Number(form.limit)) },
    sample: { type: "sample", count: Math.max(1, Number(form.sample)), seed: 1 },
    // The form counts from 1, and names the last row; the API counts from 0, and names the one after it.
    range: { type: "range", from: Math.max(0, Number(form.from) - 1), to: Number(form.to) },
    filter: { type: "filter", where: form.where },
  };
  return {
    datasetId,
    jobSpecId,
    scope: scopes[type],
    ...(form.name.trim() === "" ? {} : { name: form.name.trim() }),
    ...(/^\d{1,12}(\.\d{1,12})?$/.test(form.budget)
      ? { budget: { maxCostUsd: form.budget, onExceeded: form.onExceeded } }
      : {}),
    ...(form.concurrency === "" ? {} : { concurrency: Number(form.concurrency) }),
    ...(form.maxFailed === "" ? {} : { failurePolicy: { maxFailedPercent: Number(form.maxFailed) } }),
    ...deadlineOf(form.deadline),
  };
}

/** From local time. None of a time that is not complete, or that the form refuses. */
function deadlineOf(text: string): Pick<RunBody, "deadlineAt"> {
  const at = new Date(text);
  return at.getUTCFullYear() <= LAST_YEAR ? { deadlineAt: at.toISOString() } : {};
}
