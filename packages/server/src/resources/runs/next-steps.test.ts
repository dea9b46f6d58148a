import { describe, expect, test } from "vitest";
import { operations } from "@rowmill/contract";
import type { Operation } from "@rowmill/contract/operation";
import { stateReasonNames } from "@rowmill/contract/run-reasons";
import { runStates } from "@rowmill/contract/runs";
import { nextStepsOf } from "./next-steps.ts";

const run = { id: "run_x", jobSpecId: "spec_x", failed: 2, unfinished: 3, isArchived: false };
const actionsOf = (more: Partial<Parameters<typeof nextStepsOf>[0]>): string[] =>
  nextStepsOf({ ...run, state: "paused", stateReason: null, ...more }).map(({ action }) => action);

describe("what can be done about a run", () => {
  test.each(stateReasonNames)("that stands still for %s is never nothing", (stateReason) => {
    expect(actionsOf({ stateReason })).not.toEqual([]);
  });

  test("that has ended follows from its rows", () => {
    expect(actionsOf({ state: "partially_succeeded" })).toEqual(["read_failures", "retry"]);
    expect(actionsOf({ state: "canceled", failed: 0 })).toEqual(["retry"]);
    expect(actionsOf({ state: "succeeded", failed: 0, unfinished: 0 })).toEqual([]);
    expect(actionsOf({ state: "running" })).toEqual([]);
    expect(actionsOf({ state: "canceling" })).toEqual([]);
  });

  test("is neither a retry nor a version where the job spec takes none", () => {
    const isArchived = true;
    expect(actionsOf({ isArchived, state: "partially_succeeded" })).toEqual(["read_failures", "create_again"]);
    expect(actionsOf({ isArchived, state: "expired", failed: 0 })).toEqual(["create_again"]);
    expect(actionsOf({ isArchived, stateReason: "breaker_open" })).toEqual(["read_failures", "resume", "cancel"]);
    expect(actionsOf({ stateReason: "breaker_open" })).toEqual(["read_failures", "resume", "cancel", "add_version"]);
  });

  test("is always an operation that exists", () => {
    const exists = (method: string, path: string): boolean =>
      Object.values(operations as Record<string, Operation>).some(
        (o) => o.method === method && o.path.replace("{runId}", "run_x").replace("{jobSpecId}", "spec_x") === path,
      );
    const steps = runStates.flatMap((state) =>
      [null, ...stateReasonNames].flatMap((stateReason) =>
        [false, true].flatMap((isArchived) => nextStepsOf({ ...run, isArchived, state, stateReason })),
      ),
    );
    const unknown = steps.filter(({ method, path }) => path !== undefined && !exists(method ?? "", path));
    expect(unknown).toEqual([]);
  });
});
