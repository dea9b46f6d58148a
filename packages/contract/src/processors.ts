/** The processors of job specs, as request schemas: one variant a processor, told apart by `type`. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { failureCodeNames } from "./failures.ts";
import { Closed, Enum, OneOf } from "./schemas.ts";

const Transform = Closed(
  {
    type: Type.Literal("transform"),
    language: Type.Optional(Enum(["javascript"])),
    code: Type.String({
      minLength: 1,
      maxLength: 262_144,
      description:
        "A JavaScript module whose default export is a function from a row to a JSON value. It runs in a sandbox without network, files or clock.",
      examples: ["export default (row) => ({ name: row.name.toUpperCase() })"],
    }),
  },
  { title: "transform" },
);

const Mock = Closed(
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

const variants = { transform: Transform, mock: Mock };
export type ProcessorType = keyof typeof variants;

export const ProcessorSchema = OneOf("type", Object.values(variants));
export type ProcessorConfig = Static<(typeof variants)[ProcessorType]>;
export type ProcessorConfigOf<T extends ProcessorType> = Static<(typeof variants)[T]>;
