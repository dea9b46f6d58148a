/** Which rows a run has: a scope chooses among the dataset's, a selection among the parent run's. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureCodeNames } from "./failures.ts";
import { Closed, Enum, IdReference, OneOf, component } from "./schemas.ts";

/** Row ids in one request: the body stays far below its limit. */
const MAX_ROW_IDS = 10_000;
const rowIds = Type.Array(IdReference("row", "A dataset row."), { minItems: 1, maxItems: MAX_ROW_IDS });
const MAX_ROWS = 1_000_000_000;

export const ScopeSchema = component(
  "RunScope",
  OneOf("type", [
    Closed({
      type: Type.Literal("limit"),
      count: Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: "Number of rows to process, from the first." }),
    }),
    Closed({ type: Type.Literal("all") }),
    Closed({
      type: Type.Literal("range"),
      from: Type.Integer({ minimum: 0, maximum: MAX_ROWS, description: "First row index." }),
      to: Type.Integer({ minimum: 1, maximum: MAX_ROWS, description: "The row index after the last." }),
    }),
    Closed({
      type: Type.Literal("sample"),
      count: Type.Integer({ minimum: 1, maximum: 1_000_000, description: "Number of rows to draw." }),
      seed: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "The same seed draws the same rows." }),
    }),
    Closed({ type: Type.Literal("rows"), rowIds }),
    Closed({
      type: Type.Literal("filter"),
      where: Type.String({
        description:
          "A CEL expression over `row`, up to 4 KiB: the run has the rows for which it is true when the run is created. Numbers are doubles; a row that cannot be evaluated, because a member is missing, is not chosen.",
        examples: ["row.country == 'DE' && row.amount > 100"],
      }),
    }),
  ]),
);
export type Scope = Static<typeof ScopeSchema>;

export const SelectionSchema = component(
  "RetrySelection",
  OneOf("type", [
    Closed({ type: Type.Literal("unfinished") }),
    Closed({ type: Type.Literal("failures") }),
    Closed({ type: Type.Literal("retryable_failures") }),
    Closed({ type: Type.Literal("rows"), rowIds }),
    Closed({
      type: Type.Literal("codes"),
      codes: Type.Array(Enum(failureCodeNames), { minItems: 1, maxItems: 50, uniqueItems: true }),
    }),
    Closed({ type: Type.Literal("all") }),
  ]),
);
export type Selection = Static<typeof SelectionSchema>;
