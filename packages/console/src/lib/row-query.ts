import { rowmill } from "./client.ts";
import { parseExactly } from "./exact-numbers.ts";

/** One row of a dataset. Null where the dataset has fewer rows. */
export const rowQuery = (datasetId: string, index: number) => ({
  queryKey: ["datasets", datasetId, "row", index],
  queryFn: async ({ signal }: { signal: AbortSignal }) =>
    (await rowmill.datasets.rows(datasetId, { fromIndex: index, limit: 1 }, { signal, parseJson: parseExactly }))
      .data[0] ?? null,
  // The rows of a dataset never change.
  staleTime: Infinity,
});
