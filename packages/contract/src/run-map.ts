/** Where the rows of a run stand, in a number of cells that does not grow with the run. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { operation } from "./operation.ts";
import { Closed, Integer, SafeCount, component } from "./schemas.ts";

/** More cells than this are finer than a screen can show. */
export const MAX_MAP_CELLS = 5000;
export const DEFAULT_MAP_CELLS = 1000;

export const RunMapSchema = component(
  "RunMap",
  Type.Object(
    {
      chunks: SafeCount("Chunks of the run: rows are claimed, and their results are committed, chunk by chunk."),
      cells: Type.Array(
        Type.Object({
          firstIndex: SafeCount("Position in the dataset of the first row, from 0."),
          lastIndex: SafeCount("Position in the dataset of the last row."),
          chunks: Integer({ minimum: 1, description: "Chunks that the cell stands for." }),
          runningChunks: SafeCount("Those of them that a worker is working on, or that are in a batch at a provider."),
          rows: Integer({ minimum: 1, description: "Rows of these chunks." }),
          succeeded: SafeCount("Rows with an output."),
          failed: SafeCount("Rows with a failure."),
        }),
        { maxItems: MAX_MAP_CELLS, description: "In the order of the rows." },
      ),
    },
    { description: "Neighboring chunks share a cell where a run has more chunks than cells were asked for." },
  ),
);
export type RunMap = Static<typeof RunMapSchema>;

export const runMapOperations = {
  getRunMap: operation({
    method: "GET",
    path: "/v1/runs/{runId}/map",
    tag: "Runs",
    summary: "Read where the rows of a run stand",
    description: "One cell for each chunk, or for neighboring chunks of a run that has more chunks than `cells`.",
    access: { by: "organization", scopes: ["runs:read"] },
    idempotency: "none",
    params: { runId: "run" },
    query: Closed({
      cells: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_MAP_CELLS,
          description: `Most cells of the response (${DEFAULT_MAP_CELLS}).`,
        }),
      ),
    }),
    response: { status: 200, schema: RunMapSchema },
    errors: ["not_found"],
  }),
};
