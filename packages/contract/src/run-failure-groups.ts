/** The failures of a run, grouped by their cause. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureClasses, failureCodeNames } from "./failures.ts";
import { operation } from "./operation.ts";
import { ListOf } from "./pagination.ts";
import { Enum, Id, Integer, Nullable, SafeCount, Timestamp, component } from "./schemas.ts";

export const FailureGroupSchema = component(
  "FailureGroup",
  Type.Object({
    code: Enum(failureCodeNames),
    class: Enum(failureClasses),
    retryable: Type.Boolean({ description: "Whether the rows may succeed in a retry run with nothing changed." }),
    path: Nullable(
      Type.String({
        maxLength: 200,
        description:
          "What `details.path` of the failures begins with, up to 200 characters: where in the value, or in the code " +
          "(`transform.js:3:5`), the cause is. Null where they have none.",
      }),
    ),
    count: Integer({ minimum: 1, description: "Failures of the group." }),
    sample: Type.Object(
      {
        datasetRowId: Id("row"),
        index: SafeCount("Position in the dataset, from 0."),
        message: Type.String(),
        failedAt: Timestamp(),
      },
      { description: "One of the failures." },
    ),
  }),
);
export type FailureGroup = Static<typeof FailureGroupSchema>;

export const failureGroupOperations = {
  listFailureGroups: operation({
    method: "GET",
    path: "/v1/runs/{runId}/failure-groups",
    tag: "Run results",
    summary: "List the failures of a run by their cause",
    description:
      "Failures with the same `code`, `retryable` and `details.path` are a group; the largest comes first. " +
      "`selection: {type: codes}` of a retry run chooses the rows of some codes. While the run continues, counts grow, and a " +
      "group may move between pages.",
    access: { by: "organization", scopes: ["results:read"] },
    idempotency: "none",
    params: { runId: "run" },
    filters: {},
    response: { status: 200, schema: ListOf(FailureGroupSchema) },
    errors: ["not_found"],
  }),
};
