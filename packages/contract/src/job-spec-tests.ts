/** What a test of a job spec responds. */
import { Type } from "typebox";
import { failureClasses, failureCodeNames } from "./failures.ts";
import { RowCallSchema, RowUsageSchema } from "./row-usage.ts";
import { AnyObject, Enum, Integer, Nullable, SafeCount, Usd, component } from "./schemas.ts";

const tracedText = {
  headers: Type.Record(Type.String(), Type.String()),
  body: Nullable(
    Type.String({
      description: "The first 8192 characters; null where the body is absent, or cannot be shown as text.",
    }),
  ),
  isCut: Type.Boolean({ description: "Whether the body is longer than what is shown." }),
};

const TestedCallSchema = component(
  "TestedCall",
  Type.Object(
    {
      request: Type.Object({ method: Type.String(), url: Type.String(), ...tracedText }),
      response: Nullable(Type.Object({ status: Integer(), ...tracedText })),
      usage: Nullable(RowCallSchema),
    },
    {
      description:
        "A call as it was sent, and its response, without the credentials of the connection. `usage` is as in `usage.calls` of the row.",
    },
  ),
);

const testedRow = {
  index: Integer({ description: "Position in `rows`, or in the dataset." }),
  durationMs: Integer({ description: "From the start of the test to the end of the row, waits included." }),
  usage: Nullable(RowUsageSchema),
  logs: Type.String({ description: "What the code wrote to the console, first 4 KB." }),
  calls: Type.Optional(
    Type.Array(TestedCallSchema, {
      description:
        "Of `details: true`: every call for the row, repair attempts and fallbacks included, in the order in which they ended; the last 24.",
    }),
  ),
};

export const JobSpecTestResultSchema = component(
  "JobSpecTestResult",
  Type.Object({
    outputs: Type.Array(Type.Object({ ...testedRow, data: Type.Unknown() }), {
      description: "Of the rows that succeeded, in the order of the rows.",
    }),
    failures: Type.Array(
      Type.Object({
        ...testedRow,
        code: Enum(failureCodeNames),
        class: Enum(failureClasses),
        retryable: Type.Boolean(),
        message: Type.String(),
        details: Nullable(AnyObject),
      }),
      { description: "Of the others, in the order of the rows." },
    ),
    totals: Type.Object(
      {
        inputTokens: SafeCount("Tokens sent to models."),
        outputTokens: SafeCount("Tokens received from models."),
        requests: SafeCount("Calls to the outside."),
        unpricedRequests: SafeCount("Calls whose price is not known."),
        costUsd: Nullable(Usd("What the calls cost; null when some price is not known.")),
      },
      { description: "What the test has used." },
    ),
  }),
);
