import { Type } from "typebox";
import { failureCodeNames } from "../failures.ts";
import { Closed, Enum } from "../schemas.ts";

export const Mock = Closed(
  {
    type: Type.Literal("mock"),
    failEvery: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: "Rows with (index + 1) divisible by this fail.",
      }),
    ),
    failUntilRetry: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: "They fail only in runs whose `retryNumber` is below this.",
      }),
    ),
    code: Type.Optional(Enum(failureCodeNames, { description: "Their failure code (`provider_overloaded`)." })),
    delayMs: Type.Optional(Type.Integer({ minimum: 0, maximum: 60_000, description: "How long each row takes." })),
  },
  { title: "mock", description: "Echoes each row under `echo`; for rehearsals, demos and load tests." },
);
