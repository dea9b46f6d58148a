/** How the values of a dataset's columns are distributed, from a bounded number of its rows. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { columnTypes } from "./datasets.ts";
import { operation } from "./operation.ts";
import { Closed, Enum, Integer, Nullable, SafeCount, component } from "./schemas.ts";

/** Rows that are examined: enough for a histogram, few enough for a request. */
export const MAX_EXAMINED_ROWS = 20_000;
export const MAX_STATISTICS_COLUMNS = 100;
export const MAX_HISTOGRAM_BINS = 20;
export const MAX_FREQUENT_VALUES = 5;
/** Different texts that are counted in a column; one with more has too many to be worth a list. */
export const MAX_COUNTED_VALUES = 1_000;

const Bound = Type.Union([Type.Number(), Type.String()]);

export const ColumnStatisticsSchema = component(
  "ColumnStatistics",
  Type.Object(
    {
      examinedRows: SafeCount("Rows that the numbers are about."),
      isComplete: Type.Boolean({
        description: `Whether these are all rows. A larger dataset is examined in up to ${MAX_EXAMINED_ROWS.toLocaleString("en")} rows from chunks that lie evenly over it.`,
      }),
      columns: Type.Array(
        Type.Object({
          name: Type.String(),
          type: Enum(columnTypes),
          nullCount: SafeCount("Examined rows in which the column is null or absent."),
          histogram: Nullable(
            Type.Array(
              Type.Object({
                from: Bound,
                to: Bound,
                count: Integer({ minimum: 0, description: "Values from `from` up to, but without, `to`." }),
              }),
              {
                maxItems: MAX_HISTOGRAM_BINS,
                description:
                  "Of numbers, dates and timestamps: bins of one width between the least and the greatest value of the whole column. The last one includes its `to`.",
              },
            ),
          ),
          frequentValues: Nullable(
            Type.Array(
              Type.Object({
                value: Type.String({ description: "At most 100 characters of it." }),
                count: Integer({ minimum: 1 }),
              }),
              { maxItems: MAX_FREQUENT_VALUES, description: "Of texts and booleans: the most frequent values." },
            ),
          ),
          distinctValues: Nullable(
            SafeCount(
              `Different values among the examined rows, of texts and booleans; null where they are more than ${MAX_COUNTED_VALUES.toLocaleString("en")}.`,
            ),
          ),
        }),
        { maxItems: MAX_STATISTICS_COLUMNS },
      ),
    },
    { description: "How the values of columns are distributed." },
  ),
);
export type ColumnStatistics = Static<typeof ColumnStatisticsSchema>;

export const columnStatisticsOperations = {
  getColumnStatistics: operation({
    method: "GET",
    path: "/v1/datasets/{datasetId}/column-statistics",
    tag: "Datasets",
    summary: "Read how the values of the columns are distributed",
    description:
      "Computed from the stored rows when it is asked for, with a cost that does not grow with the dataset. The exact null count, least and greatest " +
      `value of each column are those of the dataset. At most ${MAX_STATISTICS_COLUMNS} columns in one response: \`fromColumn\` has the next ones.`,
    access: { by: "organization", scopes: ["datasets:read"] },
    idempotency: "none",
    params: { datasetId: "dataset" },
    query: Closed({
      fromColumn: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 1_000_000, description: "Position of the first column, from 0." }),
      ),
    }),
    response: { status: 200, schema: ColumnStatisticsSchema },
    errors: ["not_found", "dataset_not_ready"],
  }),
};
